package autodiff

import (
	"math"

	"gonum.org/v1/gonum/mathext"
)

func sigmoid(x float64) float64 {
	if x < 0 {
		e := math.Exp(x)
		return e / (1 + e)
	}
	return 1 / (1 + math.Exp(-x))
}

// softplus is log(1 + eˣ) = max(x, 0) + log(1 + e^−|x|).
func softplus(x float64) float64 { return max(x, 0) + math.Log1p(math.Exp(-math.Abs(x))) }

// lgamma is log |Γ(x)|.
func lgamma(x float64) float64 {
	v, _ := math.Lgamma(x)
	return v
}

// digamma is ψ(x), NaN at the poles: the recurrence up to 10, then the asymptotic series (NIST DLMF 5.5.2, 5.11.2), and
// the reflection 5.5.4 below 0. (gonum's Digamma is good to 5e-11 only.)
func digamma(x float64) float64 {
	switch {
	case x <= 0 && x == math.Floor(x):
		return math.NaN()
	case x < 0:
		return digamma(1-x) - math.Pi/math.Tan(math.Pi*x)
	}
	sum := 0.0
	for ; x < 10; x++ {
		sum -= 1 / x
	}
	z := 1 / (x * x)
	return sum + math.Log(x) - .5/x - z*(1./12-z*(1./120-z*(1./252-z*(1./240-z*(1./132-z*691./32760)))))
}

// trigamma is the Hurwitz zeta function ζ(2, x), reflected below 0 (NIST DLMF 5.15.1 and 5.15.6).
func trigamma(x float64) float64 {
	switch {
	case math.IsNaN(x):
		return x
	case x <= 0 && x == math.Floor(x):
		return math.Inf(1)
	case x < 0:
		s := math.Sin(math.Pi * x)
		return math.Pi*math.Pi/(s*s) - mathext.Zeta(2, 1-x)
	}
	return mathext.Zeta(2, x)
}

// logNormCDF is log Φ(x). Below −30 it is the asymptotic series of NIST DLMF 7.12.1, whose first term left out is 3e-18
// of the sum.
func logNormCDF(x float64) float64 {
	switch {
	case x > 0:
		return math.Log1p(-math.Erfc(x/math.Sqrt2) / 2)
	case x > -30:
		return math.Log(math.Erfc(-x/math.Sqrt2) / 2)
	case math.IsInf(x, -1):
		return x
	}
	return -x*x/2 - math.Log(-x) - math.Log(2*math.Pi)/2 + math.Log1p(millsTail(1/(x*x)))
}

// millsTail is −1!!z + 3!!z² − 5!!z³ …, where the Mills ratio at −x is (1 + millsTail(1/x²)) / |x|.
func millsTail(z float64) float64 {
	sum, term := 0.0, 1.0
	for k := 1.0; k <= 13; k += 2 {
		term *= -k * z
		sum += term
	}
	return sum
}

// normQuantile is Φ⁻¹(p), ∓∞ at the ends, NaN outside.
func normQuantile(p float64) float64 {
	if !(p >= 0 && p <= 1) {
		return math.NaN()
	}
	return mathext.NormalQuantile(p)
}

// lambertW is W₀(x), NaN below −1/e: two steps of fourth order for log(x/w) = w (Fritsch, Shafer & Crowley 1973,
// Communications of the ACM 16, 123), and near −1/e the series of Corless et al. 1996, Advances in Computational
// Mathematics 5, 329, equation 4.22.
func lambertW(x float64) float64 {
	const branch, rest = 0.36787944117144233, -1.2428753672788363e-17 // together 1/e
	p := math.Sqrt(2 * math.E * max(x+branch+rest, 0))
	switch {
	case x < -branch:
		return math.NaN()
	case x == 0 || math.IsInf(x, 1) || x != x:
		return x
	case p < 0.01:
		return -1 + p*(1-p*(1./3-p*(11./72-p*(43./540-p*(769./17280-p*221./8505)))))
	}
	w := lambertWStart(x, p)
	for range 3 {
		z := math.Log(x/w) - w
		q := 2 * (1 + w) * (1 + w + 2*z/3)
		w *= 1 + z/(1+w)*(q-z)/(q-2*z)
	}
	return w
}

// lambertWStart is W₀ to a tenth, from its behaviour at −1/e, 0 and ∞.
func lambertWStart(x, p float64) float64 {
	switch {
	case x < -0.3:
		return -1 + p*(1-p*(1./3-p*11./72))
	case x < 3:
		return x * (1 + x*4/3) / (1 + x*(7./3+x*5/6))
	}
	return math.Log(x) - math.Log(math.Log(x))
}
