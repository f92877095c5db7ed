package flow

import (
	"slices"

	"ppl/infer/adapt"
	"ppl/posterior/store"
)

// Weights and bounds see only where a fit is. So its draws are compared with where walkers are that begin at starts of
// their own.
const (
	comparedDraws  = 256    // of each chain
	mostOfFit      = 4      // gradients of the fits for each of the exploration,
	leastGradients = 50_000 // which has as many in any case
)

// someDraws are positions of the first draws of all chains.
func (r *fit) someDraws() (positions [][]float64, err error) {
	for k := range min(comparedDraws, r.report.Draws) / samples {
		if err := r.call("draw", r.state.Clock+2*uint64(k)); err != nil {
			return nil, err
		}
		for lane := range len(r.state.Phi) * samples {
			x := make([]float64, r.dim)
			r.exe.GetLane(theta, lane, x)
			positions = append(positions, x)
		}
	}
	return positions, nil
}

// lookElsewhere explores the target and compares draws with that.
func (r *fit) lookElsewhere(draws [][]float64) error {
	seen, err := r.explore(r.ctx, r.exact, r.options, max(leastGradients, r.report.Gradients/mostOfFit))
	if err != nil {
		return err
	}
	r.report.Gradients += seen.Gradients
	r.report.Elsewhere = &store.Elsewhere{Walkers: len(seen.Visited), Apart: seen.Apart, Cut: seen.Cut}
	if len(draws) == 0 || len(seen.Visited) == 0 {
		return nil
	}
	c := adapt.ContrastOf(slices.DeleteFunc(draws, func(x []float64) bool { return !finite(x) }), seen.Visited)
	e := r.report.Elsewhere
	e.Outside, e.Shifted, e.Spread = c.Outside, c.Shifted, c.Spread
	return nil
}
