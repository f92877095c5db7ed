package renhd

import (
	"context"
	"math"
	"slices"
	"testing"

	"ppl/autodiff"
	"ppl/infer"
	"ppl/infer/dynamics/dynamicstest"
	"ppl/lang/types"
	"ppl/posterior/stats"
)

// Counts y ~ Poisson(exp(a + b·x)) where a and b are uniform between −200 and 200: starts have log densities down to
// −10¹⁷⁰. Walkers come from there, agree, and give the means of a grid. Trajectories that begin there fly off to the
// end of a support, and the run is refused.
func TestStartsOutOfReach(t *testing.T) {
	o := options(3)
	o.Warmup, o.Draws = 500, 500
	rec := new(memory)
	report, err := Sample(context.Background(), farCounts(), o, rec)
	if err != nil {
		t.Fatal(err)
	}
	if len(report.Temperatures) > 1 {
		t.Errorf("a ladder of %d rungs for one mode", len(report.Temperatures))
	}
	x, y := rowsOfCounts()
	mass, sumA, sumB := 0., 0., 0.
	for a := 0.; a <= 2; a += .01 {
		for b := -1.; b <= 5; b += .02 {
			lik := 60.
			for i := range x {
				lik += y[i]*(a+b*x[i]) - math.Exp(a+b*x[i])
			}
			w := math.Exp(lik)
			mass, sumA, sumB = mass+w, sumA+w*a, sumB+w*b
		}
	}
	for j, want := range []float64{sumA / mass, sumB / mass} {
		chains := rec.chains(j)
		for _, chain := range chains {
			for i, v := range chain {
				chain[i] = 2*farthestCoefficient/(1+math.Exp(-v)) - farthestCoefficient
			}
		}
		mean, _ := stats.MeanSD(slices.Concat(chains...))
		if se := stats.MCSEMean(chains); math.Abs(mean-want) > 5*se || !(se < .1) {
			t.Errorf("coefficient %d has mean %.4f ± %.4f, not %.4f", j, mean, se, want)
		}
	}
}

// rowsOfCounts are the rows of farCounts.
func rowsOfCounts() (x, y []float64) {
	const n = 30
	for i := range n {
		at := float64(i)/(n-1) - .5
		x, y = append(x, at), append(y, math.Round(math.Exp(1+2*at)))
	}
	return x, y
}

const farthestCoefficient = 200.

// farCounts is the regression, on the unconstrained line.
func farCounts() infer.Target {
	x, y := rowsOfCounts()
	density := dynamicstest.Density{D: 2, Spread: 1.5, Proper: true,
		LogPrior: func(theta autodiff.Node) autodiff.Node { // of the logistic transform
			g := theta.Graph()
			up := autodiff.Log(autodiff.Add(g.Const(1), autodiff.Exp(theta)))
			return autodiff.SumAll(autodiff.Sub(theta, autodiff.Mul(g.Const(2), up)))
		},
		LogLik: func(theta autodiff.Node) autodiff.Node {
			g := theta.Graph()
			share := autodiff.Div(autodiff.Exp(theta), autodiff.Add(g.Const(1), autodiff.Exp(theta)))
			at := autodiff.Sub(autodiff.Mul(g.Const(2*farthestCoefficient), share), g.Const(farthestCoefficient))
			a := autodiff.SumAll(autodiff.Slice(at, []int{0}, []int{1}))
			b := autodiff.SumAll(autodiff.Slice(at, []int{1}, []int{2}))
			eta := autodiff.Add(a, autodiff.Mul(b, g.Data("x", x, len(x))))
			return autodiff.SumAll(autodiff.Sub(autodiff.Mul(g.Data("y", y, len(y)), eta), autodiff.Exp(eta)))
		}}
	return described{density, []types.Coordinate{{Parameter: "a", Lower: true, Upper: true},
		{Parameter: "b", Lower: true, Upper: true}}}
}

// Explorers that were moved to others begin again at starts of their own; the rest stay where they are.
func TestBeginAgain(t *testing.T) {
	at := []float64{5, 0}
	r := explorersAt(t, twoModes(), func(int) []float64 { return at })
	r.Iterations = 300
	for lane := range 9 {
		r.warm.leave(lane, []float64{90, 0}, 500)
	}
	if err := r.warm.beginAgain(); err != nil {
		t.Fatal(err)
	}
	seen := map[float64]bool{}
	for lane, x := range r.walkers.positions() {
		if stays := x[0] == at[0] && x[1] == at[1]; stays == (lane < 9) {
			t.Errorf("walker %d is at %g", lane, x)
		}
		seen[x[0]] = true
	}
	if len(seen) != 10 || !r.warm.mostStayed() || r.warm.iterationsLeft() != r.phase.options.Warmup {
		t.Errorf("%d places, %d iterations left", len(seen), r.warm.iterationsLeft())
	}
}
