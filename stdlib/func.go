package stdlib

import (
	"math"

	ad "ppl/autodiff"
)

// Funcs is the table of elementwise functions by name; do not modify. A name may also be a reduction (min, max); the
// number of arguments decides.
func Funcs() map[string]*Func { return funcTable }

var funcTable = indexFuncs([]Func{
	unary("exp", "e to the power x", ad.Exp, rising(math.Exp, tiny, inf)),
	unary("log", "natural logarithm", ad.Log, rising(math.Log, -inf, inf)),
	unary("log2", "logarithm to the base 2", func(x Node) Node { return times(1/math.Ln2, ad.Log(x)) },
		rising(math.Log2, -inf, inf)),
	unary("log10", "logarithm to the base 10", func(x Node) Node { return times(1/math.Ln10, ad.Log(x)) },
		rising(math.Log10, -inf, inf)),
	unary("log1p", "log(1 + x), exact for small x", ad.Log1p, rising(math.Log1p, -inf, inf)),
	unary("log1m", "log(1 - x), exact for small x", log1m, falling(func(x float64) float64 { return math.Log1p(-x) },
		-inf, inf)),
	unary("expm1", "exp(x) - 1, exact for small x", ad.Expm1, rising(math.Expm1, -1, inf)),
	unary("sqrt", "square root", ad.Sqrt, rising(math.Sqrt, 0, inf)),
	unary("cbrt", "cube root", func(x Node) Node { return ad.Mul(ad.Sign(x), ad.Pow(ad.Abs(x), num(x, 1./3))) },
		rising(math.Cbrt, -inf, inf)),
	unary("square", "x^2", square, func(a []Range) Range { return powRange(a[0], Point(2)) }),
	unary("inv", "1 / x", func(x Node) Node { return ad.Div(num(x, 1), x) }, func(a []Range) Range {
		return divRange(Point(1), a[0])
	}),
	unary("abs", "absolute value", ad.Abs, absRange),
	unary("sign", "-1, 0 or 1 by the sign of x", ad.Sign, whole(rising(sign, -1, 1))),
	unary("floor", "the greatest integer not above x", ad.Floor, whole(rising(math.Floor, -inf, inf))),
	unary("ceil", "the least integer not below x", ad.Ceil, whole(rising(math.Ceil, -inf, inf))),
	unary("round", "the nearest integer, halves away from 0", ad.Round, whole(rising(math.Round, -inf, inf))),
	unary("trunc", "the integer part of x, towards 0", func(x Node) Node {
		return ad.Where(ad.Lt(x, num(x, 0)), ad.Ceil(x), ad.Floor(x))
	}, whole(rising(math.Trunc, -inf, inf))),
	unary("sin", "sine of x in radians", ad.Sin, constant(-1, 1)),
	unary("cos", "cosine of x in radians", ad.Cos, constant(-1, 1)),
	unary("tan", "tangent of x in radians", ad.Tan, constant(-inf, inf)),
	unary("asin", "arc sine in radians, for x in -1..1", ad.Asin, rising(math.Asin, -math.Pi/2, math.Pi/2)),
	unary("acos", "arc cosine in radians, for x in -1..1", ad.Acos, falling(math.Acos, 0, math.Pi)),
	unary("atan", "arc tangent in radians", ad.Atan, rising(math.Atan, -math.Pi/2, math.Pi/2)),
	unary("sinh", "hyperbolic sine", ad.Sinh, rising(math.Sinh, -inf, inf)),
	unary("cosh", "hyperbolic cosine", ad.Cosh, func(a []Range) Range {
		return rising(math.Cosh, 1, inf)([]Range{absRange(a)})
	}),
	unary("tanh", "hyperbolic tangent", ad.Tanh, rising(math.Tanh, -1, 1)),
	unary("asinh", "inverse hyperbolic sine", asinh, rising(math.Asinh, -inf, inf)),
	unary("acosh", "inverse hyperbolic cosine, for x >= 1", acosh, rising(math.Acosh, 0, inf)),
	unary("atanh", "inverse hyperbolic tangent, for x in -1..1", func(x Node) Node {
		return times(0.5, ad.Sub(ad.Log1p(x), log1m(x)))
	}, rising(math.Atanh, -inf, inf)),
	unary("sigmoid", "1 / (1 + exp(-x)), the inverse of logit", ad.Sigmoid, rising(logistic, tiny, 1)),
	unary("logit", "log(x / (1 - x)), for x in 0..1", logit, rising(logitOf, -inf, inf)),
	unary("cloglog", "complementary log-log link, log(-log(1 - x)), for x in 0..1", func(x Node) Node {
		return ad.Log(ad.Neg(log1m(x)))
	}, rising(cloglogOf, -inf, inf)),
	unary("inv_cloglog", "1 - exp(-exp(x)), the inverse of cloglog", func(x Node) Node {
		return ad.Neg(ad.Expm1(ad.Neg(ad.Exp(x))))
	}, rising(invCloglogOf, 0, 1)),
	unary("softplus", "log(1 + exp(x))", ad.Softplus, rising(softplusOf, tiny, inf)),
	unary("log1p_exp", "log(1 + exp(x))", ad.Softplus, rising(softplusOf, tiny, inf)),
	unary("log_sigmoid", "log(sigmoid(x)) = -log(1 + exp(-x))", ad.LogSigmoid,
		rising(func(x float64) float64 { return -softplusOf(-x) }, -inf, 0)),
	unary("relu", "x where positive, else 0", func(x Node) Node { return ad.Maximum(x, num(x, 0)) },
		keepInt(rising(func(x float64) float64 { return math.Max(x, 0) }, 0, inf))),
	unary("lgamma", "logarithm of the gamma function, for x > 0", ad.Lgamma, lgammaRange),
	unary("digamma", "derivative of lgamma", ad.Digamma, constant(-inf, inf)),
	unary("trigamma", "derivative of digamma, for x > 0", ad.Trigamma, func(a []Range) Range {
		return positiveFrom(a[0])
	}),
	unary("erf", "error function, 2/sqrt(pi) times the integral of exp(-t^2) from 0 to x", ad.Erf,
		rising(math.Erf, -1, 1)),
	unary("erfc", "1 - erf(x), exact in the right tail", ad.Erfc, falling(math.Erfc, 0, 2)),
	unary("Phi", "standard normal distribution function", phi, rising(phiOf, 0, 1)),
	unary("log_Phi", "log(Phi(x)), exact in the left tail", ad.LogNormCDF, constant(-inf, 0)),
	unary("inv_Phi", "standard normal quantile, for x in 0..1", ad.NormQuantile, constant(-inf, inf)),
	unary("lambert_w", "the w >= -1 with w exp(w) = x, for x >= -1/e (Lambert's function W0)", ad.LambertW,
		lambertRange),
	unary("log1m_exp", "log(1 - exp(x)), for x <= 0", log1mexp, constant(-inf, 0)),
	unary("is_nan", "whether x is not a number", func(x Node) Node { return ad.Not(ad.Eq(x, x)) }, truthRange),
	unary("is_finite", "whether x is neither infinite nor not a number", ad.IsFinite, truthRange),
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
	binary("xlogy", "x log(y), and 0 where x is 0", "x", "y", xlogy, func(x, y Range) Range {
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
	{Name: "clip", Doc: "x, but lo where it is below lo and hi where it is above hi", Args: []string{"x", "lo", "hi"},
		Range: clipRange,
		Build: func(a []Node) Node { return ad.Minimum(ad.Maximum(a[0], a[1]), a[2]) }},
	{Name: "log_mix", Doc: "log(p exp(x) + (1 - p) exp(y)), for p in 0..1", Args: []string{"p", "x", "y"},
		Range: func(a []Range) Range { return Union(dropInt(a[1]), a[2]) },
		Build: func(a []Node) Node {
			return logAddExp(ad.Add(ad.Log(a[0]), a[1]), ad.Add(log1m(a[0]), a[2]))
		}},
})

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

// lambertRange is from −1 on, of the sign of the argument, and below log(1 + x).
func lambertRange(a []Range) Range {
	r := Range{Lo: -1, Hi: math.Log1p(math.Max(a[0].Hi, 0))}
	switch {
	case a[0].Lo > 0:
		r.Lo = tiny
	case a[0].Lo == 0:
		r.Lo = 0
	}
	return r
}

// rising is the range of an increasing function with values in lo..hi. Outside the function's domain (NaN) the end is
// lo or hi.
func rising(f func(float64) float64, lo, hi float64) func([]Range) Range {
	return func(a []Range) Range {
		return Range{Lo: math.Max(orElse(f(a[0].Lo), lo), lo), Hi: math.Min(orElse(f(a[0].Hi), hi), hi)}
	}
}

func falling(f func(float64) float64, lo, hi float64) func([]Range) Range {
	return func(a []Range) Range {
		return Range{Lo: math.Max(orElse(f(a[0].Hi), lo), lo), Hi: math.Min(orElse(f(a[0].Lo), hi), hi)}
	}
}

func constant(lo, hi float64) func([]Range) Range {
	return func([]Range) Range { return Range{Lo: lo, Hi: hi} }
}

// whole says that the result is an integer; keepInt that it is one where the argument is.
func whole(rule func([]Range) Range) func([]Range) Range {
	return func(a []Range) Range { r := rule(a); r.Int = true; return r }
}

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

// lgammaRange knows the minimum over positive x, at 1.46163 (Abramowitz & Stegun 6.1).
func lgammaRange(a []Range) Range {
	if a[0].Lo >= 0 {
		return Range{Lo: -0.12148629053584961, Hi: inf}
	}
	return Everything()
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
