package warmup

import (
	"math"
	"slices"

	"ppl/infer"
	"ppl/infer/adapt"
	"ppl/infer/dynamics"
	"ppl/infer/renhd/population"
	"ppl/posterior/stats"
)

// A window is a part of warm-up with one metric. What is seen in it makes the next metric:
//
//	window{sweeps: 20, alone: true, metric: true}    far from the target: each walker has a step of its own
//	window{sweeps: 50, metric: true}                 walkers of a rung share a step; at the end a new metric
//	window{sweeps: 200, metric: true, spacing: true} the same on a ladder, whose temperatures are respaced
//	window{sweeps: 300}                              the final step size, in the final metric
type window struct {
	sweeps   int
	alone    bool      // every walker adapts a step of its own: it may be far from where the others are
	maxSteps int       // of a trajectory
	metric   bool      // learn the metric
	spacing  bool      // learn the spacing of the ladder
	heats    []float64 // by lane when alone: what temperatures have fallen to before; nil to measure them again
	judge    func(t *warmupWindow, found *windowResult) error

	// centre says which coordinates effects get, if the window's judge finds walkers in one mode; nil: as before
	centre adapt.CentringRule
}

// A warmupWindow is one window under way: a part of warm-up.
type warmupWindow struct {
	run    *Warmup
	spec   window
	seen   WindowState
	accept []float64 // room
	moved  []float64 // room
}

// windowResult is what a window has found out.
type windowResult struct {
	Disagreement float64   // of its walkers, if all are on one rung
	Steps        float64   // that trajectories of the usual length have with the step that the window found
	Heats        []float64 // of the walkers at the end, if each adapts alone
	Rising       bool      // a walker leaves negligible mass, if each adapts alone
	Far          bool      // a walker is far from all anchors
	Recentred    bool      // effects have other coordinates from now on
	verdict
}

// A verdict is what the judge of a window says of its walkers.
type verdict struct {
	OnePlace  bool // they agree on where the target is
	FewStayed bool // they do, but too many were moved there
	Connected bool // no barrier is between the places where walkers are and were
	Images    bool // they do not agree, but do so more if images are taken for one
	Forgets   bool // those on the hottest rung move between all modes
}

// WindowState is what a window has seen and learned so far.
type WindowState struct {
	population.Visits
	StepSizes []adapt.StepSize // by lane when alone, else by rung
	Points    []adapt.Points   // by rung: what the metric is learned from
	Of        [][]int          // by rung: the mode of each of these points, which is an anchor
}

// Numbers implements sized.
func (s *WindowState) Numbers() (n int) {
	for _, p := range s.Points {
		if p.Len() > 0 {
			n += 2 * p.Len() * len(p.X[0])
		}
	}
	return n + s.Visits.Numbers()
}

// maxPoints bounds the numbers kept to learn a metric from, and those of where walkers have been.
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

// longestStep returns the bound of adapted steps. In a few dimensions the goal would be met by trajectories of one
// step, all of nearly one length, which mix badly in spread; three steps and more can differ. While the metric is being
// learned it may be far too small, and steps have to make up for it.
func (t *warmupWindow) longestStep() float64 {
	if t.spec.metric {
		return math.Inf(1)
	}
	return 0.5
}

// iterate moves every walker by a trajectory, learns from where they are, and exchanges rungs once.
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
	// The first quarter still shows where walkers came from, which would spoil the metric.
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

// stepSize is that of a walker on a rung.
func (t *warmupWindow) stepSize(lane, rung int) *adapt.StepSize {
	if t.spec.alone {
		return &t.seen.StepSizes[lane]
	}
	return &t.seen.StepSizes[rung]
}

// learnSteps updates steps with the acceptance of the last trajectory, averaged over the walkers of a rung.
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

// stride returns the number of sweeps from one collection of points to the next.
func (t *warmupWindow) stride() int {
	return 1 + t.spec.sweeps*t.run.Walkers.Lanes()*t.run.Walkers.Dim/maxPoints
}

// collectPoints keeps positions and gradients for the metrics.
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

// usable reports which walkers step and metric may learn from: on a single rung, the better half and those near it. One
// that has not come down from a start with a gradient of 10¹⁰⁰ would count more than all others together.
func (t *warmupWindow) usable() []bool {
	w := t.run.Walkers
	out, excess := make([]bool, w.Lanes()), w.Excess()
	limit := math.Max(stats.Quantile(excess, 0.5), population.Hopeless(w.Dim))
	for lane, e := range excess {
		out[lane] = len(w.Rungs) > 1 || e <= limit
	}
	return out
}

// kept returns the number of sweeps from one whose positions are kept to the next: more than one with thousands of
// walkers, of each of which some will do.
func (t *warmupWindow) kept() int {
	w := t.run.Walkers
	return 1 + t.spec.sweeps*w.Lanes()*min(w.Dim, adapt.MaxDense)/maxPoints
}

// countMoved counts the trajectories that went somewhere.
func (t *warmupWindow) countMoved() {
	t.moved = t.run.Walkers.Read(dynamics.Moved, t.moved)
	for lane, m := range t.moved {
		t.seen.Moved[lane] += m
	}
}

// recordPositions keeps where walkers are, for the decisions after the window.
func (t *warmupWindow) recordPositions() {
	w, s := t.run.Walkers, &t.seen
	t.run.ShowProgress(infer.WarmingUp)
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

// finish learns from the window, and judges what it has shown.
func (t *warmupWindow) Finish() (found windowResult, err error) {
	r := t.run
	if len(r.Walkers.Rungs) == 1 {
		found.Disagreement = disagreement(&t.seen.Visits)
	}
	if !t.spec.alone {
		found.Steps = population.Quarter * r.Length / t.learnedStep(0)
	}
	if err := t.learn(); err != nil {
		return found, err
	}
	if t.spec.judge == nil {
		r.renewReference(&t.seen.Points[0])
	}
	if err := r.refuseDivergence(&t.seen.Visits, t.spec.alone); err != nil {
		return found, err
	}
	if err := r.restartStuck(&t.seen.Visits); err != nil {
		return found, err
	}
	if t.spec.spacing {
		r.respaceLadder()
	}
	found.Far = r.rows.AnyFar()
	if t.spec.alone {
		found.Heats = t.seen.Heats
		_, found.Rising = inNegligibleMass(&t.seen.Visits)
	}
	if t.spec.judge != nil {
		if err := t.spec.judge(t, &found); err != nil {
			return found, err
		}
	}
	if t.spec.centre != nil && found.Steps < population.MaxSteps && (t.spec.judge == nil || found.agreed()) {
		found.Recentred, err = r.recentre(t.spec.centre, &t.seen.Points[0])
	}
	return found, err
}

// learn gives every rung the step and the metric that the window has shown.
func (t *warmupWindow) learn() error {
	r := t.run
	if moves, err := t.explainShortSteps(); err != nil || moves {
		return err // the window shows nothing of walkers that move across jumps
	}
	w := r.Walkers
	if r.rows.SeveralAnchors() {
		for j := range t.seen.Points {
			t.seen.Points[j] = t.seen.Points[j].Centred(t.seen.Of[j])
		}
	}
	r.measureTemperature(&t.seen.Points[0])
	if t.spec.metric && !t.spec.alone {
		if err := t.chooseForm(); err != nil {
			return err
		}
		w = r.Walkers
	}
	for j := range w.Rungs {
		if r.Phase.AdaptsStep() {
			w.Rungs[j].Step = t.learnedStep(j)
		}
		if t.spec.metric && r.Phase.Settings().Metric != "identity" {
			w.Rungs[j].Metric = w.Rungs[j].Metric.Estimate(&t.seen.Points[j])
			if r.Phase.EvenMetric() {
				r.Phase.Images.Even(w.Rungs[j].Metric.Scale)
			}
			w.Rungs[j].Step = r.Phase.FirstStepIn(w.Rungs[j])
		}
	}
	w.WriteAllRungs()
	if t.spec.metric && r.Phase.System.Batches.Size > 0 {
		return r.rows.MeasureNoise()
	}
	return nil
}

// learnedStep returns what a rung's walkers have come to: the median of their steps when they adapted alone.
func (t *warmupWindow) learnedStep(rung int) float64 {
	if !t.spec.alone {
		return t.seen.StepSizes[rung].Adapted()
	}
	var steps []float64
	for lane, at := range t.run.Walkers.RungOf {
		if at == rung {
			steps = append(steps, t.seen.StepSizes[lane].Adapted())
		}
	}
	return population.Median(steps, population.Ones(len(steps)))
}

// places returns what later parts of warm-up read of a window that has ended: where its walkers were, and how they
// moved.
func (t *warmupWindow) places() *population.Visits {
	v := t.seen.Visits
	return &v
}
