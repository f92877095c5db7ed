package renhd

import (
	"context"
	"testing"

	"ppl/autodiff"
	"ppl/infer"
	"ppl/infer/dynamics/dynamicstest"
	"ppl/infer/renhd/ladder"
	"ppl/infer/renhd/population"
	"ppl/infer/renhd/renhdtest"
)

// TestThinningByJudgedValues checks that only the judged values determine the number of iterations per draw. The first
// coordinate is independent of the others, which form a funnel that mixes slowly.
func TestThinningByJudgedValues(t *testing.T) {
	if testing.Short() {
		t.Skip("long: skipped by -short")
	}
	t.Parallel()
	funnel := dynamicstest.Density{D: 5, Proper: true, LogPrior: func(theta autodiff.Node) autodiff.Node {
		g := theta.Graph()
		at := func(i int) autodiff.Node { return autodiff.Reshape(autodiff.Slice(theta, []int{i}, []int{i + 1})) }
		sum := autodiff.Mul(at(0), at(0))
		width := at(1)
		sum = autodiff.Add(sum, autodiff.Mul(g.Const(0.25), autodiff.Mul(width, width)))
		for i := 2; i < 5; i++ {
			z := autodiff.Mul(at(i), autodiff.Exp(autodiff.Neg(width)))
			sum = autodiff.Add(sum, autodiff.Add(autodiff.Mul(z, z), autodiff.Mul(g.Const(2), width)))
		}
		return autodiff.Mul(g.Const(-0.5), sum)
	}}
	thin := func(judged int) int {
		o := renhdtest.Options(1)
		o.Draws, o.Warmup, o.Judged = 10, 200, judged
		o.Settings = infer.Settings{Replicas: 1}
		_, report := draw(t, funnel, o)
		return report.Thin
	}
	if n := thin(1); n != 1 {
		t.Errorf("%d iterations per draw, want 1, since only the first coordinate is judged", n)
	}
	if n := thin(0); n <= 1 {
		t.Errorf("%d iterations per draw, want more than 1, since the funnel mixes slowly", n)
	}
}

// TestPilotsEndWhenTheyHaveSeenEnough checks the number of iterations of a pilot: few for a normal, all of them if
// trajectories are so short that walkers hardly move, and at least the usual number on a ladder.
func TestPilotsEndWhenTheyHaveSeenEnough(t *testing.T) {
	pilot := func(replicas int, length float64, most int) trialResult {
		o := renhdtest.Options(1)
		o.Warmup, o.Settings = 200, infer.Settings{Replicas: replicas}
		_, s, err := population.NewConfig(dynamicstest.Normal(1, 10), o, population.SwapRules{})
		if err != nil {
			t.Fatal(err)
		}
		r := newRun(context.Background(), s, ladder.Exchange{Test: ladder.Penalty()}, new(memory))
		defer r.Close()
		if err := r.warmUp(); err != nil {
			t.Fatal(err)
		}
		r.MedianStep, r.Length = r.Walkers.MedianOfSteps(), length
		found, err := r.runTrial(most)
		if err != nil {
			t.Fatal(err)
		}
		if seen := r.effective(found); found.Iterations < most && seen < r.wanted() {
			t.Errorf("a pilot of %d iterations ended after %d, with %.0f effective ones", most, found.Iterations, seen)
		}
		return found
	}
	if found := pilot(1, 1, usualPilot); found.Iterations != shortPilot || found.Share < .3 {
		t.Errorf("a normal: %+v, want %d iterations", found, shortPilot)
	}
	if found := pilot(1, .05, 2*shortPilot+1); found.Iterations != 2*shortPilot+1 || found.Share > .1 {
		t.Errorf("short trajectories: %+v, want all %d iterations", found, 2*shortPilot+1)
	}
	if found := pilot(2, 1, longPilot); found.Iterations < usualPilot {
		t.Errorf("on a ladder: %+v, want at least %d iterations", found, usualPilot)
	}
}
