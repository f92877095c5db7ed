package ladder

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/stat"

	"ppl/infer/compensation"
)

// sampleBalance returns log E[accept | Δ] − log E[accept | −Δ] of a test with noise, which is Δ if detailed balance
// holds, and the mean of both acceptance rates. noisy returns an estimate of a log acceptance ratio.
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

// normalNoise returns a function that adds normal noise with a variance, and states the variance said.
func normalNoise(variance, said float64) func(*rand.Rand, float64) *Proposal {
	return func(r *rand.Rand, delta float64) *Proposal {
		return &Proposal{gap: 0.5, Gain: 2 * (delta + math.Sqrt(variance)*r.NormFloat64()), Variance: 4 * said}
	}
}

// TestBalanceUnderNoise checks detailed balance with normal noise by Monte Carlo. Standard errors of the log ratio from
// 2·10⁵ proposals are .003 (penalty) and .007 (Barker); bounds are four times that. Barker's mean acceptance of a move
// and its reverse is ½; with the sign of the published method it would be larger. Planted fault: tests that assume that
// there is no noise.
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
	faulty := map[string]Test{"penalty": Penalty(), "barker": barker(0, compensation.New(0, math.Inf(1), 8))}
	for name, x := range faulty {
		if got, _ := sampleBalance(x, 0.7, 200_000, normalNoise(0.6, 0)); math.Abs(got-0.7) < 0.04 {
			t.Errorf("%s: the planted fault is not detected: log ratio %.4f", name, got)
		}
	}
}

// TestLossOfTestsIsTakenOff checks the conversion of a rate with noise, for log ratios ~ N(−v/2, v), to the rate of a
// Metropolis test without noise, which is erfc(√(v/8)) (Roberts, Gelman, Gilks, Ann. Appl. Probab. 1997). The standard
// error of a rate from 4·10⁴ proposals is .0025; the bound also allows for the approximation of the logistic function
// by a normal CDF. The rate without conversion must differ clearly if v is small.
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
				t.Errorf("%s: a rate of %.4f at v = %v is converted to %.4f, want %.4f", name, rate, v, got, want)
			}
			if c.noise > 0 && v < 1 && math.Abs(rate-want) < 0.05 {
				t.Errorf("%s: rate %.4f at v = %v is close to %.4f, although there is noise", name, rate, v, want)
			}
		}
	}
}

// TestPenaltyUnderExponentialDifferences checks the penalty test with exponential instead of normal differences of 256
// rows and ΔE = 1. The log ratio is .98 if σ² is 1, and .60 if σ² is 7.4 (reference values of RENHD). The standard
// error is .01.
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
