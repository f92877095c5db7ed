package stdlib

import (
	"math"

	ad "ppl/autodiff"
)

// LogBetween returns log P(lo ≤ X ≤ hi) for a scalar distribution that has cumulative functions. An invalid lo or hi
// means that this end is infinite. For counts, the ends are integers. Shapes are as in LogProb. The result is an
// invalid Node if a required cumulative function is invalid (see Form.LogCDF).
//
// For counts whose ends are data and close together, it adds up the probabilities. Otherwise it subtracts two
// cumulative functions, both lower or both upper tails, whichever loses fewer digits.
func LogBetween(d *Dist, f *Form, lo, hi Node, args []Node) Node {
	if !lo.Valid() && !hi.Valid() {
		return Node{}
	}
	if d.Discrete() {
		if p := addUpBetween(d, f, lo, hi, args); p.Valid() {
			return p
		}
		if lo.Valid() {
			lo = plus(lo, -1) // P(X ≥ lo) = P(X > lo − 1)
		}
	}
	below, above := atFinite(f.LogCDF, 1), atFinite(f.LogCCDF, -1)
	switch {
	case !hi.Valid():
		return above(lo, args)
	case !lo.Valid():
		return below(hi, args)
	}
	cdfLo, cdfHi, ccdfLo, ccdfHi := below(lo, args), below(hi, args), above(lo, args), above(hi, args)
	for _, n := range []Node{cdfLo, cdfHi, ccdfLo, ccdfHi} {
		if !n.Valid() {
			return Node{}
		}
	}
	lower := ad.Lt(cdfHi, ccdfLo)
	return logLess(ad.Where(lower, cdfHi, ccdfLo), ad.Where(lower, cdfLo, ccdfHi))
}

// atFinite extends a log cumulative function to infinite x, at which its formula may be NaN: the result there is 0 or
// −∞. rises is 1 for log P(X ≤ x), which increases with x, and −1 for log P(X > x).
func atFinite(f density, rises float64) density {
	return func(x Node, args []Node) Node {
		if _, constant := x.IsConst(); constant {
			return f(x, args)
		}
		finite := ad.Lt(ad.Abs(x), num(x, math.Inf(1)))
		if always(finite) {
			return f(x, args)
		}
		p := f(ad.Where(finite, x, num(x, 0)), args)
		if !p.Valid() {
			return p
		}
		full := ad.Lt(num(x, 0), times(rises, x))
		return ad.Where(finite, p, ad.Where(full, num(x, 0), num(x, math.Inf(-1))))
	}
}

// logLess returns log(eˣ − eʸ) if x > y, and otherwise −∞ with gradient 0. Rounding can cause the second case.
func logLess(x, y Node) Node {
	more := ad.Lt(y, x)
	return ad.Where(more, logSubExp(x, ad.Where(more, y, plus(x, -1))), num(x, math.Inf(-1)))
}

// fewValues is the greatest number of values whose probabilities addUpBetween adds up.
const fewValues = 32

// addUpBetween returns the log of the sum of p(lo), …, p(hi). It is invalid if the ends are not data or are too far
// apart.
func addUpBetween(d *Dist, f *Form, lo, hi Node, args []Node) Node {
	if !lo.Valid() && !math.IsInf(d.Lo, 0) && f.Bounds == nil {
		lo = num(hi, d.Lo)
	}
	if !lo.Valid() || !hi.Valid() || !lo.Static() || !hi.Static() {
		return Node{}
	}
	width := plus(ad.Sub(hi, lo), 1)
	n := 0.0
	for _, w := range ad.Eval(nil, width)[0] {
		n = math.Max(n, w)
	}
	if !(n <= fewValues) {
		return Node{}
	}
	if n <= 0 {
		return num(width, math.Inf(-1))
	}
	place := width
	if lo.Rank() > width.Rank() {
		place = lo
	}
	plates := platesOf(f, place, args)
	shape := join(plates, int(n))
	k := ad.Add(spread(lo, shape), trailing(lo.Graph().Iota(int(n)), shape))
	logP := f.LogProb(k, withAxis(f, args, len(plates), int(n)))
	logP = ad.Where(ad.Le(k, spread(hi, shape)), logP, num(k, math.Inf(-1)))
	return ad.Minimum(ad.LogSumExp(logP, len(plates)), num(k, 0))
}
