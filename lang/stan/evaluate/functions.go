package evaluate

import (
	"math"
	"slices"
	"sort"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mathext"
	"gonum.org/v1/gonum/stat"

	"ppl/lang/stan"
)

// A numeric function applies to each element of its n arguments.
type numeric struct {
	n int
	f func([]float64) float64
}

func of1(f func(float64) float64) numeric {
	return numeric{1, func(a []float64) float64 { return f(a[0]) }}
}

func of2(f func(a, b float64) float64) numeric {
	return numeric{2, func(a []float64) float64 { return f(a[0], a[1]) }}
}

func lgamma(x float64) float64 {
	v, _ := math.Lgamma(x)
	return v
}

func logistic(x float64) float64 { return 1 / (1 + math.Exp(-x)) }

// log1pExp returns log(1 + exp(x)).
func log1pExp(x float64) float64 { return math.Max(x, 0) + math.Log1p(math.Exp(-math.Abs(x))) }

// log1mExp returns log(1 - exp(x)) for x <= 0.
func log1mExp(x float64) float64 {
	if x > -math.Ln2 {
		return math.Log(-math.Expm1(x))
	}
	return math.Log1p(-math.Exp(x))
}

func logAddExp(a, b float64) float64 {
	if math.IsInf(a, -1) {
		return b
	}
	return math.Max(a, b) + math.Log1p(math.Exp(-math.Abs(a-b)))
}

func lbeta(a, b float64) float64 { return mathext.Lbeta(a, b) }

func lchoose(n, k float64) float64 { return lgamma(n+1) - lgamma(k+1) - lgamma(n-k+1) }

// xlogy returns x log(y), or 0 if x is 0.
func xlogy(x, y float64) float64 {
	if x == 0 {
		return 0
	}
	return x * math.Log(y)
}

func boolean(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// numbers maps names to elementwise functions.
var numbers = map[string]numeric{
	"abs": of1(math.Abs), "fabs": of1(math.Abs), "acos": of1(math.Acos), "acosh": of1(math.Acosh),
	"asin": of1(math.Asin), "asinh": of1(math.Asinh), "atan": of1(math.Atan), "atanh": of1(math.Atanh),
	"atan2": of2(math.Atan2), "cbrt": of1(math.Cbrt), "cos": of1(math.Cos), "cosh": of1(math.Cosh),
	"sin": of1(math.Sin), "sinh": of1(math.Sinh), "tan": of1(math.Tan), "tanh": of1(math.Tanh),
	"ceil": of1(math.Ceil), "floor": of1(math.Floor), "round": of1(math.Round), "trunc": of1(math.Trunc),
	"digamma": of1(mathext.Digamma), "erf": of1(math.Erf), "erfc": of1(math.Erfc), "exp": of1(math.Exp),
	"exp2": of1(math.Exp2), "expm1": of1(math.Expm1), "log": of1(math.Log), "log2": of1(math.Log2),
	"log10": of1(math.Log10), "log1p": of1(math.Log1p),
	"log1m":     of1(func(x float64) float64 { return math.Log1p(-x) }),
	"log1m_exp": of1(log1mExp), "log1p_exp": of1(log1pExp), "inv_logit": of1(logistic),
	"inv":             of1(func(x float64) float64 { return 1 / x }),
	"inv_sqrt":        of1(func(x float64) float64 { return 1 / math.Sqrt(x) }),
	"inv_square":      of1(func(x float64) float64 { return 1 / (x * x) }),
	"logit":           of1(func(p float64) float64 { return math.Log(p / (1 - p)) }),
	"log_inv_logit":   of1(func(x float64) float64 { return -log1pExp(-x) }),
	"log1m_inv_logit": of1(func(x float64) float64 { return -log1pExp(x) }),
	"inv_cloglog":     of1(func(x float64) float64 { return -math.Expm1(-math.Exp(x)) }),
	"Phi":             of1(func(x float64) float64 { return math.Erfc(-x/math.Sqrt2) / 2 }),
	"inv_Phi":         of1(mathext.NormalQuantile),
	"Phi_approx":      of1(func(x float64) float64 { return logistic(0.07056*x*x*x + 1.5976*x) }),
	"lgamma":          of1(lgamma), "tgamma": of1(math.Gamma), "sqrt": of1(math.Sqrt),
	"square":           of1(func(x float64) float64 { return x * x }),
	"step":             of1(func(x float64) float64 { return boolean(x >= 0) }),
	"int_step":         of1(func(x float64) float64 { return boolean(x > 0) }),
	"is_inf":           of1(func(x float64) float64 { return boolean(math.IsInf(x, 0)) }),
	"is_nan":           of1(func(x float64) float64 { return boolean(math.IsNaN(x)) }),
	"logical_negation": of1(func(x float64) float64 { return boolean(x == 0) }),
	"beta":             of2(func(a, b float64) float64 { return math.Exp(lbeta(a, b)) }), "lbeta": of2(lbeta),
	"choose":  of2(func(n, k float64) float64 { return math.Round(math.Exp(lchoose(n, k))) }),
	"lchoose": of2(lchoose), "fdim": of2(math.Dim), "fmax": of2(math.Max), "fmin": of2(math.Min),
	"fmod": of2(math.Mod), "hypot": of2(math.Hypot), "pow": of2(math.Pow),
	"ldexp":     of2(func(a, b float64) float64 { return a * math.Exp2(b) }),
	"lmultiply": of2(xlogy), "multiply_log": of2(xlogy),
	"log_diff_exp":    of2(func(a, b float64) float64 { return a + log1mExp(b-a) }),
	"binary_log_loss": of2(func(y, p float64) float64 { return -xlogy(y, p) - xlogy(1-y, 1-p) }),
	"log_falling_factorial": of2(func(x, n float64) float64 {
		return lgamma(x+1) - lgamma(x-n+1)
	}),
	"log_rising_factorial": of2(func(x, n float64) float64 { return lgamma(x+n) - lgamma(x) }),
	"gamma_p":              of2(mathext.GammaIncReg), "gamma_q": of2(mathext.GammaIncRegComp),
	"inc_beta":   {3, func(a []float64) float64 { return mathext.RegIncBeta(a[0], a[1], a[2]) }},
	"fma":        {3, func(a []float64) float64 { return a[0]*a[1] + a[2] }},
	"log_mix":    {3, func(a []float64) float64 { return logAddExp(math.Log(a[0])+a[1], math.Log1p(-a[0])+a[2]) }},
	"lambert_w0": of1(lambertW), "log_modified_bessel_first_kind": of2(logBesselI),
	"logical_eq": of2(func(a, b float64) float64 { return boolean(a == b) }),
	"multiply":   of2(func(a, b float64) float64 { return a * b }),
}

// lambertW returns W0(x), by Halley's method.
func lambertW(x float64) float64 {
	w := math.Log1p(math.Max(x, -0.3))
	for range 60 {
		e := math.Exp(w)
		f := w*e - x
		step := f / (e*(w+1) - (w+2)*f/(2*w+2))
		w -= step
		if math.Abs(step) < 1e-16*math.Max(1, math.Abs(w)) {
			break
		}
	}
	return w
}

// logBesselI returns the logarithm of I_v(x), by its power series.
func logBesselI(v, x float64) float64 {
	sum, term := math.Inf(-1), v*math.Log(x/2)-lgamma(v+1)
	for k := 1.0; k < 5000; k++ {
		sum = logAddExp(sum, term)
		term += 2*math.Log(x/2) - math.Log(k) - math.Log(k+v)
		if term < sum-45 && k > x {
			break
		}
	}
	return sum
}

// A function computes a value from values.
type function func(r *run, a []value) value

// reduction returns a function that reduces all elements to a number.
func reduction(f func([]float64) float64) function {
	return func(_ *run, a []value) value { return real(f(a[0].nums)) }
}

func constant(v float64) function { return func(*run, []value) value { return real(v) } }

// filled returns an array filled with one number, whose length is the argument.
func filled(word string, v float64) function {
	return func(_ *run, a []value) value { return repeat(word, v, a[0].int()) }
}

func repeat(word string, v float64, dims ...int) value {
	nums := make([]float64, room(dims...))
	for i := range nums {
		nums[i] = v
	}
	return arrayOf(stan.Type{Word: word}, dims, nums)
}

// functions maps names to functions whose arguments or values have axes. call sets the type of their values.
var functions map[string]function

func logSumExp(all []float64) float64 {
	if len(all) == 0 {
		return math.Inf(-1)
	}
	if most := floats.Max(all); math.IsInf(most, 0) || math.IsNaN(floats.Sum(all)) {
		return most
	}
	return floats.LogSumExp(all)
}

func softmax(_ *run, a []value) value {
	total := logSumExp(a[0].nums)
	return mapped1(a[0], func(x float64) float64 { return math.Exp(x - total) })
}

func logSoftmax(_ *run, a []value) value {
	total := logSumExp(a[0].nums)
	return mapped1(a[0], func(x float64) float64 { return x - total })
}

// extreme returns max or min: of two numbers, or of all elements.
func extreme(f func(a, b float64) float64, none float64) function {
	return func(_ *run, a []value) value {
		out := none
		for _, v := range a {
			for _, x := range v.nums {
				out = f(out, x)
			}
		}
		return real(out)
	}
}

func cut(v value, from, n int) value {
	if n < 0 {
		fail("the number of elements is negative: %d", n)
	}
	if n > 0 && (from < 1 || from+n-1 > v.size()) {
		fail("%d elements from position %d are not within the %d elements", n, from, v.size())
	}
	inner := count(v.dims[1:])
	return value{typ: v.typ, dims: append([]int{n}, v.dims[1:]...), nums: v.nums[(from-1)*inner : (from-1+n)*inner]}
}

// inColumns returns the elements of a matrix column by column, and those of an array in order.
func inColumns(v value) []float64 {
	if v.typ.Word == "matrix" && v.typ.Depth == 0 {
		return transposed(v).nums
	}
	return v.nums
}

func toVector(_ *run, a []value) value { return vector(inColumns(a[0])) }

func toMatrix(_ *run, a []value) value {
	switch {
	case len(a) == 1 && len(a[0].dims) == 1:
		return asMatrix(a[0])
	case len(a) == 1:
		return matrix(a[0].dims[0], a[0].dims[1], a[0].nums)
	}
	rows, cols, all := a[1].int(), a[2].int(), inColumns(a[0])
	if room(rows, cols) != len(all) {
		fail("%d elements do not fill a matrix of %d rows and %d columns", len(all), rows, cols)
	}
	if len(a) == 4 && a[3].num() == 0 { // the elements are row by row
		return matrix(rows, cols, all)
	}
	return transposed(matrix(cols, rows, all))
}

func repeatedArray(_ *run, a []value) value {
	n := 1
	out := value{typ: a[0].typ}
	for _, d := range a[1:] {
		n *= d.int()
		out.dims = append(out.dims, d.int())
	}
	out.typ.Depth += len(a) - 1
	out.dims = append(out.dims, a[0].dims...)
	room(out.dims...)
	for range n {
		out.nums = append(out.nums, a[0].nums...)
	}
	return out
}

func repeatedMatrix(_ *run, a []value) value {
	switch {
	case a[0].isScalar():
		return repeat("matrix", a[0].num(), a[1].int(), a[2].int())
	case a[0].typ.Word == "row_vector":
		n := a[1].int()
		return matrix(n, a[0].dims[0], repeatedArray(nil, []value{a[0], a[1]}).nums)
	}
	return transposed(matrix(a[1].int(), a[0].dims[0], repeatedArray(nil, []value{a[0], a[1]}).nums))
}

// appended concatenates b after a: numbers and arrays as elements, row_vectors and matrices as rows.
func appended(_ *run, a []value) value {
	p, q := a[0], a[1]
	rows := func(v value) bool { return v.typ.Word == "matrix" || v.typ.Word == "row_vector" }
	if p.typ.Depth == 0 && rows(p) && rows(q) {
		x, y := asMatrix(p), asMatrix(q)
		mustMatch(x.dims[1], y.dims[1])
		return matrix(x.dims[0]+y.dims[0], x.dims[1], slices.Concat(x.nums, y.nums))
	}
	dims := []int{1}
	if !p.isScalar() {
		dims = slices.Clone(p.dims)
	} else if !q.isScalar() {
		dims = append(dims, q.dims[1:]...)
	}
	dims[0] = p.size() + q.size()
	mustMatch(count(dims), len(p.nums)+len(q.nums))
	return arrayOf(p.typ, dims, slices.Concat(p.nums, q.nums))
}

// appendedColumns concatenates b to the right of a.
func appendedColumns(_ *run, a []value) value {
	isRow := func(v value) bool { return v.isScalar() || v.typ.Word == "row_vector" }
	if isRow(a[0]) && isRow(a[1]) {
		return vector(slices.Concat(a[0].nums, a[1].nums))
	}
	x, y := transposed(asMatrix(a[0])), transposed(asMatrix(a[1]))
	mustMatch(x.dims[1], y.dims[1])
	return transposed(matrix(x.dims[0]+y.dims[0], x.dims[1], slices.Concat(x.nums, y.nums)))
}

func reversed(_ *run, a []value) value {
	v := a[0]
	inner := count(v.dims[1:])
	out := value{typ: v.typ, dims: v.dims}
	for i := v.size() - 1; i >= 0; i-- {
		out.nums = append(out.nums, v.nums[i*inner:(i+1)*inner]...)
	}
	return out
}

func sorted(sign float64) function {
	return func(_ *run, a []value) value {
		out := a[0].clone()
		sort.Slice(out.nums, func(i, j int) bool { return sign*out.nums[i] < sign*out.nums[j] })
		return out
	}
}

func sortedPlaces(sign float64) function {
	return func(_ *run, a []value) value {
		nums := make([]float64, len(a[0].nums))
		for i := range nums {
			nums[i] = float64(i + 1)
		}
		sort.SliceStable(nums, func(i, j int) bool {
			return sign*a[0].nums[int(nums[i])-1] < sign*a[0].nums[int(nums[j])-1]
		})
		return vector(nums)
	}
}

func cumulated(_ *run, a []value) value {
	out := a[0].clone()
	for i := 1; i < len(out.nums); i++ {
		out.nums[i] += out.nums[i-1]
	}
	return out
}

func dot(x, y []float64) float64 {
	if len(x) != len(y) {
		fail("vectors of %d and %d elements cannot be multiplied", len(x), len(y))
	}
	return floats.Dot(x, y)
}

func squaredDistance(x, y []float64) float64 {
	sum := 0.0
	mustMatch(len(x), len(y))
	for i := range x {
		sum += (x[i] - y[i]) * (x[i] - y[i])
	}
	return sum
}

func block(v value, i0, j0, n, m int) value {
	room(n, m)
	rows, cols := make([]int, n), make([]int, m)
	for i := range rows {
		rows[i] = within(i0+i, v.dims[0])
	}
	for j := range cols {
		cols[j] = within(j0+j, v.dims[1])
	}
	return v.subscripted([]sub{{rows, true}, {cols, true}})
}

// logMixture computes log_mix of weights with one vector of log densities, or with an array of vectors.
func logMixture(_ *run, a []value) value {
	sum := 0.0
	for _, parts := range a[1].instances(1) {
		mustMatch(len(a[0].nums), len(parts.nums))
		terms := make([]float64, len(parts.nums))
		for i, x := range parts.nums {
			terms[i] = math.Log(a[0].nums[i]) + x
		}
		sum += logSumExp(terms)
	}
	return real(sum)
}

func spaced(_ *run, a []value) value {
	n, lo, hi := a[0].int(), a[1].num(), a[2].num()
	nums := make([]float64, room(n))
	for i := range nums {
		nums[i] = hi
		if n > 1 {
			nums[i] = lo + (hi-lo)*float64(i)/float64(n-1)
		}
	}
	return vector(nums)
}

func oneHot(_ *run, a []value) value {
	v := repeat("vector", 0, a[0].int())
	v.nums[within(a[1].int(), a[0].int())] = 1
	return v
}

// spread returns the sample variance, or 0 for fewer than two elements.
func spread(all []float64) float64 {
	if len(all) < 2 {
		return 0
	}
	return stat.Variance(all, nil)
}
