package stdlib

import (
	"math"

	ad "ppl/autodiff"
)

// tiny is the least positive number. As the lower end of an interval it means that the interval is open at zero.
const tiny = math.SmallestNonzeroFloat64

// num returns the constant v in the graph of x.
func num(x Node, v float64) Node { return x.Graph().Const(v) }

func plus(x Node, c float64) Node  { return ad.Add(x, num(x, c)) }
func times(c float64, x Node) Node { return ad.Mul(num(x, c), x) }
func square(x Node) Node           { return ad.Mul(x, x) }

// total adds nodes from left to right. Nodes without plates should come first: their sum is then computed outside the
// loop over the plates.
func total(x Node, rest ...Node) Node {
	for _, y := range rest {
		x = ad.Add(x, y)
	}
	return x
}

// xlogy returns x·log y for a count x. If x is 0, the value is 0 and the gradient in y is 0.
func xlogy(x, y Node) Node {
	return ad.Mul(x, ad.Log(ad.Where(ad.Eq(x, num(x, 0)), num(x, 1), y)))
}

// xlog1my returns x·log(1 − y) for a count x. If x is 0, the value is 0 and the gradient in y is 0.
func xlog1my(x, y Node) Node {
	return ad.Mul(x, ad.Log1p(ad.Neg(ad.Where(ad.Eq(x, num(x, 0)), num(x, 0), y))))
}

// log1mexp returns log(1 − eᵈ) for d ≤ 0 (Mächler 2012, "Accurately computing log(1 − exp(−|a|))").
func log1mexp(d Node) Node {
	return ad.Where(ad.Lt(num(d, -math.Ln2), d), ad.Log(ad.Neg(ad.Expm1(d))), ad.Log1p(ad.Neg(ad.Exp(d))))
}

// log1mExpNegExp returns log(1 − exp(−eᵗ)). For t < −40 it returns t, which is exact up to rounding, also if eᵗ
// underflows.
func log1mExpNegExp(t Node) Node {
	small := ad.Lt(t, num(t, -40))
	return ad.Where(small, t, log1mexp(ad.Neg(ad.Exp(ad.Where(small, num(t, 0), t)))))
}

// logSubExp returns log(eˣ − eʸ) for x ≥ y.
func logSubExp(x, y Node) Node { return ad.Add(x, log1mexp(ad.Sub(y, x))) }

// logRising returns log Γ(φ+x) − log Γ(φ) for x ≥ 0. For small φ it subtracts the two values. For large φ they would
// cancel, and it uses Stirling's series (Abramowitz & Stegun 6.1.41; the first omitted term is 1/(1680 φ⁷)).
func logRising(x, phi Node) Node {
	direct := ad.Sub(ad.Lgamma(ad.Add(phi, x)), ad.Lgamma(phi))
	end := ad.Add(phi, x)
	series := total(
		ad.Mul(x, ad.Log(phi)),
		ad.Sub(ad.Mul(plus(end, -0.5), ad.Log1p(ad.Div(x, phi))), x),
		ad.Sub(stirling(end), stirling(phi)))
	return ad.Where(ad.Lt(phi, num(phi, 50)), direct, series)
}

// stirling returns the first terms of the remainder of Stirling's series: 1/(12z) − 1/(360z³) + 1/(1260z⁵).
func stirling(z Node) Node {
	r := ad.Div(num(z, 1), z)
	r2 := square(r)
	return ad.Mul(r, plus(ad.Mul(r2, plus(times(1./1260, r2), -1./360)), 1./12))
}

// logBeta returns log B(a, b). It selects the smaller argument with Where, so that the gradient is correct at a = b.
func logBeta(a, b Node) Node {
	less := ad.Lt(a, b)
	lo, hi := ad.Where(less, a, b), ad.Where(less, b, a)
	return ad.Sub(ad.Lgamma(lo), logRising(lo, hi))
}

// logChoose returns log C(n, x) for 0 ≤ x ≤ n.
func logChoose(n, x Node) Node {
	return ad.Neg(ad.Add(ad.Log1p(n), logBeta(plus(x, 1), plus(ad.Sub(n, x), 1))))
}

// lastAxes returns the numbers of the last r axes of x.
func lastAxes(x Node, r int) []int {
	axes := make([]int, r)
	for i := range axes {
		axes[i] = x.Rank() - r + i
	}
	return axes
}

// sumLast sums over the last r axes.
func sumLast(x Node, r int) Node {
	if r == 0 {
		return x
	}
	return ad.Sum(x, lastAxes(x, r)...)
}

// plates returns the shape of x without its last event axes. The caller must not modify the slice.
func plates(x Node, event int) []int { return x.Shape()[:x.Rank()-event] }

// join returns a new slice that holds a followed by b.
func join(a []int, b ...int) []int { return append(append(make([]int, 0, len(a)+len(b)), a...), b...) }

// lift returns argument a with the shape plates + event. Plates that a lacks are added; a scalar is repeated over the
// event axes as well. rank is the rank that the argument has without plates.
func lift(a Node, rank int, plates, event []int) Node {
	shape := join(plates, event...)
	switch {
	case a.Rank() == len(shape):
		return a
	case a.Rank() == rank:
		return trailing(a, shape)
	case a.Rank() == 0:
		return ad.Broadcast(a, shape, nil)
	}
	return spread(a, shape)
}

// spread repeats a, whose axes are the leading ones of shape, along the trailing ones.
func spread(a Node, shape []int) Node {
	if a.Rank() == 0 || a.Rank() == len(shape) {
		return a
	}
	return ad.Broadcast(a, shape, iota(0, a.Rank()))
}

// trailing repeats a, whose axes are the trailing ones of shape, along the leading ones.
func trailing(a Node, shape []int) Node {
	return ad.Broadcast(a, shape, iota(len(shape)-a.Rank(), a.Rank()))
}

// iota returns the n numbers from, from+1, ….
func iota(from, n int) []int {
	xs := make([]int, n)
	for i := range xs {
		xs[i] = from + i
	}
	return xs
}

// sliceLast returns x[…, lo:hi].
func sliceLast(x Node, lo, hi int) Node {
	from, to := make([]int, x.Rank()), join(x.Shape())
	from[x.Rank()-1], to[x.Rank()-1] = lo, hi
	return ad.Slice(x, from, to)
}

// padLast puts zeros before and after the last axis.
func padLast(x Node, before, after int) Node {
	lo, hi := make([]int, x.Rank()), make([]int, x.Rank())
	lo[x.Rank()-1], hi[x.Rank()-1] = before, after
	return ad.Pad(x, lo, hi)
}

// perLast multiplies the last axis of x by constants.
func perLast(x Node, c []float64) Node {
	return ad.Mul(x, constLast(x, c))
}

// constLast returns the constants c repeated along the leading axes of x.
func constLast(x Node, c []float64) Node {
	return trailing(x.Graph().Data("c", c, len(c)), x.Shape())
}
