package ladder

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/stat"

	"ppl/infer/compensation"
)

// sampleBalance is log E[accept | Δ] − log E[accept | −Δ] of a test under noise, Δ itself where detailed balance holds;
// and the mean acceptance of both. noisy gives an estimate of a log acceptance ratio.
func sampleBalance(x Test, delta float64, n int, noisy func(r *rand.Rand, delta float64) *Proposal) (balance,
	mean float64) {
	r := rand.New(rand.NewPCG(1, 2))
	accept := func(delta float64) float64 {
		sum := 0.0
		for range n {
			chance, _ := x.Decide(noisy(r, delta), func(int) float64 { return r.Float64() })
			sum += chance
		}
		return sum / float64(n)
	}
	there, back := accept(delta), accept(-delta)
	return math.Log(there / back), (there + back) / 2
}

// normalNoise of a variance, said to be `said`.
func normalNoise(variance, said float64) func(*rand.Rand, float64) *Proposal {
	return func(r *rand.Rand, delta float64) *Proposal {
		return &Proposal{gap: 0.5, Gain: 2 * (delta + math.Sqrt(variance)*r.NormFloat64()), Variance: 4 * said}
	}
}

// Detailed balance under normal noise, by its own Monte Carlo: numbers of 2·10⁵ know the log ratio to .003 (penalty) or
// .007 (Barker, which answers yes or no); bounds are four times that. A test told that there is no noise breaks it by
// more. Barker's mean acceptance of a move and its reverse is ½ at most: with the sign of the published method it would
// be above.
func TestBalanceUnderNoise(t *testing.T) {
	for name, c := range map[string]struct {
		test            Test
		variance, bound float64
	}{
		"penalty": {Penalty(), 0.6, 0.012},
		"barker":  {NewTest("barker"), 0.8, 0.028},
		"paper":   {NewTest("paper"), 0.15, 0.028},
	} {
		got, mean := sampleBalance(c.test, 0.7, 200_000, normalNoise(c.variance, c.variance))
		if math.Abs(got-0.7) > c.bound {
			t.Errorf("%s: log ratio of acceptances %.4f, want .7 ± %v", name, got, c.bound)
		}
		if name != "penalty" && math.Abs(mean-0.5) > 0.005 {
			t.Errorf("%s: mean acceptance of a move and its reverse %.4f, want .5", name, mean)
		}
	}
	deaf := map[string]Test{"penalty": Penalty(), "barker": barker(0, compensation.New(0, math.Inf(1), 8))}
	for name, x := range deaf {
		if got, _ := sampleBalance(x, 0.7, 200_000, normalNoise(0.6, 0)); math.Abs(got-0.7) < 0.04 {
			t.Errorf("%s, not told of its noise: log ratio %.4f: the test could not fail", name, got)
		}
	}
}

// From the rate of each test under noise, with log ratios ~ N(−v/2, v), comes that of Metropolis' test without:
// erfc(√(v/8)) in closed form (Roberts, Gelman, Gilks, Ann. Appl. Probab. 1997). 4·10⁴ proposals know a rate to .0025,
// and rates near ½ its root; Barker's uses that the logistic function is nearly a normal one. The rate as it is says
// less: by it, rungs that are one and the same would be up to ½ apart.
func TestLossOfTestsIsTakenOff(t *testing.T) {
	for name, c := range map[string]struct {
		test  Test
		noise float64
	}{"penalty": {Penalty(), 0.8}, "penalty, quiet": {Penalty(), 0}, "barker": {NewTest("barker"), 0.8},
		"paper": {NewTest("paper"), 0.1}} {
		for _, v := range []float64{0, 0.3, 1.5, 6} {
			r, rates := rand.New(rand.NewPCG(5, 6)), []float64(nil)
			for range 40_000 {
				ratio := -v/2 + math.Sqrt(v)*r.NormFloat64() + math.Sqrt(c.noise)*r.NormFloat64()
				chance, _ := c.test.Decide(&Proposal{gap: 1, Gain: ratio, Variance: c.noise},
					func(int) float64 { return r.Float64() })
				rates = append(rates, chance)
			}
			rate := stat.Mean(rates, nil)
			want := math.Erfc(math.Sqrt(v / 8))
			if got := metropolis(c.test.logRatioVariance(rate, c.noise)); math.Abs(got-want) > 0.03 &&
				!(v == 0 && got > 0.93) {
				t.Errorf("%s: rate %.4f at a spread of %v: taken for %.4f, want %.4f", name, rate, v, got, want)
			}
			if c.noise > 0 && v < 1 && math.Abs(rate-want) < 0.05 {
				t.Errorf("%s: rate %.4f, want %.4f: the test loses nothing", name, rate, want)
			}
		}
	}
}

// Log likelihood differences are not normal. With exponential ones, 256 rows and ΔE = 1, the penalty test has a log
// ratio of .98 where rows were added until σ² ≤ 1, but .60 where they were not, at σ² = 7.4 (RENHD's reference
// numbers). 6·10⁴ numbers know it to .01.
func TestPenaltyUnderExponentialDifferences(t *testing.T) {
	const rows = 256
	exponential := func(variance float64) func(*rand.Rand, float64) *Proposal {
		return func(r *rand.Rand, delta float64) *Proposal {
			sign, scale := math.Copysign(1, delta), math.Sqrt(variance/rows)
			var sum, squares float64
			for range rows {
				x := r.ExpFloat64() - 1
				sum, squares = sum+x, squares+x*x
			}
			s2 := (squares - sum*sum/rows) / (rows - 1)
			return &Proposal{gap: 1, Gain: delta + sign*scale*sum, Variance: variance * s2, Seen: rows}
		}
	}
	for variance, want := range map[float64]float64{1: 0.98, 7.4: 0.60} {
		got, _ := sampleBalance(Penalty(), 1, 60_000, exponential(variance))
		if math.Abs(got-want) > 0.05 {
			t.Errorf("σ² = %v: log ratio %.3f, want %.2f ± .05", variance, got, want)
		}
	}
}
