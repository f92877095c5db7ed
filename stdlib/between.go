package stdlib

import (
	"math"

	ad "ppl/autodiff"
)

// LogBetween returns log P(lo ≤ X ≤ hi) for a scalar distribution that has cumulative functions. An invalid end is
// infinite; the ends of counts are integers. Shapes are as in LogProb. It is an invalid Node if a cumulative function
// that it needs is one (see Form.LogCDF).
//
// For counts with few values between ends that are data, it adds up their probabilities. Otherwise it takes the
// difference of two cumulative functions of the tail in which it is the larger part.
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
	switch {
	case !hi.Valid():
		return f.LogCCDF(lo, args)
	case !lo.Valid():
		return f.LogCDF(hi, args)
	}
	cdfLo, cdfHi, ccdfLo, ccdfHi := f.LogCDF(lo, args), f.LogCDF(hi, args), f.LogCCDF(lo, args), f.LogCCDF(hi, args)
	for _, n := range []Node{cdfLo, cdfHi, ccdfLo, ccdfHi} {
		if !n.Valid() {
			return Node{}
		}
	}
	lower := ad.Lt(cdfHi, ccdfLo)
	return logLess(ad.Where(lower, cdfHi, ccdfLo), ad.Where(lower, cdfLo, ccdfHi))
}

// logLess is log(eˣ − eʸ), −∞ with gradient 0 unless x > y: rounding may have taken a small difference.
func logLess(x, y Node) Node {
	more := ad.Lt(y, x)
	return ad.Where(more, logSubExp(x, ad.Where(more, y, plus(x, -1))), num(x, math.Inf(-1)))
}

// fewValues is the number of values up to which probabilities are added up.
const fewValues = 32

// addUpBetween is the log of the sum of p(lo), …, p(hi). It is invalid if the ends are not data or too far apart.
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
