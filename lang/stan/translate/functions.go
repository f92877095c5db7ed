package translate

import (
	"math"
	"slices"
	"sort"
	"strings"

	"ppl/lang/stan"
)

// This file maps functions of Stan to ppl. A function that is missing in all tables is refused by name.

// A numeric function applies to each element of its arguments. In text, $1 is the first argument. f computes the value
// during translation; it is nil if this is not supported.
type numeric struct {
	text string
	f    func(a []float64) float64
}

func of1(f func(float64) float64) func([]float64) float64 {
	return func(a []float64) float64 { return f(a[0]) }
}

func of2(f func(a, b float64) float64) func([]float64) float64 {
	return func(a []float64) float64 { return f(a[0], a[1]) }
}

func sigmoid(x float64) float64 { return 1 / (1 + math.Exp(-x)) }

func lgamma(x float64) float64 {
	v, _ := math.Lgamma(x)
	return v
}

var numerics = map[string]numeric{
	"abs": {"abs($1)", of1(math.Abs)}, "fabs": {"abs($1)", of1(math.Abs)},
	"acos": {"acos($1)", of1(math.Acos)}, "acosh": {"acosh($1)", of1(math.Acosh)},
	"asin": {"asin($1)", of1(math.Asin)}, "asinh": {"asinh($1)", of1(math.Asinh)},
	"atan": {"atan($1)", of1(math.Atan)}, "atanh": {"atanh($1)", of1(math.Atanh)},
	"atan2": {"atan2($1, $2)", of2(math.Atan2)}, "cbrt": {"cbrt($1)", of1(math.Cbrt)},
	"cos": {"cos($1)", of1(math.Cos)}, "cosh": {"cosh($1)", of1(math.Cosh)},
	"sin": {"sin($1)", of1(math.Sin)}, "sinh": {"sinh($1)", of1(math.Sinh)},
	"tan": {"tan($1)", of1(math.Tan)}, "tanh": {"tanh($1)", of1(math.Tanh)},
	"ceil": {"ceil($1)", of1(math.Ceil)}, "floor": {"floor($1)", of1(math.Floor)},
	"round": {"round($1)", of1(math.Round)}, "trunc": {"trunc($1)", of1(math.Trunc)},
	"digamma": {"digamma($1)", nil}, "trigamma": {"trigamma($1)", nil},
	"erf": {"erf($1)", of1(math.Erf)}, "erfc": {"erfc($1)", of1(math.Erfc)},
	"exp": {"exp($1)", of1(math.Exp)}, "exp2": {"2^$1", of1(math.Exp2)},
	"expm1": {"expm1($1)", of1(math.Expm1)}, "log": {"log($1)", of1(math.Log)},
	"log2": {"log2($1)", of1(math.Log2)}, "log10": {"log10($1)", of1(math.Log10)},
	"log1p": {"log1p($1)", of1(math.Log1p)}, "log1m": {"log1m($1)", nil}, "log1m_exp": {"log1m_exp($1)", nil},
	"log1p_exp": {"log1p_exp($1)", nil}, "inv": {"1 / $1", of1(func(x float64) float64 { return 1 / x })},
	"inv_sqrt":   {"1 / sqrt($1)", of1(func(x float64) float64 { return 1 / math.Sqrt(x) })},
	"inv_square": {"1 / $1^2", of1(func(x float64) float64 { return 1 / (x * x) })},
	"inv_logit":  {"sigmoid($1)", of1(sigmoid)}, "logit": {"logit($1)", nil},
	"log_inv_logit": {"log_sigmoid($1)", nil}, "log1m_inv_logit": {"log_sigmoid(-$1)", nil},
	"inv_cloglog": {"inv_cloglog($1)", nil}, "inv_Phi": {"inv_Phi($1)", nil}, "Phi": {"Phi($1)", nil},
	"Phi_approx": {"sigmoid(0.07056 * $1^3 + 1.5976 * $1)", nil},
	"lambert_w0": {"lambert_w($1)", nil}, "lgamma": {"lgamma($1)", of1(lgamma)},
	"tgamma": {"exp(lgamma($1))", of1(math.Gamma)}, "sqrt": {"sqrt($1)", of1(math.Sqrt)},
	"square": {"$1^2", of1(func(x float64) float64 { return x * x })},
	"step":   {"($1 >= 0)", nil}, "int_step": {"($1 > 0)", nil},
	"is_inf": {"(!is_finite($1) && !is_nan($1))", nil}, "is_nan": {"is_nan($1)", nil},
	"logical_negation": {"!$1", nil}, "beta": {"exp(lbeta($1, $2))", nil}, "lbeta": {"lbeta($1, $2)", nil},
	"choose": {"exp(lchoose($1, $2))", nil}, "lchoose": {"lchoose($1, $2)", nil},
	"binary_log_loss": {"-logpdf(Bernoulli($2), $1)", nil}, "fdim": {"max($1 - $2, 0)", of2(math.Dim)},
	"fma":  {"$1 * $2 + $3", func(a []float64) float64 { return a[0]*a[1] + a[2] }},
	"fmax": {"max($1, $2)", of2(math.Max)}, "fmin": {"min($1, $2)", of2(math.Min)},
	"fmod": {"mod($1, $2)", of2(math.Mod)}, "hypot": {"hypot($1, $2)", of2(math.Hypot)},
	"ldexp": {"$1 * 2^$2", nil}, "lmultiply": {"xlogy($1, $2)", nil}, "multiply_log": {"xlogy($1, $2)", nil},
	"log_diff_exp":           {"log_diff_exp($1, $2)", nil},
	"log_falling_factorial":  {"lgamma($1 + 1) - lgamma($1 - $2 + 1)", nil},
	"falling_factorial":      {"exp(lgamma($1 + 1) - lgamma($1 - $2 + 1))", nil},
	"log_rising_factorial":   {"log_rising_factorial($1, $2)", nil},
	"rising_factorial":       {"exp(log_rising_factorial($1, $2))", nil},
	"gamma_p":                {"cdf(Gamma($1, 1), $2)", nil},
	"gamma_q":                {"1 - cdf(Gamma($1, 1), $2)", nil},
	"inc_beta":               {"cdf(Beta($1, $2), $3)", nil},
	"inv_inc_beta":           {"quantile(Beta($1, $2), $3)", nil},
	"if_else":                {"$1 ? $2 : $3", nil},
	"logical_and":            {"$1 && $2", nil},
	"logical_or":             {"$1 || $2", nil},
	"logical_eq":             {"$1 == $2", nil},
	"logical_neq":            {"$1 != $2", nil},
	"logical_lt":             {"$1 < $2", nil},
	"logical_lte":            {"$1 <= $2", nil},
	"logical_gt":             {"$1 > $2", nil},
	"logical_gte":            {"$1 >= $2", nil},
	"int_division_remainder": {"mod($1, $2)", nil},
}

// numbersOf maps functions without arguments to their values.
var numbersOf = map[string]term{
	"pi": {node: nameOf("pi"), eval: known(math.Pi)}, "e": callTerm("exp", constant(1)),
	"sqrt2": callTerm("sqrt", constant(2)), "log2": callTerm("log", constant(2)),
	"log10":             callTerm("log", constant(10)),
	"positive_infinity": real(math.Inf(1)), "negative_infinity": real(math.Inf(-1)),
	"not_a_number":      {node: binaryOf("*", literalOf("0"), literalOf("inf"))},
	"machine_precision": real(0x1p-52), "max_value": real(math.MaxFloat64),
}

// folds maps Stan's reductions over all elements to ppl's.
var folds = map[string]string{"sum": "sum", "prod": "prod", "mean": "mean", "sd": "sd", "variance": "var",
	"log_sum_exp": "logsumexp", "max": "max", "min": "min"}

// matrixCalls maps functions of one array whose value is an array to ppl's (text), with the type of the value (word).
// axes maps each axis of the value to an axis of the argument, from 0.
var matrixCalls = map[string]struct {
	text string
	word string
	axes []int
}{
	"cholesky_decompose": {"cholesky", "matrix", []int{0, 1}}, "inverse": {"inverse", "matrix", []int{1, 0}},
	"inverse_spd": {"inverse_spd", "matrix", []int{0, 1}}, "matrix_exp": {"matrix_exp", "matrix", []int{0, 1}},
	"eigenvalues_sym": {"eigenvalues", "vector", []int{0}}, "eigenvectors_sym": {"eigenvectors", "matrix",
		[]int{0, 1}},
	"softmax": {"softmax", "vector", []int{0}}, "log_softmax": {"log_softmax", "vector", []int{0}},
	"cumulative_sum": {"cumsum", "", []int{0}}, "sort_asc": {"sort", "", []int{0}},
	"generalized_inverse": {"inverse", "matrix", []int{1, 0}},
}

// matrixFolds maps functions of a matrix whose value is a number to ppl's.
var matrixFolds = map[string]string{"determinant": "determinant", "log_determinant": "log_determinant",
	"log_determinant_spd": "log_determinant_spd", "trace": "trace"}

// call translates a call.
func (x *executor) call(e *stan.Call) value {
	name := e.Fun.Name
	if v, ok := x.callOfProgram(e); ok {
		return v
	}
	if takesFunction(name) {
		return x.solve(e)
	}
	args := x.args(e.Args)
	if v, ok := x.densityCall(e, args); ok {
		return v
	}
	return x.libraryCall(name, args, x.info.Types[e])
}

func (x *executor) args(all []stan.Expr) []value {
	out := make([]value, len(all))
	for i, a := range all {
		out[i] = x.eval(a)
	}
	return out
}

func (x *executor) libraryCall(name string, args []value, typ stan.Type) value {
	if len(args) == 0 {
		if t, ok := numbersOf[name]; ok {
			return scalar(t)
		}
	}
	if f, ok := folds[name]; ok && (len(args) == 1 || len(args) == 2) {
		if len(args) == 1 {
			return scalar(x.fold(f, args[0]))
		}
		if f == "logsumexp" {
			return scalar(callTerm("logaddexp", args[0].number(), args[1].number()))
		}
		return scalar(x.twoOf(f, args[0].number(), args[1].number()))
	}
	if name == "pow" {
		return x.mapped(typ, args, func(ts []term) term { return power(ts[0], ts[1]) })
	}
	if n, ok := numerics[name]; ok {
		return x.mapped(typ, args, func(ts []term) term { return x.numeric(n, ts, typ.Word == "int") })
	}
	if m, ok := matrixCalls[name]; ok {
		return x.matrixCall(name, args[0]).as(m.word)
	}
	if f, ok := matrixFolds[name]; ok {
		return scalar(callTerm(f, x.entire(args[0])))
	}
	if f, ok := x.library[name]; ok {
		v := f(x, args)
		if typ.Known() && v.typ.Word == "" {
			v.typ = typ
		}
		return v
	}
	refuse("`" + name + "` is not translated")
	return value{}
}

func (v value) as(word string) value {
	if word != "" {
		v.typ.Word = word
	}
	return v
}

func (x *executor) twoOf(f string, a, b term) term {
	t := callTerm(f, a, b)
	t.integer = a.integer && b.integer
	if t.integer {
		t.linear = atomLinear(t)
	}
	g := math.Max
	if f == "min" {
		g = math.Min
	}
	t.eval = both(a, b, g)
	return t
}

// numeric applies a numeric function to numbers.
func (x *executor) numeric(n numeric, args []term, integer bool) term {
	t := termOf(x.templates.fill(n.text, numberedArgs(nodesOf(args))), args...)
	t.integer = integer
	if f := n.f; f != nil && !slices.ContainsFunc(args, func(a term) bool { return a.eval == nil }) {
		t.eval = func(b bindings) (float64, bool) {
			vs := make([]float64, len(args))
			for i, a := range args {
				v, ok := a.eval(b)
				if !ok {
					return 0, false
				}
				vs[i] = v
			}
			return f(vs), true
		}
	}
	if integer {
		t.linear = atomLinear(t)
	}
	return t
}

// matrixCall applies a function of an array, given by its name in Stan.
func (x *executor) matrixCall(name string, arg value) value {
	m := matrixCalls[name]
	whole := callOf(m.text, x.entire(x.nameArray(name, arg)).node)
	dims := make([]term, len(m.axes))
	for i, a := range m.axes {
		dims[i] = arg.dims[a]
	}
	out := matrixOf(whole, dims, []value{arg})
	out.typ = arg.typ
	return x.nameValue(name, out)
}

// nameArray gives a name to an array that is written out, so that expressions that read it stay short.
func (x *executor) nameArray(like string, v value) value {
	if v.whole != nil && (v.whole.isReference() || v.whole.size < 40) {
		return v
	}
	return x.nameValue(like, v)
}

// nameValue gives a name to a value.
func (x *executor) nameValue(like string, v value) value {
	if x.inline {
		v.whole = x.entire(v).node
		return v
	}
	c := &cell{name: shortName(like), typ: v.typ, dims: v.dims}
	return x.write(c, &state{base: &v})
}

// shortName returns a variable name for the result of a function.
func shortName(like string) string {
	return map[string]string{"cholesky_decompose": "chol", "inverse": "inverted", "inverse_spd": "inverted",
		"cumulative_sum": "cumulated", "sort_asc": "sorted", "softmax": "shares", "log_softmax": "log_shares"}[like] +
		map[bool]string{true: "", false: strings.TrimSuffix(like, "_sym")}[shortened[like]]
}

var shortened = map[string]bool{"cholesky_decompose": true, "inverse": true, "inverse_spd": true,
	"cumulative_sum": true, "sort_asc": true, "softmax": true, "log_softmax": true}

// reduce computes a reduction of numbers.
func reduce(f string, all []float64) (float64, bool) {
	sum, least, greatest, product := 0.0, math.Inf(1), math.Inf(-1), 1.0
	for _, v := range all {
		sum += v
		product *= v
		least, greatest = min(least, v), max(greatest, v)
	}
	switch f {
	case "sum":
		return sum, true
	case "prod":
		return product, true
	case "min":
		return least, true
	case "max":
		return greatest, true
	case "mean":
		return sum / float64(len(all)), len(all) > 0
	}
	if f == "sd" || f == "var" {
		m, s := sum/float64(len(all)), 0.0
		for _, v := range all {
			s += (v - m) * (v - m)
		}
		s /= float64(len(all) - 1)
		if f == "sd" {
			s = math.Sqrt(s)
		}
		return s, len(all) > 1
	}
	return 0, false
}

// sortedPositions returns the positions of the elements of a list, from 0, in increasing order of their values. ok is
// false unless data determine the values.
func sortedPositions(v value) (places []int, ok bool) {
	var values []float64
	good := true
	ok = elements(v.dims, nil, 1e6, func(index []term) {
		n, known := v.elem(index).value()
		good = good && known
		values = append(values, n)
	})
	places = make([]int, len(values))
	for i := range places {
		places[i] = i
	}
	sort.SliceStable(places, func(i, j int) bool { return values[places[i]] < values[places[j]] })
	return places, ok && good
}
