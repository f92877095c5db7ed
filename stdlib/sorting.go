package stdlib

import (
	"math"
	"slices"

	ad "ppl/autodiff"
)

// This file has order statistics. Static values are sorted once. For others, sorting is arithmetic: the rank of an
// element is the number of elements before it, and the element of each rank is a sum in which only one term is not 0.
// Gradients therefore reach the elements. This takes n² comparisons.

// ranks returns the 0-based rank of each element along the last axis, in increasing order. Equal elements keep their
// order.
func ranks(x Node) Node {
	n := x.Shape()[x.Rank()-1]
	pairs := join(x.Shape(), n)
	place := x.Graph().Iota(n)
	here := ad.Broadcast(x, pairs, firstAxes(x.Rank()))
	other := ad.Broadcast(x, pairs, join(firstAxes(x.Rank()-1), x.Rank()))
	earlier := ad.Lt(ad.Broadcast(place, pairs, []int{x.Rank()}), ad.Broadcast(place, pairs, []int{x.Rank() - 1}))
	before := ad.Where(ad.Lt(other, here), num(x, 1), ad.Mul(ad.Eq(other, here), earlier))
	return ad.Sum(before, x.Rank())
}

func firstAxes(n int) []int {
	axes := make([]int, n)
	for i := range axes {
		axes[i] = i
	}
	return axes
}

// sorted returns x sorted in increasing order along an axis. All elements are NaN if one of them is NaN.
func sorted(x Node, axis int) Node {
	order := toLast(x.Rank(), axis)
	y := ad.Permute(x, order...)
	n := y.Shape()[y.Rank()-1]
	switch {
	case n < 2:
		return x
	case y.Static():
		y = sortedData(y, n)
	default:
		y = sortedValues(y, n)
	}
	return ad.Permute(y, inverseOrder(order)...)
}

// sortedData sorts static values along the last axis, which has n elements.
func sortedData(y Node, n int) Node {
	values := slices.Clone(ad.Eval(nil, y)[0])
	for row := range slices.Chunk(values, n) {
		slices.Sort(row)
		if math.IsNaN(row[0]) { // NaNs are sorted to the front
			for i := range row {
				row[i] = math.NaN()
			}
		}
	}
	return y.Graph().Data("sorted", values, y.Shape()...)
}

func sortedValues(y Node, n int) Node {
	axis := y.Rank() - 1
	pairs := join(y.Shape(), n)
	has := ad.Eq(ad.Broadcast(ranks(y), pairs, firstAxes(y.Rank())),
		ad.Broadcast(y.Graph().Iota(n), pairs, []int{y.Rank()}))
	out := ad.Sum(ad.Where(has, ad.Broadcast(y, pairs, firstAxes(y.Rank())), num(y, 0)), axis)
	known := ad.Min(ad.Eq(y, y), axis) // 0 if an element is NaN
	return ad.Where(ad.Broadcast(known, y.Shape(), firstAxes(axis)), out, num(out, math.NaN()))
}

// placesOf returns the rank of each element along an axis, from 1.
func placesOf(x Node, axis int) Node {
	order := toLast(x.Rank(), axis)
	y := ad.Permute(x, order...)
	n := y.Shape()[y.Rank()-1]
	if !y.Static() {
		return ad.Permute(ad.Add(ranks(y), num(y, 1)), inverseOrder(order)...)
	}
	values, places := ad.Eval(nil, y)[0], []float64{}
	for row := range slices.Chunk(values, max(n, 1)) {
		at := make([]int, len(row))
		for i := range at {
			at[i] = i
		}
		slices.SortStableFunc(at, func(i, j int) int { return compareNumbers(row[i], row[j]) })
		place := make([]float64, len(row))
		for k, i := range at {
			place[i] = float64(k + 1)
		}
		places = append(places, place...)
	}
	return ad.Permute(y.Graph().Data("places", places, y.Shape()...), inverseOrder(order)...)
}

func compareNumbers(a, b float64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// median returns the middle element over some axes, or the mean of the two middle elements.
func median(x Node, axes []int) Node {
	left, shape := keptAxes(x.Shape(), axes), kept(x.Shape(), axes)
	n := reduced(x, axes)
	y := sorted(ad.Reshape(ad.Permute(x, join(left, axes...)...), join(shape, n)...), len(shape))
	middle := func(k int) Node { return ad.Reshape(sliceLast(y, k, k+1), shape...) }
	if n%2 == 1 {
		return middle(n / 2)
	}
	return ad.Add(times(0.5, middle(n/2-1)), times(0.5, middle(n/2)))
}

// toLast returns the order of axes that moves one of them to the end.
func toLast(rank, axis int) []int {
	return append(slices.Delete(firstAxes(rank), axis, axis+1), axis)
}

// inverseOrder returns the inverse permutation of axes.
func inverseOrder(order []int) []int {
	back := make([]int, len(order))
	for i, k := range order {
		back[k] = i
	}
	return back
}
