package special

import "math"

// LambertW returns W₀(x), the w ≥ −1 with w·eʷ = x, to 3 ulp; NaN below −1/e. LambertW(1) = 0.56714329… . See Corless
// et al. 1996, Advances in Computational Mathematics 5, 329.
func LambertW(x float64) float64 {
	switch {
	case x < -0.3:
		return nearBranch(x)
	case x > 3:
		return farLambertW(x)
	}
	w := x * (1 + x*(4./3)) / (1 + x*(7./3+x*(5./6))) // accurate to 0.1
	for range 3 {                                     // steps of Halley's method
		e := math.Exp(w)
		r := w*e - x
		w -= r / (e*(1+w) - 0.5*r*(w+2)/(1+w))
	}
	return w
}

// nearBranch applies Halley's method to d = w + 1 in the equation 1 + (d − 1)·eᵈ = 1 + e·x, in which both sides keep
// their digits near −1/e, where the two branches of the function join. 1/e is represented as the sum branch + rest.
func nearBranch(x float64) float64 {
	const branch, rest = 0.36787944117144233, -1.2428753672788363e-17
	if x < -branch {
		return math.NaN()
	}
	s := math.E * (x + branch + rest)
	if s <= 0 {
		return -1
	}
	p := math.Sqrt(2 * s)
	d := p * (1 - p*(1./3-p*(11./72-p*(43./540))))
	for range 2 {
		t := math.Expm1(d)
		r, g := t*(d-1)+d-s, d*(1+t)
		d -= r * g / (g*g - 0.5*r*(1+d)*(1+t))
	}
	return d - 1
}

// farLambertW applies Newton's method to w + log w = log x, which does not overflow.
func farLambertW(x float64) float64 {
	if math.IsInf(x, 1) {
		return x
	}
	l := math.Log(x)
	w := l - math.Log(l)
	for range 4 {
		w *= (1 + l - math.Log(w)) / (1 + w)
	}
	return w
}
