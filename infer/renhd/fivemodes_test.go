package renhd

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"ppl/infer"
	"ppl/infer/dynamics/dynamicstest"
	"ppl/infer/stats"
)

// The five-mode mixture geo0 of the paper's synthetic experiment: reference numbers are those computed for this project with
// independent programs in C and Python over 12 seeds ("R2": BADODAB, mass 10, even-odd swaps, penalty test): at 2·10⁴ draws weights within
// .035, TV < .072 on 60×60 bins of [−9, 9]², ESS above 10,000 per 10⁵ draws, swap rates in [.74, .85]; at 10⁵ weights within .015,
// TV < .030, ESS > 12,000, variance within modes 1 ± .012.

// reference are the settings of those numbers: ε = .01, c = .1, N = 50 in the target's own coordinates.
func reference() infer.Settings {
	return infer.Settings{Replicas: 7, Ratio: 1.5, Path: "energy", Noise: 0.25,
		StepSize: 0.1, Friction: 0.1, Steps: 50, Metric: "identity"}
}

// A score is how well draws know the mixture.
type score struct {
	tv     float64 // total variation of the histogram
	weight float64 // largest error of a weight
	vratio float64 // variance within modes over the truth
	ess    float64 // of the worse coordinate
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

// mass of a bin in closed form.
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

// fiveModes draws 4 chains with an exchange of the test's choice.
func fiveModes(t *testing.T, s infer.Settings, draws int, x exchange) (score, infer.Report) {
	t.Helper()
	return fiveModesOf(t, dynamicstest.FiveModes(), s, draws, x)
}

func fiveModesOf(t *testing.T, mix dynamicstest.Mixture, s infer.Settings, draws int, x exchange) (score, infer.Report) {
	t.Helper()
	o, m := options(11), new(memory)
	o.Draws, o.Warmup, o.Thin, o.Settings = draws, 250, 1, s
	began := time.Now()
	report, err := sample(context.Background(), mix.Target(), o, m, x)
	if err != nil {
		t.Fatal(err)
	}
	got := rate(mix, m)
	t.Logf("%+v, %.0f effective draws a second; %+v", got, got.ess/time.Since(began).Seconds(), report)
	return got, report
}

// within applies bounds; swap rates are to be between lo and hi.
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

// At 2·10⁴ draws. The standard error of vratio is .0025·√5 here (from the 12 seeds of the reference); the bound is five of them.
func twentyThousand() score { return score{tv: 0.072, weight: 0.035, vratio: 0.028, ess: 2000} }

func TestFiveModesReference(t *testing.T) {
	slow(t)
	got, report := fiveModes(t, reference(), 5000, exchange{test: penalty()})
	within(t, got, report, twentyThousand(), .74, .85)
}

// With nothing said of step, friction, length or coordinates the engine's own choices have to do as well.
func TestFiveModesDefault(t *testing.T) {
	s := infer.Settings{Replicas: 7, Ratio: 1.5, Path: "energy", Noise: 0.25}
	got, report := fiveModes(t, s, 5000, exchange{test: penalty()})
	within(t, got, report, twentyThousand(), .74, .85)
}

// With nothing said at all, the density alone: the engine finds that a ladder is needed, takes the energy path, for no prior is known
// to be proper, and gets every weight within five standard errors.
func TestFiveModesAlone(t *testing.T) {
	mix := dynamicstest.FiveModes()
	m, report := draw(t, mix.Target(), options(1))
	if report.Path != "energy" || report.Dynamics != "hmc" || len(report.Temperatures) < 2 {
		t.Errorf("path %s, dynamics %s, temperatures %v", report.Path, report.Dynamics, report.Temperatures)
	}
	for k, want := range mix.Weight {
		if s := stats.Summarize(share(mix, m, k)); !(math.Abs(s.Mean-want) < 5*s.MCSEMean) {
			t.Errorf("mode %d: weight %.4f, want %.4f ± 5·%.4f", k, s.Mean, want, s.MCSEMean)
		}
	}
}

// Planted faults that the bounds must catch: ΔE with the sign that the paper prints, no swaps at all (a thermostat on its own),
// and a thermostat that stays on its lane when the rung moves.
func TestFiveModesFaults(t *testing.T) {
	wrongSign := penalty()
	wrongSign.decide = func(p *proposal, uniform func(int) float64) (float64, bool) {
		p.gain = -p.gain
		return penalty().decide(p, uniform)
	}
	if got, _ := fiveModes(t, reference(), 500, exchange{test: wrongSign}); got.tv < 0.2 {
		t.Errorf("wrong sign: TV %.3f, want above .2", got.tv)
	}
	never := penalty()
	never.decide = func(*proposal, func(int) float64) (float64, bool) { return 0, false }
	if got, _ := fiveModes(t, reference(), 500, exchange{test: never}); got.tv < 0.3 {
		t.Errorf("no swaps: TV %.3f, want above .3", got.tv)
	}
	if got, _ := fiveModes(t, reference(), 500, exchange{test: penalty(), stays: true}); got.vratio < 1.1 {
		t.Errorf("thermostat left on the lane: variance ratio %.3f, want above 1.1 (1.165 in the reference)", got.vratio)
	}
}

// R1's swap rates are .460 to .472 in the notes, that of Barker's test whatever noise there is; 6,000 proposals know their mean to .007.
func TestFiveModesBarkerRates(t *testing.T) {
	r1 := reference()
	r1.Exchange = "barker"
	_, report := fiveModes(t, r1, 500, exchange{test: newTest("barker")})
	if mean := 1 - report.Barrier/6; math.Abs(mean-0.466) > 0.03 {
		t.Errorf("mean swap rate %.3f, want .466 ± .03", mean)
	}
}

// The reference numbers at 10⁵ draws: R2 is the penalty test, R1 Barker's. On geo1 and geo2 the bounds on weights and variance are those of geo0; their
// histograms have other noise, and geo2's barriers are higher: its weights are held to .03, its ESS to what a ladder made for geo0 gives it.
func TestFiveModesHundredThousand(t *testing.T) {
	slow(t)
	r1 := reference()
	r1.Exchange = "barker"
	t.Run("R2", func(t *testing.T) {
		got, report := fiveModes(t, reference(), 25000, exchange{test: penalty()})
		within(t, got, report, score{tv: 0.030, weight: 0.015, vratio: 0.012, ess: 12000}, .74, .85)
	})
	t.Run("R1", func(t *testing.T) {
		got, report := fiveModes(t, r1, 25000, exchange{test: newTest("barker")})
		within(t, got, report, score{tv: 0.040, weight: 0.025, vratio: 0.012, ess: 3500}, .44, .49)
	})
	t.Run("geo1", func(t *testing.T) {
		got, report := fiveModesOf(t, dynamicstest.FiveModesUnequal(), reference(), 25000, exchange{test: penalty()})
		within(t, got, report, score{tv: 0.040, weight: 0.015, vratio: 0.012, ess: 8000}, 0, 1)
	})
	t.Run("geo2", func(t *testing.T) {
		got, report := fiveModesOf(t, dynamicstest.FiveModesFar(), reference(), 25000, exchange{test: penalty()})
		within(t, got, report, score{tv: 0.060, weight: 0.03, vratio: 0.012, ess: 1800}, 0, 1)
	})
}

// R1 at 2·10⁴ draws, and the published method beside R2: with its Euler step, its thermostat reset, pairs at random and its approximate
// compensation it has the bias that our notes give it (variance within modes .977 ± .0025·√5), and a fifth of R2's effective draws a gradient (2769
// against 15239 in the notes; the bound asked of the engine is five, and of this short run four).
func TestFiveModesAsPublished(t *testing.T) {
	slow(t)
	r1 := reference()
	r1.Exchange = "barker"
	got, report := fiveModes(t, r1, 5000, exchange{test: newTest("barker")})
	within(t, got, report, score{tv: 0.09, weight: 0.05, vratio: 0.028, ess: 600}, .44, .49)
	paper := reference()
	paper.Dynamics, paper.Exchange = "renhd-paper", "paper"
	published, _ := fiveModes(t, paper, 10000, exchange{test: newTest("paper"), shuffle: true})
	if math.Abs(published.vratio-0.977) > 0.02 {
		t.Errorf("as published: variance ratio %.3f, want .977 ± .02", published.vratio)
	}
	r2, _ := fiveModes(t, reference(), 10000, exchange{test: penalty()})
	if r2.ess < 4*published.ess {
		t.Errorf("ESS %.0f, as published %.0f: want a factor of five", r2.ess, published.ess)
	}
}

// An independent sample passes the bounds on histogram, weights and variance, so that they ask for nothing a perfect sampler lacks.
func TestFiveModesIndependent(t *testing.T) {
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

// When all starts lie in the one mode of the middle, walkers agree; heated and cooled again they find the others.
func TestFiveModesFromOne(t *testing.T) {
	mix := dynamicstest.FiveModes()
	target := mix.Target()
	target.Spread = 0.1
	m, report := draw(t, target, options(1))
	if len(report.Temperatures) < 2 {
		t.Fatalf("no ladder: %v", report.Notes)
	}
	for k, want := range mix.Weight {
		if s := stats.Summarize(share(mix, m, k)); !(math.Abs(s.Mean-want) < 5*s.MCSEMean) {
			t.Errorf("mode %d: weight %.4f, want %.4f ± 5·%.4f", k, s.Mean, want, s.MCSEMean)
		}
	}
	// One mode alone needs no ladder, though its prior is not known to be proper.
	alone := dynamicstest.Normal(1, 3)
	alone.Proper = false
	if _, report := draw(t, alone, options(1)); len(report.Temperatures) != 1 {
		t.Errorf("a normal target has a ladder: %v", report.Notes)
	}
}

// share is 1 for each draw in mode k.
func share(mix dynamicstest.Mixture, m *memory, k int) [][]float64 {
	in := make([][]float64, len(m.values))
	for c, xs := range m.values {
		for _, x := range xs {
			in[c] = append(in[c], flag(mix.Mode(x) == k))
		}
	}
	return in
}

// Modes 60 standard deviations apart are out of reach at the temperature a ladder begins with: its hot end goes up until walkers there forget
// where they were, and the weights are right.
func TestReach(t *testing.T) {
	mix := dynamicstest.Mixture{Weight: []float64{1. / 3, 2. / 3}, Center: [][]float64{{30, 0}, {-30, 0}}, SD: []float64{1, 1}}
	m, report := draw(t, mix.Target(), options(1))
	if hot := report.Temperatures[len(report.Temperatures)-1]; hot <= hottestGuess {
		t.Errorf("the ladder ends at %v", hot)
	}
	if s := stats.Summarize(share(mix, m, 0)); !(math.Abs(s.Mean-1./3) < 5*s.MCSEMean) || s.ESSBulk < 100 {
		t.Errorf("weight %.3f ± %.3f of 4000 draws worth %.0f, want 1/3", s.Mean, s.MCSEMean, s.ESSBulk)
	}
}
