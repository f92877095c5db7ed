package stdlib

import (
	"math/rand/v2"

	ad "ppl/autodiff"
	"ppl/lang/types"
)

// mixedDists lists distributions of counts that are mixtures of other distributions.
var mixedDists = []Dist{
	{
		Name: "BetaNegBinomial", Support: types.IntRange, Lo: 0, Hi: inf,
		Doc: "Beta negative binomial, failures before success number size with success probability from Beta(a, " +
			"b): Gamma(x+size) / (x! Gamma(size)) B(a+size, b+x) / B(a, b)",
		Source: "Johnson, Kemp & Kotz, Univariate Discrete Distributions (3rd ed.), section 6.2.3",
		Forms: []Form{{Args: args(positive("size"), positive("a"), positive("b")),
			LogProb: betaNegBinomialLogProb,
			tail:    func(k Node, a []Node) Node { return betaNegBinomialTail(k, a, betaNegBinomialLogProb) },
			Sample: scalar(func(r *rand.Rand, a []float64) float64 {
				p := drawBeta(r, a[1], a[2])
				return drawNegBinomial(r, a[0]*(1-p)/p, a[0])
			})}},
	},
	{
		Name: "ZeroInflatedPoisson", Support: types.IntRange, Lo: 0, Hi: inf,
		Doc:    "Zero-inflated Poisson: 0 with probability gate, else Poisson(rate); log = log(rate)",
		Source: "Lambert 1992, Technometrics 34, 1",
		Forms:  zeroInflated(poissonForms),
	},
	{
		Name: "ZeroInflatedNegBinomial", Support: types.IntRange, Lo: 0, Hi: inf,
		Doc: "Zero-inflated negative binomial: 0 with probability gate, else NegBinomial(mean, size); log " +
			"= log(mean)",
		Source: "Greene 1994, Stern School of Business working paper EC-94-10",
		Forms:  zeroInflated(negBinomialForms),
	},
}

// zeroInflated adds an argument to each form, before the others: gate, the probability of an additional zero.
func zeroInflated(forms []Form) []Form {
	out := make([]Form, len(forms))
	for i, f := range forms {
		out[i] = Form{Args: append(args(unit("gate")), f.Args...),
			LogProb: func(x Node, a []Node) Node {
				counted := ad.Add(ad.Log1p(ad.Neg(a[0])), f.LogProb(x, a[1:]))
				return ad.Where(ad.Eq(x, num(x, 0)), logAddExp(ad.Log(a[0]), counted), counted)
			},
			both: func(x Node, a []Node) (lower, upper Node) {
				lower, upper = f.both(x, a[1:])
				count, never := ad.Log1p(ad.Neg(a[0])), num(x, -inf)
				none := ad.Lt(x, num(x, 0))
				return ad.Where(none, never, logAddExp(ad.Log(a[0]), ad.Add(count, lower))), ad.Where(none, num(x, 0),
					ad.Add(count, upper))
			},
			Sample: func(r *rand.Rand, a [][]float64, out []float64) {
				out[0] = 0
				if r.Float64() >= a[0][0] {
					f.Sample(r, a[1:], out)
				}
			}}
	}
	return out
}

func betaNegBinomialLogProb(x Node, a []Node) Node {
	return total(ad.Neg(logBeta(a[1], a[2])), negBinomialChoose(x, a[0]),
		logBeta(ad.Add(a[1], a[0]), ad.Add(x, a[2])))
}
