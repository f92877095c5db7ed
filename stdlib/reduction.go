package stdlib

import (
	"math"

	ad "ppl/autodiff"
)

// Reductions returns the table of reductions by name. The caller must not modify it. Build removes the axes that it
// reduces; over no elements it returns Empty. In Range, n is the number of elements reduced. It is negative if the
// number is unknown; at least one element is assumed then.
func Reductions() map[string]*Reduction { return reductionTable }

var reductionTable = indexReductions([]Reduction{
	{Name: "sum", Doc: "sum of the elements", Empty: 0, Range: sumRange, Build: overAxes(ad.Sum)},
	{Name: "prod", Doc: "product of the elements", Empty: 1, Range: prodRange, Build: product},
	{Name: "max", Doc: "greatest element", Empty: -inf, Range: sameRange, Build: overAxes(ad.Max)},
	{Name: "min", Doc: "least element", Empty: inf, Range: sameRange, Build: overAxes(ad.Min)},
	{Name: "mean", Doc: "arithmetic mean", Empty: math.NaN(), Range: meanRange, Build: mean, Within: meanWithin},
	{Name: "var", Doc: "sample variance, with divisor n - 1", Empty: math.NaN(), Range: spreadRange, Build: variance,
		Within: varianceWithin},
	{Name: "sd", Doc: "sample standard deviation, with divisor n - 1", Empty: math.NaN(), Range: spreadRange,
		Build:  func(x Node, axes []int) Node { return rootOfVariance(variance(x, axes)) },
		Within: func(x, inside Node, axes []int) Node { return rootOfVariance(varianceWithin(x, inside, axes)) }},
	{Name: "median", Doc: "the middle element, or the mean of the two in the middle", Empty: math.NaN(),
		Range: meanRange, Build: median},
	{Name: "all", Doc: "whether every element is true", Empty: 1, Range: truthOf, Build: func(x Node, axes []int) Node {
		return ad.Min(truthNode(x), axes...)
	}},
	{Name: "any", Doc: "whether some element is true", Empty: 0, Range: truthOf, Build: func(x Node, axes []int) Node {
		return ad.Max(truthNode(x), axes...)
	}},
	{Name: "logsumexp", Doc: "log of the sum of exponentials", Empty: -inf, Range: logSumExpRange,
		Build: overAxes(ad.LogSumExp)},
})

// A Scan maps the elements along one axis to equally many elements, for example cumsum and softmax.
type Scan struct {
	Name  string
	Doc   string
	Range func(x Range, n int) Range // n is as in Reduction
	Build func(x Node, axis int) Node
}

// Scans returns the table of scans by name. The caller must not modify it.
func Scans() map[string]*Scan { return scanTable }

var scanTable = indexScans([]Scan{
	{Name: "cumsum", Doc: "cumulative sum: element i is the sum of the first i", Range: cumSumRange,
		Build: func(x Node, axis int) Node { return ad.CumSum(x, axis, false) }},
	{Name: "softmax", Doc: "exp(x) over its sum: a simplex", Range: func(Range, int) Range {
		return Range{Lo: 0, Hi: 1}
	},
		Build: func(x Node, axis int) Node { return ad.Exp(logSoftmax(x, axis)) }},
	{Name: "log_softmax", Doc: "x minus its logsumexp: the log of a simplex", Range: func(Range, int) Range {
		return Range{Lo: -inf, Hi: 0}
	},
		Build: logSoftmax},
	{Name: "sort", Doc: "x in increasing order", Range: sameRange, Build: sorted},
	{Name: "rank", Doc: "the position of each element in increasing order, from 1; equal elements keep their order",
		Range: func(_ Range, n int) Range { return Range{Lo: 1, Hi: sizeOr(n, inf), Int: true} }, Build: placesOf},
})

func indexReductions(rows []Reduction) map[string]*Reduction {
	table := make(map[string]*Reduction, len(rows))
	for _, r := range rows {
		r.Build = orEmpty(r.Build, r.Empty)
		table[r.Name] = &r
	}
	return table
}

func indexScans(rows []Scan) map[string]*Scan {
	table := make(map[string]*Scan, len(rows))
	for _, s := range rows {
		table[s.Name] = &s
	}
	return table
}

type reduce = func(x Node, axes []int) Node

func overAxes(f func(Node, ...int) Node) reduce {
	return func(x Node, axes []int) Node { return f(x, axes...) }
}

func orEmpty(build reduce, empty float64) reduce {
	return func(x Node, axes []int) Node {
		if reduced(x, axes) == 0 {
			return x.Graph().Full(empty, kept(x.Shape(), axes)...)
		}
		return build(x, axes)
	}
}

// reduced returns the number of elements that are reduced to one.
func reduced(x Node, axes []int) int {
	n := 1
	for _, a := range axes {
		n *= x.Shape()[a]
	}
	return n
}

// keptAxes returns the axes of a shape that are not reduced, in order.
func keptAxes(shape, axes []int) []int {
	gone := make([]bool, len(shape))
	for _, a := range axes {
		gone[a] = true
	}
	var left []int
	for k := range shape {
		if !gone[k] {
			left = append(left, k)
		}
	}
	return left
}

// kept returns the sizes of the axes that are not reduced.
func kept(shape, axes []int) []int {
	sizes := []int{}
	for _, k := range keptAxes(shape, axes) {
		sizes = append(sizes, shape[k])
	}
	return sizes
}

// back repeats a reduced value along the reduced axes of x.
func back(r, x Node, axes []int) Node {
	if r.Rank() == 0 {
		return r
	}
	return ad.Broadcast(r, x.Shape(), keptAxes(x.Shape(), axes))
}

func mean(x Node, axes []int) Node {
	return times(1/float64(reduced(x, axes)), ad.Sum(x, axes...))
}

// variance returns the sample variance. It subtracts the mean first, so that nothing cancels.
func variance(x Node, axes []int) Node {
	d := ad.Sub(x, back(mean(x, axes), x, axes))
	return times(1/float64(reduced(x, axes)-1), ad.Sum(square(d), axes...))
}

// meanWithin returns the mean of the elements at which inside is 1. It is NaN with gradient 0 if there are none.
func meanWithin(x, inside Node, axes []int) Node {
	n := ad.Sum(inside, axes...)
	some := ad.Lt(num(n, 0), n)
	mean := ad.Div(ad.Sum(ad.Where(inside, x, num(x, 0)), axes...), ad.Maximum(n, num(n, 1)))
	return ad.Where(some, mean, num(n, math.NaN()))
}

// varianceWithin returns the sample variance of the elements at which inside is 1, or NaN for fewer than two.
func varianceWithin(x, inside Node, axes []int) Node {
	n := ad.Sum(inside, axes...)
	d := ad.Where(inside, ad.Sub(x, back(meanWithin(x, inside, axes), x, axes)), num(x, 0))
	v := ad.Div(ad.Sum(square(d), axes...), ad.Maximum(ad.Sub(n, num(n, 1)), num(n, 1)))
	return ad.Where(ad.Lt(num(n, 1), n), v, num(n, math.NaN()))
}

// rootOfVariance returns the root of a variance. Its gradient is 0 at variance 0, where the root has no derivative.
func rootOfVariance(v Node) Node {
	none := ad.Eq(v, num(v, 0))
	return ad.Where(none, num(v, 0), ad.Sqrt(ad.Where(none, num(v, 1), v)))
}

func truthNode(x Node) Node { return ad.Not(ad.Eq(x, num(x, 0))) }

// product returns the product over axes. It multiplies one half of the elements by the other until one element is left.
// Signs and zeros are exact, and the gradient does not divide.
func product(x Node, axes []int) Node {
	left, shape := keptAxes(x.Shape(), axes), kept(x.Shape(), axes)
	n := reduced(x, axes)
	x = ad.Reshape(ad.Permute(x, join(left, axes...)...), join(shape, n)...)
	for n > 1 {
		half := n / 2
		y := ad.Mul(sliceLast(x, 0, half), sliceLast(x, half, 2*half))
		if n%2 == 1 {
			y = ad.Concat(y.Rank()-1, y, sliceLast(x, n-1, n))
		}
		x, n = y, half+n%2
	}
	return ad.Reshape(x, shape...)
}

func logSoftmax(x Node, axis int) Node {
	return ad.Sub(x, back(ad.LogSumExp(x, axis), x, []int{axis}))
}

// sizeOr returns n as a float64, or unknown if n is negative.
func sizeOr(n int, unknown float64) float64 {
	if n < 0 {
		return unknown
	}
	return float64(n)
}

func sameRange(x Range, _ int) Range { return x }
func meanRange(x Range, _ int) Range { x.Int = false; return x }
func truthOf(Range, int) Range       { return truth }

// sumRange returns n times the range. If n is unknown, at least one element is assumed.
func sumRange(x Range, n int) Range {
	if n >= 0 {
		return mulRange(x, Point(float64(n)))
	}
	return manyTimes(x)
}

// manyTimes returns the range of a sum of one or more numbers from x.
func manyTimes(x Range) Range {
	if x.Lo < 0 {
		x.Lo = -inf
	}
	if x.Hi > 0 {
		x.Hi = inf
	}
	return x
}

// cumSumRange returns a range that contains the sums of 1 to n elements.
func cumSumRange(x Range, n int) Range {
	if n < 1 {
		return manyTimes(x)
	}
	return Union(x, sumRange(x, n))
}

// prodRange returns the range of a product, derived only from signs and from whether the elements are in 0..1.
func prodRange(x Range, n int) Range {
	switch {
	case n == 0:
		return Point(1)
	case x.Within(0, 1):
		return keepSign(Range{0, 1, x.Int}, x, x)
	case x.Lo >= 0:
		return keepSign(Range{0, inf, x.Int}, x, x)
	}
	return Range{-inf, inf, x.Int}
}

func spreadRange(Range, int) Range { return Range{Lo: 0, Hi: inf} }

// logSumExpRange returns the range shifted by log n.
func logSumExpRange(x Range, n int) Range {
	if n < 0 {
		return Range{Lo: x.Lo, Hi: inf}
	}
	return addRange(Range{Lo: x.Lo, Hi: x.Hi}, Point(math.Log(float64(n))))
}
