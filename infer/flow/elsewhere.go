package flow

import "slices"

// Weights and bounds only cover regions in which a fit has mass. So its draws are compared with walkers that begin at
// independent starting points.
const (
	comparedDraws  = 256    // draws of each chain
	mostOfFit      = 4      // the exploration may use one gradient for this many gradients of the fits
	leastGradients = 50_000 // minimum budget of the exploration
)

// someDraws returns positions of the first draws of each chain.
func (r *fit) someDraws() (positions [][][]float64, err error) {
	positions = make([][][]float64, len(r.state.Phi))
	for k := range min(comparedDraws, r.report.Draws) / samples {
		if err := r.call("draw", r.state.Clock+2*uint64(k)); err != nil {
			return nil, err
		}
		for lane := range len(r.state.Phi) * samples {
			x := make([]float64, r.dim)
			r.exe.GetLane(theta, lane, x)
			if finite(x) {
				positions[lane/samples] = append(positions[lane/samples], x)
			}
		}
	}
	return positions, nil
}

// lookElsewhere explores the target and compares the draws with the exploration.
func (r *fit) lookElsewhere(draws [][][]float64) error {
	seen, err := r.explore(r.ctx, r.exact, r.options, max(leastGradients, r.report.Gradients/mostOfFit))
	if err != nil {
		return err
	}
	r.report.Gradients += seen.Gradients
	empty := func(xs [][]float64) bool { return len(xs) == 0 }
	if slices.ContainsFunc(draws, empty) {
		seen.Visited = nil
	}
	r.report.Elsewhere = seen.Against(draws)
	return nil
}
