package stdlib

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mathext"
	"gonum.org/v1/gonum/stat/combin"

	ad "ppl/autodiff"
)

// An oracle is a function of the standard library or gonum, and the arguments at which to compare. Functions of two
// arguments take pairs.
type oracle struct {
	f  any
	at []float64
}

// oracleOf returns the row of funcOracles. For an op without a row there, it returns the value function of the op,
// which autodiff's tests compare with mpmath.
func oracleOf(name string) (oracle, bool) {
	if o, ok := funcOracles[name]; ok {
		return o, true
	}
	for _, k := range ad.ElementwiseKinds() {
		if k.Row().Function.Name == name {
			return oracle{k.Row().Unary, small}, true
		}
	}
	return oracle{}, false
}

var funcOracles = map[string]oracle{
	"exp": {math.Exp, wide}, "log": {math.Log, halfLine}, "log1p": {math.Log1p, halfLine}, "expm1": {math.Expm1, wide},
	"log2": {math.Log2, halfLine}, "log10": {math.Log10, halfLine}, "log1m": {func(x float64) float64 {
		return math.Log(1 - x)
	}, unitInterval},
	"cbrt": {math.Cbrt, wide}, "trunc": {math.Trunc, wide}, "asinh": {math.Asinh,
		append([]float64{1e-9, -1e9}, wide...)},
	"acosh": {math.Acosh, []float64{1, 1 + 1e-9, 1.5, 40}}, "atanh": {math.Atanh, []float64{-0.99, -1e-9, 0, 0.2, 0.7}},
	"cloglog":      {func(x float64) float64 { return math.Log(-math.Log(1 - x)) }, unitInterval},
	"inv_cloglog":  {func(x float64) float64 { return 1 - 1/math.Exp(math.Exp(x)) }, small},
	"trigamma":     {trigammaSum, halfLine},
	"log_diff_exp": {func(x, y float64) float64 { return math.Log(math.Exp(x) - math.Exp(y)) }, small},
	"xlogy": {func(x, y float64) float64 { return x * math.Log(math.Pow(y, math.Abs(sign(x)))) },
		append([]float64{0}, halfLine...)},
	"log_rising_factorial": {func(x, n float64) float64 { return lgammaOf(x+n) - lgammaOf(x) }, halfLine},
	"clip": {func(x, lo, hi float64) float64 { return math.Min(hi, math.Max(lo, x)) },
		[]float64{-3, -1, 0.5, 2}},
	"log_mix": {func(p, x, y float64) float64 {
		return math.Log(p*math.Exp(x)+(1-p)*math.Exp(y)) + 0*math.Sqrt(p*(1-p))
	}, []float64{0.25, 0, 1, 0.5}},
	"sqrt": {math.Sqrt, halfLine}, "square": {func(x float64) float64 { return math.Pow(x, 2) }, wide},
	"inv": {func(x float64) float64 { return math.Pow(x, -1) }, halfLine}, "abs": {math.Abs, wide},
	"sign":  {func(x float64) float64 { return math.Copysign(math.Ceil(math.Min(math.Abs(x), 1)), x) }, wide},
	"floor": {math.Floor, wide}, "ceil": {math.Ceil, wide}, "round": {math.Round,
		append([]float64{0.5, 1.5, 2.5, -0.5}, wide...)},
	"sin": {math.Sin, wide}, "cos": {math.Cos, wide}, "tan": {math.Tan, wide}, "asin": {math.Asin, minusOneToOne},
	"acos": {math.Acos, minusOneToOne}, "atan": {math.Atan, wide}, "sinh": {math.Sinh, wide}, "cosh": {math.Cosh, wide},
	"tanh":        {math.Tanh, wide},
	"sigmoid":     {func(x float64) float64 { return 0.5 * (1 + math.Tanh(x/2)) }, small},
	"logit":       {func(x float64) float64 { return 2 * math.Atanh(2*x-1) }, unitInterval},
	"softplus":    {func(x float64) float64 { return math.Log(1 + math.Exp(x)) }, small},
	"log1p_exp":   {func(x float64) float64 { return math.Log(1 + math.Exp(x)) }, small},
	"log_sigmoid": {func(x float64) float64 { return math.Log(0.5 * (1 + math.Tanh(x/2))) }, small},
	"relu":        {func(x float64) float64 { return (x + math.Abs(x)) / 2 }, wide},
	"lgamma":      {func(x float64) float64 { v, _ := math.Lgamma(x); return v }, halfLine},
	"digamma":     {mathext.Digamma, halfLine},
	"lambert_w":   {lambertByHalving, append([]float64{0, -0.1, -0.3, math.E, 100}, halfLine...)},
	"erf":         {math.Erf, wide}, "erfc": {math.Erfc, wide},
	"Phi":       {func(x float64) float64 { return math.Erfc(-x/math.Sqrt2) / 2 }, small},
	"log_Phi":   {func(x float64) float64 { return math.Log(math.Erfc(-x/math.Sqrt2) / 2) }, small},
	"inv_Phi":   {quantile, unitInterval},
	"log1m_exp": {func(x float64) float64 { return math.Log(1 - math.Exp(x)) }, []float64{-0.1, -0.6, -0.7, -1, -3}},
	"is_nan":    {func(x float64) float64 { return number01(math.IsNaN(x)) }, notAllFinite},
	"is_finite": {func(x float64) float64 { return number01(!math.IsNaN(x) && !math.IsInf(x, 0)) }, notAllFinite},
	"pow":       {math.Pow, halfLine}, "min": {math.Min, wide}, "max": {math.Max, wide},
	"mod": {func(x, y float64) float64 { return math.Mod(math.Mod(x, y)+y, y) },
		[]float64{-7.5, -1, 2, 3, 7.25, 4}},
	"logaddexp": {func(x, y float64) float64 { return floats.LogSumExp([]float64{x, y}) },
		append([]float64{-1e4, 1e4, 2}, wide...)},
	"lbeta":   {mathext.Lbeta, []float64{0.3, 1, 2, 2, 40, 75, 300}},
	"lchoose": {choose, []float64{9, 4, 2, 2, 0, 0, -1}},
	"atan2":   {math.Atan2, []float64{0, 1, -1, -2, 3, 0.5, -0.25, 0.75}},
	"hypot":   {math.Hypot, wide},
}

var (
	wide          = []float64{-20.25, -3, -1, -0.3, 0, 1e-5, 0.4, 1, 2.5, 17}
	small         = []float64{-4, -1, -0.3, 0, 0.4, 1, 2.5, 5}
	halfLine      = []float64{1e-3, 0.4, 1, 1.75, 2, 2.5, 17, 60}
	unitInterval  = []float64{0.001, 0.2, 0.5, 0.6, 0.99}
	minusOneToOne = []float64{-1, -0.7, 0, 0.2, 1}
	notAllFinite  = []float64{0, -1, math.NaN(), inf, -inf, 1e300}
)

// trigammaSum returns Σ 1/(x+k)², with the tail by the Euler–Maclaurin formula (Abramowitz & Stegun 6.4.10, 23.1.30).
func trigammaSum(x float64) float64 {
	const n = 2000
	z := x + n
	sum := 1/z + 1/(2*z*z) + 1/(6*z*z*z)
	for k := n - 1; k >= 0; k-- {
		sum += 1 / ((x + float64(k)) * (x + float64(k)))
	}
	return sum
}

func lgammaOf(x float64) float64 { v, _ := math.Lgamma(x); return v }

func choose(n, k float64) float64 {
	if k < 0 || n < k {
		return -inf
	}
	return combin.LogGeneralizedBinomial(n, k)
}

func quantile(p float64) float64 {
	if p < 0 || p > 1 {
		return math.NaN()
	}
	return mathext.NormalQuantile(p)
}

func number01(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// looseOracles are less accurate than this library: gonum's digamma(1) differs from −γ by 5e-11, and its Lbeta
// subtracts log-gammas.
var looseOracles = map[string]float64{"digamma": 1e-10, "lbeta": 1e-11}

// TestFuncs compares functions with the oracles within 1e-13 of max(1, |value|), and checks that each value is in the
// function's Range. Outside a function's domain both are NaN.
func TestFuncs(t *testing.T) {
	for name, f := range Funcs() {
		o, ok := oracleOf(name)
		if !ok || f.Doc == "" {
			t.Errorf("%s has no oracle or no sentence", name)
			continue
		}
		for _, a := range argumentsOf(len(f.Args), o.at) {
			g, nodes, ranges := ad.New(), make([]Node, len(a)), make([]Range, len(a))
			for i, v := range a {
				nodes[i], ranges[i] = g.Data("x", []float64{v}, 1), Point(v)
			}
			got, want := ad.Eval(nil, f.Build(nodes))[0][0], callOracle(o.f, a)
			if math.IsNaN(got) && math.IsNaN(want) {
				continue
			}
			if tol := max(1e-13, looseOracles[name]); !near(got, want, tol, tol) {
				t.Errorf("%s%v = %.17g, want %.17g", name, a, got, want)
			}
			if r := f.Range(ranges); !math.IsNaN(a[0]) && !(r.Lo <= got+1e-13 && got-1e-13 <= r.Hi) {
				t.Errorf("%s%v = %g is not in its range %v", name, a, got, r)
			}
		}
	}
}

// argumentsOf returns all n-tuples of values.
func argumentsOf(n int, at []float64) (out [][]float64) {
	if n == 0 {
		return [][]float64{nil}
	}
	for _, rest := range argumentsOf(n-1, at) {
		for _, x := range at {
			out = append(out, append([]float64{x}, rest...))
		}
	}
	return out
}

func callOracle(f any, a []float64) float64 {
	switch f := f.(type) {
	case func(float64) float64:
		return f(a[0])
	case func(x, y float64) float64:
		return f(a[0], a[1])
	case func(x, y, z float64) float64:
		return f(a[0], a[1], a[2])
	}
	panic("no such oracle")
}

// TestFuncGradients compares gradients with central differences within 1e-6, away from jumps.
func TestFuncGradients(t *testing.T) {
	for name, f := range Funcs() {
		if slices.Contains([]string{"mod", "is_nan", "is_finite", "digamma"}, name) {
			continue // jumps or no use
		}
		for _, a := range argumentsOf(len(f.Args), []float64{0.21, 0.35, 0.84}) {
			switch name {
			case "log1m_exp":
				a = []float64{-a[0]}
			case "acosh":
				a = []float64{1 + a[0]}
			}
			if len(a) == 2 && a[0] <= a[1] || len(a) == 3 && (a[0] == a[1] || a[1] == a[2] || a[2] == a[0]) {
				continue
			}
			for k := range a {
				got, want := slope(f, a, k)
				if math.Abs(got-want) > 1e-6*(1+math.Abs(want)) {
					t.Errorf("%s%v: derivative %d is %g, difference quotient %g", name, a, k+1, got, want)
				}
			}
		}
	}
}

func slope(f *Func, a []float64, k int) (exact, quotient float64) {
	g, nodes := ad.New(), make([]Node, len(a))
	for i := range a {
		nodes[i] = g.Input(fmt.Sprint("x", i))
	}
	y := f.Build(nodes)
	at := func(h float64) map[string][]float64 {
		in := map[string][]float64{}
		for i, v := range moved(a, k, h, 0) {
			in[fmt.Sprint("x", i)] = []float64{v}
		}
		return in
	}
	exact = ad.Eval(at(0), ad.Grad(y, nodes[k])...)[0][0]
	return exact, (ad.Eval(at(1e-6), y)[0][0] - ad.Eval(at(-1e-6), y)[0][0]) / 2e-6
}

// TestLogAddExpEnds checks that infinite arguments do not give NaN.
func TestLogAddExpEnds(t *testing.T) {
	for _, c := range [][3]float64{{-inf, -inf, -inf}, {-inf, 2, 2}, {3, -inf, 3}, {inf, 1, inf}, {inf, inf, inf}} {
		g := ad.New()
		got := ad.Eval(nil, logAddExp(g.Const(c[0]), g.Const(c[1])))[0][0]
		if got != c[2] {
			t.Errorf("logaddexp(%g, %g) = %g", c[0], c[1], got)
		}
	}
}

// lambertByHalving returns the w in −1..100 with w·eʷ = x, by bisection.
func lambertByHalving(x float64) float64 {
	lo, hi := -1.0, 100.0
	for range 100 {
		if mid := (lo + hi) / 2; mid*math.Exp(mid) > x {
			hi = mid
		} else {
			lo = mid
		}
	}
	return (lo + hi) / 2
}
