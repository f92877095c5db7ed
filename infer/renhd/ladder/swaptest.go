package ladder

import (
	"math"
	"slices"

	"ppl/infer/compensation"
)

// A Test decides swaps from a log acceptance ratio with normal noise of known variance, so that the walkers of a ladder
// have the distribution they would have if the ratio were known exactly. Estimates are refined until that variance is
// at most maxVariance. With the decision comes its probability given what was seen.
//
// A test rejects more than the distance between the rungs explains. logRatioVariance takes that away: it is the
// variance of the log ratio itself, where swaps are accepted at a given rate under noise of a given mean variance (log
// ratios taken for normal, with mean −½ of their variance).
type Test struct {
	MaxVariance      float64
	Decide           func(p *Proposal, uniform func(k int) float64) (chance float64, accept bool)
	logRatioVariance func(rate, noise float64) float64
}

// metropolis returns the rate at which Metropolis' test without noise accepts log ratios ~ N(−variance/2, variance).
func metropolis(variance float64) float64 { return math.Erfc(math.Sqrt(math.Max(variance, 0) / 8)) }

// NewTest returns the test of a name in the settings.
func NewTest(name string) Test {
	switch name {
	case "barker":
		return barker(1, compensation.New(1, math.Inf(1), 8))
	case "paper":
		return barker(0.2, compensation.New(0.2, 10, 3))
	case "uncorrected":
		return Uncorrected()
	}
	return Penalty()
}

// UsualTest reports whether the test of that name is Metropolis' test if there is no noise.
func UsualTest(name string) bool {
	return !slices.Contains([]string{"barker", "paper", "uncorrected"}, name)
}

// Penalty is Metropolis' test with half the variance taken off the log ratio (Ceperley and Dewing, J. Chem. Phys.
// 1999): exact for normal noise. A variance σ̂² estimated from n rows costs σ̂⁴/(4(n+1)) more. Estimates are refined to
// σ² ≤ 1, where skewed noise does little harm. Noise acts like variance of the log ratio: the rate is that of
// Metropolis' test at the sum of both.
func Penalty() Test {
	spread := func(rate, noise float64) float64 {
		z := math.Erfinv(1 - rate)
		return 8*z*z - noise
	}
	return Test{MaxVariance: 1, logRatioVariance: spread, Decide: func(p *Proposal,
		uniform func(int) float64) (float64, bool) {
		delta, variance := p.Delta()
		ratio := delta - variance/2
		if p.Seen > 0 {
			ratio -= variance * variance / (4 * (p.Seen + 1))
		}
		chance := math.Exp(math.Min(ratio, 0))
		if math.IsNaN(chance) {
			return 0, false
		}
		return chance, uniform(0) < chance
	}}
}

// Uncorrected returns a test that treats a noisy estimate as exact. It is wrong, and serves for comparison.
func Uncorrected() Test {
	x := Penalty()
	x.MaxVariance, x.Decide = math.Inf(1), func(p *Proposal, uniform func(int) float64) (float64, bool) {
		exact := *p
		exact.Variance = 0
		return Penalty().Decide(&exact, uniform)
	}
	return x
}

// barker accepts with probability 1/(1 + e^{−Δ}): where Δ and a logistic variable add up to more than 0. The noise of
// Δ, filled up to maxVariance whatever it is, is made part of that variable (Seita et al., UAI 2017): c draws
// the rest of it. Noise costs nothing more, then; the rate is about Φ(−v/2/√(k² + v)) at a variance v of the log
// ratio, since the logistic function is about Φ(x/k).
func barker(maxVariance float64, c compensation.Distribution) Test {
	const k = 1.702
	spread := func(rate, _ float64) float64 {
		q := math.Max(math.Sqrt2*math.Erfinv(1-2*rate), 0)
		return 2 * q * (q + math.Sqrt(q*q+k*k))
	}
	return Test{MaxVariance: maxVariance, logRatioVariance: spread, Decide: func(p *Proposal,
		uniform func(int) float64) (float64, bool) {
		delta, variance := p.Delta()
		fill := math.Sqrt(math.Max(maxVariance-variance, 0)) * math.Sqrt2 * math.Erfinv(2*uniform(1)-1)
		if delta+fill+c.Quantile(uniform(2)) > 0 {
			return 1, true
		}
		return 0, false
	}}
}
