package renhd

import (
	"fmt"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"ppl/autodiff"
	"ppl/compiler/backend/lower"
	"ppl/infer"
	"ppl/infer/dynamics/dynamicstest"
	"ppl/infer/renhd/ladder"
	"ppl/infer/renhd/part"
	"ppl/infer/renhd/population"
	"ppl/infer/renhd/renhdtest"
	"ppl/lang/types"
	"ppl/posterior/store"
	"ppl/runtime/device"
	"ppl/runtime/gpu"
	"ppl/runtime/gpu/cudasim"
)

// A counter is a device and a recorder. It counts the calls of the device since the first draw.
type counter struct {
	infer.Device
	dynamicstest.Memory
	calls int
}

func (c *counter) Begin(stats []types.Variable) error {
	c.calls = 0
	return c.Memory.Begin(stats)
}

func (c *counter) Compile(entries []lower.Entry) (device.Loader, error) {
	l, err := c.Device.Compile(entries)
	return counted{l, c}, err
}

type counted struct {
	device.Loader
	by *counter
}

func (c counted) Load(o device.Options) (device.Executable, error) {
	exe, err := c.Loader.Load(o)
	return countedExe{exe, c.by}, err
}

type countedExe struct {
	device.Executable
	by *counter
}

func (c countedExe) Run(calls []device.Call, step uint64, mask []bool) (uint64, error) {
	c.by.calls++
	return c.Executable.Run(calls, step, mask)
}

// TestCallsOfADraw checks that without a ladder a draw needs no calls of the device in addition to those of its
// trajectories. With a ladder, values are computed by a separate call, and the search for modes makes calls too. The
// values of each draw must belong to the state whose log density is stored with them.
func TestCallsOfADraw(t *testing.T) {
	if testing.Short() {
		t.Skip("long: skipped by -short")
	}
	sd := []float64{1, 2, 3}
	for _, c := range []struct{ rungs, thin, calls int }{{1, 1, 1}, {1, 3, 3}, {3, 1, 0}, {3, 3, 0}} {
		o := renhdtest.Options(4)
		m := &counter{Device: o.Device}
		o.Device, o.Draws, o.Warmup, o.Thin, o.WholeCalls = m, 50, 200, c.thin, true
		o.Settings = infer.Settings{Replicas: c.rungs, Ratio: 2, Path: "energy"}
		report, err := Sample(t.Context(), dynamicstest.Normal(sd...), o, m)
		if err != nil {
			t.Fatal(err)
		}
		if want := c.calls * o.Draws; want > 0 && m.calls != want {
			t.Errorf("%d rungs, every %d: %d calls, want %d", c.rungs, c.thin, m.calls, want)
		}
		if c.rungs > 1 && !(report.SwapRates[0] > 0.2) {
			t.Errorf("swap rates %v, want above .2", report.SwapRates)
		}
		for chain, densities := range m.Stat("lp") {
			for i, got := range densities {
				want := 0.0
				for j, x := range m.Values[chain][i] {
					want -= x * x / sd[j] / sd[j] / 2
				}
				if math.Abs(got-want) > 1e-12*(1+math.Abs(want)) {
					t.Fatalf("%d rungs, every %d: lp %v with values %v, whose log density is %v", c.rungs, c.thin, got,
						m.Values[chain][i], want)
				}
			}
		}
	}
}

// cliff returns a normal in two dimensions whose density is NaN if x[0] is above 1.5, so that some trajectories end at
// points without a finite density.
func cliff() infer.Target {
	return dynamicstest.Density{D: 2, Proper: true, Spread: 0.1,
		LogPrior: func(theta autodiff.Node) autodiff.Node {
			g := theta.Graph()
			x := autodiff.Reshape(autodiff.Slice(theta, []int{0}, []int{1}))
			inside := autodiff.Sub(g.Const(1.5), x)
			return autodiff.Add(autodiff.Mul(g.Const(-0.5), autodiff.SumAll(autodiff.Mul(theta, theta))),
				autodiff.Mul(g.Const(1e-9), autodiff.Log(inside)))
		},
		LogLik: func(theta autodiff.Node) autodiff.Node { return theta.Graph().Const(0) }}
}

// TestSeveralIterationsInACall checks that several iterations in one call of the device give the same draws, statistics
// and report as separate calls, for several numbers of iterations per draw, and with trajectories that are not finite.
func TestSeveralIterationsInACall(t *testing.T) {
	if testing.Short() {
		t.Skip("long: skipped by -short")
	}
	for _, thin := range []int{0, 1, 3, 7} {
		run := func(whole bool) (*counter, infer.Report) {
			o := renhdtest.Options(9)
			m := &counter{Device: o.Device}
			o.Device, o.Draws, o.Warmup, o.Thin, o.WholeCalls = m, 301, 200, thin, whole
			o.Settings = infer.Settings{Replicas: 1}
			report, err := Sample(t.Context(), cliff(), o, m)
			if err != nil {
				t.Fatal(err)
			}
			return m, report
		}
		one, want := run(true)
		several, got := run(false)
		if want.NotFinite < 3 || len(want.NonFiniteEnds) == 0 {
			t.Errorf("thin %d: %d trajectories were not finite, want at least 3", thin, want.NotFinite)
		}
		if d := cmp.Diff(want, got, cmpopts.EquateNaNs()); d != "" {
			t.Errorf("thin %d: the reports differ:\n%s", thin, d)
		}
		all := func(m *counter) [][][][]float64 { return [][][][]float64{m.Values, m.Stats} }
		if !cmp.Equal(all(one), all(several)) {
			t.Errorf("thin %d: the draws differ", thin)
		}
		if several.calls*2 > one.calls {
			t.Errorf("thin %d: %d calls, and %d with one iteration per call; want at most half", thin, several.calls,
				one.calls)
		}
	}
}

// TestSwapsInACall checks runs on a ladder whose program exchanges rungs: on every device, several iterations in one
// call give the same draws as separate calls, and the same report except for rounding of the swap rates.
func TestSwapsInACall(t *testing.T) {
	if testing.Short() {
		t.Skip("long: skipped by -short")
	}
	devices := map[string]infer.Device{"host": renhdtest.Options(1).Device, "native": renhdtest.Fastest()}
	if d, err := cudasim.New(); err == nil {
		devices["cuda"] = infer.Lowered(gpu.New(d))
	}
	for _, c := range []laddered{{"energy", "", 4, 1, 0, uphill(), 0}, {"energy", "diagonal", 3, 2, 0, uphill(), 0},
		{"likelihood", "", 5, 3, 0, uphill(), 0}, {"energy", "", 7, 7, 0, uphill(), 0},
		{"", "", 0, 1, 0, dynamicstest.FiveModes().Target(), 0},
		{"", "", 5, 2, 0, dynamicstest.FiveModes().Target(), 0},
		{"energy", "identity", 6, 1, 0.25, uphill(), 0}, {"likelihood", "", 3, 2, 0.1, uphill(), 0}} {
		for name, d := range devices {
			t.Run(fmt.Sprint(c.path, c.metric, c.replicas, c.thin, c.noise, name), func(t *testing.T) {
				one, want := c.sample(t, d, 1, true)
				several, got := c.sample(t, d, 3, false)
				if len(want.SwapRates) == 0 || !(want.SwapRates[0] > 0.1) {
					t.Errorf("swap rates %v, want above .1", want.SwapRates)
				}
				if d := cmp.Diff(want, got, roundedAlike()); d != "" {
					t.Errorf("the reports differ:\n%s", d)
				}
				if !cmp.Equal(one.Values, several.Values) || !cmp.Equal(one.Stats, several.Stats) {
					t.Error("the draws differ")
				}
				if c.path == "" && want.JumpRate == 0 {
					t.Error("no jump was accepted, so jumps were not tested")
				}
				if several.calls*2 > one.calls {
					t.Errorf("%d calls, and %d with one iteration per call; want at most half", several.calls,
						one.calls)
				}
			})
		}
	}
}

// roundedAlike returns options that compare reports up to rounding errors.
func roundedAlike() cmp.Option {
	plain := cmp.Transformer("plain", func(x store.Number) float64 { return float64(x) })
	return cmp.Options{plain, cmpopts.EquateNaNs(), cmpopts.EquateApprox(1e-12, 0)}
}

// TestDivergencesInACall checks that divergences in a mode that is too narrow for the step size are not counted. The
// mode of a walker must be that after the trajectory, also if other trajectories follow in the same call: most jumps
// leave the narrow mode.
func TestDivergencesInACall(t *testing.T) {
	if testing.Short() {
		t.Skip("long: skipped by -short")
	}
	spike := dynamicstest.Mixture{Weight: []float64{0.6, 0.4}, Center: [][]float64{{0, 0}, {20, 0}},
		SD: []float64{1, 0.01}}
	l := laddered{thin: 1, step: 0.8, target: spike.Target()}
	_, want := l.sample(t, renhdtest.Fastest(), 1, true)
	_, got := l.sample(t, renhdtest.Fastest(), 1, false)
	if d := cmp.Diff(want, got, roundedAlike()); d != "" {
		t.Errorf("the report is another:\n%s", d)
	}
	if all := want.Rungs.Divergence[0] * 2 * 150; all < 20 || float64(want.Divergences) > all/10 ||
		want.JumpRate < 0.2 {
		t.Errorf("%d of %.0f divergences are counted, %v of jumps are accepted: nothing is tested", want.Divergences,
			all, want.JumpRate)
	}
}

// TestEscapes checks that of four divergences, the two that are followed by a trajectory of the same chain without
// divergence count as escapes.
func TestEscapes(t *testing.T) {
	if testing.Short() {
		t.Skip("long: skipped by -short")
	}
	r := &run{Run: &part.Run{Report: new(infer.Report)}}
	c := &drawCollector{run: r, state: &collectorState{Diverged: make([]bool, 2)}}
	for i, diverged := range [][2]bool{{true, false}, {false, true}, {false, true}, {true, false}} {
		for chain, d := range diverged {
			c.countEscape(chain, d)
		}
		if got, want := r.Report.Escapes, []int{0, 1, 1, 2}[i]; got != want {
			t.Errorf("after %d trajectories: %d escapes, not %d", i+1, got, want)
		}
	}
}

// laddered has the settings of a run on a ladder.
type laddered struct {
	path, metric   string
	replicas, thin int
	noise          float64
	target         infer.Target
	step           float64 // 0: adapted
}

// sample runs renhd. If whole is true, each iteration is a separate call of the device.
func (l laddered) sample(t *testing.T, d infer.Device, threads int, whole bool) (*counter, infer.Report) {
	o := renhdtest.Options(11)
	m := &counter{Device: d}
	o.Device, o.Draws, o.Warmup, o.Thin, o.WholeCalls, o.Threads = m, 150, 400, l.thin, whole, threads
	o.Settings = infer.Settings{Replicas: l.replicas, Path: l.path, Metric: l.metric, Noise: l.noise, StepSize: l.step}
	if l.path != "" {
		o.Settings.Ratio = 2
	}
	report, err := Sample(t.Context(), l.target, o, m)
	if err != nil {
		t.Fatal(err)
	}
	return m, report
}

// TestJumpsOfTheProgram checks that jumps and swaps by the program and by the host give the same first draws up to
// rounding errors, which grow along the run.
func TestJumpsOfTheProgram(t *testing.T) {
	if testing.Short() {
		t.Skip("long: skipped by -short")
	}
	const draws, chains = 12, 4
	run := func(program bool) (*dynamicstest.Memory, infer.Report) {
		o, m := renhdtest.Options(5), &dynamicstest.Memory{}
		o.Chains, o.Draws, o.Warmup, o.Thin = chains, draws, 400, 2
		o.Settings = infer.Settings{Replicas: 4}
		report, err := sample(t.Context(), dynamicstest.FiveModes().Target(), o, m,
			ladder.Exchange{Test: ladder.Penalty(), SwapRules: population.SwapRules{Program: program}})
		if err != nil {
			t.Fatal(err)
		}
		return m, report
	}
	host, want := run(false)
	program, got := run(true)
	if want.JumpRate == 0 || want.JumpRate != got.JumpRate {
		t.Errorf("acceptance rate of jumps by the program %v, by the host %v", got.JumpRate, want.JumpRate)
	}
	if !cmp.Equal(host.Values, program.Values, cmpopts.EquateApprox(1e-6, 1e-6)) {
		t.Errorf("the program draws %v, the host %v", program.Values[0], host.Values[0])
	}
}

// uphill returns a skewed density in two dimensions with one mode and a wide prior.
func uphill() infer.Target {
	return dynamicstest.Density{D: 2, Proper: true, Spread: 0.5,
		LogPrior: func(theta autodiff.Node) autodiff.Node {
			return autodiff.Mul(theta.Graph().Const(-0.05), autodiff.SumAll(autodiff.Mul(theta, theta)))
		},
		LogLik: func(theta autodiff.Node) autodiff.Node {
			g := theta.Graph()
			x := autodiff.Reshape(autodiff.Slice(theta, []int{0}, []int{1}))
			squares := autodiff.Mul(g.Const(0.5), autodiff.SumAll(autodiff.Mul(theta, theta)))
			return autodiff.Sub(x, autodiff.Add(autodiff.Exp(x), squares))
		}}
}
