// Package special has the scalar functions of the kernel language that package math lacks. They are the reference for every
// device: short formulas that translate to C line by line. Errors are stated where |value| < 1 as absolute, else relative.
package special

import "math"

const (
	logSqrtTwoPi = 0.91893853320467274178032973640562 // ½ log 2π
)

// Sigmoid is 1/(1 + e⁻ˣ), given e = e^−|x|; to 2 ulp also where it is tiny.
func Sigmoid(x, e float64) float64 {
	if x < 0 {
		return e / (1 + e)
	}
	return 1 / (1 + e)
}

// Softplus is log(1 + eˣ) = max(x, 0) + log(1 + e), given e = e^−|x|; to 2 ulp at both ends. Kahan's correction of the
// logarithm makes up for the rounding of 1 + e.
func Softplus(x, e float64) float64 {
	u := 1 + e
	y := math.Log(u) + (e-(u-1))/u
	if x > 0 {
		return x + y
	}
	return y
}

// Lgamma is log|Γ(x)|; +Inf at zero and the negative integers.
func Lgamma(x float64) float64 {
	y, _ := math.Lgamma(x)
	return y
}

// Sign is −1, 0 or 1; NaN of NaN.
func Sign(x float64) float64 {
	switch {
	case x > 0:
		return 1
	case x < 0:
		return -1
	}
	return x
}

// Mod is x − y·floor(x/y), the remainder with the sign of y, computed exactly; NaN where y = 0 or x is infinite.
func Mod(x, y float64) float64 {
	r := math.Mod(x, y)
	if r != 0 && (r < 0) != (y < 0) {
		r += y
	}
	return r
}

// Maximum is the larger of x and y, NaN if either is.
func Maximum(x, y float64) float64 {
	if x > y || x != x {
		return x
	}
	return y
}

// Minimum is the smaller of x and y, NaN if either is.
func Minimum(x, y float64) float64 {
	if x < y || x != x {
		return x
	}
	return y
}

// MulZero is x·y, but 0 where x = 0, whatever y is.
func MulZero(x, y float64) float64 {
	if x == 0 {
		return 0
	}
	return x * y
}
