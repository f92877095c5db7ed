package stdlib

import (
	"math"
	"slices"

	ad "ppl/autodiff"
)

// Funcs returns the table of elementwise functions by name. The caller must not modify it. A name may also be that of a
// reduction (min, max); the number of arguments decides which is meant.
func Funcs() map[string]*Func { return funcTable }

var funcTable = indexFuncs(slices.Concat(opFuncs(), []Func{
	unary("log2", "logarithm to the base 2", func(x Node) Node { return times(1/math.Ln2, ad.Log(x)) },
		rising(math.Log2, -inf, inf)),
	unary("log10", "logarithm to the base 10", func(x Node) Node { return times(1/math.Ln10, ad.Log(x)) },
		rising(math.Log10, -inf, inf)),
	unary("log1m", "log(1 - x), accurate for small x", log1m, falling(func(x float64) float64 { return math.Log1p(-x) },
		-inf, inf)),
	unary("cbrt", "cube root", func(x Node) Node { return ad.Mul(ad.Sign(x), ad.Pow(ad.Abs(x), num(x, 1./3))) },
		rising(math.Cbrt, -inf, inf)),
	unary("square", "x^2", square, func(a []Range) Range { return powRange(a[0], Point(2)) }),
	unary("inv", "1 / x", func(x Node) Node { return ad.Div(num(x, 1), x) }, func(a []Range) Range {
		return divRange(Point(1), a[0])
	}),
	unary("abs", "absolute value", ad.Abs, absRange),
	unary("trunc", "the integer part of x, towards 0", func(x Node) Node {
		return ad.Where(ad.Lt(x, num(x, 0)), ad.Ceil(x), ad.Floor(x))
	}, whole(rising(math.Trunc, -inf, inf))),
	unary("asinh", "inverse hyperbolic sine", asinh, rising(math.Asinh, -inf, inf)),
	unary("acosh", "inverse hyperbolic cosine, for x >= 1", acosh, rising(math.Acosh, 0, inf)),
	unary("atanh", "inverse hyperbolic tangent, for x in -1..1", func(x Node) Node {
		return times(0.5, ad.Sub(ad.Log1p(x), log1m(x)))
	}, rising(math.Atanh, -inf, inf)),
	unary("logit", "log(x / (1 - x)), for x in 0..1", logit, rising(logitOf, -inf, inf)),
	unary("cloglog", "complementary log-log link, log(-log(1 - x)), for x in 0..1", func(x Node) Node {
		return ad.Log(ad.Neg(log1m(x)))
	}, rising(cloglogOf, -inf, inf)),
	unary("inv_cloglog", "1 - exp(-exp(x)), the inverse of cloglog", func(x Node) Node {
		return ad.Neg(ad.Expm1(ad.Neg(ad.Exp(x))))
	}, rising(invCloglogOf, 0, 1)),
	unary("log1p_exp", "log(1 + exp(x))", ad.Softplus, rising(softplusOf, tiny, inf)),
	unary("relu", "x if x > 0, else 0", func(x Node) Node { return ad.Maximum(x, num(x, 0)) },
		keepInt(rising(func(x float64) float64 { return math.Max(x, 0) }, 0, inf))),
	unary("Phi", "standard normal distribution function", phi, rising(phiOf, 0, 1)),
	unary("log1m_exp", "log(1 - exp(x)), for x <= 0", log1mexp, constant(-inf, 0)),
	unary("is_nan", "whether x is NaN", func(x Node) Node { return ad.Not(ad.Eq(x, x)) }, truthRange),
	binary("pow", "x to the power y", "x", "y", ad.Pow, powRange),
	binary("min", "the smaller of two", "x", "y", ad.Minimum, func(a, b Range) Range {
		return Range{math.Min(a.Lo, b.Lo), math.Min(a.Hi, b.Hi), a.Int && b.Int}
	}),
	binary("max", "the greater of two", "x", "y", ad.Maximum, func(a, b Range) Range {
		return Range{math.Max(a.Lo, b.Lo), math.Max(a.Hi, b.Hi), a.Int && b.Int}
	}),
	binary("mod", "x - y floor(x / y)", "x", "y", ad.Mod, modRange),
	binary("logaddexp", "log(exp(x) + exp(y))", "x", "y", logAddExp, func(a, b Range) Range {
		return Range{Lo: logAddExpOf(a.Lo, b.Lo), Hi: logAddExpOf(a.Hi, b.Hi)}
	}),
	binary("log_diff_exp", "log(exp(x) - exp(y)), for x >= y", "x", "y", logDiffExp, func(x, _ Range) Range {
		return Range{Lo: -inf, Hi: x.Hi}
	}),
	binary("xlogy", "x log(y), and 0 if x is 0", "x", "y", xlogy, func(x, y Range) Range {
		return mulRange(x, rising(math.Log, -inf, inf)([]Range{y}))
	}),
	binary("log_rising_factorial", "log(x (x + 1) ... (x + n - 1)) = lgamma(x + n) - lgamma(x), for x > 0 and n >= 0",
		"x", "n",
		func(x, n Node) Node { return logRising(n, x) }, func(Range, Range) Range { return Everything() }),
	binary("lbeta", "logarithm of the beta function, for x, y > 0", "x", "y", logBeta, func(Range, Range) Range {
		return Everything()
	}),
	binary("lchoose", "logarithm of the binomial coefficient, -inf unless 0 <= k <= n", "n", "k", lchoose, chooseRange),
	binary("atan2", "angle of the point (x, y) in radians, in -pi..pi", "y", "x", atan2, func(Range, Range) Range {
		return Range{Lo: -math.Pi, Hi: math.Pi}
	}),
	binary("hypot", "sqrt(x^2 + y^2)", "x", "y", func(x, y Node) Node { return ad.Sqrt(ad.Add(square(x), square(y))) },
		func(Range, Range) Range { return Range{Lo: 0, Hi: inf} }),
	{Name: "clip", Doc: "x limited to lo..hi: lo if x < lo, hi if x > hi", Args: []string{"x", "lo", "hi"},
		Range: clipRange,
		Build: func(a []Node) Node { return ad.Minimum(ad.Maximum(a[0], a[1]), a[2]) }},
	{Name: "log_mix", Doc: "log(p exp(x) + (1 - p) exp(y)), for p in 0..1", Args: []string{"p", "x", "y"},
		Range: func(a []Range) Range { return Union(dropInt(a[1]), a[2]) },
		Build: func(a []Node) Node {
			return logAddExp(ad.Add(ad.Log(a[0]), a[1]), ad.Add(log1m(a[0]), a[2]))
		}},
}))

// opFuncs returns the functions that are elementwise ops. Their rows are in package autodiff.
func opFuncs() (all []Func) {
	for _, k := range ad.ElementwiseKinds() {
		if f := k.Row().Function; f.Name != "" {
			rule := ofEnds(f.Range)
			if f.Whole {
				rule = whole(rule)
			}
			all = append(all, unary(f.Name, f.Doc, func(x Node) Node { return ad.Unary(k, x) }, rule))
		}
	}
	return all
}

func indexFuncs(rows []Func) map[string]*Func {
	table := make(map[string]*Func, len(rows))
	for _, f := range rows {
		table[f.Name] = &f
	}
	return table
}

func unary(name, doc string, build func(Node) Node, rule func([]Range) Range) Func {
	return Func{Name: name, Doc: doc, Args: []string{"x"}, Range: rule,
		Build: func(a []Node) Node { return build(a[0]) }}
}

func binary(name, doc, x, y string, build func(x, y Node) Node, rule func(a, b Range) Range) Func {
	return Func{Name: name, Doc: doc, Args: []string{x, y},
		Range: func(a []Range) Range { return rule(a[0], a[1]) },
		Build: func(a []Node) Node { return build(a[0], a[1]) }}
}

// ofEnds converts a rule that maps the ends of a real interval to a rule for Ranges.
func ofEnds(rule func(lo, hi float64) (float64, float64)) func([]Range) Range {
	return func(a []Range) Range {
		lo, hi := rule(a[0].Lo, a[0].Hi)
		return Range{Lo: lo, Hi: hi}
	}
}

func rising(f func(float64) float64, lo, hi float64) func([]Range) Range {
	return ofEnds(ad.Rising(f, lo, hi))
}
func falling(f func(float64) float64, lo, hi float64) func([]Range) Range {
	return ofEnds(ad.Falling(f, lo, hi))
}
func constant(lo, hi float64) func([]Range) Range { return ofEnds(ad.Between(lo, hi)) }

// whole returns a rule whose result is always an integer.
func whole(rule func([]Range) Range) func([]Range) Range {
	return func(a []Range) Range { r := rule(a); r.Int = true; return r }
}

// keepInt returns a rule whose result is an integer if the first argument is one.
func keepInt(rule func([]Range) Range) func([]Range) Range {
	return func(a []Range) Range { r := rule(a); r.Int = a[0].Int; return r }
}

func truthRange([]Range) Range { return truth }

func absRange(a []Range) Range {
	x := a[0]
	switch {
	case x.Lo >= 0:
		return x
	case x.Hi <= 0:
		return negRange(x)
	}
	return Range{0, math.Max(-x.Lo, x.Hi), x.Int}
}

func sign(x float64) float64 {
	switch {
	case x > 0:
		return 1
	case x < 0:
		return -1
	}
	return 0
}
