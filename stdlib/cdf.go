package stdlib

import (
	"math"

	ad "ppl/autodiff"
)

// sumLimit is the greatest number of probabilities that a cumulative function adds up for one value.
const sumLimit = 1 << 16

// summed gives a distribution of integers its cumulative functions, by adding up probabilities: over the whole support
// if that is finite; otherwise from its first value to a static x, with P(X > x) = 1 − P(X ≤ x), or by the row's tail
// where that is less than ½. The result is invalid if neither is possible.
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

// onCountsAbove is log P(X > x): by P(X ≤ x) = e^low, or by the tail where that is above ½.
func onCountsAbove(x, low Node, args []Node, tail density) Node {
	k, most := ad.Floor(x), num(low, -math.Ln2)
	zero := num(x, 0)
	inside := ad.Where(ad.Lt(k, zero), zero, ad.Lt(k, num(x, math.Inf(1))))
	beyond := ad.Where(ad.Lt(most, low), tail(ad.Where(inside, k, zero), args), zero)
	near := log1mexp(ad.Where(ad.Lt(most, low), most, low))
	return ad.Where(ad.Eq(x, num(x, math.Inf(1))), num(x, math.Inf(-1)), ad.Where(ad.Lt(most, low), beyond, near))
}

// finiteTable returns the size of a finite support, 0 if there is none or it is too large.
func finiteTable(d *Dist, args []Node) int {
	if d.Enumerate == nil {
		return 0
	}
	if _, n, ok := d.Enumerate(args); ok && n <= sumLimit {
		return n
	}
	return 0
}

// sumMasked returns the log of the sum of p(k) over the values k that the test takes. An infinite x takes all or none
// of them.
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

// platesOf returns the shape of the plates that a scalar x or the arguments have.
func platesOf(f *Form, x Node, args []Node) []int {
	most := x.Shape()
	for i, a := range args {
		if p := plates(a, f.Args[i].Rank); len(p) > len(most) {
			most = p
		}
	}
	return most
}

// table returns the first value and the number of values to add up.
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

// withAxis gives arguments that have plates one more plate of size n, after the others.
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
