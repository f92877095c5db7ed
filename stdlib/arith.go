package stdlib

import (
	"math"

	ad "ppl/autodiff"
)

// tiny marks an end that is open at zero: the least positive number.
const tiny = math.SmallestNonzeroFloat64

// num returns the constant v in the graph of x.
func num(x Node, v float64) Node { return x.Graph().Const(v) }

func plus(x Node, c float64) Node  { return ad.Add(x, num(x, c)) }
func times(c float64, x Node) Node { return ad.Mul(num(x, c), x) }
func square(x Node) Node           { return ad.Mul(x, x) }

// total adds from left to right; putting what has no plates first keeps it out of the loop over them.
func total(x Node, rest ...Node) Node {
	for _, y := range rest {
		x = ad.Add(x, y)
	}
	return x
}

// xlogy is x·log y for a count x: 0 where x is 0, with gradient 0 in y there.
func xlogy(x, y Node) Node {
	return ad.Mul(x, ad.Log(ad.Where(ad.Eq(x, num(x, 0)), num(x, 1), y)))
}

// xlog1my is x·log(1 − y) for a count x, likewise.
func xlog1my(x, y Node) Node {
	return ad.Mul(x, ad.Log1p(ad.Neg(ad.Where(ad.Eq(x, num(x, 0)), num(x, 0), y))))
}

// log1mexp is log(1 − eᵈ) for d ≤ 0 (Mächler 2012, "Accurately computing log(1 − exp(−|a|))").
func log1mexp(d Node) Node {
	return ad.Where(ad.Lt(num(d, -math.Ln2), d), ad.Log(ad.Neg(ad.Expm1(d))), ad.Log1p(ad.Neg(ad.Exp(d))))
}

// log1mExpNegExp is log(1 − exp(−eᵗ)), t − eᵗ/2 where eᵗ is so small that it may be no number.
func log1mExpNegExp(t Node) Node {
	small := ad.Lt(t, num(t, -40))
	return ad.Where(small, t, log1mexp(ad.Neg(ad.Exp(ad.Where(small, num(t, 0), t)))))
}

// logSubExp is log(eˣ − eʸ) for x ≥ y.
func logSubExp(x, y Node) Node { return ad.Add(x, log1mexp(ad.Sub(y, x))) }

// logRising is log Γ(φ+x) − log Γ(φ) for x ≥ 0: the difference itself for small φ, of Stirling's series for large,
// where the difference would cancel (Abramowitz & Stegun 6.1.41; the first term left out is 1/(1680 φ⁷)).
func logRising(x, phi Node) Node {
	direct := ad.Sub(ad.Lgamma(ad.Add(phi, x)), ad.Lgamma(phi))
	end := ad.Add(phi, x)
	series := total(
		ad.Mul(x, ad.Log(phi)),
		ad.Sub(ad.Mul(plus(end, -0.5), ad.Log1p(ad.Div(x, phi))), x),
		ad.Sub(stirling(end), stirling(phi)))
	return ad.Where(ad.Lt(phi, num(phi, 50)), direct, series)
}

// stirling is 1/(12z) − 1/(360z³) + 1/(1260z⁵).
func stirling(z Node) Node {
	r := ad.Div(num(z, 1), z)
	r2 := square(r)
	return ad.Mul(r, plus(ad.Mul(r2, plus(times(1./1260, r2), -1./360)), 1./12))
}

// logBeta is log B(a, b). The smaller argument is chosen by Where, so that the gradient is right where a = b.
func logBeta(a, b Node) Node {
	less := ad.Lt(a, b)
	lo, hi := ad.Where(less, a, b), ad.Where(less, b, a)
	return ad.Sub(ad.Lgamma(lo), logRising(lo, hi))
}

// logChoose is log C(n, x) for 0 ≤ x ≤ n.
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

// plates returns the shape of x without its event axes; do not modify.
func plates(x Node, event int) []int { return x.Shape()[:x.Rank()-event] }

// join returns a followed by b, in memory of its own.
func join(a []int, b ...int) []int { return append(append(make([]int, 0, len(a)+len(b)), a...), b...) }

// lift gives an argument of the stated rank the plates it lacks, or the rank if it is scalar.
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

// iota is from, from+1, …: n numbers.
func iota(from, n int) []int {
	xs := make([]int, n)
	for i := range xs {
		xs[i] = from + i
	}
	return xs
}

// sliceLast is x[…, lo:hi].
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

// constLast is c repeated along the leading axes of x.
func constLast(x Node, c []float64) Node {
	return trailing(x.Graph().Data("c", c, len(c)), x.Shape())
}
