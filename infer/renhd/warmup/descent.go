package warmup

import (
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/floats"

	"ppl/infer/adapt"
	"ppl/infer/renhd/part"
	"ppl/infer/renhd/population"
)

// A descent is the part of warm-up that moves distant walkers to the slopes of the target, and estimates a first metric
// if a normal approximates the target well. A few walkers climb, and normals are fitted on the way (adapt.Path). Newton
// steps from the best of them measure how wide the target is in directions in which the climb hardly moved. If the best
// of the resulting normals is similar to the target, it gives the metric and the typical log density. Walkers that are
// hopelessly far below this level, where trajectories would need hundreds of steps, climb until they are not, or to the
// peak of another mode. They climb no further, so that their own motion decides which part of the target they reach: if
// all climbed to the level of draws, a narrow part next to a wide one would attract them all. If no normal is similar
// to the target, walkers keep their starting points.
//
//	fitting      4 climbs from explorers 0, 4, 8 and 12, at most 100 gradients each
//	refining     at most 6 Newton steps, of two gradients for each coordinate and 32 more
//	descending   16 climbs that end 20 + 5·dim below the level, at most 140 gradients each
type descent struct {
	run   *Warmup
	state DescentState
}

// DescentState is the state of a descent.
type DescentState struct {
	Here  [][]float64 // positions of the walkers
	Clock uint64      // noise step of the walkers
	Stage descentStage
	Paths []adapt.Path
	Best  adapt.Fit

	Newton adapt.Newton
	Falls  []Fall // fall of each walker
}

// A Fall is a walker's climb that ends where the log density crosses a level. The point of crossing is found by
// bisection of the climb's segment that crosses it.
type Fall struct {
	Path         adapt.Path
	Below, Above []float64 // ends of the segment; Above is nil until a point above the level is found
	Halvings     int
	Done         bool
}

type descentStage int

const (
	fitting descentStage = iota
	refining
	descending
	descended
)

const (
	fittedPaths   = 4
	fittedDraws   = 3 // draws of each normal; with the climbs' own points they fill the lanes of 16 explorers
	newtonDraws   = 16
	descentStream = 0x3e721c

	// smooth is the largest standard deviation of log density − log normal at which the covariance of a normal is used.
	// It is .2 to 1 for regressions, up to 4 for posteriors with some skewness, 10 and far more for funnels.
	smooth = 5.0
)

// descend places walkers on the slopes of the target, and sets the metric of all rungs if a normal fits the target.
func (r *Warmup) descend() error {
	s := &r.Phase
	if !s.FindsPeaks() || s.Settings().Metric == "identity" || r.firstSweeps() == 0 {
		return nil
	}
	fit, err := part.Do(r.Run, &descent{run: r})
	if err != nil || fit.Mean == nil {
		return err
	}
	for j := range r.Walkers.Rungs {
		rung := &r.Walkers.Rungs[j]
		m, ok := rung.Metric.OfFit(fit)
		if !ok {
			return nil
		}
		if s.EvenMetric() {
			s.Images.Even(m.Scale)
		}
		rung.Metric = m
		rung.Step = s.FirstStepIn(*rung)
	}
	r.Walkers.WriteAllRungs()
	return nil
}

func (t *descent) Begin() error {
	w, s := t.run.Walkers, &t.state
	s.Here, s.Clock, s.Best.Bound = w.Positions(), w.NoiseStep, math.Inf(-1)
	noise := t.noise(fittedDraws)
	for k := range min(fittedPaths, len(s.Here)) {
		s.Paths = append(s.Paths, adapt.NewPath(s.Here[k*len(s.Here)/fittedPaths], noise, nil))
	}
	return nil
}

// noise returns standard normal numbers for a number of draws, the same in each call.
func (t *descent) noise(draws int) [][]float64 {
	random := rand.New(rand.NewPCG(t.run.Phase.Options.Seed, descentStream))
	return adapt.StandardNormal(draws, t.run.Walkers.Dim, random)
}

func (*descent) Name() string { return "descent" }
func (t *descent) State() any { return &t.state }
func (t *descent) More() bool { return t.state.Stage < descended }

// Iterate evaluates the next points of climbs and the draws of normals, or runs a Newton step.
func (t *descent) Iterate() error {
	switch s := &t.state; s.Stage {
	case fitting:
		climbed, err := adapt.ClimbTogether(s.Paths, t.run.EvaluateSlopes)
		if err == nil && !climbed {
			t.beginRefining()
		}
		return err
	case refining:
		return t.refine()
	case descending:
		return t.fall()
	}
	return nil
}

// beginRefining prepares Newton steps from the point of the best normal.
func (t *descent) beginRefining() {
	s := &t.state
	highest := math.Inf(-1)
	var at []float64
	for _, p := range s.Paths {
		if p.Fit.Bound > highest {
			highest, at = p.Fit.Bound, p.Fit.At
		}
	}
	s.Stage = refining
	if at == nil {
		s.Stage = descended
		return
	}
	s.Newton = adapt.NewNewton(at)
}

// refine runs one Newton step.
func (t *descent) refine() error {
	s := &t.state
	fit, err := s.Newton.Step(t.noise(newtonDraws), t.run.EvaluateSlopes)
	if err != nil {
		return err
	}
	if fit.Rough < smooth && fit.Bound > s.Best.Bound {
		s.Best = fit
	}
	if s.Newton.Done {
		t.beginDescending()
	}
	return nil
}

// beginDescending prepares the climbs of all walkers.
func (t *descent) beginDescending() {
	s := &t.state
	s.Stage, s.Paths = descending, nil
	if s.Best.Mean == nil {
		return
	}
	for _, x := range s.Here {
		s.Falls = append(s.Falls, Fall{Path: adapt.NewPath(x, nil, s.Best.Spread), Below: x})
	}
}

// fall evaluates the next point of each walker's climb.
func (t *descent) fall() error {
	s := &t.state
	var at [][]float64
	var falling []*Fall
	for k := range s.Falls {
		if f := &s.Falls[k]; !f.Done {
			falling, at = append(falling, f), append(at, f.next())
		}
	}
	if len(at) == 0 {
		s.Stage = descended
		return nil
	}
	density, gradient, err := t.run.Evaluate(at, true)
	if err != nil {
		return err
	}
	level := s.Best.Level - population.Hopeless(len(at[0]))
	for i, f := range falling {
		f.report(at[i], density[i], gradient[i], level)
	}
	return nil
}

// next returns the point to evaluate next.
func (f *Fall) next() []float64 {
	if f.Above == nil {
		return f.Path.X
	}
	middle := floats.AddTo(make([]float64, len(f.Above)), f.Below, f.Above)
	floats.Scale(0.5, middle)
	return middle
}

// report updates the fall by the density and gradient at x. A fall is done if the density at x is between the level and
// a quarter of the hopeless gap above it, if the first point is above the level, or if the climb has ended.
func (f *Fall) report(x []float64, density float64, gradient []float64, level float64) {
	const mostHalvings, share = 40, 0.25
	first := f.Above == nil && f.Path.Best == nil
	switch {
	case density >= level:
		f.Above = x
		f.Done = first || density <= level+share*population.Hopeless(len(x))
	case f.Above == nil:
		f.Path.Report(density, gradient)
		if f.Path.Best != nil {
			f.Below = f.Path.Best
		}
		f.Done = f.Path.Done
	default:
		f.Below = x
	}
	if f.Above != nil {
		f.Halvings++
		f.Done = f.Done || f.Halvings > mostHalvings
	}
}

// end returns the position at which the walker is placed.
func (f *Fall) end() []float64 {
	if f.Above != nil {
		return f.Above
	}
	return f.Below
}

// Finish places the walkers at the ends of their climbs, and returns the best normal.
func (t *descent) Finish() (best adapt.Fit, err error) {
	s := &t.state
	for k := range s.Falls {
		s.Here[k] = s.Falls[k].end()
	}
	_, err = t.run.Walkers.Place(t.run.Ctx, s.Here)
	t.run.Walkers.NoiseStep = s.Clock
	return s.Best, err
}
