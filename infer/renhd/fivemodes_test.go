package renhd

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"ppl/infer"
	"ppl/infer/dynamics/dynamicstest"
	"ppl/infer/renhd/ladder"
	"ppl/infer/renhd/population"
	"ppl/infer/renhd/renhdtest"
	"ppl/posterior/stats"
)

// These tests use the five-mode mixture geo0 of the paper's synthetic experiment. Reference values were computed for
// this project with independent programs in C and Python over 12 seeds, with the settings "R2": BADODAB, mass 10,
// even-odd swaps, penalty test. At 2·10⁴ draws, weights are within .035, TV < .072 on 60×60 bins of [−9, 9]², ESS above
// 10,000 per 10⁵ draws, and swap rates in [.74, .85]. At 10⁵ draws, weights are within .015, TV < .030, ESS > 12,000,
// and the variance within modes is 1 ± .012.

// reference returns the settings of the reference values: ε = .01, c = .1, N = 50, with the identity metric.
func reference() infer.Settings {
	return infer.Settings{Replicas: 7, Ratio: 1.5, Path: "energy", Noise: 0.25,
		StepSize: 0.1, Friction: 0.1, Steps: 50, Metric: "identity"}
}

// A score measures how well draws represent the mixture.
type score struct {
	tv     float64 // total variation of the histogram
	weight float64 // largest error of a weight
	vratio float64 // variance within modes divided by the right one
	ess    float64 // effective sample size of the worse coordinate
}

func rate(mix dynamicstest.Mixture, m *memory) score {
	var hist [60][60]float64
	weight, spread, n := make([]float64, len(mix.Weight)), 0.0, 0.0
	for _, chain := range m.values {
		for _, x := range chain {
			hist[bin(x[0])][bin(x[1])]++
			k := mix.Mode(x)
			weight[k]++
			dx, dy := (x[0]-mix.Center[k][0])/mix.SD[k], (x[1]-mix.Center[k][1])/mix.SD[k]
			spread, n = spread+(dx*dx+dy*dy)/2, n+1
		}
	}
	s := score{vratio: spread / n, ess: math.Min(stats.ESSMean(m.chains(0)), stats.ESSMean(m.chains(1)))}
	for k, w := range weight {
		s.weight = math.Max(s.weight, math.Abs(w/n-mix.Weight[k]))
	}
	for i := range hist {
		for j := range hist[i] {
			s.tv += math.Abs(hist[i][j]/n-mass(mix, i, j)) / 2
		}
	}
	return s
}

func bin(x float64) int { return int(math.Min(math.Max(math.Floor((x+9)/0.3), 0), 59)) }

// mass returns the probability of a bin under the mixture, in closed form.
func mass(mix dynamicstest.Mixture, i, j int) float64 {
	sum := 0.0
	for k, w := range mix.Weight {
		sum += w * slab(i, mix.Center[k][0], mix.SD[k]) * slab(j, mix.Center[k][1], mix.SD[k])
	}
	return sum
}

func slab(i int, mean, sd float64) float64 {
	phi := func(x float64) float64 { return math.Erfc(-(x-mean)/sd/math.Sqrt2) / 2 }
	lo := -9 + 0.3*float64(i)
	return phi(lo+0.3) - phi(lo)
}

// fiveModes samples the mixture with 4 chains and the given exchange.
func fiveModes(t *testing.T, s infer.Settings, draws int, x ladder.Exchange) (score, infer.Report) {
	t.Helper()
	return fiveModesOf(t, dynamicstest.FiveModes(), s, draws, x)
}

func fiveModesOf(t *testing.T, mix dynamicstest.Mixture, s infer.Settings, draws int, x ladder.Exchange) (score,
	infer.Report) {
	t.Helper()
	o, m := renhdtest.Options(11), new(memory)
	o.Draws, o.Warmup, o.Thin, o.Settings, o.Device = draws, 250, 1, s, renhdtest.Fastest()
	began := time.Now()
	report, err := sample(context.Background(), mix.Target(), o, m, x)
	if err != nil {
		t.Fatal(err)
	}
	got := rate(mix, m)
	t.Logf("%+v, %.0f effective draws a second; %+v", got, got.ess/time.Since(began).Seconds(), report)
	return got, report
}

// within checks a score against bounds, and that swap rates are between lo and hi.
func within(t *testing.T, got score, report infer.Report, bound score, lo, hi float64) {
	t.Helper()
	if got.tv > bound.tv || got.weight > bound.weight || math.Abs(got.vratio-1) > bound.vratio || got.ess < bound.ess {
		t.Errorf("got %+v, want within %+v", got, bound)
	}
	if report.Divergences > 0 {
		t.Errorf("%d divergences", report.Divergences)
	}
	for _, r := range report.SwapRates {
		if r < lo || r > hi {
			t.Errorf("swap rates %.3v, want in [%v, %v]", report.SwapRates, lo, hi)
		}
	}
}

// twentyThousand returns the bounds for 2·10⁴ draws. The standard error of vratio is .0025·√5 (from the 12 seeds of the
// reference); its bound is five standard errors.
func twentyThousand() score { return score{tv: 0.072, weight: 0.035, vratio: 0.028, ess: 2000} }

func TestFiveModesReference(t *testing.T) {
	if testing.Short() {
		t.Skip("long: skipped by -short")
	}
	renhdtest.Slow(t)
	got, report := fiveModes(t, reference(), 5000, ladder.Exchange{Test: ladder.Penalty()})
	within(t, got, report, twentyThousand(), .74, .85)
}

// TestFiveModesDefault checks that the same bounds hold if step size, friction, length and metric are not given.
func TestFiveModesDefault(t *testing.T) {
	if testing.Short() {
		t.Skip("long: skipped by -short")
	}
	s := infer.Settings{Replicas: 7, Ratio: 1.5, Path: "energy", Noise: 0.25}
	got, report := fiveModes(t, s, 5000, ladder.Exchange{Test: ladder.Penalty()})
	within(t, got, report, twentyThousand(), .74, .85)
}

// TestFiveModesAlone checks a run without any settings: it must detect that a ladder is needed, use the energy path,
// since the prior is not known to be proper, and find every weight within five standard errors.
func TestFiveModesAlone(t *testing.T) {
	if testing.Short() {
		t.Skip("long: skipped by -short")
	}
	mix := dynamicstest.FiveModes()
	m, report := draw(t, mix.Target(), renhdtest.Options(1))
	if report.Path != "energy" || report.Dynamics != "hmc" || len(report.Temperatures) < 2 {
		t.Errorf("path %s, dynamics %s, temperatures %v", report.Path, report.Dynamics, report.Temperatures)
	}
	for k, want := range mix.Weight {
		if s := stats.Summarize(share(mix, m, k)); !(math.Abs(s.Mean-want) < 5*s.MCSEMean) {
			t.Errorf("mode %d: weight %.4f, want %.4f ± 5·%.4f", k, s.Mean, want, s.MCSEMean)
		}
	}
}

// TestFiveModesFaults checks that the bounds detect planted faults: ΔE with the published sign, no swaps, and a
// thermostat that stays on its lane when rungs are exchanged.
func TestFiveModesFaults(t *testing.T) {
	if testing.Short() {
		t.Skip("long: skipped by -short")
	}
	wrongSign := ladder.Penalty()
	wrongSign.Decide = func(p *ladder.Proposal, uniform func(int) float64) (float64, bool) {
		p.Gain = -p.Gain
		return ladder.Penalty().Decide(p, uniform)
	}
	if got, _ := fiveModes(t, reference(), 500, ladder.Exchange{Test: wrongSign}); got.tv < 0.2 {
		t.Errorf("wrong sign: TV %.3f, want above .2", got.tv)
	}
	never := ladder.Penalty()
	never.Decide = func(*ladder.Proposal, func(int) float64) (float64, bool) { return 0, false }
	if got, _ := fiveModes(t, reference(), 500, ladder.Exchange{Test: never}); got.tv < 0.3 {
		t.Errorf("no swaps: TV %.3f, want above .3", got.tv)
	}
	if got, _ := fiveModes(t, reference(), 2500, ladder.Exchange{Test: ladder.Penalty(),
		Stays: true}); got.vratio < 1.1 {
		t.Errorf("thermostat left on the lane: variance ratio %.3f, want above 1.1 (1.165 in the reference)",
			got.vratio)
	}
}

// TestFiveModesBarkerRates checks the swap rates of Barker's test ("R1"), .460 to .472 in the reference for any noise.
// The standard error of the mean from 6,000 proposals is .007.
func TestFiveModesBarkerRates(t *testing.T) {
	if testing.Short() {
		t.Skip("long: skipped by -short")
	}
	r1 := reference()
	r1.Exchange = "barker"
	_, report := fiveModes(t, r1, 500, ladder.Exchange{Test: ladder.NewTest("barker")})
	if mean := 1 - float64(report.Barrier)/6; math.Abs(mean-0.466) > 0.03 {
		t.Errorf("mean swap rate %.3f, want .466 ± .03", mean)
	}
}

// TestFiveModesHundredThousand compares with the reference values at 10⁵ draws, on three geometries: R2 is the penalty
// test, R1 Barker's test. The bounds on weights, histogram, variance within modes and swap rates are those of geo0, if
// there are as many effective draws. For geo2, whose modes are farther apart and which has no reference values, R1 must
// be within four of its standard errors. The published method, with its Euler step, its reset of the thermostat, random
// pairs and its approximate compensation, must have the bias of the reference (variance within modes .977), and R2 at
// least four times its effective draws (15239 and 2769 in the reference, with errors of a tenth).
func TestFiveModesHundredThousand(t *testing.T) {
	if testing.Short() {
		t.Skip("long: skipped by -short")
	}
	renhdtest.Slow(t)
	r1, paper := reference(), reference()
	r1.Exchange = "barker"
	paper.Dynamics, paper.Exchange = "renhd-paper", "paper"
	strict := score{tv: 0.030, weight: 0.015, vratio: 0.012, ess: 12000}
	loose := score{tv: 0.040, weight: 0.025, vratio: 0.012, ess: 3500}
	ess := map[string]float64{}
	for _, c := range []struct {
		name     string
		mix      dynamicstest.Mixture
		settings infer.Settings
		exchange ladder.Exchange
		bound    score
		lo, hi   float64
	}{
		{"geo0 R2", dynamicstest.FiveModes(), reference(), ladder.Exchange{Test: ladder.Penalty()}, strict, .74, .85},
		{"geo0 R1", dynamicstest.FiveModes(), r1, ladder.Exchange{Test: ladder.NewTest("barker")}, loose, .44, .49},
		{"geo1 R2", dynamicstest.FiveModesUnequal(), reference(), ladder.Exchange{Test: ladder.Penalty()}, strict, .74,
			.85},
		{"geo1 R1", dynamicstest.FiveModesUnequal(), r1, ladder.Exchange{Test: ladder.NewTest("barker")}, loose, .44,
			.49},
		{"geo2 R2", dynamicstest.FiveModesFar(), reference(), ladder.Exchange{Test: ladder.Penalty()},
			score{tv: 0.040, weight: 0.025, vratio: 0.012, ess: 1800}, .74, .85},
		{"geo2 R1", dynamicstest.FiveModesFar(), r1, ladder.Exchange{Test: ladder.NewTest("barker")},
			score{tv: 0.050, weight: 0.04, vratio: 0.012, ess: 1000}, .44, .49},
		{"published", dynamicstest.FiveModes(), paper, ladder.Exchange{Test: ladder.NewTest("paper"), Shuffle: true},
			score{tv: 0.050, weight: 0.04, vratio: 0.035, ess: 1800}, .30, .49},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, report := fiveModesOf(t, c.mix, c.settings, 25000, c.exchange)
			within(t, got, report, c.bound, c.lo, c.hi)
			if ess[c.name] = got.ess; c.name == "published" && !(got.vratio < 0.985 && got.ess < ess["geo0 R2"]/4) {
				t.Errorf("variance ratio %.3f, ESS %.0f: want .977, and less than a quarter of %.0f", got.vratio,
					got.ess, ess["geo0 R2"])
			}
		})
	}
}

// TestFiveModesAgainstPublished compares renhd, with noisy gradients as the only setting, with the published method:
// the effective draws per gradient must be at least five times as many. The number per second is only logged.
func TestFiveModesAgainstPublished(t *testing.T) {
	if testing.Short() {
		t.Skip("long: skipped by -short")
	}
	renhdtest.Slow(t)
	perGradient := map[string]float64{}
	for _, p := range Presets()[:2] {
		o, m := renhdtest.Options(12), new(memory)
		o.Draws, o.Settings.Noise, o.Device = 5000, 0.25, renhdtest.Fastest()
		began := time.Now()
		report, err := p.Sample(context.Background(), dynamicstest.FiveModes().Target(), o, m)
		if err != nil {
			t.Fatal(err)
		}
		got := rate(dynamicstest.FiveModes(), m)
		perGradient[p.Name] = got.ess / float64(report.Gradients)
		t.Logf("%s: %+v; %.0f effective draws in 10⁶ gradients, warm-up and all, %.0f a second; thin %d, %.0f steps, "+
			"temperatures %.3g, swap rates %.2f", p.Name, got,
			1e6*perGradient[p.Name], got.ess/time.Since(began).Seconds(), report.Thin, report.Steps,
			report.Temperatures, report.SwapRates)
	}
	if perGradient["renhd"] < 5*perGradient["renhd-paper"] {
		t.Errorf("renhd has %.1f times the effective draws per gradient of renhd-paper, want at least 5",
			perGradient["renhd"]/perGradient["renhd-paper"])
	}
}

// TestFiveModesBarker checks Barker's test at 2·10⁴ draws.
func TestFiveModesBarker(t *testing.T) {
	if testing.Short() {
		t.Skip("long: skipped by -short")
	}
	renhdtest.Slow(t)
	r1 := reference()
	r1.Exchange = "barker"
	got, report := fiveModes(t, r1, 5000, ladder.Exchange{Test: ladder.NewTest("barker")})
	within(t, got, report, score{tv: 0.09, weight: 0.05, vratio: 0.028, ess: 600}, .44, .49)
}

// TestFiveModesIndependent checks that independent draws from the mixture satisfy the bounds on histogram, weights and
// variance.
func TestFiveModesIndependent(t *testing.T) {
	if testing.Short() {
		t.Skip("long: skipped by -short")
	}
	mix, r, m := dynamicstest.FiveModes(), rand.New(rand.NewPCG(1, 1)), new(memory)
	for range 5000 {
		for chain := range 4 {
			u, k := r.Float64(), 0
			for ; u > mix.Weight[k]; k++ {
				u -= mix.Weight[k]
			}
			x := []float64{mix.Center[k][0] + mix.SD[k]*r.NormFloat64(), mix.Center[k][1] + mix.SD[k]*r.NormFloat64()}
			_ = m.Draw(chain, x, nil)
		}
	}
	within(t, rate(mix, m), infer.Report{}, twentyThousand(), 0, 1)
}

// TestFiveModesFromOne checks that annealing finds the other modes if all walkers start in the middle one and agree.
func TestFiveModesFromOne(t *testing.T) {
	if testing.Short() {
		t.Skip("long: skipped by -short")
	}
	mix := dynamicstest.FiveModes()
	target := mix.Target()
	target.Spread = 0.1
	m, report := draw(t, target, renhdtest.Options(1))
	if len(report.Temperatures) < 2 {
		t.Fatalf("no ladder: %v", report.Notes)
	}
	for k, want := range mix.Weight {
		if s := stats.Summarize(share(mix, m, k)); !(math.Abs(s.Mean-want) < 5*s.MCSEMean) {
			t.Errorf("mode %d: weight %.4f, want %.4f ± 5·%.4f", k, s.Mean, want, s.MCSEMean)
		}
	}
	// A target with one mode needs no ladder, although its prior is not known to be proper.
	alone := dynamicstest.Normal(1, 3)
	alone.Proper = false
	if _, report := draw(t, alone, renhdtest.Options(1)); len(report.Temperatures) != 1 {
		t.Errorf("a normal target has a ladder: %v", report.Notes)
	}
}

// share returns 1 for each draw in mode k, else 0, by chain.
func share(mix dynamicstest.Mixture, m *memory, k int) [][]float64 {
	in := make([][]float64, len(m.values))
	for c, xs := range m.values {
		for _, x := range xs {
			in[c] = append(in[c], population.OneIf(mix.Mode(x) == k))
		}
	}
	return in
}

// TestRaiseHottest checks two modes 60 standard deviations apart, between which walkers do not move at the initial
// hottest temperature: the temperature must be raised, and the weights must be right.
func TestRaiseHottest(t *testing.T) {
	if testing.Short() {
		t.Skip("long: skipped by -short")
	}
	mix := dynamicstest.Mixture{Weight: []float64{1. / 3, 2. / 3}, Center: [][]float64{{30, 0}, {-30, 0}},
		SD: []float64{1, 1}}
	m, report := draw(t, mix.Target(), renhdtest.Options(1))
	if hot := report.Temperatures[len(report.Temperatures)-1]; hot <= ladder.HottestGuess {
		t.Errorf("the ladder ends at %v", hot)
	}
	if s := stats.Summarize(share(mix, m, 0)); !(math.Abs(s.Mean-1./3) < 5*s.MCSEMean) || s.ESSBulk < 100 {
		t.Errorf("weight %.3f ± %.3f of 4000 draws worth %.0f, want 1/3", s.Mean, s.MCSEMean, s.ESSBulk)
	}
}
