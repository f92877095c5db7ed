package optimize

import (
	"context"
	"math"
	"slices"
	"testing"

	"ppl/autodiff"
	"ppl/infer/dynamics/dynamicstest"
)

// byHand makes steps of gradient ascent with momentum in plain Go on 3 log x − x, whose gradient does not exist for x ≤
// 0. It counts how often the point returned to the best one because it left the support, and because it stayed below
// for too long.
func byHand(x, rate float64, steps, n int) (at, best float64, outside, stalled int) {
	best = x
	top, v, lost := math.Inf(-1), 0.0, 0
	for k := range steps {
		y, slope := 3*math.Log(x)-x, 3/x-1
		switch {
		case !(x > 0):
			x, rate, v, lost = best, rate/2, 0, 0
			outside++
			continue
		case y > top:
			best, top, lost = x, y, 0
		default:
			lost++
			if lost > stallLimit {
				x, rate, v, lost = best, rate/2, 0, 0
				stalled++
				continue
			}
		}
		v = 0.9*v + slope
		x += rate * (1 + math.Cos(math.Pi*float64(k)/float64(n))) / 2 * v
	}
	return x, best, outside, stalled
}

// TestReturns compares steps on the device with those in plain Go, at rates from too small to far too large, and checks
// that the number of steps in a call does not matter. Near the mode, 3, densities are equal up to rounding, and the
// best point is known to 1e-6.
func TestReturns(t *testing.T) {
	target := dynamicstest.Density{D: 1, LogPrior: func(theta autodiff.Node) autodiff.Node {
		x := autodiff.Reshape(theta)
		return autodiff.Sub(autodiff.Mul(x.Graph().Const(3), autodiff.Log(x)), x)
	}}
	const n, steps = 500, 400
	var outside, stalled int
	for _, rate := range []float64{1e-3, 0.1, 1, 1.9, 2.5, 7} {
		o := options("sgd")
		o.Rate, o.Iterations, o.Starts = rate, n, 2
		o.Start = func(k int) []float64 { return []float64{0.2 + 5*float64(k)} }
		one := climbIn(t, target, o, slices.Repeat([]int{1}, steps))
		many := climbIn(t, target, o, []int{1, 2, 100, steps - 103})
		for k := range o.Starts {
			at, highest, left, stayed := byHand(o.Start(k)[0], rate, steps, n)
			outside, stalled = outside+left, stalled+stayed
			for _, got := range []*climber{one[k], many[k]} {
				x, top, n := got.Lane[theta][0], got.Lane[best][0], int(got.Lane[moves][0])
				if math.Abs(x-at) > 1e-6 || math.Abs(top-highest) > 1e-6 || n != steps-left-stayed {
					t.Errorf("rate %v, start %d: at %v, best %v, %d moves; by hand at %v, best %v, %d moves", rate, k,
						x, top, n, at, highest, steps-left-stayed)
				}
			}
		}
	}
	if outside < 3 || stalled < 3 {
		t.Errorf("points left the support %d times and stalled %d times: too few for a test", outside, stalled)
	}
}

// climbIn makes calls of the given numbers of steps.
func climbIn(t *testing.T, target dynamicstest.Density, o Options, calls []int) []*climber {
	t.Helper()
	p, err := open(context.Background(), target, target, o)
	if err != nil {
		t.Fatal(err)
	}
	defer p.close()
	a := &ascent{problem: p}
	if err := a.begin(); err != nil {
		t.Fatal(err)
	}
	for _, n := range calls {
		if err := a.takeSteps(n); err != nil {
			t.Fatal(err)
		}
	}
	a.readLanes()
	return a.state.Climbers
}
