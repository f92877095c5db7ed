package adapt

import "math"

// An Ascent climbs to a mode in a metric's coordinates by L-BFGS (Nocedal and Wright, Numerical Optimization, 2006,
// algorithm 7.4). Steps shrink until the density rises enough. The caller evaluates the density at X and reports the
// result:
//
//	a := adapt.NewAscent(start)
//	for !a.Done {
//		best := a.Report(metric, density(a.X), gradient(a.X)) // whether X is the new Best
//	}
//
// The struct is plain data, so a climb can be saved between two evaluations.
type Ascent struct {
	X           []float64 // next point to evaluate
	Evaluations int
	Done        bool
	Arrived     bool    // Done because a mode has been reached
	Near        float64 // bound on the mean square of Whitened at which a mode counts as reached; 0: nearMode
	Best        []float64
	BestDensity float64
	Whitened    []float64 // gradient at Best in the metric's coordinates
	Direction   []float64 // search direction from Best in the metric's coordinates
	Step        float64
	Moves       [][]float64 // last moves of Best in the metric's coordinates, latest last
	Changes     [][]float64 // decrease of the whitened gradient in each of Moves
}

const (
	ascentMemory = 8
	// nearMode is the default of Near: a mode counts as reached if the mean square of the whitened gradient, which is
	// about the squared distance from the mode in standard deviations, is less than this.
	nearMode       = 0.02
	maxEvaluations = 100
	smallestStep   = 1e-4 // minimum of Step and of the step length; small, since modes may be narrow
	enoughRise     = 1e-4 // minimum rise, as a fraction of the rise that the gradient predicts
)

// NewAscent returns an Ascent at a starting point whose density has not been evaluated.
func NewAscent(start []float64) Ascent { return Ascent{X: start} }

// Restart continues the climb with another density, such as that of more data, from its best point so far, or from its
// starting point if it has none. The climb keeps the curvature that it has learned.
func (a *Ascent) Restart() {
	from := a.Best
	if from == nil {
		from = a.X // the starting point, since only a climb from a best point moves
	}
	*a = Ascent{X: from, Near: a.Near, Moves: a.Moves, Changes: a.Changes}
}

// Report updates the ascent by the density and gradient at X, and chooses the next X. best reports whether X has become
// Best.
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

// rises reports whether the density at X is high enough to replace Best.
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

// remember stores a move and the decrease of the gradient along it, unless the log density curves upwards there.
func (a *Ascent) remember(move, change []float64) {
	if !(dot(move, change) > 1e-12*dot(move, move)) {
		return
	}
	a.Moves, a.Changes = append(a.Moves, move), append(a.Changes, change)
	if len(a.Moves) > ascentMemory {
		a.Moves, a.Changes = a.Moves[1:], a.Changes[1:]
	}
}

// direction returns the whitened gradient times an estimate of the inverse negative Hessian, by the two-loop recursion
// of L-BFGS.
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
