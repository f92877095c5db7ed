package stdlib

import (
	"gonum.org/v1/gonum/integrate/quad"

	ad "ppl/autodiff"
)

// The upper tail of the beta negative binomial falls as a power of x. So its probabilities cannot be added up to the
// end, and 1 − P(X ≤ k) loses all digits if P(X ≤ k) is near 1. The code adds the sum of the first probabilities beyond
// k to an integral of the same formula over real x, with Gregory's correction at the point M where the integral begins
// (Hildebrand, Introduction to Numerical Analysis, section 5.9):
//
//	Σ_{x ≥ M} p(x) = ∫_M^∞ p(x) dx + p(M)/2 − Δp(M)/12 + Δ²p(M)/24 − …
//
// As a function of u = log x, x p(x) rises at most as x^size up to about C = b size/a, and falls as x^−a beyond. Up to
// C the integral uses Gauss–Legendre quadrature; beyond, where x p(x) always falls, it uses the rule of logTail.

// addedUp is M − k: one more than the number of probabilities beyond k that are summed directly.
const addedUp = 32

// gregory holds the coefficients of p(M), Δp(M), Δ²p(M), …
var gregory = []float64{1. / 2, -1. / 12, 1. / 24, -19. / 720, 3. / 160, -863. / 60480, 275. / 24192}

// powerLawFrom is the value of log(x/C) above which x p(x) equals its power law x^−a to the last digit.
const powerLawFrom = 37

// betaNegBinomialTail returns log P(X > k) for k at or above the median. logP is the log density at real arguments.
func betaNegBinomialTail(k Node, args []Node, logP density) Node {
	size, a, b := args[0], args[1], args[2]
	from := plus(k, addedUp)
	to := ad.Maximum(from, ad.Mul(b, plus(times(2, ad.Div(size, a)), 1)))
	first := logSumOver(k, tailOffsets(), tailWeightsOfSum(), args, logP)
	middle := logPanels(from, to, args, logP)
	slope := ad.Sub(num(a, -1), ad.Mul(to, betaNegBinomialSlope(to, args)))
	far := logTail(ad.Maximum(slope, times(0.25, a)), []Node{to, size, a, b}, func(u Node, s []Node) Node {
		near := ad.Minimum(u, num(u, powerLawFrom))
		fall := ad.Sub(logP(s[0], s[1:]), logP(ad.Mul(s[0], ad.Exp(near)), s[1:]))
		return total(fall, ad.Neg(near), ad.Mul(s[2], ad.Sub(u, near)))
	})
	far = total(far, logP(to, args), ad.Log(to))
	return logAddExp(logAddExp(first, middle), far)
}

// betaNegBinomialSlope returns the derivative of log p(x) in x.
func betaNegBinomialSlope(x Node, args []Node) Node {
	size, a, b := args[0], args[1], args[2]
	return total(ad.Digamma(ad.Add(x, size)), ad.Neg(ad.Digamma(plus(x, 1))), ad.Digamma(ad.Add(x, b)),
		ad.Neg(ad.Digamma(total(x, a, size, b))))
}

func tailOffsets() []float64 {
	offsets := make([]float64, addedUp-1+len(gregory))
	for i := range offsets {
		offsets[i] = float64(i + 1)
	}
	return offsets
}

// tailWeightsOfSum returns the weights of the summed probabilities: 1 before M, and Gregory's correction from M on.
func tailWeightsOfSum() []float64 {
	weights := make([]float64, addedUp-1+len(gregory))
	for i := range addedUp - 1 {
		weights[i] = 1
	}
	for n, c := range gregory { // Δⁿp(M) = Σ (−1)^(n−i) C(n, i) p(M + i)
		binomial := 1.0
		for i := n; i >= 0; i-- {
			weights[addedUp-1+i] += c * binomial
			binomial *= -float64(i) / float64(n-i+1)
		}
	}
	return weights
}

// logSumOver returns log Σ weight·p(k + offset).
func logSumOver(k Node, offsets, weights []float64, args []Node, logP density) Node {
	shape := join(widest(append([]Node{k}, args...)), len(offsets))
	x := ad.Add(spread(k, shape), trailing(k.Graph().Data("offset", offsets, len(offsets)), shape))
	peak := logP(x, spreadAll(args, shape))
	top := ad.Max(peak, len(shape)-1)
	sum := sumLast(perLast(ad.Exp(ad.Sub(peak, spread(top, shape))), weights), 1)
	return ad.Add(top, ad.Log(sum))
}

// panels and pointsOfPanel are the number of intervals between M and C, and of quadrature points in each.
const panels, pointsOfPanel = 16, 12

// logPanels returns log ∫ p(x) dx over from..to, integrated in log x.
func logPanels(from, to Node, args []Node, logP density) Node {
	nodes, weights := make([]float64, pointsOfPanel), make([]float64, pointsOfPanel)
	quad.Legendre{}.FixedLocations(nodes, weights, 0, 1)
	var at, w []float64
	for p := range panels {
		for i := range nodes {
			at, w = append(at, (float64(p)+nodes[i])/panels), append(w, weights[i]/panels)
		}
	}
	shape := join(widest(append([]Node{from, to}, args...)), len(at))
	width := ad.Log(ad.Div(to, from))
	u := ad.Mul(spread(width, shape), trailing(from.Graph().Data("at", at, len(at)), shape))
	x := ad.Mul(spread(from, shape), ad.Exp(u))
	f := ad.Add(logP(x, spreadAll(args, shape)), ad.Log(x))
	top := ad.Max(f, len(shape)-1)
	sum := sumLast(perLast(ad.Exp(ad.Sub(f, spread(top, shape))), w), 1)
	none := ad.Le(width, num(width, 0))
	return ad.Where(none, num(width, -inf), total(top, ad.Log(sum), ad.Log(ad.Where(none, num(width, 1), width))))
}

func widest(nodes []Node) []int {
	var shape []int
	for _, n := range nodes {
		if n.Rank() > len(shape) {
			shape = n.Shape()
		}
	}
	return shape
}

func spreadAll(args []Node, shape []int) []Node {
	wide := make([]Node, len(args))
	for i, a := range args {
		wide[i] = spread(a, shape)
	}
	return wide
}
