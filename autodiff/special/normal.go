package special

import "math"

// LogNormCDF returns log Φ(x) with relative error below 1e-14, also if Φ underflows. It uses log1p(−Φ(−x)) above 0,
// log Φ down to −20, then the asymptotic series (Abramowitz & Stegun 26.2.12).
func LogNormCDF(x float64) float64 {
	switch {
	case x > 0:
		return math.Log1p(-0.5 * math.Erfc(x/math.Sqrt2))
	case x > -20:
		return math.Log(0.5 * math.Erfc(-x/math.Sqrt2))
	case math.IsInf(x, -1) || x != x:
		return x
	}
	s := 1 / (x * x)
	series := s * (1 - s*(3-s*(15-s*(105-s*(945-s*10395)))))
	return -0.5*x*x - math.Log(-x) - logSqrtTwoPi + math.Log1p(-series)
}

// NormQuantile returns Φ⁻¹(p) with relative error about 1e-15: −Inf at 0, +Inf at 1, NaN outside [0, 1]. It is PPND16
// of Wichura, Algorithm AS 241, Applied Statistics 37 (1988), which needs only a rational function for 0.075 ≤ p ≤
// 0.925.
func NormQuantile(p float64) float64 {
	q := p - 0.5
	if math.Abs(q) <= 0.425 {
		r := 0.180625 - q*q
		return q * centreNum.at(r) / centreDen.at(r)
	}
	r := p
	if q > 0 {
		r = 1 - p
	}
	if !(r > 0) {
		return edgeQuantile(p)
	}
	r = math.Sqrt(-Log(r))
	x := 0.0
	if r <= 5 {
		x = middleNum.at(r-1.6) / middleDen.at(r-1.6)
	} else {
		x = tailNum.at(r-5) / tailDen.at(r-5)
	}
	return math.Copysign(x, q)
}

func edgeQuantile(p float64) float64 {
	switch p {
	case 0:
		return math.Inf(-1)
	case 1:
		return math.Inf(1)
	}
	return math.NaN()
}

// A poly is a polynomial of degree 7. The constant coefficient comes first.
type poly [8]float64

func (c *poly) at(x float64) float64 {
	return ((((((c[7]*x+c[6])*x+c[5])*x+c[4])*x+c[3])*x+c[2])*x+c[1])*x + c[0]
}

// Coefficients of AS 241.
var (
	centreNum = poly{3.3871328727963666080e0, 1.3314166789178437745e+2, 1.9715909503065514427e+3,
		1.3731693765509461125e+4,
		4.5921953931549871457e+4, 6.7265770927008700853e+4, 3.3430575583588128105e+4, 2.5090809287301226727e+3}
	centreDen = poly{1, 4.2313330701600911252e+1, 6.8718700749205790830e+2, 5.3941960214247511077e+3,
		2.1213794301586595867e+4, 3.9307895800092710610e+4, 2.8729085735721942674e+4, 5.2264952788528545610e+3}
	middleNum = poly{1.42343711074968357734e0, 4.63033784615654529590e0, 5.76949722146069140550e0,
		3.64784832476320460504e0,
		1.27045825245236838258e0, 2.41780725177450611770e-1, 2.27238449892691845833e-2, 7.74545014278341407640e-4}
	middleDen = poly{1, 2.05319162663775882187e0, 1.67638483018380384940e0, 6.89767334985100004550e-1,
		1.48103976427480074590e-1, 1.51986665636164571966e-2, 5.47593808499534494600e-4, 1.05075007164441684324e-9}
	tailNum = poly{6.65790464350110377720e0, 5.46378491116411436990e0, 1.78482653991729133580e0,
		2.96560571828504891230e-1,
		2.65321895265761230930e-2, 1.24266094738807843860e-3, 2.71155556874348757815e-5, 2.01033439929228813265e-7}
	tailDen = poly{1, 5.99832206555887937690e-1, 1.36929880922735805310e-1, 1.48753612908506148525e-2,
		7.86869131145613259100e-4, 1.84631831751005468180e-5, 1.42151175831644588870e-7, 2.04426310338993978564e-15}
)
