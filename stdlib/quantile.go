package stdlib

import (
	"math"

	ad "ppl/autodiff"
)

// Quantiles are computed from the cumulative functions by bisection, which is one scan of the graph. Its comparisons
// have no gradient, so neither has the point found. One Newton step then refines the point and, by the implicit
// function theorem, gives it the first derivatives in p and in every argument.

// quantileOf returns Form.Quantile of a distribution that has cumulative functions.
func quantileOf(d *Dist, f *Form) func(p Node, args []Node) Node {
	return func(p Node, args []Node) Node {
		args, penalty := inDomain(f.Args, args)
		inside := ad.Mul(ad.Lt(num(p, 0), p), ad.Lt(p, num(p, 1)))
		safe := ad.Where(inside, p, num(p, 0.5))
		var x Node
		switch {
		case !d.Discrete():
			x = continuousQuantile(d, f, safe, args)
		case f.summed:
			x = tableQuantile(d, f, safe, args)
		default:
			x = countQuantile(d, f, safe, args)
		}
		if !x.Valid() {
			return x
		}
		x = ad.Where(spread(inside, x.Shape()), x, spread(atEnds(d, f, p, args), x.Shape()))
		if penalty.Valid() {
			x = ad.Where(spread(ad.Lt(penalty, num(p, 0)), x.Shape()), num(x, math.NaN()), x)
		}
		return x
	}
}

// atEnds returns an end of the support for p = 0 and p = 1, and NaN for every other p.
func atEnds(d *Dist, f *Form, p Node, args []Node) Node {
	lo, hi := ends(d, f, p, args)
	if !lo.Valid() {
		lo = num(p, -inf)
	}
	if !hi.Valid() {
		hi = num(p, inf)
	}
	return ad.Where(ad.Eq(p, num(p, 0)), lo, ad.Where(ad.Eq(p, num(p, 1)), hi, num(p, math.NaN())))
}

// short returns as gap log F(x) − log p for p < ½, else log(1 − p) − log(1 − F(x)). It is negative below the quantile
// and keeps its digits in both tails. tail is the log of F(x) or 1 − F(x), whichever gap uses.
func short(f *Form, x, p Node, args []Node) (gap, tail Node) {
	lower, upper := f.LogCDF(x, args), f.LogCCDF(x, args)
	low := ad.Lt(p, num(p, 0.5))
	return ad.Where(low, ad.Sub(lower, ad.Log(p)), ad.Sub(log1m(p), upper)), ad.Where(low, lower, upper)
}

// bisect returns the greatest sum of from and some of the widths at which below holds, found by adding each width in
// turn if below still holds after it. The result is from if below holds for no sum.
func bisect(shape []int, p Node, args []Node, from float64, widths []float64,
	below func(u, p Node, args []Node) Node) Node {
	g := p.Graph()
	steps := g.Data("widths", widths, len(widths))
	rows := ad.Scan(g.Full(from, shape...), []Node{steps}, append([]Node{p}, args...), false,
		func(u Node, width, shared []Node) Node {
			next := ad.Add(u, lift(width[0], 0, u.Shape(), nil))
			return ad.Where(below(next, shared[0], shared[1:]), next, u)
		})
	return lastRow(rows)
}

// halves returns n numbers: w, and then half the previous number each time.
func halves(w float64, n int) []float64 {
	ws := make([]float64, n)
	for i := range ws {
		ws[i] = math.Ldexp(w, -i)
	}
	return ws
}

// quantileLimit bounds the search on the transformed line. Quantiles are within ±sinh(quantileLimit) ≈ 1e147, whose
// squares are finite.
const quantileLimit = 340

// onSupport maps u on the real line to the support: by sinh to the real line, exp to a half-line, the sigmoid to an
// interval.
func onSupport(u, lo, hi Node) Node {
	switch {
	case lo.Valid() && hi.Valid():
		return ad.Add(lo, ad.Mul(ad.Sub(hi, lo), ad.Sigmoid(u)))
	case lo.Valid():
		return ad.Add(lo, ad.Exp(u))
	case hi.Valid():
		return ad.Sub(hi, ad.Exp(ad.Neg(u)))
	}
	return ad.Sinh(u)
}

func continuousQuantile(d *Dist, f *Form, p Node, args []Node) Node {
	shape := platesOf(f, p, args)
	inSupport := func(u Node, args []Node) Node {
		lo, hi := ends(d, f, u, args)
		return onSupport(u, lo, hi)
	}
	u := bisect(shape, p, args, -quantileLimit, halves(quantileLimit, 60), func(u, p Node, args []Node) Node {
		gap, _ := short(f, inSupport(u, args), p, args)
		return ad.Lt(gap, num(u, 0))
	})
	x := inSupport(u, args)
	gap, tail := short(f, x, p, args)
	step := ad.Mul(gap, ad.Exp(ad.Sub(tail, f.LogProb(x, args))))
	return ad.Where(ad.IsFinite(step), ad.Sub(x, step), x)
}

// fuzz is the relative amount by which a cumulative probability may be below p and still count as p, because both are
// rounded.
const fuzz = 1e-12

// countQuantile returns the quantile of a distribution of counts, by a search among lo, lo + 1, …, lo + 2⁵³.
func countQuantile(d *Dist, f *Form, p Node, args []Node) Node {
	shape := platesOf(f, p, args)
	inSupport := func(k Node, args []Node) Node {
		lo, _ := ends(d, f, k, args)
		return ad.Add(lo, k)
	}
	last := bisect(shape, p, args, -1, halves(math.Ldexp(1, 52), 53), func(k, p Node, args []Node) Node {
		gap, _ := short(f, inSupport(k, args), p, args)
		ofP := ad.Div(num(p, 0x1p-51), ad.Sub(num(p, 1), p))
		return ad.Lt(ad.Add(gap, plus(ofP, fuzz)), num(k, 0))
	})
	return inSupport(plus(last, 1), args)
}

// tableQuantile returns the quantile for a finite support, from the number of values whose cumulative probabilities are
// below p. For other supports the result is invalid.
func tableQuantile(d *Dist, f *Form, p Node, args []Node) Node {
	n := finiteTable(d, args)
	if n == 0 {
		return Node{}
	}
	first, _, _ := d.Enumerate(args)
	plates := platesOf(f, p, args)
	shape := join(plates, n)
	k := ad.Broadcast(plus(p.Graph().Iota(n), float64(first)), shape, []int{len(plates)})
	sums := ad.CumSum(ad.Exp(f.LogProb(k, withAxis(f, args, len(plates), n))), len(plates), false)
	below := ad.Lt(sums, spread(times(1-fuzz, p), shape))
	return plus(ad.Minimum(ad.Sum(below, len(plates)), num(p, float64(n-1))), float64(first))
}
