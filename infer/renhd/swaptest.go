package renhd

import (
	"math"

	"ppl/infer/compensation"
)

// A test decides swaps from a log acceptance ratio with normal noise of known variance, so that the law of the ladder is as if it were known
// exactly. Estimates are refined until that variance is at most `most`. What it returns beside the decision is its probability given
// what was seen.
type test struct {
	most   float64
	decide func(p *proposal, uniform func(k int) float64) (chance float64, accept bool)
}

// newTest is the test of a name in the settings.
func newTest(name string) test {
	switch name {
	case "barker":
		return barker(1, compensation.New(1, math.Inf(1), 8))
	case "paper":
		return barker(0.2, compensation.New(0.2, 10, 3))
	case "uncorrected":
		return uncorrected()
	}
	return penalty()
}

// penalty is Metropolis' test with half the variance taken off the log ratio (Ceperley and Dewing, J. Chem. Phys. 1999): exact for normal noise.
// A variance σ̂² estimated from n rows costs σ̂⁴/(4(n+1)) more. Estimates are refined to σ² ≤ 1, where skewed noise does little harm.
func penalty() test {
	return test{most: 1, decide: func(p *proposal, uniform func(int) float64) (float64, bool) {
		delta, variance := p.delta()
		ratio := delta - variance/2
		if p.seen > 0 {
			ratio -= variance * variance / (4 * (p.seen + 1))
		}
		chance := math.Exp(math.Min(ratio, 0))
		if math.IsNaN(chance) {
			return 0, false
		}
		return chance, uniform(0) < chance
	}}
}

// uncorrected takes whatever a first estimate says for the truth, which is wrong: for comparison.
func uncorrected() test {
	return test{most: math.Inf(1), decide: func(p *proposal, uniform func(int) float64) (float64, bool) {
		exact := *p
		exact.variance = 0
		return penalty().decide(&exact, uniform)
	}}
}

// barker accepts with probability 1/(1 + e^{−Δ}): where Δ and a logistic variable add up to more than 0. The noise of Δ, filled up to the
// variance `most` whatever it is, is made part of that variable (Seita et al., UAI 2017): c draws the rest of it.
func barker(most float64, c compensation.Law) test {
	return test{most: most, decide: func(p *proposal, uniform func(int) float64) (float64, bool) {
		delta, variance := p.delta()
		fill := math.Sqrt(math.Max(most-variance, 0)) * math.Sqrt2 * math.Erfinv(2*uniform(1)-1)
		if delta+fill+c.Quantile(uniform(2)) > 0 {
			return 1, true
		}
		return 0, false
	}}
}
