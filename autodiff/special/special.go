// Package special has scalar functions that package math lacks, or computes less accurately, such as Digamma(1) =
// −0.5772… . They define the results for every device, as short formulas that translate to C line by line. Stated
// errors are absolute for |value| < 1 and relative otherwise.
package special

import "math"

const (
	logSqrtTwoPi = 0.91893853320467274178032973640562 // ½ log 2π
)

// Sigmoid returns 1/(1 + e⁻ˣ), given e = e^−|x|. The error is at most 2 ulp, also for tiny results.
func Sigmoid(x, e float64) float64 {
	if x < 0 {
		return e / (1 + e)
	}
	return 1 / (1 + e)
}

// Softplus returns log(1 + eˣ) = max(x, 0) + log(1 + e), given e = e^−|x|. The error is at most 2 ulp at both ends:
// Kahan's correction of the logarithm compensates for the rounding of 1 + e.
func Softplus(x, e float64) float64 {
	u := 1 + e
	y := math.Log(u) + (e-(u-1))/u
	if x > 0 {
		return x + y
	}
	return y
}

// Numbers below leastNormal have fewer bits, and math.Log on amd64 is wrong for them (by 35 for 5e-324). Log therefore
// multiplies such numbers by 2⁵² first.
const (
	leastNormal = 0x1p-1022
	subnormals  = 52
)

// Log returns log(x) to 1 ulp; −Inf at 0, NaN for negative x.
func Log(x float64) float64 {
	if 0 < x && x < leastNormal {
		return math.Log(x*(1<<subnormals)) - subnormals*math.Ln2
	}
	return math.Log(x)
}

// Pow returns math.Pow(x, y), corrected for x below leastNormal.
func Pow(x, y float64) float64 {
	if x != 0 && math.Abs(x) < leastNormal {
		return math.Pow(x*(1<<subnormals), y) * math.Exp2(-subnormals*y)
	}
	return math.Pow(x, y)
}

// Asin and Acos return the arc sine and arc cosine to 2 ulp, and NaN outside −1..1. They are the angle of the point
// (√(1 − x²), x) and of its mirror image, because math.Asin has an error of 3e-15 near 1.
func Asin(x float64) float64 { return math.Atan2(x, math.Sqrt((1-x)*(1+x))) }
func Acos(x float64) float64 { return math.Atan2(math.Sqrt((1-x)*(1+x)), x) }

// Lgamma returns log|Γ(x)|; +Inf at zero and the negative integers.
func Lgamma(x float64) float64 {
	if x != 0 && math.Abs(x) < leastNormal {
		return -Log(math.Abs(x))
	}
	y, _ := math.Lgamma(x)
	return y
}

// Sign returns −1, 0 or 1, and NaN for NaN.
func Sign(x float64) float64 {
	switch {
	case x > 0:
		return 1
	case x < 0:
		return -1
	}
	return x
}

// Mod returns x − y·floor(x/y), the remainder with the sign of y, computed exactly. It is NaN if y = 0 or x is
// infinite.
func Mod(x, y float64) float64 {
	r := math.Mod(x, y)
	if r != 0 && (r < 0) != (y < 0) {
		r += y
	}
	return r
}

// Maximum returns the larger of x and y, or NaN if one of them is NaN.
func Maximum(x, y float64) float64 {
	if x > y || x != x {
		return x
	}
	return y
}

// Minimum returns the smaller of x and y, or NaN if one of them is NaN.
func Minimum(x, y float64) float64 {
	if x < y || x != x {
		return x
	}
	return y
}

// MulZero returns x·y, but 0 if x = 0, even if y is infinite or NaN.
func MulZero(x, y float64) float64 {
	if x == 0 {
		return 0
	}
	return x * y
}
