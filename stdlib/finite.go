package stdlib

import (
	"math"
	"math/rand/v2"

	ad "ppl/autodiff"
	"ppl/lang/types"
)

// finiteDists lists the distributions with finitely many values. Their number follows from shapes of arguments or from
// static arguments.
var finiteDists = []Dist{
	{
		Name: "Bernoulli", Support: types.IntRange, Lo: 0, Hi: 1,
		Enumerate: func([]Node) (first, n int, ok bool) { return 0, 2, true },
		Doc:       "Bernoulli: 1 with probability p, else 0; logits = log(p / (1-p))",
		Source:    "Johnson, Kemp & Kotz, Univariate Discrete Distributions (3rd ed.), section 3.1",
		Forms: []Form{
			{Args: args(unit("p")),
				LogProb: func(x Node, a []Node) Node { return ad.Where(x, ad.Log(a[0]), ad.Log1p(ad.Neg(a[0]))) },
				LogCDF:  func(x Node, a []Node) Node { return atZeroOne(x, -inf, ad.Log1p(ad.Neg(a[0])), 0) },
				LogCCDF: func(x Node, a []Node) Node { return atZeroOne(x, 0, ad.Log(a[0]), -inf) },
				Sample:  scalar(func(r *rand.Rand, a []float64) float64 { return drawBernoulli(r, a[0]) })},
			{Args: args(real0("logits")),
				LogProb: func(x Node, a []Node) Node { return ad.LogSigmoid(ad.Mul(plus(times(2, x), -1), a[0])) },
				LogCDF:  func(x Node, a []Node) Node { return atZeroOne(x, -inf, ad.LogSigmoid(ad.Neg(a[0])), 0) },
				LogCCDF: func(x Node, a []Node) Node { return atZeroOne(x, 0, ad.LogSigmoid(a[0]), -inf) },
				Sample:  scalar(func(r *rand.Rand, a []float64) float64 { return drawBernoulli(r, logistic(a[0])) })},
		},
	},
	{
		Name: "Categorical", Support: types.IntRange, Lo: 1, Hi: inf, Enumerate: ofLastAxis(0, 0),
		Doc:    "Categorical over 1..K: P(x = k) = p[k]; logits are log p up to a constant",
		Source: "Murphy, Probabilistic Machine Learning: An Introduction, section 2.5",
		Forms: []Form{
			{Args: args(ofKind("p", 1, types.Simplex)), Bounds: oneTo(0, 0),
				LogProb: func(x Node, a []Node) Node { return ad.Log(pick(a[0], x)) },
				Sample: func(r *rand.Rand, a [][]float64, out []float64) {
					out[0] = float64(1 + drawIndex(r, a[0]))
				}},
			{Args: args(array("logits", 1, realDomain)), Bounds: oneTo(0, 0),
				LogProb: func(x Node, a []Node) Node {
					return ad.Sub(pick(a[0], x), ad.LogSumExp(a[0], a[0].Rank()-1))
				},
				Sample: func(r *rand.Rand, a [][]float64, out []float64) {
					p := make([]float64, len(a[0]))
					softmax(a[0], p)
					out[0] = float64(1 + drawIndex(r, p))
				}},
		},
	},
	{
		Name: "OrderedLogistic", Support: types.IntRange, Lo: 1, Hi: inf, Enumerate: ofLastAxis(1, 1),
		Doc:    "Ordered logistic over 1..K with K-1 cut points: P(x <= k) = sigmoid(cut[k] - eta)",
		Source: "McCullagh 1980, Journal of the Royal Statistical Society B 42, 109",
		Forms: []Form{{Args: args(real0("eta"), ofKind("cut", 1, types.Ordered)), Bounds: oneTo(1, 1),
			LogProb: orderedLogisticLogProb,
			Sample: func(r *rand.Rand, a [][]float64, out []float64) {
				out[0] = category(a[0][0]+math.Log(r.ExpFloat64()/r.ExpFloat64()), a[1])
			}}},
	},
	{
		Name: "OrderedProbit", Support: types.IntRange, Lo: 1, Hi: inf, Enumerate: ofLastAxis(1, 1),
		Doc:    "Ordered probit over 1..K with K-1 cut points: P(x <= k) = Phi(cut[k] - eta)",
		Source: "McKelvey & Zavoina 1975, Journal of Mathematical Sociology 4, 103",
		Forms: []Form{{Args: args(real0("eta"), ofKind("cut", 1, types.Ordered)), Bounds: oneTo(1, 1),
			LogProb: orderedProbitLogProb,
			Sample: func(r *rand.Rand, a [][]float64, out []float64) {
				out[0] = category(a[0][0]+r.NormFloat64(), a[1])
			}}},
	},
	{
		Name: "Hypergeometric", Support: types.IntRange, Lo: 0, Hi: inf, Enumerate: hypergeometricValues,
		Doc: "Hypergeometric, good ones among n drawn without replacement from good and bad ones: C(good, x) " +
			"C(bad, n-x) / C(good+bad, n)",
		Source: "Johnson, Kemp & Kotz, Univariate Discrete Distributions (3rd ed.), ch. 6",
		Forms: []Form{{Args: args(count("n"), count("good"), count("bad")),
			LogProb: func(x Node, a []Node) Node {
				return total(ad.Neg(logChoose(ad.Add(a[1], a[2]), a[0])), logChoose(a[1], x),
					logChoose(a[2], ad.Sub(a[0], x)))
			},
			Bounds: func(a []Node) (lo, hi Node) {
				return ad.Maximum(num(a[0], 0), ad.Sub(a[0], a[2])), ad.Minimum(a[0], a[1])
			},
			Sample: scalar(drawHypergeometric)}},
	},
	{
		Name: "DiscreteUniform", Support: types.IntRange, Lo: -inf, Hi: inf,
		Enumerate: func(a []Node) (first, n int, ok bool) {
			lo, _, okLo := staticRange(a[0])
			_, hi, okHi := staticRange(a[1])
			return lo, hi - lo + 1, okLo && okHi && hi >= lo
		},
		Doc:    "Uniform on the integers lo..hi: 1 / (hi - lo + 1)",
		Source: "Johnson, Kemp & Kotz, Univariate Discrete Distributions (3rd ed.), section 6.10",
		Forms: []Form{{Args: args(integer("lo"), integer("hi")),
			LogProb: func(_ Node, a []Node) Node { return minusLogPositive(values(a)) },
			Bounds:  func(a []Node) (lo, hi Node) { return a[0], a[1] },
			LogCDF:  func(x Node, a []Node) Node { return ad.Log(fraction(plus(ad.Sub(ad.Floor(x), a[0]), 1), a)) },
			LogCCDF: func(x Node, a []Node) Node { return ad.Log(fraction(ad.Sub(a[1], ad.Floor(x)), a)) },
			Sample: scalar(func(r *rand.Rand, a []float64) float64 {
				return drawUniformInteger(r, a[0], a[1])
			})}},
	},
}

// drawUniformInteger draws one of the integers lo..hi, or returns NaN if there is none.
func drawUniformInteger(r *rand.Rand, lo, hi float64) float64 {
	const exact = 1 << 53 // above this limit, not every integer is a float64
	switch n := hi - lo + 1; {
	case n >= 1 && n <= exact:
		return lo + float64(r.Int64N(int64(n)))
	case n > exact && !math.IsInf(n, 1):
		return lo + math.Floor(r.Float64()*n)
	}
	return math.NaN()
}

func drawBernoulli(r *rand.Rand, p float64) float64 {
	if r.Float64() < p {
		return 1
	}
	return 0
}

// atZeroOne returns the cumulative function of a distribution on 0 and 1: below for x < 0, between for 0 ≤ x < 1, and
// above for x ≥ 1.
func atZeroOne(x Node, below float64, between Node, above float64) Node {
	inner := ad.Where(ad.Lt(x, num(x, 1)), between, num(x, above))
	return ad.Where(ad.Lt(x, num(x, 0)), num(x, below), inner)
}

// values returns hi − lo + 1, the number of values.
func values(a []Node) Node { return plus(ad.Sub(a[1], a[0]), 1) }

// fraction returns m divided by the number of values, clamped to 0..1.
func fraction(m Node, a []Node) Node { return clamp(ad.Div(m, values(a)), num(m, 0), num(m, 1)) }

// ofLastAxis returns a function that enumerates 1..K, where K is extra plus the length of the last axis of argument
// arg.
func ofLastAxis(arg, extra int) func([]Node) (first, n int, ok bool) {
	return func(a []Node) (first, n int, ok bool) { return 1, lastSize(a[arg]) + extra, true }
}

// oneTo returns a function that returns the ends 1 and K, where K is as in ofLastAxis.
func oneTo(arg, extra int) func([]Node) (lo, hi Node) {
	return func(a []Node) (lo, hi Node) { return num(a[arg], 1), num(a[arg], float64(lastSize(a[arg])+extra)) }
}

func lastSize(a Node) int { return a.Shape()[a.Rank()-1] }

// pick returns table[…, x] for x in 1..K. table has shape plates + [K] and x has shape plates; either may lack the
// plates.
func pick(table, x Node) Node {
	index, k := plus(x, -1), lastSize(table)
	index = ad.Minimum(ad.Maximum(index, num(x, 0)), num(x, float64(k-1)))
	if table.Rank() == 1 {
		return ad.Gather(table, index)
	}
	rows := plates(table, 1)
	row := times(float64(k), ad.Reshape(x.Graph().Iota(table.Size()/k), rows...))
	return ad.Gather(ad.Reshape(table, table.Size()), ad.Add(row, index))
}

// orderedLogisticLogProb returns log(σ(b) − σ(a)), computed as the log of σ(b) σ(−a) (1 − e^{a−b}).
func orderedLogisticLogProb(x Node, args []Node) Node {
	a, b := cutsAround(x, args[0], args[1])
	return total(ad.LogSigmoid(b), ad.LogSigmoid(ad.Neg(a)), log1mexp(ad.Sub(a, b)))
}

// orderedProbitLogProb returns log(Φ(b) − Φ(a)). It computes log(Φ(−a) − Φ(−b)) if the middle of a..b is above 0, which
// keeps more digits.
func orderedProbitLogProb(x Node, args []Node) Node {
	a, b := cutsAround(x, args[0], args[1])
	above := ad.Lt(num(a, 0), ad.Add(a, b))
	a, b = ad.Where(above, ad.Neg(b), a), ad.Where(above, ad.Neg(a), b)
	return logSubExp(ad.LogNormCDF(b), ad.LogNormCDF(a))
}

// cutsAround returns the cuts a < b below and above category x, minus eta.
func cutsAround(x, eta, cut Node) (a, b Node) {
	end := join(cut.Shape())
	end[len(end)-1] = 1
	g := x.Graph()
	lower := ad.Concat(cut.Rank()-1, g.Full(-inf, end...), cut)
	upper := ad.Concat(cut.Rank()-1, cut, g.Full(inf, end...))
	return ad.Sub(pick(lower, x), eta), ad.Sub(pick(upper, x), eta)
}

// category returns 1 plus the number of cuts below z.
func category(z float64, cut []float64) float64 {
	k := 1.0
	for _, c := range cut {
		if z > c {
			k++
		}
	}
	return k
}

// hypergeometricValues enumerates max(0, n − bad)..min(n, good) for static arguments.
func hypergeometricValues(a []Node) (first, n int, ok bool) {
	var lo, hi [3]int
	for i := range a {
		if lo[i], hi[i], ok = staticRange(a[i]); !ok {
			return 0, 0, false
		}
	}
	first, last := max(0, lo[0]-hi[2]), min(hi[0], hi[1])
	return first, last - first + 1, last >= first
}

// drawHypergeometric draws the n balls one by one. If n is large, it exploits two symmetries to draw fewer: drawn and
// good balls may be exchanged, and balls that are not drawn, or not good, may be counted instead. If the least number
// of draws is still large, it draws from the approximation of drawManyCounts.
func drawHypergeometric(r *rand.Rand, a []float64) float64 {
	const many = 1e7
	n, good, bad := a[0], a[1], a[2]
	all := good + bad
	switch least := min(n, good, all-n, bad); {
	case n <= many:
		return oneByOne(r, n, good, all)
	case n > all || math.IsInf(all, 1):
		return math.NaN()
	case least > many:
		mean := n / all * good
		return drawManyCounts(r, mean, mean*(bad/all)*(1-n/all), min(n, good))
	case least == good:
		return oneByOne(r, good, n, all)
	case least == all-n:
		return good - oneByOne(r, all-n, good, all)
	}
	return n - oneByOne(r, bad, n, all) // the least number is that of bad balls
}

// oneByOne draws n of all balls without replacement, and returns how many of them are good.
func oneByOne(r *rand.Rand, n, good, all float64) float64 {
	x, left := 0.0, all
	for range int(n) {
		if r.Float64()*left < good {
			x, good = x+1, good-1
		}
		left--
	}
	return x
}
