package stdlib

import (
	"math"
	"math/rand/v2"

	ad "ppl/autodiff"
	"ppl/lang/types"
)

// countDists lists the distributions of counts whose support has no fixed upper end: it is infinite or ends at n.
var countDists = []Dist{
	{
		Name: "Binomial", Support: types.IntRange, Lo: 0, Hi: inf, Enumerate: upTo0,
		Doc:    "Binomial, successes in n trials: C(n, x) p^x (1-p)^(n-x); logits = log(p / (1-p))",
		Source: "Johnson, Kemp & Kotz, Univariate Discrete Distributions (3rd ed.), ch. 3",
		Forms: []Form{
			{Args: args(count("n"), unit("p")), Bounds: zeroToN,
				LogProb: func(x Node, a []Node) Node {
					return total(logChoose(a[0], x), xlogy(x, a[1]), xlog1my(ad.Sub(a[0], x), a[1]))
				},
				zero: func(a []Node) Node { return xlog1my(a[0], a[1]) },
				both: func(x Node, a []Node) (lower, upper Node) {
					return binomialTails(x, a[0], a[1], ad.Sub(num(a[1], 1), a[1]))
				},
				Sample: scalar(func(r *rand.Rand, a []float64) float64 { return drawBinomial(r, a[0], a[1]) })},
			{Args: args(count("n"), real0("logits")), Bounds: zeroToN,
				LogProb: func(x Node, a []Node) Node {
					return total(logChoose(a[0], x), ad.MulZero(x, ad.LogSigmoid(a[1])),
						ad.MulZero(ad.Sub(a[0], x), ad.LogSigmoid(ad.Neg(a[1]))))
				},
				zero: func(a []Node) Node { return ad.MulZero(a[0], ad.LogSigmoid(ad.Neg(a[1]))) },
				both: func(x Node, a []Node) (lower, upper Node) {
					return binomialTails(x, a[0], ad.Sigmoid(a[1]), ad.Sigmoid(ad.Neg(a[1])))
				},
				Sample: scalar(func(r *rand.Rand, a []float64) float64 {
					return drawBinomial(r, a[0],
						logistic(a[1]))
				})},
		},
	},
	{
		Name: "BetaBinomial", Support: types.IntRange, Lo: 0, Hi: inf, Enumerate: upTo0,
		Doc: "Beta-binomial, Binomial(n, p) with p from Beta(a, b): C(n, x) B(x+a, n-x+b) / B(a, b); a = mean " +
			"concentration, b = (1 - mean) concentration",
		Source: "Johnson, Kemp & Kotz, Univariate Discrete Distributions (3rd ed.), section 6.2",
		Forms: []Form{
			{Args: args(count("n"), positive("a"), positive("b")), Bounds: zeroToN,
				LogProb: func(x Node, a []Node) Node { return betaBinomialLogProb(x, a[0], a[1], a[2]) },
				Sample: scalar(func(r *rand.Rand, a []float64) float64 {
					return drawBinomial(r, a[0], drawBeta(r, a[1], a[2]))
				})},
			{Args: args(count("n"), Arg{Name: "mean", Domain: openUnit}, positive("concentration")), Bounds: zeroToN,
				LogProb: func(x Node, m []Node) Node {
					a, b := proportions(m[1], m[2])
					return betaBinomialLogProb(x, m[0], a, b)
				},
				Sample: scalar(func(r *rand.Rand, m []float64) float64 {
					return drawBinomial(r, m[0], drawBeta(r, m[1]*m[2], (1-m[1])*m[2]))
				})},
		},
	},
	{
		Name: "Poisson", Support: types.IntRange, Lo: 0, Hi: inf,
		Doc:    "Poisson: rate^x exp(-rate) / x!; log = log(rate)",
		Source: "Johnson, Kemp & Kotz, Univariate Discrete Distributions (3rd ed.), ch. 4",
		Forms:  poissonForms,
	},
	{
		Name: "NegBinomial", Support: types.IntRange, Lo: 0, Hi: inf,
		Doc: "Negative binomial with a mean and a size, variance mean + mean^2 / size: Gamma(x+size) / (x! " +
			"Gamma(size)) (size / (size+mean))^size (mean / (size+mean))^x; log = log(mean); as a Poisson whose rate " +
			"is Gamma(shape, rate), size = shape, mean = shape / rate; as the failures before success number size, p " +
			"= size / (size+mean), logits = log(p / (1-p))",
		Source: "Johnson, Kemp & Kotz, Univariate Discrete Distributions (3rd ed.), ch. 5",
		Forms: append(negBinomialForms,
			Form{Args: args(positive("shape"), positive("rate")),
				LogProb: func(x Node, a []Node) Node {
					return total(negBinomialChoose(x, a[0]), ad.Neg(ad.Mul(a[0], ad.Log1p(ad.Div(num(a[1], 1), a[1])))),
						ad.Neg(ad.MulZero(x, ad.Log1p(a[1]))))
				},
				zero: func(a []Node) Node { return ad.Neg(ad.Mul(a[0], ad.Log1p(ad.Div(num(a[1], 1), a[1])))) },
				both: func(x Node, a []Node) (lower, upper Node) {
					n := plus(a[1], 1)
					return negBinomialTails(x, a[0], ad.Div(a[1], n), ad.Div(num(n, 1), n))
				},
				Sample: scalar(func(r *rand.Rand, a []float64) float64 {
					return drawPoisson(r, drawGamma(r, a[0])/a[1])
				})},
			Form{Args: args(positive("size"), Arg{Name: "p", Domain: openUnit}),
				LogProb: func(x Node, a []Node) Node {
					return total(negBinomialChoose(x, a[0]), ad.Mul(a[0], ad.Log(a[1])), xlog1my(x, a[1]))
				},
				zero: func(a []Node) Node { return ad.Mul(a[0], ad.Log(a[1])) },
				both: func(x Node, a []Node) (lower, upper Node) {
					return negBinomialTails(x, a[0], a[1], ad.Sub(num(a[1], 1), a[1]))
				},
				Sample: scalar(func(r *rand.Rand, a []float64) float64 {
					return drawNegBinomial(r, a[0]*(1-a[1])/a[1], a[0])
				})},
			Form{Args: args(positive("size"), real0("logits")),
				LogProb: func(x Node, a []Node) Node {
					return total(negBinomialChoose(x, a[0]), ad.Mul(a[0], ad.LogSigmoid(a[1])),
						ad.MulZero(x, ad.LogSigmoid(ad.Neg(a[1]))))
				},
				zero: func(a []Node) Node { return ad.Mul(a[0], ad.LogSigmoid(a[1])) },
				both: func(x Node, a []Node) (lower, upper Node) {
					return negBinomialTails(x, a[0], ad.Sigmoid(a[1]), ad.Sigmoid(ad.Neg(a[1])))
				},
				Sample: scalar(func(r *rand.Rand, a []float64) float64 {
					return drawNegBinomial(r, a[0]*math.Exp(-a[1]), a[0])
				})}),
	},
	{
		Name: "Geometric", Support: types.IntRange, Lo: 0, Hi: inf,
		Doc:    "Geometric, failures before the first success: p (1-p)^x for x = 0, 1, ...; logits = log(p / (1-p))",
		Source: "Johnson, Kemp & Kotz, Univariate Discrete Distributions (3rd ed.), section 5.2",
		Forms: []Form{
			{Args: args(Arg{Name: "p", Domain: openUnit}),
				LogProb: func(x Node, a []Node) Node { return ad.Add(ad.Log(a[0]), xlog1my(x, a[0])) },
				LogCDF:  func(x Node, a []Node) Node { return log1mexp(xlog1my(failures(x), a[0])) },
				LogCCDF: func(x Node, a []Node) Node { return xlog1my(failures(x), a[0]) },
				Sample: scalar(func(r *rand.Rand, a []float64) float64 {
					return math.Floor(-r.ExpFloat64() / math.Log1p(-a[0]))
				})},
			{Args: args(real0("logits")),
				LogProb: func(x Node, a []Node) Node {
					return ad.Add(ad.LogSigmoid(a[0]), ad.MulZero(x, ad.LogSigmoid(ad.Neg(a[0]))))
				},
				LogCDF: func(x Node, a []Node) Node {
					return log1mexp(ad.MulZero(failures(x), ad.LogSigmoid(ad.Neg(a[0]))))
				},
				LogCCDF: func(x Node, a []Node) Node { return ad.MulZero(failures(x), ad.LogSigmoid(ad.Neg(a[0]))) },
				Sample: scalar(func(r *rand.Rand, a []float64) float64 {
					return math.Floor(r.ExpFloat64() / softplusOf(a[0]))
				})},
		},
	},
}

// poissonForms and negBinomialForms are variables because zeroInflated extends these forms.

var poissonForms = []Form{
	{Args: args(nonneg("rate")),
		LogProb: func(x Node, a []Node) Node {
			return total(ad.Neg(ad.Lgamma(plus(x, 1))), xlogy(x, a[0]), ad.Neg(a[0]))
		},
		zero:   func(a []Node) Node { return ad.Neg(a[0]) },
		both:   func(x Node, a []Node) (lower, upper Node) { return poissonTails(x, a[0]) },
		Sample: scalar(func(r *rand.Rand, a []float64) float64 { return drawPoisson(r, a[0]) })},
	{Args: args(real0("log")),
		LogProb: func(x Node, a []Node) Node {
			return total(ad.Neg(ad.Lgamma(plus(x, 1))), ad.MulZero(x, a[0]), ad.Neg(ad.Exp(a[0])))
		},
		zero:   func(a []Node) Node { return ad.Neg(ad.Exp(a[0])) },
		both:   func(x Node, a []Node) (lower, upper Node) { return poissonTails(x, ad.Exp(a[0])) },
		Sample: scalar(func(r *rand.Rand, a []float64) float64 { return drawPoisson(r, math.Exp(a[0])) })},
}

var negBinomialForms = []Form{
	{Args: args(nonneg("mean"), positive("size")),
		LogProb: func(x Node, a []Node) Node {
			mean, size := a[0], a[1]
			return total(negBinomialChoose(x, size), ad.Neg(ad.Mul(size, ad.Log1p(ad.Div(mean, size)))),
				xlogy(x, ad.Div(mean, ad.Add(mean, size))))
		},
		zero: func(a []Node) Node { return ad.Neg(ad.Mul(a[1], ad.Log1p(ad.Div(a[0], a[1])))) },
		both: func(x Node, a []Node) (lower, upper Node) {
			n := ad.Add(a[0], a[1])
			return negBinomialTails(x, a[1], ad.Div(a[1], n), ad.Div(a[0], n))
		},
		Sample: scalar(func(r *rand.Rand, a []float64) float64 { return drawNegBinomial(r, a[0], a[1]) })},
	{Args: args(real0("log"), positive("size")),
		LogProb: func(x Node, a []Node) Node {
			t := ad.Sub(a[0], ad.Log(a[1]))
			return total(negBinomialChoose(x, a[1]), ad.Mul(a[1], ad.LogSigmoid(ad.Neg(t))),
				ad.MulZero(x, ad.LogSigmoid(t)))
		},
		zero: func(a []Node) Node { return ad.Mul(a[1], ad.LogSigmoid(ad.Sub(ad.Log(a[1]), a[0]))) },
		both: func(x Node, a []Node) (lower, upper Node) {
			t := ad.Sub(a[0], ad.Log(a[1]))
			return negBinomialTails(x, a[1], ad.Sigmoid(ad.Neg(t)), ad.Sigmoid(t))
		},
		Sample: scalar(func(r *rand.Rand, a []float64) float64 { return drawNegBinomial(r, math.Exp(a[0]), a[1]) })},
}

func zeroToN(a []Node) (lo, hi Node) { return num(a[0], 0), a[0] }

// upTo0 enumerates 0..n if n, the first argument, is static.
func upTo0(a []Node) (first, n int, ok bool) {
	_, hi, ok := staticRange(a[0])
	return 0, hi + 1, ok
}

// staticRange returns the least and the greatest element of a static node. ok is false if the node is not static, is
// empty, or has an infinite element.
func staticRange(a Node) (lo, hi int, ok bool) {
	if !a.Static() || a.Size() == 0 {
		return 0, 0, false
	}
	least, most := math.Inf(1), math.Inf(-1)
	for _, v := range ad.Eval(nil, a)[0] {
		least, most = math.Min(least, v), math.Max(most, v)
	}
	return int(least), int(most), !math.IsInf(least, 0) && !math.IsInf(most, 0)
}

// negBinomialChoose returns log Γ(x+size) / (x! Γ(size)). It uses the equal expression −log((x+size) B(size, x+1)),
// which does not subtract large numbers.
func negBinomialChoose(x, size Node) Node {
	return ad.Neg(ad.Add(logBeta(size, plus(x, 1)), ad.Log(ad.Add(x, size))))
}

func drawNegBinomial(r *rand.Rand, mean, size float64) float64 {
	return drawPoisson(r, mean*drawGamma(r, size)/size)
}

// failures returns ⌊x⌋ + 1, the least count above x, or 0 if x is below the support.
func failures(x Node) Node { return ad.Maximum(plus(ad.Floor(x), 1), num(x, 0)) }

func betaBinomialLogProb(x, n, a, b Node) Node {
	return total(logChoose(n, x), logRising(x, a), logRising(ad.Sub(n, x), b), ad.Neg(logRising(n, ad.Add(a, b))))
}
