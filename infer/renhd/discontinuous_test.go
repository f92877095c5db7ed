package renhd

import (
	"math"
	"testing"

	"ppl/autodiff"
	"ppl/infer"
	"ppl/infer/dynamics/dynamicstest"
	"ppl/posterior/stats"
)

// terraces is a normal in two dimensions whose density is e² times as high where sin 4x is above 0.
func terraces() infer.Target {
	return dynamicstest.Density{D: 2, Proper: true, Spread: 2, LogPrior: func(theta autodiff.Node) autodiff.Node {
		g := theta.Graph()
		x := autodiff.Reshape(autodiff.Slice(theta, []int{0}, []int{1}))
		up := autodiff.Lt(g.Const(0), autodiff.Sin(autodiff.Mul(g.Const(4), x)))
		high := autodiff.Where(up, g.Const(2), g.Const(0))
		return autodiff.Add(high, autodiff.Mul(g.Const(-0.5), autodiff.SumAll(autodiff.Mul(theta, theta))))
	}}
}

// Steps do not shrink without end where the density jumps, and the shares of both sides of the jumps are right (by
// quadrature: sin is odd, so that half of the normal is on each side). Where short steps are needed they are taken: the
// same look at a funnel's neck keeps them, which is the planted fault.
func TestJumpsOfTheDensity(t *testing.T) {
	m, report := draw(t, terraces(), options(2))
	if report.StepSize < shortStep || report.Gradients > 3e6 {
		t.Errorf("a step of %v, %d gradients", report.StepSize, report.Gradients)
	}
	high, want := m.chains(0), math.Exp(2)/(1+math.Exp(2))
	mean := 0.0
	for _, chain := range high {
		for i, x := range chain {
			chain[i] = oneIf(math.Sin(4*x) > 0)
			mean += chain[i] / float64(len(chain)*len(high))
		}
	}
	if mcse := stats.MCSEMean(high); math.Abs(mean-want) > 4*mcse || mcse > .02 {
		t.Errorf("share %.4f ± %.4f, want %.4f", mean, mcse, want)
	}

	for name, c := range map[string]struct {
		target infer.Target
		jumps  bool
	}{"terraces": {terraces(), true}, "narrow": {narrow(), false}} {
		r := explorersAt(t, c.target, func(lane int) []float64 { return []float64{float64(lane) / 8e3, 1e-4} })
		w := &warmupWindow{run: r.warm, spec: window{sweeps: 100, maxSteps: maxSteps, metric: true}}
		if err := w.Begin(); err != nil {
			t.Fatal(err)
		}
		for j := range w.seen.StepSizes {
			w.seen.StepSizes[j].Smooth = math.Log(2e-5) // what adaptation has come to
		}
		hops, err := w.lookForJumps()
		if err != nil || hops != c.jumps || len(r.Discontinuities) > 0 != c.jumps || r.warm.state.LeastStep > 0 {
			t.Errorf("%s: jumps in %v, steps of %v at least, %v", name, r.Discontinuities, r.warm.state.LeastStep, err)
		}
		// where hops move all that they can, short steps have another reason, and are bounded
		if hops, err = w.lookForJumps(); err != nil || hops || r.warm.state.LeastStep > 0 != c.jumps {
			t.Errorf("%s: hops once more: %t, steps of %v at least, %v", name, hops, r.warm.state.LeastStep, err)
		}
	}
}

// narrow is a normal whose second coordinate is narrow enough to need steps of 1e-4.
func narrow() infer.Target {
	return dynamicstest.Density{D: 2, Proper: true, Spread: 1, LogPrior: func(theta autodiff.Node) autodiff.Node {
		scaled := autodiff.Mul(theta, theta.Graph().Data("scales", []float64{1, 1e4}, 2))
		return autodiff.Mul(theta.Graph().Const(-0.5), autodiff.SumAll(autodiff.Mul(scaled, scaled)))
	}}
}
