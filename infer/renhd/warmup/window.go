package warmup

import (
	"math"
	"slices"

	"ppl/infer/adapt"
	"ppl/infer/dynamics"
	"ppl/infer/renhd/population"
	"ppl/posterior/stats"
)

// A window is a part of warm-up with one metric. Its positions and gradients give the next metric:
//
//	window{sweeps: 20, alone: true, metric: true}      far from the target: each walker adapts its own step
//	window{sweeps: 50, metric: true}                   walkers of a rung share a step; a new metric at the end
//	window{sweeps: 200, metric: true, spacing: true}   the same on a ladder, whose temperatures are respaced
//	window{sweeps: 300}                                the final step size, with the final metric
type window struct {
	sweeps   int
	alone    bool      // whether each walker adapts its own step, since it may be far from the others
	maxSteps int       // maximum number of steps of a trajectory
	metric   bool      // whether to learn the metric
	spacing  bool      // whether to learn the spacing of the ladder
	heats    []float64 // temperatures that each lane reached earlier, if alone; nil to measure them again
	judge    func(t *warmupWindow, found *windowResult) error

	// centre chooses the coordinates of effects, if judge finds walkers in one mode; nil: no change
	centre adapt.CentringRule
}

// A warmupWindow is a part of warm-up: a running window.
type warmupWindow struct {
	run    *Warmup
	spec   window
	seen   WindowState
	accept []float64 // buffer
	moved  []float64 // buffer
}

// windowResult is the result of a window.
type windowResult struct {
	Disagreement float64   // R-hat − 1 of its walkers, if all are on one rung
	Steps        float64   // number of steps of a trajectory of the usual length with the adapted step
	Heats        []float64 // temperatures of the walkers at the end, if alone
	Rising       bool      // whether a walker is leaving negligible mass, if alone
	Far          bool      // whether a walker is far from all anchors
	Recentred    bool      // whether effects have other coordinates from now on
	verdict
}

// A verdict is the judgement of a window about its walkers.
type verdict struct {
	OnePlace  bool // whether the walkers agree on where the target is
	FewStayed bool // whether they agree, but too many were moved there
	Connected bool // whether no barrier separates their positions from each other and from earlier ones
	Images    bool // whether they disagree, but agree much more as nearest images
	Forgets   bool // whether walkers on the hottest rung move between all modes
}

// WindowState holds the data and the adapted steps of a window so far.
type WindowState struct {
	population.Visits
	StepSizes []adapt.StepSize // one for each lane if alone, else one for each rung
	Points    []adapt.Points   // points of each rung, from which the metric is learned
	Of        [][]int          // for each rung, the mode (an anchor) of each of these points
}

// Numbers returns the approximate number of values in a checkpoint of the state.
func (s *WindowState) Numbers() (n int) {
	for _, p := range s.Points {
		if p.Len() > 0 {
			n += 2 * p.Len() * len(p.X[0])
		}
	}
	return n + s.Visits.Numbers()
}

// maxPoints bounds the numbers stored for learning a metric, and those for the visited positions.
const maxPoints = 4 << 20

func (t *warmupWindow) Begin() error {
	w := t.run.Walkers
	t.run.swaps.Reset(len(w.Rungs), w.Lanes())
	t.seen = WindowState{Points: make([]adapt.Points, len(w.Rungs)), Of: make([][]int, len(w.Rungs)),
		Visits: population.Visits{Moved: make([]float64, w.Lanes()), Density: make([][]float64, w.Lanes()),
			Visited: make([][][]float64, w.Lanes()), Stood: make([][]int, w.Lanes()), Heats: t.spec.heats,
			Late: make([]population.LateHalf, w.Lanes())}}
	if t.spec.alone {
		for _, r := range w.RungOf {
			t.seen.StepSizes = append(t.seen.StepSizes, t.newStepSize(w.Rungs[r]))
		}
		return nil
	}
	for _, r := range w.Rungs {
		t.seen.StepSizes = append(t.seen.StepSizes, t.newStepSize(r))
	}
	return nil
}

func (*warmupWindow) Name() string { return "window" }
func (t *warmupWindow) State() any { return &t.seen }

func (t *warmupWindow) More() bool { return t.seen.Sweeps < t.spec.sweeps }

func (t *warmupWindow) newStepSize(at population.Rung) adapt.StepSize {
	s := adapt.NewStepSize(at.Step, t.run.Phase.AcceptanceGoal(), t.longestStep())
	s.Least = t.run.state.LeastStep
	return s
}

// longestStep returns the upper bound of adapted steps. In few dimensions, trajectories of a single step would reach
// the acceptance goal, but have almost equal lengths and mix badly in spread. Lengths vary if there are three steps or
// more. While the metric is being learned it may be far too small, so steps are not bounded.
func (t *warmupWindow) longestStep() float64 {
	if t.spec.metric {
		return math.Inf(1)
	}
	return 0.5
}

// Iterate moves every walker by one trajectory, learns from it, and exchanges rungs once.
func (t *warmupWindow) Iterate() error {
	r, i := t.run, t.seen.Sweeps
	if err := t.setSteps(); err != nil {
		return err
	}
	if err := r.Walkers.Trajectory(r.Ctx, r.Steps(t.spec.maxSteps)); err != nil {
		return err
	}
	usable := t.usable()
	t.learnSteps(usable)
	t.countMoved()
	if err := r.MoveToImages(); err != nil {
		return err
	}
	// The first quarter still depends on the starting points, which would distort the metric.
	if (t.spec.metric || r.Phase.Unadjusted()) && i >= t.spec.sweeps/4 && i%t.stride() == 0 {
		if err := t.collectPoints(usable); err != nil {
			return err
		}
	}
	t.recordPositions()
	r.Iterations++
	t.seen.Sweeps++
	if t.spec.alone {
		return nil
	}
	return r.swaps.Round(r.Ctx, r.Walkers)
}

// stepSize returns the adapted step of a walker on a rung.
func (t *warmupWindow) stepSize(lane, rung int) *adapt.StepSize {
	if t.spec.alone {
		return &t.seen.StepSizes[lane]
	}
	return &t.seen.StepSizes[rung]
}

// learnSteps updates steps by the acceptance of the last trajectory, averaged over the walkers of a rung.
func (t *warmupWindow) learnSteps(usable []bool) {
	w := t.run.Walkers
	t.accept = w.Read(dynamics.Accept, t.accept)
	sum, n := make([]float64, len(w.Rungs)), make([]float64, len(w.Rungs))
	for lane, r := range w.RungOf {
		if t.spec.alone {
			t.seen.StepSizes[lane].Update(t.accept[lane])
		} else if usable[lane] {
			sum[r] += t.accept[lane]
			n[r]++
		}
	}
	for r := range w.Rungs {
		if !t.spec.alone && n[r] > 0 {
			t.seen.StepSizes[r].Update(sum[r] / n[r])
		}
	}
}

// stride returns the number of sweeps between collections of points.
func (t *warmupWindow) stride() int {
	return 1 + t.spec.sweeps*t.run.Walkers.Lanes()*t.run.Walkers.Dim/maxPoints
}

// collectPoints stores positions and gradients for the metrics.
func (t *warmupWindow) collectPoints(usable []bool) error {
	w := t.run.Walkers
	g, err := w.Slopes(t.run.Ctx)
	if err != nil {
		return err
	}
	x := w.Positions()
	for lane, r := range w.RungOf {
		if usable[lane] {
			if t.seen.Points[r].Add(x[lane], g[lane]) {
				t.seen.Of[r] = append(t.seen.Of[r], t.run.rows.AnchorOf(x[lane]))
			}
		}
	}
	return nil
}

// usable reports which walkers contribute to step and metric. On a ladder, these are all. On a single rung, they are
// the half with the higher densities, and those whose density is not hopelessly lower than the highest. A distant
// walker with a gradient of 10¹⁰⁰ would outweigh all others.
func (t *warmupWindow) usable() []bool {
	w := t.run.Walkers
	out, excess := make([]bool, w.Lanes()), w.Excess()
	limit := math.Max(stats.Quantile(excess, 0.5), population.Hopeless(w.Dim))
	for lane, e := range excess {
		out[lane] = len(w.Rungs) > 1 || e <= limit
	}
	return out
}

// kept returns the number of sweeps between stored positions. It is more than one if there are thousands of walkers,
// since some positions of each are enough.
func (t *warmupWindow) kept() int {
	w := t.run.Walkers
	return 1 + t.spec.sweeps*w.Lanes()*min(w.Dim, adapt.MaxDense)/maxPoints
}

// countMoved counts the trajectories that changed the position.
func (t *warmupWindow) countMoved() {
	t.moved = t.run.Walkers.Read(dynamics.Moved, t.moved)
	for lane, m := range t.moved {
		t.seen.Moved[lane] += m
	}
}

// recordPositions stores the walkers' positions, for the decisions after the window.
func (t *warmupWindow) recordPositions() {
	w, s := t.run.Walkers, &t.seen
	density, kept := w.LogDensities(), s.Sweeps%t.kept() == 0
	for lane, x := range w.Positions() {
		if s.Sweeps >= t.spec.sweeps/2 {
			s.Late[lane].Add(x, density[lane])
		}
		if !kept {
			continue
		}
		s.Density[lane] = append(s.Density[lane], density[lane])
		s.Stood[lane] = append(s.Stood[lane], w.RungOf[lane])
		s.Visited[lane] = append(s.Visited[lane], slices.Clone(x[:min(len(x), adapt.MaxDense)]))
	}
}

// places returns the data of a finished window that later parts of warm-up read: positions of its walkers, and how
// often they moved.
func (t *warmupWindow) places() *population.Visits {
	v := t.seen.Visits
	return &v
}
