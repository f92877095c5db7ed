package renhd

import (
	"context"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ppl/infer"
	"ppl/infer/dynamics/dynamicstest"
	"ppl/infer/renhd/population"
	"ppl/infer/renhd/renhdtest"
	"ppl/lang/types"
	"ppl/posterior/stats"
)

// A memory is a recorder that stores draws and statistics, indexed by chain, draw and element.
type memory struct {
	values, stats [][][]float64
	onDraw        func(n int) // called with the number of draws so far; may be nil
	n             int
}

func (m *memory) Begin([]types.Variable) error { return nil }

func (m *memory) Draw(chain int, values, stats []float64) error {
	for len(m.values) <= chain {
		m.values, m.stats = append(m.values, nil), append(m.stats, nil)
	}
	m.values[chain] = append(m.values[chain], append([]float64(nil), values...))
	m.stats[chain] = append(m.stats[chain], append([]float64(nil), stats...))
	if m.n++; m.onDraw != nil {
		m.onDraw(m.n)
	}
	return nil
}

func (m *memory) Progress(infer.Progress) {}

// chains returns the chains of element j.
func (m *memory) chains(j int) [][]float64 { return population.Coordinate(m.values, j) }

// draw runs renhd, and ends the test if it returns an error.
func draw(t *testing.T, target infer.Target, o infer.Options) (*memory, infer.Report) {
	t.Helper()
	m := new(memory)
	report, err := Sample(context.Background(), target, o, m)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%+v", report)
	return m, report
}

// TestNormals samples normal targets whose scales differ by 10⁴ (condition number 10⁸), along the axes and with a
// correlation of −.9999, from starts up to 10⁴ standard deviations away. Means and standard deviations must be right
// within five standard errors.
func TestNormals(t *testing.T) {
	for name, c := range map[string]struct {
		target infer.Target
		sd     []float64
	}{
		"scales":     {dynamicstest.Normal(1, 1e-4, 1e-2, 1, 1), []float64{1, 1e-4, 1e-2, 1, 1}},
		"correlated": {correlated(-0.9999, 4000), []float64{4000, 1}},
	} {
		t.Run(name, func(t *testing.T) {
			o := renhdtest.Options(1)
			m, report := draw(t, c.target, o)
			if len(report.Temperatures) != 1 {
				t.Errorf("a normal target needs no ladder, got temperatures %v", report.Temperatures)
			}
			for j, sd := range c.sd {
				s := stats.Summarize(m.chains(j))
				if math.Abs(s.Mean) > 5*s.MCSEMean {
					t.Errorf("x[%d]: mean %g, want 0 ± 5·%g", j, s.Mean, s.MCSEMean)
				}
				if bound := 5 * stats.MCSESD(m.chains(j)) / sd; math.Abs(s.SD/sd-1) > bound {
					t.Errorf("x[%d]: the sd is %.4f times the right one, want 1 ± %.4f", j, s.SD/sd, bound)
				}
				if s.RHat > 1.01 || s.ESSBulk < 1000 {
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

// TestTwoModes checks two modes with weights 1 : 2, twenty standard deviations apart, under a normal prior. Without any
// settings, the run must use a ladder, and the weight must be right within five standard errors.
func TestTwoModes(t *testing.T) {
	if testing.Short() {
		t.Skip("long: skipped by -short")
	}
	m, report := draw(t, renhdtest.TwoModes(), renhdtest.Options(2))
	checkWeight(t, m, 2.0/3)
	if len(report.Temperatures) < 2 || report.RoundTrips == 0 {
		t.Errorf("temperatures %v, %d round trips: want a ladder in use", report.Temperatures, report.RoundTrips)
	}
}

// checkWeight compares the share of draws with x[0] > 0 with want.
func checkWeight(t *testing.T, m *memory, want float64) {
	t.Helper()
	share := make([][]float64, len(m.values))
	for c, xs := range m.values {
		for _, x := range xs {
			share[c] = append(share[c], population.OneIf(x[0] > 0))
		}
	}
	s := stats.Summarize(share)
	if !(math.Abs(s.Mean-want) < 5*s.MCSEMean) {
		t.Errorf("weight %.4f, want %.4f ± 5·%.4f", s.Mean, want, s.MCSEMean)
	}
}

// TestThreads checks that draws are the same for one and two threads, and different for another seed, with a ladder and
// without.
func TestThreads(t *testing.T) {
	run := func(target infer.Target, seed uint64, threads int) [][][]float64 {
		o := renhdtest.Options(seed)
		o.Draws, o.Warmup, o.Threads = 50, 200, threads
		m, _ := draw(t, target, o)
		return append(m.values, m.stats...)
	}
	for _, target := range []infer.Target{dynamicstest.Normal(1, 2, 3), renhdtest.TwoModes()} {
		one, two, other := run(target, 7, 1), run(target, 7, 2), run(target, 8, 2)
		if d := cmp.Diff(one, two); d != "" {
			t.Errorf("one and two threads differ: %s", d)
		}
		if cmp.Equal(one, other) {
			t.Errorf("seeds 7 and 8 give the same draws")
		}
	}
}

// TestCancel checks that a cancelled run stops after the current call of the device, and that all chains have the
// reported number of draws, which is far below the requested one.
func TestCancel(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	m := &memory{onDraw: func(n int) {
		if n == 40 {
			cancel()
		}
	}}
	report, err := Sample(ctx, dynamicstest.Normal(1, 1), renhdtest.Options(3), m)
	if err != context.Canceled {
		t.Errorf("error %v, want context.Canceled", err)
	}
	for chain := range m.values {
		if n := len(m.values[chain]); n != report.Draws || n < 10 || n > 50 {
			t.Errorf("chain %d: %d draws reported, %d recorded; want equal numbers from 10 to 50",
				chain+1, report.Draws, n)
		}
	}
}
