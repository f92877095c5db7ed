package nuts

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ppl/autodiff"
	"ppl/infer"
	"ppl/infer/dynamics/dynamicstest"
	"ppl/lang/types"
	"ppl/posterior/stats"
	"ppl/runtime/host"
)

func options(seed uint64) infer.Options {
	o := infer.Defaults()
	o.Device, o.Seed = infer.Lowered(host.Device{}), seed
	return o
}

func draw(t *testing.T, target infer.Target, o infer.Options, r faults) (*dynamicstest.Memory, infer.Report) {
	t.Helper()
	m := new(dynamicstest.Memory)
	report, err := sample(context.Background(), target, o, m, r, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%+v", report)
	return m, report
}

func coordinate(j int) func([]float64) float64 { return func(x []float64) float64 { return x[j] } }

// off returns the error of the mean of f over the draws, in standard errors.
func off(m *dynamicstest.Memory, f func(x []float64) float64, want float64) float64 {
	s := stats.Summarize(m.Chains(f))
	return (s.Mean - want) / s.MCSEMean
}

// TestNormals samples normal targets whose scales differ by 10⁴, along the axes and with a correlation of −.9999. Means
// and variances must be right within five standard errors.
func TestNormals(t *testing.T) {
	for name, c := range map[string]struct {
		target infer.Target
		sd     []float64
	}{
		"scales":     {dynamicstest.Normal(1, 1e-4, 1e-2, 1, 1), []float64{1, 1e-4, 1e-2, 1, 1}},
		"correlated": {correlated(-0.9999, 4000), []float64{4000, 1}},
	} {
		t.Run(name, func(t *testing.T) {
			m, _ := draw(t, c.target, options(1), faults{})
			for j, sd := range c.sd {
				if z := off(m, coordinate(j), 0); !(math.Abs(z) < 5) {
					t.Errorf("x[%d]: mean off by %.1f standard errors", j, z)
				}
				if z := off(m, func(x []float64) float64 { return x[j] * x[j] }, sd*sd); !(math.Abs(z) < 5) {
					t.Errorf("x[%d]: variance off by %.1f standard errors", j, z)
				}
				if s := stats.Summarize(m.Chains(coordinate(j))); !(s.RHat < 1.01 && s.ESSBulk > 1000) {
					t.Errorf("x[%d]: R-hat %.4f, bulk ESS %.0f; want at most 1.01, at least 1000", j, s.RHat, s.ESSBulk)
				}
			}
		})
	}
}

// correlated returns the normal of x = (sd·z₁, ρz₁ + √(1−ρ²)z₂), with standard deviations sd and 1.
func correlated(rho, sd float64) infer.Target {
	c := math.Sqrt(1 - rho*rho)
	return dynamicstest.MultiNormal([]float64{0, 0}, []float64{1 / sd, 0, -rho / c / sd, 1 / c})
}

// bent has θ = log X with X ~ Gamma(2, 1) and, given that, y ~ N(θ², 1): a skewed target along a curve, with moments in
// closed form: E X = 2, E X² = 6, E θ = 1 − γ, var θ = π²/6 − 1.
func bent() infer.Target {
	return dynamicstest.Density{D: 2, LogPrior: func(theta autodiff.Node) autodiff.Node {
		g := theta.Graph()
		at := func(k int) autodiff.Node { return autodiff.Reshape(autodiff.Slice(theta, []int{k}, []int{k + 1})) }
		x, y := at(0), at(1)
		z := autodiff.Sub(y, autodiff.Mul(x, x))
		gamma := autodiff.Sub(autodiff.Mul(g.Const(2), x), autodiff.Exp(x))
		return autodiff.Sub(gamma, autodiff.Mul(g.Const(0.5), autodiff.Mul(z, z)))
	}}
}

// A moment is an expectation under bent, with its exact value.
type moment struct {
	name string
	of   func(x []float64) float64
	want float64
}

func moments() []moment {
	const mean, variance = 1 - 0.57721566490153286, math.Pi*math.Pi/6 - 1
	residual := func(x []float64) float64 { return x[1] - x[0]*x[0] }
	return []moment{
		{"log X", func(x []float64) float64 { return x[0] }, mean},
		{"log² X", func(x []float64) float64 { return x[0] * x[0] }, variance + mean*mean},
		{"X", func(x []float64) float64 { return math.Exp(x[0]) }, 2},
		{"X²", func(x []float64) float64 { return math.Exp(2 * x[0]) }, 6},
		{"y", func(x []float64) float64 { return x[1] }, variance + mean*mean},
		{"residual²", func(x []float64) float64 { return residual(x) * residual(x) }, 1},
		{"|residual|", func(x []float64) float64 { return math.Abs(residual(x)) }, math.Sqrt(2 / math.Pi)},
	}
}

// worst returns the moment with the largest error, and this error in standard errors.
func worst(m *dynamicstest.Memory) (name string, z float64) {
	for _, c := range moments() {
		if off := math.Abs(off(m, c.of, c.want)); off > z {
			name, z = c.name, off
		}
	}
	return name, z
}

// TestInvariance checks that draws with a fixed step size have the moments of the target. Planted faults: points are
// chosen without weights, and a subtree with a U-turn is not discarded.
func TestInvariance(t *testing.T) {
	o := options(2)
	o.Draws, o.Thin, o.Settings.StepSize = 10000, 1, 0.5
	for _, c := range []struct {
		name   string
		faults faults
		wrong  bool
	}{{"right", faults{}, false}, {"unweighted", faults{unweighted: true}, true},
		{"relentless", faults{relentless: true}, true}} {
		m, _ := draw(t, bent(), o, c.faults)
		name, z := worst(m)
		if t.Logf("%s: %s is off by %.1f standard errors", c.name, name, z); c.wrong != (z > 5) {
			t.Errorf("%s: %s is wrong by %.1f standard errors, which is at most 5 only for the right sampler", c.name,
				name, z)
		}
	}
}

// TestThreads checks that draws are the same for one and two threads, and different for another seed.
func TestThreads(t *testing.T) {
	run := func(seed uint64, threads int) [][][]float64 {
		o := options(seed)
		o.Draws, o.Warmup, o.Threads = 50, 200, threads
		m, _ := draw(t, dynamicstest.Normal(1, 2, 3), o, faults{})
		return append(m.Values, m.Stats...)
	}
	one, two, other := run(7, 1), run(7, 2), run(8, 2)
	if d := cmp.Diff(one, two); d != "" {
		t.Errorf("one and two threads differ: %s", d)
	}
	if cmp.Equal(one, other) {
		t.Errorf("seeds 7 and 8 give the same draws")
	}
}

// TestCancel checks that a cancelled run returns context.Canceled and reports the draws so far.
func TestCancel(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	m := &dynamicstest.Memory{OnDraw: func(n int) {
		if n == 40 {
			cancel()
		}
	}}
	report, err := Sample(ctx, dynamicstest.Normal(1, 1), options(3), m)
	least := len(m.Values[0])
	for _, c := range m.Values {
		least = min(least, len(c))
	}
	if err != context.Canceled || report.Draws != least || least == 0 {
		t.Errorf("error %v, %d draws reported, %d of each chain; want context.Canceled and as many", err,
			report.Draws, least)
	}
}

// TestRunawayIsNamed checks that a target with a flat direction is refused during warm-up, and that the error names the
// coordinate.
func TestRunawayIsNamed(t *testing.T) {
	flat := dynamicstest.Density{D: 2, LogPrior: func(theta autodiff.Node) autodiff.Node {
		x := autodiff.Slice(theta, []int{0}, []int{1})
		return autodiff.SumAll(autodiff.Neg(autodiff.Mul(x, x)))
	}}
	_, err := Sample(context.Background(), flat, options(2), new(dynamicstest.Memory))
	if err == nil || !strings.HasPrefix(err.Error(), "x[2] diverges to infinity") ||
		!errors.As(err, new(infer.Refusal)) {
		t.Error(err)
	}
}

// TestShortWarmups checks that runs with 0 to 40 iterations of warm-up end with all draws or a Refusal.
func TestShortWarmups(t *testing.T) {
	for name, target := range map[string]infer.Target{
		"normal": dynamicstest.Normal(1, 1e-3), "modes": dynamicstest.FiveModes().Target()} {
		for warmup := range 41 {
			o := options(uint64(warmup + 1))
			o.Warmup, o.Draws, o.Thin = warmup, 3, 1
			report, err := Sample(context.Background(), target, o, new(dynamicstest.Memory))
			if err != nil && !errors.As(err, new(infer.Refusal)) || err == nil && report.Draws != o.Draws {
				t.Errorf("%s, warm-up of %d: %d draws, %v", name, warmup, report.Draws, err)
			}
		}
	}
}

// TestMaxEnergyError checks the setting of the energy error above which a trajectory is divergent: smaller values give
// more divergences, and the default is 1000.
func TestMaxEnergyError(t *testing.T) {
	t.Parallel()
	var divergent []int
	for _, most := range []float64{10, 100, 0, 1000} {
		o := options(3)
		o.Draws, o.Warmup, o.Settings.StepSize, o.Settings.MaxEnergyError = 1000, 0, 1, most
		_, report := draw(t, bent(), o, faults{})
		divergent = append(divergent, report.Divergences)
	}
	if d := divergent; !(d[0] > d[1] && d[1] > d[2] && d[2] == d[3]) {
		t.Errorf("numbers of divergences with a limit of 10, 100, the default, 1000: %v", d)
	}
}

// TestStatisticsOfThinnedDraws checks that the statistics of a thinned draw cover all trajectories since the previous
// draw.
func TestStatisticsOfThinnedDraws(t *testing.T) {
	o := options(4)
	o.Draws, o.Warmup, o.Thin, o.Settings = 200, 200, 3, infer.Settings{StepSize: 0.9, MaxEnergyError: 10}
	m, report := draw(t, bent(), o, faults{})
	steps, diverging := 0., 0.
	for chain, xs := range m.Stat("n_steps") {
		for k, x := range xs {
			steps += x
			diverging += m.Stat("diverging")[chain][k]
		}
	}
	if want := float64(report.Steps) * float64(o.Draws*o.Thin*o.Chains); math.Abs(steps-want) > 1e-6*want {
		t.Errorf("the draws have %v steps in total, want %v", steps, want)
	}
	if most := float64(report.Divergences); diverging > most || diverging < most/2 || most == 0 {
		t.Errorf("%v draws are marked as diverging, want between half and all of %v divergences", diverging, most)
	}
}

// A mirrored target has modes at ±4 of a coordinate, between which no chain moves, and declares that this coordinate
// may change sign.
type mirrored struct{ density }

type density = dynamicstest.Density

func (mirrored) Symmetries() types.Symmetries {
	return types.Symmetries{Dim: 2, Of: []types.Symmetry{{Kind: types.Signs, Names: []string{"x"}, Sets: [][]int{{0}}}}}
}

// TestImages checks that draws of a target that declares its symmetry are random images, so chains in different modes
// agree. Chains of the same target without the declaration must disagree.
func TestImages(t *testing.T) {
	target := density{D: 2, Proper: true, Spread: 4, LogPrior: func(theta autodiff.Node) autodiff.Node {
		g := theta.Graph()
		d := autodiff.Sub(autodiff.Abs(theta), g.Data("centers", []float64{4, 0}, 2))
		weight := g.Data("weights", []float64{-.5 / .04, -.5}, 2)
		return autodiff.SumAll(autodiff.Mul(weight, autodiff.Mul(d, d)))
	}}
	m, report := draw(t, mirrored{target}, options(2), faults{})
	for want, f := range map[float64]func(x []float64) float64{0: coordinate(0),
		16.04: func(x []float64) float64 { return x[0] * x[0] }} {
		if z := off(m, f, want); !(math.Abs(z) < 5) {
			t.Errorf("a mean is off by %.1f standard errors", z)
		}
	}
	if r := stats.RHat(m.Chains(coordinate(0))); r > 1.01 || len(report.Warnings) > 0 {
		t.Errorf("R-hat %.3f, %v", r, report.Warnings)
	}
	alone, _ := draw(t, target, options(2), faults{})
	if r := stats.RHat(alone.Chains(coordinate(0))); r < 1.5 {
		t.Errorf("chains that stay in their modes have an R-hat of %.3f", r)
	}
}

// arm returns x ~ Normal(0, 1), with y | x ~ Normal(0, narrow) if x is well above 1.5, and Normal(0, 1) if x is well
// below.
func arm(narrow float64) dynamicstest.Density {
	return dynamicstest.Density{D: 2, Proper: true, LogPrior: func(theta autodiff.Node) autodiff.Node {
		g := theta.Graph()
		x := autodiff.SumAll(autodiff.Slice(theta, []int{0}, []int{1}))
		y := autodiff.SumAll(autodiff.Slice(theta, []int{1}, []int{2}))
		there := autodiff.Sigmoid(autodiff.Mul(g.Const(8), autodiff.Sub(x, g.Const(1.5))))
		logSD := autodiff.Mul(g.Const(math.Log(narrow)), there)
		z := autodiff.Mul(y, autodiff.Exp(autodiff.Neg(logSD)))
		half := autodiff.Add(autodiff.Mul(x, x), autodiff.Mul(z, z))
		return autodiff.Sub(autodiff.Mul(g.Const(-0.5), half), logSD)
	}}
}

// TestHeld checks that a run whose acceptance goal is fixed counts consecutive trajectories of a chain that hardly
// move: at least 10 if a part of the target is narrow, and fewer if none is.
func TestHeld(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		narrow float64
		is     bool
	}{"an arm": {1. / 4, true}, "none": {1, false}} {
		o := options(5)
		o.Settings.Accept = defaultAccept
		if _, report := draw(t, arm(c.narrow), o, faults{}); (report.Held >= 10) != c.is {
			t.Errorf("%s: held %d times", name, report.Held)
		}
	}
}

// TestBeCareful checks that the acceptance goal is raised if more than a few trajectories late in warm-up diverged or
// hardly moved, unless the user has set it.
func TestBeCareful(t *testing.T) {
	for name, c := range map[string]struct {
		seen   windowSeen
		accept float64
		note   string
	}{
		"all is well":      {windowSeen{Late: 1000, Usual: 450, Divergent: 2, Stuck: 1}, 0, ""},
		"divergent":        {windowSeen{Late: 1000, Usual: 450, Divergent: 3}, 0, "3 of 1000 trajectories diverged"},
		"hardly moving":    {windowSeen{Late: 1000, Usual: 450, Stuck: 2}, 0, "2 of 450 trajectories hardly moved"},
		"a rate asked for": {windowSeen{Late: 1000, Usual: 450, Divergent: 30, Stuck: 20}, .7, ""},
	} {
		r := &run{options: infer.Options{Settings: infer.Settings{Accept: c.accept}}, state: state{Seen: c.seen}}
		r.raiseGoal()
		notes := strings.Join(r.report.Notes, "\n")
		if r.state.Careful != (c.note != "") || !strings.HasPrefix(notes, c.note) || c.note == "" && notes != "" {
			t.Errorf("%s: careful %t, %q", name, r.state.Careful, notes)
		}
	}
}
