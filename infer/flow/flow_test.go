package flow

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"gonum.org/v1/gonum/stat"

	"ppl/autodiff"
	"ppl/infer"
	"ppl/infer/adapt"
	"ppl/infer/dynamics/dynamicstest"
	"ppl/posterior/stats"
	"ppl/runtime/host"
)

func options(seed uint64) infer.Options {
	o := infer.Defaults()
	o.Device, o.Seed = infer.Lowered(host.Device{}), seed
	return o
}

func draw(t *testing.T, s infer.Sampler, target infer.Target, o infer.Options) (*dynamicstest.Memory, infer.Report) {
	t.Helper()
	m := new(dynamicstest.Memory)
	report, err := s(context.Background(), target, o, m)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%s: ELBO %.3f, %.2g below the evidence, k̂ %.2f", report.Sampler, report.ELBO, report.EvidenceGap,
		report.ParetoK)
	return m, report
}

func coordinate(j int) func([]float64) float64 { return func(x []float64) float64 { return x[j] } }

const rho = 0.8

// correlated returns a normalised normal with mean (3, −2), standard deviations (10, .1) and correlation ρ.
func correlated() infer.Target {
	c := math.Sqrt(1 - rho*rho)
	normal := dynamicstest.MultiNormal([]float64{3, -2}, []float64{0.1, 0, -rho / c / 10, 1 / c / 0.1})
	kernel := normal.LogPrior
	normal.LogPrior = func(theta autodiff.Node) autodiff.Node {
		return autodiff.Sub(kernel(theta), theta.Graph().Const(math.Log(2*math.Pi*10*0.1*c)))
	}
	return normal
}

// TestNormal checks fits of a normal target. The mean-field fit has the target's means, standard deviations √(1 − ρ²)σ,
// and the evidence lower bound log √(1 − ρ²) (Bishop 2006, section 10.1.2). The full-rank fit is the target, with a
// bound of 0. Tolerances are five standard errors of 4,000 draws, plus half a per cent because Adam does not converge
// exactly.
func TestNormal(t *testing.T) {
	c := math.Sqrt(1 - rho*rho)
	for _, f := range []struct {
		sample infer.Sampler
		shrink float64
		rho    float64
		elbo   float64
	}{{Sampler(MeanField, nil), c, 0, math.Log(c)}, {Sampler(FullRank, nil), 1, rho, 0}} {
		m, report := draw(t, f.sample, correlated(), options(1))
		for name, x := range map[string]struct {
			of       func([]float64) float64
			mean, sd float64
		}{
			"x": {coordinate(0), 3, 10 * f.shrink},
			"y": {coordinate(1), -2, 0.1 * f.shrink},
			"xy": {func(x []float64) float64 { return (x[0] - 3) * (x[1] + 2) }, f.rho,
				math.Sqrt(1+f.rho*f.rho) * f.shrink * f.shrink},
		} {
			s := stats.Summarize(m.Chains(x.of))
			if math.Abs(s.Mean-x.mean) > (5/math.Sqrt(4000)+0.01)*x.sd {
				t.Errorf("%s: mean %.4f, want %.4f", name, s.Mean, x.mean)
			}
			if name != "xy" && math.Abs(s.SD/x.sd-1) > 5/math.Sqrt(8000)+0.005 {
				t.Errorf("%s: sd %.4f, want %.4f", name, s.SD, x.sd)
			}
		}
		for _, e := range report.ELBO {
			if math.Abs(e-f.elbo) > 0.08 {
				t.Errorf("evidence lower bound %.3f, want %.3f", e, f.elbo)
			}
		}
	}
}

// banana returns the normalised density of x ~ N(0, 1), y | x ~ N(x², ½²), so E y = 1 and Var y = 2 + ¼.
func banana() infer.Target {
	return dynamicstest.Density{D: 2, Proper: true, LogPrior: func(theta autodiff.Node) autodiff.Node {
		g := theta.Graph()
		at := func(k int) autodiff.Node { return autodiff.Reshape(autodiff.Slice(theta, []int{k}, []int{k + 1})) }
		x := at(0)
		z := autodiff.Mul(g.Const(2), autodiff.Sub(at(1), autodiff.Mul(x, x)))
		both := autodiff.Add(autodiff.Mul(x, x), autodiff.Mul(z, z))
		return autodiff.Sub(autodiff.Mul(g.Const(-0.5), both), g.Const(math.Log(math.Pi)))
	}}
}

// TestBanana checks that a normal fitted to a curved target is too narrow and has a large evidence gap, and that flows
// fit better: their bound is closer to 0, the log of the total mass, and the standard deviation of the coupling flow is
// right within a fifth.
func TestBanana(t *testing.T) {
	spread := func(s infer.Sampler) (sd, elbo, gap float64) {
		o := options(2)
		o.Warmup = 300
		m, report := draw(t, s, banana(), o)
		return stats.Summarize(m.Chains(coordinate(1))).SD, stat.Mean(report.ELBO, nil), float64(report.EvidenceGap)
	}
	normalSD, normalBound, gap := spread(Sampler(FullRank, nil))
	_, planarBound, _ := spread(Sampler(Planar, nil))
	sd, bound, _ := spread(Sampler(Coupling, nil))
	if normalSD > 1 || gap < 0.2 {
		t.Errorf("normal: sd %.3f, evidence gap %.2f; want at most 1, at least .2", normalSD, gap)
	}
	if !(planarBound > normalBound+0.2 && bound > planarBound && bound > -0.1) {
		t.Errorf("evidence lower bounds: normal %.3f, planar %.3f, coupling %.3f", normalBound, planarBound, bound)
	}
	if math.Abs(sd/1.5-1) > 0.2 {
		t.Errorf("coupling: sd %.3f, want 1.5 within a fifth", sd)
	}
}

// TestFiveModesAreMissed checks that fits that start from single modes do not cover all five, and that R-hat shows that
// the chains disagree.
func TestFiveModesAreMissed(t *testing.T) {
	o := options(3)
	o.Warmup = 200
	m, _ := draw(t, Sampler(Coupling, nil), dynamicstest.FiveModes().Target(), o)
	seen := map[int]bool{}
	for _, x := range slices.Concat(m.Values...) {
		seen[dynamicstest.FiveModes().Mode(x)] = true
	}
	s := stats.Summarize(m.Chains(coordinate(0)))
	t.Logf("modes %v, R-hat %.2f", seen, s.RHat)
	if len(seen) == 5 || s.RHat < 1.1 {
		t.Errorf("modes %v, R-hat %.3f: fits from single modes cannot agree", seen, s.RHat)
	}
}

// TestJacobians compares log |det T'| of every family with central differences of T, at random φ and ε.
func TestJacobians(t *testing.T) {
	for name, c := range map[string]struct {
		f   family
		dim int
	}{
		"diagonal": {affine{dim: 3}, 3}, "triangular": {affine{dim: 3, correlated: true}, 3},
		"planar":        {planar{dim: 3, layers: 4}, 3},
		"coupling":      {coupling{dim: 3, layers: 4, hidden: 5}, 3},
		"coupling of 5": {coupling{dim: 5, layers: 3, hidden: 4}, 5},
		"planar of 1":   {planar{dim: 1, layers: 3}, 1},
	} {
		t.Run(name, func(t *testing.T) { checkJacobian(t, c.f, c.dim) })
	}
}

// TestThreadsAndCancel checks that draws are the same for one and two threads and different for another seed, and that
// a cancelled run stops.
func TestThreadsAndCancel(t *testing.T) {
	run := func(seed uint64, threads int) [][][]float64 {
		o := options(seed)
		o.Draws, o.Warmup, o.Threads = 30, 20, threads
		m, _ := draw(t, Sampler(Coupling, nil), banana(), o)
		return append(m.Values, m.Stats...)
	}
	one, two, other := run(7, 1), run(7, 2), run(8, 2)
	if d := cmp.Diff(one, two); d != "" {
		t.Errorf("one and two threads differ: %s", d)
	}
	if cmp.Equal(one, other) {
		t.Errorf("seeds 7 and 8 give the same draws")
	}
	ctx, cancel := context.WithCancel(context.Background())
	m := &dynamicstest.Memory{OnDraw: func(n int) {
		if n == 40 {
			cancel()
		}
	}}
	report, err := Sampler(MeanField, nil)(ctx, banana(), options(1), m)
	if err != context.Canceled || report.Draws == 0 || report.Draws != len(m.Values[0]) {
		t.Errorf("error %v, %d draws reported, %d kept", err, report.Draws, len(m.Values[0]))
	}
}

// TestFitsAreCompared checks that the report compares the draws of a fit with an exploration, at the same positions and
// at others, and repeats Apart and Cut of the exploration.
func TestFitsAreCompared(t *testing.T) {
	for name, c := range map[string]struct {
		shift float64
		seen  adapt.Exploration
	}{"there": {}, "elsewhere": {shift: 100}, "apart": {seen: adapt.Exploration{Apart: true}},
		"cut": {seen: adapt.Exploration{Cut: true}}} {
		explore := func(_ context.Context, _ infer.Target, _ infer.Options, most int64) (adapt.Exploration, error) {
			if most < leastGradients || c.seen.Cut {
				return c.seen, nil
			}
			r := rand.New(rand.NewPCG(1, 2))
			for range 16 {
				var xs [][]float64
				for range 50 {
					x := r.NormFloat64()
					y := rho*x + math.Sqrt(1-rho*rho)*r.NormFloat64()
					xs = append(xs, []float64{3 + c.shift + 10*x, -2 + .1*y})
				}
				c.seen.Visited = append(c.seen.Visited, xs)
			}
			return c.seen, nil
		}
		o := options(4)
		o.Warmup, o.Draws = 300, 300
		_, report := draw(t, Sampler(FullRank, explore), correlated(), o)
		e := report.Elsewhere
		if e == nil || e.Apart != c.seen.Apart || e.Cut != c.seen.Cut || (e.Walkers == 16) == e.Cut ||
			(e.Outside > .5) != (c.shift > 0) || (e.Shifted > .3) != (c.shift > 0) {
			t.Errorf("%s: %+v", name, e)
		}
	}
}
