package stdlib

import (
	"math"
	"math/rand/v2"
	"slices"

	ad "ppl/autodiff"
	"ppl/lang/types"
)

type density = func(x Node, args []Node) Node

// guard changes a form so that the density is 0, with gradient 0, for parameters outside their domains and for values
// outside the support of a scalar distribution. Draws with such parameters are NaN. For a value outside an interval,
// cumulative functions are evaluated at the nearest point of the interval. guard also sets Quantile if there are
// cumulative functions.
func guard(d *Dist, f *Form) {
	raw, row, form := f.LogProb, *d, *f
	f.LogProb = func(x Node, args []Node) Node {
		safe, penalty := inDomain(form.Args, args)
		return inSupport(&row, &form, x, safe, withPenalty(raw(x, safe), penalty))
	}
	if form.Marginal != nil {
		f.Marginal = func(x, seen Node, args []Node) Node {
			safe, penalty := inDomain(form.Args, args)
			return withPenalty(form.Marginal(x, seen, safe), penalty)
		}
	}
	if form.Sample != nil {
		f.Sample = func(r *rand.Rand, args [][]float64, out []float64) {
			if defined(form.Args, args) {
				form.Sample(r, args, out)
				return
			}
			for i := range out {
				out[i] = math.NaN()
			}
		}
	}
	if form.Given != nil {
		f.Given = func(r *rand.Rand, args [][]float64, known []bool, out []float64) {
			if defined(form.Args, args) {
				form.Given(r, args, known, out)
				return
			}
			for i := range out {
				if !known[i] {
					out[i] = math.NaN()
				}
			}
		}
	}
	if f.both != nil {
		both := shortAtZero(f.both, f.zero)
		f.LogCDF = func(x Node, args []Node) Node { lower, _ := both(x, args); return lower }
		f.LogCCDF = func(x Node, args []Node) Node { _, upper := both(x, args); return upper }
	}
	if d.Event == 0 && d.Discrete() && f.LogCDF == nil {
		form.LogProb = f.LogProb // including its guards
		f.LogCDF, f.LogCCDF = summed(&row, &form)
		f.summed = true
	}
	if f.LogCDF != nil {
		f.LogCDF = clamped(&row, &form, f.LogCDF)
		f.LogCCDF = clamped(&row, &form, f.LogCCDF)
		whole := *f
		f.Quantile = quantileOf(&row, &whole)
	}
}

// shortAtZero returns cumulative functions that use log P(X = 0) at x = 0 if there is a formula for it.
func shortAtZero(both bothOf, zero func(args []Node) Node) bothOf {
	if zero == nil {
		return both
	}
	return func(x Node, args []Node) (lower, upper Node) {
		if v, ok := x.IsConst(); ok && v == 0 {
			p := zero(args)
			return p, log1mexp(p)
		}
		return both(x, args)
	}
}

// defined reports whether all numbers are inside the domains of their arguments. Sampling algorithms are not called for
// other numbers, because they might not terminate.
func defined(spec []Arg, args [][]float64) bool {
	for i, a := range args {
		outside := func(v float64) bool { return math.IsNaN(v) || !spec[i].Domain.Has(v) }
		if slices.ContainsFunc(a, outside) {
			return false
		}
	}
	return true
}

// inDomain replaces values outside their domain by a value inside. penalty is −∞ for these and 0 otherwise; it is
// invalid if no value can be outside. Only the ends of intervals are checked: the formulas handle simplices and
// matrices.
func inDomain(spec []Arg, args []Node) (safe []Node, penalty Node) {
	safe = make([]Node, len(args))
	for i, a := range args {
		safe[i] = a
		ok := within(a, spec[i].Domain)
		if !ok.Valid() || always(ok) {
			continue
		}
		safe[i] = ad.Where(ok, a, num(a, middle(spec[i].Domain)))
		p := sumLast(penaltyUnless(ok), spec[i].Rank)
		if penalty.Valid() {
			p = ad.Add(penalty, p)
		}
		penalty = p
	}
	return safe, penalty
}

// penaltyUnless returns 0 if the condition holds, else −∞.
func penaltyUnless(ok Node) Node { return ad.Where(ok, num(ok, 0), num(ok, math.Inf(-1))) }

// positiveOnly returns w and 0 if w is positive, else 1 and −∞.
func positiveOnly(w Node) (safe, penalty Node) {
	ok := ad.Lt(num(w, 0), w)
	return ad.Where(ok, w, num(w, 1)), penaltyUnless(ok)
}

// withPenalty adds a penalty to a log density. It returns logp if one of them is invalid.
func withPenalty(logp, penalty Node) Node {
	if !penalty.Valid() || !logp.Valid() {
		return logp
	}
	return ad.Add(penalty, logp)
}

// always reports whether a condition is static and holds for all elements.
func always(cond Node) bool {
	return cond.Static() && (holdsByRange(cond) || !slices.Contains(ad.Eval(nil, cond)[0], 0))
}

// holdsByRange reports whether the ranges of data and constants show that a condition holds for all elements. Data that
// know their range (numbers.Facts) need not be read.
func holdsByRange(cond Node) bool {
	args := cond.Args()
	switch cond.Op().Kind {
	case ad.OpLe:
		return greatest(args[0]) <= least(args[1])
	case ad.OpLt:
		return greatest(args[0]) < least(args[1])
	case ad.OpMul:
		return holdsByRange(args[0]) && holdsByRange(args[1])
	}
	return false
}

func least(n Node) float64    { low, _ := rangeOf(n); return low }
func greatest(n Node) float64 { _, high := rangeOf(n); return high }

// rangeOf returns the least and the greatest element of data or a constant, and NaN for other nodes.
func rangeOf(n Node) (low, high float64) {
	switch op := n.Op(); op.Kind {
	case ad.OpConst:
		return op.Value, op.Value
	case ad.OpData:
		return op.Values.Range()
	case ad.OpReshape, ad.OpBroadcast:
		return rangeOf(n.Args()[0])
	}
	return math.NaN(), math.NaN()
}

// within returns the condition that a is inside an interval domain. It is invalid for all other domains.
func within(a Node, d Domain) Node {
	if d.Kind != types.Interval && d.Kind != types.IntRange || math.IsInf(d.Lo, -1) && math.IsInf(d.Hi, 1) {
		return Node{}
	}
	above := ad.Le(num(a, d.Lo), a)
	if d.Lo == tiny {
		above = ad.Lt(num(a, 0), a)
	}
	if math.IsInf(d.Hi, 1) {
		return above
	}
	return ad.Mul(above, ad.Le(a, num(a, d.Hi)))
}

// middle returns a point inside a domain that has a lower end. For shapes and degrees of freedom it is large enough
// that densities are finite at the ends of the support; otherwise the result could be ∞ − ∞.
func middle(d Domain) float64 {
	if math.IsInf(d.Hi, 1) {
		return d.Lo + 2
	}
	return (d.Lo + d.Hi) / 2
}

// ends returns the ends of the support as nodes. An infinite end is an invalid Node.
func ends(d *Dist, f *Form, x Node, args []Node) (lo, hi Node) {
	if f.Bounds != nil {
		return f.Bounds(args)
	}
	return finite(x, d.Lo), finite(x, d.Hi)
}

func finite(x Node, v float64) Node {
	if math.IsInf(v, 0) {
		return Node{}
	}
	return num(x, v)
}

func bounded(d *Dist) bool {
	return d.Event == 0 && (d.Support == types.Interval || d.Support == types.IntRange)
}

func inSupport(d *Dist, f *Form, x Node, args []Node, logp Node) Node {
	if !bounded(d) {
		return logp
	}
	lo, hi := ends(d, f, x, args)
	if lo.Valid() {
		logp = onlyWhere(ad.Le(lo, x), logp)
	}
	if hi.Valid() {
		logp = onlyWhere(ad.Le(x, hi), logp)
	}
	return fill(logp, x.Shape())
}

// onlyWhere returns, elementwise, logp if the condition holds and −∞ otherwise. It adds no nodes if the condition
// always holds.
func onlyWhere(ok, logp Node) Node {
	if always(ok) {
		return logp
	}
	return ad.Where(ok, logp, num(logp, math.Inf(-1)))
}

func clamped(d *Dist, f *Form, cdf density) density {
	return func(x Node, args []Node) Node {
		safe, penalty := inDomain(f.Args, args)
		if d.Support == types.Interval {
			lo, hi := ends(d, f, x, safe)
			x = clamp(x, lo, hi)
		}
		return withPenalty(cdf(x, safe), penalty)
	}
}

func clamp(x, lo, hi Node) Node {
	if lo.Valid() {
		x = ad.Where(ad.Lt(x, lo), lo, x)
	}
	if hi.Valid() {
		x = ad.Where(ad.Lt(hi, x), hi, x)
	}
	return x
}

// fill repeats a scalar logp over the plates.
func fill(logp Node, plates []int) Node {
	if logp.Rank() > 0 || len(plates) == 0 {
		return logp
	}
	return ad.Broadcast(logp, plates, nil)
}
