package stdlib

import (
	"math"

	ad "ppl/autodiff"
)

// sumLimit is the maximal number of probabilities that a cumulative function adds up for one value.
const sumLimit = 1 << 16

// summed returns cumulative functions that add up probabilities, for a distribution of integers. If the support is
// finite, they sum over all of it. Otherwise the lower one sums from the first value to a static x, and the upper one
// is P(X > x) = 1 − P(X ≤ x), or the form's tail formula if P(X > x) < ½. They return an invalid Node if neither is
// possible.
func summed(d *Dist, f *Form) (cdf, ccdf density) {
	cdf = func(x Node, args []Node) Node { return sumMasked(d, f, x, args, ad.Le) }
	ccdf = func(x Node, args []Node) Node {
		if finiteTable(d, args) > 0 {
			return sumMasked(d, f, x, args, func(k, x Node) Node { return ad.Lt(x, k) })
		}
		low := cdf(x, args)
		switch {
		case !low.Valid():
			return Node{}
		case f.tail == nil:
			return log1mexp(low)
		}
		return onCountsAbove(x, low, args, f.tail)
	}
	return cdf, ccdf
}

// onCountsAbove returns log P(X > x), from low = log P(X ≤ x) if P(X ≤ x) ≤ ½, else from the tail formula.
func onCountsAbove(x, low Node, args []Node, tail density) Node {
	k, most := ad.Floor(x), num(low, -math.Ln2)
	zero := num(x, 0)
	inside := ad.Where(ad.Lt(k, zero), zero, ad.Lt(k, num(x, math.Inf(1))))
	beyond := ad.Where(ad.Lt(most, low), tail(ad.Where(inside, k, zero), args), zero)
	near := log1mexp(ad.Where(ad.Lt(most, low), most, low))
	return ad.Where(ad.Eq(x, num(x, math.Inf(1))), num(x, math.Inf(-1)), ad.Where(ad.Lt(most, low), beyond, near))
}

// finiteTable returns the number of values of a finite support, or 0 if the support is infinite or too large.
func finiteTable(d *Dist, args []Node) int {
	if d.Enumerate == nil {
		return 0
	}
	if _, n, ok := d.Enumerate(args); ok && n <= sumLimit {
		return n
	}
	return 0
}

// sumMasked returns the log of the sum of p(k) over the values k for which take(k, x) holds. For infinite x this is all
// values or none.
func sumMasked(d *Dist, f *Form, x Node, args []Node, take func(k, x Node) Node) Node {
	first, n := table(d, x, args)
	if n == 0 {
		return Node{}
	}
	plates := platesOf(f, x, args)
	shape := join(plates, n)
	values := make([]float64, n)
	for i := range values {
		values[i] = float64(first + i)
	}
	k := trailing(x.Graph().Data("k", values, n), shape)
	rows := spread(x, shape)
	logP := ad.Where(take(k, rows), f.LogProb(k, withAxis(f, args, len(plates), n)), num(x, -inf))
	all := ad.Where(take(num(x, 0), x), num(x, 0), num(x, -inf))
	return ad.Where(ad.Lt(ad.Abs(x), num(x, inf)), ad.Minimum(ad.LogSumExp(logP, len(plates)), num(x, 0)), all)
}

// platesOf returns the shape of the plates of a scalar distribution at x: the longest among those of x and of the
// arguments.
func platesOf(f *Form, x Node, args []Node) []int {
	most := x.Shape()
	for i, a := range args {
		if p := plates(a, f.Args[i].Rank); len(p) > len(most) {
			most = p
		}
	}
	return most
}

// table returns the first value and the number of values whose probabilities are added up. The number is 0 if it is not
// known before the run.
func table(d *Dist, x Node, args []Node) (first, n int) {
	if n := finiteTable(d, args); n > 0 {
		first, _, _ = d.Enumerate(args)
		return first, n
	}
	if !x.Static() || math.IsInf(d.Lo, 0) {
		return 0, 0
	}
	most := d.Lo
	for _, v := range ad.Eval(nil, x)[0] {
		if !math.IsInf(v, 0) {
			most = math.Max(most, v)
		}
	}
	if most-d.Lo >= sumLimit {
		return 0, 0
	}
	return int(d.Lo), int(most-d.Lo) + 1
}

// withAxis returns the arguments; those that have plates get one more plate of size n, after the others.
func withAxis(f *Form, args []Node, plates, n int) []Node {
	out := make([]Node, len(args))
	for i, a := range args {
		out[i] = a
		if rank := f.Args[i].Rank; plates > 0 && a.Rank() == plates+rank {
			s := a.Shape()
			axes := append(iota(0, plates), iota(plates+1, rank)...)
			out[i] = ad.Broadcast(a, join(join(s[:plates], n), s[plates:]...), axes)
		}
	}
	return out
}
