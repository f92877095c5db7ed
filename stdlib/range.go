package stdlib

import "math"

// Interval arithmetic for the checker. Ends are closed; "strictly positive" is a Lo of at least the least positive
// number, which the rules keep where a product or a quotient of positive numbers would round to 0.

// Everything returns the range of a real number of which nothing is known.
func Everything() Range { return Range{Lo: -inf, Hi: inf} }

// Point returns the range of a known number.
func Point(v float64) Range { return Range{Lo: v, Hi: v, Int: v == math.Trunc(v)} }

// Positive reports whether every value is above 0.
func (r Range) Positive() bool { return r.Lo > 0 }

// Within reports whether every value lies in lo..hi.
func (r Range) Within(lo, hi float64) bool { return lo <= r.Lo && r.Hi <= hi }

// RangeOf returns the range of an operator's result: + - * / % ^ == != < <= > >= && || of two operands, - and ! of one.
// Where nothing is known (also of an unknown operator) it is everything.
func RangeOf(op string, args ...Range) Range {
	if len(args) == 1 {
		return unaryRange(op, args[0])
	}
	rule, ok := binaryRanges[op]
	if !ok || len(args) != 2 {
		return Everything()
	}
	return rule(args[0], args[1])
}

// Union returns the range of a value that is one or the other.
func Union(a, b Range) Range {
	return Range{math.Min(a.Lo, b.Lo), math.Max(a.Hi, b.Hi), a.Int && b.Int}
}

var truth = Range{Lo: 0, Hi: 1, Int: true}

func alwaysTruth(Range, Range) Range { return truth }

var binaryRanges = map[string]func(a, b Range) Range{
	"+": addRange, "-": func(a, b Range) Range { return addRange(a, negRange(b)) },
	"*": mulRange, "/": divRange, "%": modRange, "^": powRange,
	"==": alwaysTruth, "!=": alwaysTruth, "<": alwaysTruth, "<=": alwaysTruth, ">": alwaysTruth, ">=": alwaysTruth,
	"&&": alwaysTruth, "||": alwaysTruth,
}

func unaryRange(op string, a Range) Range {
	switch op {
	case "-":
		return negRange(a)
	case "!":
		return truth
	}
	return Everything()
}

func negRange(a Range) Range { return Range{-a.Hi, -a.Lo, a.Int} }

func addRange(a, b Range) Range {
	return Range{orElse(a.Lo+b.Lo, -inf), orElse(a.Hi+b.Hi, inf), a.Int && b.Int}
}

// orElse is v unless v is NaN.
func orElse(v, other float64) float64 {
	if math.IsNaN(v) {
		return other
	}
	return v
}

func mulRange(a, b Range) Range {
	r := hull(mul0(a.Lo, b.Lo), mul0(a.Lo, b.Hi), mul0(a.Hi, b.Lo), mul0(a.Hi, b.Hi))
	r.Int = a.Int && b.Int
	return keepSign(r, a, b)
}

// mul0 has 0·∞ = 0: an end at 0 is a value, an infinite end is not.
func mul0(a, b float64) float64 {
	if a == 0 || b == 0 {
		return 0
	}
	return a * b
}

// keepSign gives back the sign that rounding to 0 took from a product or quotient.
func keepSign(r, a, b Range) Range {
	switch {
	case a.Lo > 0 && b.Lo > 0 || a.Hi < 0 && b.Hi < 0:
		r.Lo = math.Max(r.Lo, tiny)
	case a.Lo > 0 && b.Hi < 0 || a.Hi < 0 && b.Lo > 0:
		r.Hi = math.Min(r.Hi, -tiny)
	}
	return r
}

func divRange(a, b Range) Range {
	if b.Lo <= 0 && b.Hi >= 0 {
		return divByZeroEnd(a, b)
	}
	r := hull(div0(a.Lo, b.Lo), div0(a.Lo, b.Hi), div0(a.Hi, b.Lo), div0(a.Hi, b.Hi))
	return keepSign(r, a, b)
}

// divByZeroEnd keeps the sign of a nonnegative number over a nonnegative one (0/0 is an error of the run).
func divByZeroEnd(a, b Range) Range {
	if a.Lo >= 0 && b.Lo >= 0 {
		return keepSign(Range{Lo: div0(a.Lo, b.Hi), Hi: inf}, a, Range{Lo: tiny})
	}
	return Everything()
}

// div0 returns the quotient with ∞/∞ = 0, the value such ends come nearest to from below.
func div0(a, b float64) float64 {
	if math.IsInf(b, 0) {
		return 0
	}
	return a / b
}

func modRange(a, b Range) Range {
	r := Range{math.Min(b.Lo, 0), math.Max(b.Hi, 0), a.Int && b.Int}
	if r.Int && b.Hi > 0 {
		r.Hi = b.Hi - 1
	}
	return r
}

func powRange(a, b Range) Range {
	whole := a.Int && b.Int && b.Lo >= 0
	switch {
	case a.Lo >= 0:
		return positivePow(a, b, whole)
	case b.Int && b.Lo == b.Hi && b.Lo >= 0:
		return wholePow(a, b.Lo, whole)
	}
	return Range{-inf, inf, whole}
}

// positivePow takes the corners of exp(b log a), which is monotone in each.
func positivePow(a, b Range, whole bool) Range {
	r := hull(math.Pow(a.Lo, b.Lo), math.Pow(a.Lo, b.Hi), math.Pow(a.Hi, b.Lo), math.Pow(a.Hi, b.Hi))
	if a.Lo < 1 && a.Hi > 1 { // 1^b inside
		r = Union(r, Range{Lo: 1, Hi: 1})
	}
	r.Int, r.Lo = whole, math.Max(r.Lo, 0)
	if a.Lo > 0 {
		r.Lo = math.Max(r.Lo, tiny)
	}
	return r
}

func wholePow(a Range, n float64, whole bool) Range {
	r := hull(math.Pow(a.Lo, n), math.Pow(a.Hi, n))
	if math.Mod(n, 2) == 0 && a.Hi >= 0 {
		r.Lo = math.Min(r.Lo, math.Pow(0, n))
	}
	r.Int = whole
	return r
}

// hull returns the least range around some numbers; a NaN leaves nothing known.
func hull(vs ...float64) Range {
	r := Range{Lo: inf, Hi: -inf}
	for _, v := range vs {
		if math.IsNaN(v) {
			return Everything()
		}
		r.Lo, r.Hi = math.Min(r.Lo, v), math.Max(r.Hi, v)
	}
	return r
}
