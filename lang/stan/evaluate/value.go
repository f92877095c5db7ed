package evaluate

import (
	"math"
	"slices"

	"ppl/lang/stan"
)

// A value is a number or an array of numbers, in which the last index varies fastest. The axes of arrays come first,
// then those of vectors and matrices. A number has no axes and one element. Elements are changed only by assignments to
// the variable that holds the value.
type value struct {
	typ   stan.Type
	dims  []int
	nums  []float64
	parts []value // elements of a tuple
}

func real(v float64) value { return value{typ: stan.Type{Word: "real"}, nums: []float64{v}} }

func whole(v int) value { return value{typ: stan.Type{Word: "int"}, nums: []float64{float64(v)}} }

func truth(b bool) value {
	if b {
		return whole(1)
	}
	return whole(0)
}

func vector(nums []float64) value { return arrayOf(stan.Type{Word: "vector"}, []int{len(nums)}, nums) }

func matrix(rows, cols int, nums []float64) value {
	return arrayOf(stan.Type{Word: "matrix"}, []int{rows, cols}, nums)
}

func arrayOf(typ stan.Type, dims []int, nums []float64) value {
	return value{typ: typ, dims: dims, nums: nums}
}

func (v value) isScalar() bool { return len(v.dims) == 0 }

// num returns the number of a value without axes.
func (v value) num() float64 { return v.nums[0] }

func (v value) int() int { return int(v.nums[0]) }

// at returns element i of a vector. A scalar returns its number for every i.
func (v value) at(i int) float64 {
	if len(v.dims) == 0 {
		return v.nums[0]
	}
	return v.nums[i]
}

func count(dims []int) int {
	n := 1
	for _, d := range dims {
		n *= d
	}
	return n
}

// maxElements is the greatest number of elements of an array.
const maxElements = 50_000_000

// room returns the number of elements of an array with the given axes. It fails if an axis is negative or the array is
// too large.
func room(dims ...int) int {
	n := 1
	for _, d := range dims {
		if d < 0 {
			fail("an axis has the negative length %d", d)
		}
		n *= d
		if n > maxElements {
			fail("an array would have more than %d elements", maxElements)
		}
	}
	return n
}

// mustMatch fails if two lengths differ.
func mustMatch(want, got int) {
	if want != got {
		fail("an argument has %d elements, but another one has %d", want, got)
	}
}

// mustBeSquare fails if a matrix is not square.
func mustBeSquare(v value) {
	if len(v.dims) != 2 || v.dims[0] != v.dims[1] {
		fail("a matrix is not square")
	}
}

// clone returns a copy that does not share elements.
func (v value) clone() value {
	v.nums = slices.Clone(v.nums)
	v.parts = slices.Clone(v.parts)
	return v
}

// as returns the value with another type, for example when an int is assigned to a real.
func (v value) as(typ stan.Type) value {
	v.typ = typ
	return v
}

// size returns the length of the first axis.
func (v value) size() int {
	if v.isScalar() {
		return 1
	}
	return v.dims[0]
}

// element returns the part at position i of the first axis.
func (v value) element(i int) value {
	n := count(v.dims[1:])
	return value{typ: v.typ.Subscripted(1, func(int) bool { return false }), dims: v.dims[1:],
		nums: v.nums[i*n : (i+1)*n]}
}

// instances splits a value along its outer axes into vectors (own = 1), matrices (2) or numbers (0).
func (v value) instances(own int) []value {
	outer := max(0, len(v.dims)-own)
	n := count(v.dims[outer:])
	typ := v.typ
	typ.Depth = 0
	out := make([]value, 0, count(v.dims[:outer]))
	for i := range count(v.dims[:outer]) {
		out = append(out, value{typ: typ, dims: v.dims[outer:], nums: v.nums[i*n : (i+1)*n]})
	}
	return out
}

// undefined returns the value of a variable before its first assignment.
func undefined(typ stan.Type, dims []int) value {
	nums := make([]float64, room(dims...))
	none := math.NaN()
	if typ.Word == "int" {
		none = math.MinInt32
	}
	for i := range nums {
		nums[i] = none
	}
	return arrayOf(typ, dims, nums)
}

// Subscripts.

// A sub is one position in brackets: the selected 0-based positions along an axis, and whether the axis is kept.
type sub struct {
	places []int
	keeps  bool
}

// chosen returns the positions of the elements that subscripts select, and the lengths of the axes that are kept.
func (v value) chosen(subs []sub) (places, dims []int) {
	places = []int{0}
	for axis, d := range v.dims {
		if axis >= len(subs) {
			n := count(v.dims[axis:])
			out := make([]int, 0, len(places)*n)
			for _, p := range places {
				for i := range n {
					out = append(out, p*n+i)
				}
			}
			return out, append(dims, v.dims[axis:]...)
		}
		s := subs[axis]
		out := make([]int, 0, len(places)*len(s.places))
		for _, p := range places {
			for _, i := range s.places {
				out = append(out, p*d+i)
			}
		}
		if s.keeps {
			dims = append(dims, len(s.places))
		}
		places = out
	}
	return places, dims
}

// subscripted returns the part of a value that subscripts select.
func (v value) subscripted(subs []sub) value {
	places, dims := v.chosen(subs)
	nums := make([]float64, len(places))
	for i, p := range places {
		nums[i] = v.nums[p]
	}
	typ := v.typ.Subscripted(len(subs), func(i int) bool { return subs[i].keeps })
	return arrayOf(typ, dims, nums)
}

// Arithmetic.

// mapped applies f to the elements of values with equal axes. Scalars are combined with every element.
func mapped(typ stan.Type, all []value, f func([]float64) float64) value {
	var widest value
	for i, v := range all {
		if i == 0 || len(v.dims) > len(widest.dims) {
			widest = v
		}
	}
	args := make([]float64, len(all))
	out := value{typ: typ, dims: widest.dims, nums: make([]float64, len(widest.nums))}
	for _, v := range all {
		if !v.isScalar() && len(v.nums) != len(widest.nums) {
			fail("the arguments have different lengths: %d and %d", len(v.nums), len(widest.nums))
		}
	}
	for i := range out.nums {
		for k, v := range all {
			args[k] = v.at(i)
		}
		out.nums[i] = f(args)
	}
	return out
}

func mapped1(v value, f func(float64) float64) value {
	return mapped(v.typ, []value{v}, func(a []float64) float64 { return f(a[0]) })
}

func mapped2(typ stan.Type, x, y value, f func(a, b float64) float64) value {
	if x.isScalar() && y.isScalar() {
		return value{typ: typ, nums: []float64{f(x.nums[0], y.nums[0])}}
	}
	return mapped(typ, []value{x, y}, func(a []float64) float64 { return f(a[0], a[1]) })
}

func transposed(v value) value {
	if len(v.dims) == 1 {
		v.typ = v.typ.Transposed()
		return v
	}
	r, c := v.dims[0], v.dims[1]
	out := make([]float64, len(v.nums))
	for i := range r {
		for j := range c {
			out[j*r+i] = v.nums[i*c+j]
		}
	}
	return arrayOf(v.typ, []int{c, r}, out)
}

// asMatrix returns a vector as a column, and a row_vector as a row.
func asMatrix(v value) value {
	switch {
	case v.isScalar():
		return matrix(1, 1, v.nums)
	case len(v.dims) == 2:
		return matrix(v.dims[0], v.dims[1], v.nums)
	case v.typ.Word == "row_vector" && v.typ.Depth == 0:
		return matrix(1, v.dims[0], v.nums)
	}
	return matrix(v.dims[0], 1, v.nums)
}

// product multiplies matrices, vectors and row_vectors.
func product(x, y value, typ stan.Type) value {
	a, b := asMatrix(x), asMatrix(y)
	if a.dims[1] != b.dims[0] {
		fail("a matrix with %d columns cannot be multiplied by one with %d rows", a.dims[1], b.dims[0])
	}
	r, n, c := a.dims[0], a.dims[1], b.dims[1]
	out := make([]float64, room(r, c))
	for i := range r {
		for j := range c {
			sum := 0.0
			for k := range n {
				sum += a.nums[i*n+k] * b.nums[k*c+j]
			}
			out[i*c+j] = sum
		}
	}
	return shaped(matrix(r, c, out), typ)
}

// shaped converts a matrix to a type with fewer axes.
func shaped(m value, typ stan.Type) value {
	switch typ.Axes() {
	case 0:
		return value{typ: typ, nums: m.nums[:1]}
	case 1:
		return arrayOf(typ, []int{len(m.nums)}, m.nums)
	}
	return m.as(typ)
}
