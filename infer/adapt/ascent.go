package adapt

import "math"

// An Ascent climbs to a mode in a metric's coordinates by L-BFGS (Nocedal and Wright, Numerical Optimization, 2006,
// algorithm 7.4) with steps that shrink until the density rises enough. Whoever evaluates densities does so at X and
// reports the result:
//
//	a := adapt.NewAscent(start)
//	for !a.Done {
//		kept := a.Report(metric, density(a.X), gradient(a.X))   is a.Best now what a.X was?
//	}
//
// All of it is data, so that a climb can be saved between two evaluations.
type Ascent struct {
	X           []float64 // to be evaluated next
	Evaluations int
	Done        bool
	Arrived     bool    // at a mode: Done for no other reason
	Near        float64 // the mean square of Whitened below which it has arrived; 0: nearMode
	Best        []float64
	BestDensity float64
	Whitened    []float64 // the gradient at Best, in the metric's coordinates
	Direction   []float64 // from Best, likewise
	Step        float64
	Moves       [][]float64 // changes of Best, in the metric's coordinates, the latest last
	Changes     [][]float64 // of the gradient with them, its sign turned
}

const (
	ascentMemory = 8
	// a mode counts as found where the whitened gradient has a mean square of less than this: about as far from the
	// mode in standard deviations, squared
	nearMode       = 0.02
	maxEvaluations = 100
	smallestStep   = 1e-4 // of a direction, and its length: modes may be narrow
	enoughRise     = 1e-4 // of what the gradient promises
)

// NewAscent has no density at its start yet.
func NewAscent(start []float64) Ascent { return Ascent{X: start} }

// Report takes in the density and gradient at X and chooses the next X. It reports whether X was the best point so far.
func (a *Ascent) Report(m Metric, density float64, gradient []float64) (best bool) {
	a.Evaluations++
	best = a.rises(density) && finite(gradient)
	if best {
		a.accept(m, density, gradient)
	} else if a.Step /= 4; a.Best == nil || a.Step < smallestStep && a.Step*norm(a.Direction) < smallestStep {
		a.Done = true
	}
	a.Done = a.Done || a.Evaluations >= maxEvaluations
	if !a.Done {
		a.X = scaled(a.Best, 1)
		add(a.X, m.Push(a.Direction), a.Step)
	}
	return best
}

// rises reports whether a density is high enough for its point to become the best.
func (a *Ascent) rises(density float64) bool {
	if math.IsNaN(density) || math.IsInf(density, 0) {
		return false
	}
	return a.Best == nil || density >= a.BestDensity+enoughRise*a.Step*dot(a.Direction, a.Whitened)
}

func (a *Ascent) accept(m Metric, density float64, gradient []float64) {
	whitened := m.Pull(gradient)
	if a.Best != nil {
		a.remember(scaled(a.Direction, a.Step), difference(a.Whitened, whitened))
	}
	a.Best, a.BestDensity, a.Whitened, a.Step = a.X, density, whitened, 1
	near := a.Near
	if near == 0 {
		near = nearMode
	}
	a.Arrived = dot(whitened, whitened) < near*float64(len(whitened))
	a.Done = a.Arrived
	a.Direction = a.direction()
	if !(dot(a.Direction, whitened) > 0) {
		a.Moves, a.Changes, a.Direction = nil, nil, whitened
	}
}

// remember keeps a pair that says how the density curves, unless it curves up.
func (a *Ascent) remember(move, change []float64) {
	if !(dot(move, change) > 1e-12*dot(move, move)) {
		return
	}
	a.Moves, a.Changes = append(a.Moves, move), append(a.Changes, change)
	if len(a.Moves) > ascentMemory {
		a.Moves, a.Changes = a.Moves[1:], a.Changes[1:]
	}
}

// direction returns the gradient times an estimate of the inverse of the negative Hessian, by two loops over the pairs.
func (a *Ascent) direction() []float64 {
	out, share := scaled(a.Whitened, 1), make([]float64, len(a.Moves))
	for k := len(a.Moves) - 1; k >= 0; k-- {
		share[k] = dot(a.Moves[k], out) / dot(a.Moves[k], a.Changes[k])
		add(out, a.Changes[k], -share[k])
	}
	if k := len(a.Moves) - 1; k >= 0 {
		out = scaled(out, dot(a.Moves[k], a.Changes[k])/dot(a.Changes[k], a.Changes[k]))
	}
	for k := range a.Moves {
		add(out, a.Moves[k], share[k]-dot(a.Changes[k], out)/dot(a.Moves[k], a.Changes[k]))
	}
	return out
}

func norm(a []float64) float64 { return math.Sqrt(dot(a, a)) }

func dot(a, b []float64) (sum float64) {
	for i, x := range a {
		sum += x * b[i]
	}
	return sum
}

func scaled(a []float64, by float64) []float64 {
	out := make([]float64, len(a))
	add(out, a, by)
	return out
}

func add(to, a []float64, by float64) {
	for i, x := range a {
		to[i] += by * x
	}
}

func difference(a, b []float64) []float64 {
	out := scaled(a, 1)
	add(out, b, -1)
	return out
}
