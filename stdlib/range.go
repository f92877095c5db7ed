package stdlib

import "math"

// This file has interval arithmetic for the checker. Ends are closed. A strictly positive range has a Lo of at least
// tiny; the rules keep it if a product or quotient of positive numbers would round to 0.

// Everything returns the range of an arbitrary real number.
func Everything() Range { return Range{Lo: -inf, Hi: inf} }

// Point returns the range that contains only v.
func Point(v float64) Range { return Range{Lo: v, Hi: v, Int: v == math.Trunc(v)} }

// Positive reports whether every value is above 0.
func (r Range) Positive() bool { return r.Lo > 0 }

// Within reports whether every value lies in lo..hi.
func (r Range) Within(lo, hi float64) bool { return lo <= r.Lo && r.Hi <= hi }

// RangeOf returns the range of an operator's result: + - * / % ^ == != < <= > >= && || of two operands, - and ! of one.
// It returns Everything for unknown operators and if nothing can be derived.
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

// Union returns the smallest range that contains both ranges.
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

// orElse returns v, or other if v is NaN.
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

// mul0 multiplies with 0·∞ = 0: an end at 0 is attained, whereas an infinite end is not.
func mul0(a, b float64) float64 {
	if a == 0 || b == 0 {
		return 0
	}
	return a * b
}

// keepSign restores the sign of a product or quotient whose end was rounded to 0.
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

// divByZeroEnd returns the range of a/b if b contains 0. If both are nonnegative, so is the quotient (0/0 is an error
// in the run).
func divByZeroEnd(a, b Range) Range {
	if a.Lo >= 0 && b.Lo >= 0 {
		return keepSign(Range{Lo: div0(a.Lo, b.Hi), Hi: inf}, a, Range{Lo: tiny})
	}
	return Everything()
}

// div0 divides with ∞/∞ = 0, the lower limit of such quotients.
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

// positivePow computes the ends from the corners of exp(b log a), which is monotone in each argument.
func positivePow(a, b Range, whole bool) Range {
	r := hull(math.Pow(a.Lo, b.Lo), math.Pow(a.Lo, b.Hi), math.Pow(a.Hi, b.Lo), math.Pow(a.Hi, b.Hi))
	if a.Lo < 1 && a.Hi > 1 { // a contains 1, and 1^b = 1
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

// hull returns the smallest range that contains the numbers, or Everything if one of them is NaN.
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
