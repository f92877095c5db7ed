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

// A counter is a device and a recorder that count the calls of the device since draws began.
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

// Without a ladder a draw takes no call of the device beyond those of its trajectories. With one its values are
// computed by a call of their own, and the search for modes makes calls as well. Values are those of the state whose
// log density is kept with them.
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
			t.Errorf("swap rates %v: nothing is tested", report.SwapRates)
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

// cliff is a normal in two dimensions whose density is no number beyond 1.5 in x[0], and is NaN there rather than 0, so
// that some trajectories end where nothing is finite.
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

// Several iterations in one call of the device are those of as many calls: draws, what is kept with them, and the
// report are the same bytes, for every thinning, whatever is not finite on the way.
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
			t.Errorf("thin %d: %d trajectories were not finite: that is not tested", thin, want.NotFinite)
		}
		if d := cmp.Diff(want, got, cmpopts.EquateNaNs()); d != "" {
			t.Errorf("thin %d: the report is another:\n%s", thin, d)
		}
		all := func(m *counter) [][][][]float64 { return [][][][]float64{m.Values, m.Stats} }
		if !cmp.Equal(all(one), all(several)) {
			t.Errorf("thin %d: the draws are others", thin)
		}
		if several.calls*2 > one.calls {
			t.Errorf("thin %d: %d calls for iterations that take %d one by one", thin, several.calls, one.calls)
		}
	}
}

// On a ladder the program exchanges rungs by itself, and several iterations in a call are those that the host's test
// leaves: on every device the draws are the same bytes, and so is the report, but for the last bits of acceptance rates
// of swaps.
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
					t.Errorf("swap rates %v: nothing is tested", want.SwapRates)
				}
				if d := cmp.Diff(want, got, roundedAlike()); d != "" {
					t.Errorf("the report is another:\n%s", d)
				}
				if !cmp.Equal(one.Values, several.Values) || !cmp.Equal(one.Stats, several.Stats) {
					t.Error("the draws are others")
				}
				if c.path == "" && want.JumpRate == 0 {
					t.Error("no jump was accepted: that is not tested")
				}
				if several.calls*2 > one.calls {
					t.Errorf("%d calls for iterations that take %d one by one", several.calls, one.calls)
				}
			})
		}
	}
}

// roundedAlike compares reports whose sums were rounded in another order.
func roundedAlike() cmp.Option {
	plain := cmp.Transformer("plain", func(x store.Number) float64 { return float64(x) })
	return cmp.Options{plain, cmpopts.EquateNaNs(), cmpopts.EquateApprox(1e-12, 0)}
}

// A trajectory that diverges in a mode which steps cannot follow is not counted, and which mode a walker is in is asked
// after that trajectory, also where others follow in the same call: walkers leave the narrow mode by most jumps.
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

// Of four divergences, two are followed by a trajectory of the same chain that gets away.
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

// A laddered run has a ladder.
type laddered struct {
	path, metric   string
	replicas, thin int
	noise          float64
	target         infer.Target
	step           float64 // 0: adapted
}

// sample draws, some iterations in a call or each by itself.
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

// The program jumps and swaps as the host does: the first draws are the same to rounding, which grows from there.
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
		t.Errorf("%v of jumps were accepted, by the host %v", got.JumpRate, want.JumpRate)
	}
	if !cmp.Equal(host.Values, program.Values, cmpopts.EquateApprox(1e-6, 1e-6)) {
		t.Errorf("the program draws %v, the host %v", program.Values[0], host.Values[0])
	}
}

// uphill is a skewed density in two dimensions with one mode, whose prior is wide.
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
