package evaluate

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"ppl/lang/stan"
)

// Point returns values for the parameters, each within its declared bounds, by transforming numbers that next returns.
func (m *Machine) Point(next func() float64) (at stan.Data, err error) {
	r := &run{Machine: m, scopes: []scope{m.data, {}}}
	at = stan.Data{}
	err = r.guarded(func() {
		for _, s := range m.program.Parameters {
			d := s.(*stan.Decl)
			r.at = d.At
			v := r.draw(d.Type, next)
			r.declare(d.Name.Name, v)
			at[d.Name.Name] = stan.Array{Dims: v.dims, Values: v.nums}
		}
	})
	return at, err
}

// draw returns a value of a declared type, by transforming numbers that next returns.
func (r *run) draw(t *stan.SizedType, next func() float64) value {
	typ, dims := r.shape(t)
	v := arrayOf(typ, dims, make([]float64, count(dims)))
	for i := range v.nums {
		v.nums[i] = next()
	}
	f := constrained[t.Word]
	if f == nil {
		r.within(v, t)
		return v
	}
	for _, one := range v.instances(v.typ.InnerAxes()) { // these share the elements of v
		f(one)
	}
	return v
}

// within transforms elements from the real line to their bounds.
func (r *run) within(v value, t *stan.SizedType) {
	at := func(word string, none float64) func(i int) float64 {
		e := t.Constraint(word)
		if e == nil {
			return func(int) float64 { return none }
		}
		b := r.eval(e)
		return func(i int) float64 { // all vectors of an array may share one vector of bounds
			if b.isScalar() {
				return b.num()
			}
			return b.nums[i%len(b.nums)]
		}
	}
	lower, upper, offset, scale := at("lower", -inf), at("upper", inf), at("offset", 0), at("multiplier", 1)
	for i, z := range v.nums {
		lo, hi := lower(i), upper(i)
		switch {
		case !math.IsInf(lo, 0) && !math.IsInf(hi, 0):
			v.nums[i] = lo + (hi-lo)*logistic(z)
		case !math.IsInf(lo, 0):
			v.nums[i] = lo + math.Exp(z)
		case !math.IsInf(hi, 0):
			v.nums[i] = hi - math.Exp(z)
		default:
			v.nums[i] = offset(i) + scale(i)*z
		}
	}
}

// constrained maps a type to the function that transforms the elements of one vector or matrix to that type.
var constrained = map[string]func(v value){
	"ordered": func(v value) { increasing(v.nums) },
	"positive_ordered": func(v value) {
		if len(v.nums) > 0 {
			v.nums[0] = math.Exp(v.nums[0])
		}
		increasing(v.nums)
	},
	"simplex":            func(v value) { copy(v.nums, softmax(nil, []value{v}).nums) },
	"unit_vector":        func(v value) { floats.Scale(1/floats.Norm(v.nums, 2), v.nums) },
	"sum_to_zero_vector": func(v value) { floats.AddConst(-floats.Sum(v.nums)/float64(len(v.nums)), v.nums) },
	"cholesky_factor_corr": func(v value) {
		triangular(v)
		for i := range v.dims[0] {
			row := v.nums[i*v.dims[1] : (i+1)*v.dims[1]]
			floats.Scale(1/floats.Norm(row, 2), row)
		}
	},
	"cholesky_factor_cov": triangular,
	"cov_matrix": func(v value) {
		triangular(v)
		copy(v.nums, times(v, transposed(v)).nums)
	},
}

func init() {
	constrained["corr_matrix"] = func(v value) {
		constrained["cholesky_factor_corr"](v)
		copy(v.nums, times(v, transposed(v)).nums)
		for i := range v.dims[0] {
			v.nums[i*v.dims[0]+i] = 1
		}
	}
}

func increasing(nums []float64) {
	for i := 1; i < len(nums); i++ {
		nums[i] = nums[i-1] + math.Exp(nums[i])
	}
}

// triangular makes a matrix lower triangular with a positive diagonal.
func triangular(v value) {
	for i := range v.dims[0] {
		for j := range v.dims[1] {
			at := i*v.dims[1] + j
			switch {
			case j == i:
				v.nums[at] = math.Exp(v.nums[at])
			case j > i:
				v.nums[at] = 0
			}
		}
	}
}

// Solves reports whether the program solves equations or integrals, whose values have numerical errors.
func (m *Machine) Solves() bool {
	for e := range m.info.Types {
		if c, ok := e.(*stan.Call); ok && takesFunction(c.Fun.Name) && !slices.Contains(sums, c.Fun.Name) {
			return true
		}
	}
	return false
}
