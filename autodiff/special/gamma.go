package special

import "math"

// Digamma returns ψ(x) = d log Γ(x)/dx with error below 2e-15 for x > 0; NaN at zero and the negative integers. It uses
// the recurrence up to 10, then the asymptotic series (Abramowitz & Stegun 6.3.5, 6.3.18), and the reflection 6.3.7
// below zero.
func Digamma(x float64) float64 {
	if x <= 0 {
		if x == math.Floor(x) {
			return math.NaN()
		}
		return Digamma(1-x) - math.Pi/tanPi(x)
	}
	shift := 0.0
	for x < 10 {
		shift -= 1 / x
		x++
	}
	r := 1 / x
	s := r * r
	series := s * (1.0/12 - s*(1.0/120-s*(1.0/252-s*(1.0/240-s*(1.0/132-s*(691.0/32760-s*(1.0/12)))))))
	return shift + (math.Log(x) - 0.5*r - series)
}

// Trigamma returns ψ′(x) with error below 2e-15 for x > 0; +Inf at zero and the negative integers. It uses the
// recurrence up to 10, then the asymptotic series (Abramowitz & Stegun 6.4.12, 6.4.6), and the reflection 6.4.7 below
// zero.
func Trigamma(x float64) float64 {
	if x <= 0 {
		if x == math.Floor(x) {
			return math.Inf(1)
		}
		s := math.Pi / sinPi(x)
		return s*s - Trigamma(1-x)
	}
	shift := 0.0
	for x < 10 {
		shift += 1 / (x * x)
		x++
	}
	r := 1 / x
	s := r * r
	series := s * (1.0/6 - s*(1.0/30-s*(1.0/42-s*(1.0/30-s*(5.0/66-s*(691.0/2730-s*(7.0/6)))))))
	return shift + r*(1+0.5*r+series)
}

// sinPi and tanPi return sin πx and tan πx. They reduce the argument exactly, so that the poles of the gamma functions
// are exactly at integers.
func sinPi(x float64) float64 { return math.Sin(math.Pi * math.Remainder(x, 2)) }
func tanPi(x float64) float64 { return math.Tan(math.Pi * math.Remainder(x, 1)) }
