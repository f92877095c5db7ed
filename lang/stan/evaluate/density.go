package evaluate

import (
	"math"
	"strings"

	"gonum.org/v1/gonum/mathext"

	"ppl/lang/stan"
)

// vectorDensities maps names to log densities whose values or arguments are vectors or matrices.
var vectorDensities map[string]func(y value, a []value) float64

var nan, inf = math.NaN(), math.Inf(1)

// A density describes a distribution of numbers with n arguments, of integers if counts is set. log is the log density.
// cdf returns the probabilities of values up to y and of values above y; it is nil if it is not supported.
type density struct {
	n      int
	counts bool
	log    func(y float64, a []float64) float64
	cdf    func(y float64, a []float64) (lower, upper float64)
}

func phi(z float64) float64 { return math.Erfc(-z/math.Sqrt2) / 2 }

func normalLog(z, sd float64) float64 { return -z*z/2 - math.Log(sd) - math.Log(2*math.Pi)/2 }

// positive returns a log density whose support is y > 0, or y >= 0 if zero is set.
func positive(zero bool, f func(y float64, a []float64) float64) func(float64, []float64) float64 {
	return func(y float64, a []float64) float64 {
		if y < 0 || y == 0 && !zero {
			return -inf
		}
		return f(y, a)
	}
}

// above returns the distribution function of a distribution of positive numbers.
func above(f func(y float64, a []float64) (lower, upper float64)) func(float64, []float64) (float64, float64) {
	return func(y float64, a []float64) (float64, float64) {
		if y <= 0 {
			return 0, 1
		}
		return f(y, a)
	}
}

// summed returns the distribution function of counts, computed as a sum of probabilities.
func summed(log func(float64, []float64) float64) func(float64, []float64) (float64, float64) {
	return func(y float64, a []float64) (float64, float64) {
		sum := 0.0
		for k := 0.0; k <= y; k++ {
			sum += math.Exp(log(k, a))
		}
		return sum, 1 - sum
	}
}

// countsTo returns a log density whose support is 0 to the first argument.
func countsTo(f func(y, n float64, a []float64) float64) func(float64, []float64) float64 {
	return func(y float64, a []float64) float64 {
		if y < 0 || y > a[0] {
			return -inf
		}
		return f(y, a[0], a[1:])
	}
}

func symmetricTails(f func(z float64) float64) func(float64, []float64) (float64, float64) {
	return func(y float64, a []float64) (float64, float64) {
		z := (y - a[0]) / a[1]
		return f(z), f(-z)
	}
}

func binomialLog(y, n float64, a []float64) float64 {
	return lchoose(n, y) + xlogy(y, a[0]) + xlogy(n-y, 1-a[0])
}

func poissonLog(y float64, a []float64) float64 { return xlogy(y, a[0]) - a[0] - lgamma(y+1) }

// negBinomialLog returns the log density for a given mean and shape.
func negBinomialLog(y, mu, shape float64) float64 {
	return lgamma(y+shape) - lgamma(y+1) - lgamma(shape) + xlogy(y, mu/(mu+shape)) - shape*math.Log1p(mu/shape)
}

func bernoulliLog(y, p float64) float64 {
	switch y {
	case 1:
		return math.Log(p)
	case 0:
		return math.Log1p(-p)
	}
	return -inf
}

func gammaLog(y float64, a []float64) float64 {
	return a[0]*math.Log(a[1]) - lgamma(a[0]) + xlogy(a[0]-1, y) - a[1]*y
}

func inverseGammaLog(y float64, a []float64) float64 {
	return a[0]*math.Log(a[1]) - lgamma(a[0]) - (a[0]+1)*math.Log(y) - a[1]/y
}

func betaLog(y float64, a []float64) float64 {
	if y < 0 || y > 1 {
		return -inf
	}
	return -lbeta(a[0], a[1]) + xlogy(a[0]-1, y) + xlogy(a[1]-1, 1-y)
}

func betaCDF(y float64, a []float64) (float64, float64) {
	y = math.Min(1, math.Max(0, y))
	return mathext.RegIncBeta(a[0], a[1], y), mathext.RegIncBeta(a[1], a[0], 1-y)
}

func studentLog(y float64, a []float64) float64 {
	nu, z := a[0], (y-a[1])/a[2]
	return lgamma((nu+1)/2) - lgamma(nu/2) - math.Log(nu*math.Pi)/2 - math.Log(a[2]) - (nu+1)/2*math.Log1p(z*z/nu)
}

func studentCDF(y float64, a []float64) (float64, float64) {
	z := (y - a[1]) / a[2]
	half := mathext.RegIncBeta(a[0]/2, 0.5, a[0]/(a[0]+z*z)) / 2
	if z < 0 {
		return half, 1 - half
	}
	return 1 - half, half
}

func logisticLog(z, sd float64) float64 { return -z - math.Log(sd) - 2*log1pExp(-z) }

func laplaceCDF(z float64) float64 {
	if z < 0 {
		return math.Exp(z) / 2
	}
	return 1 - math.Exp(-z)/2
}

func weibullLog(y float64, a []float64) float64 {
	z := y / a[1]
	return math.Log(a[0]/a[1]) + xlogy(a[0]-1, z) - math.Pow(z, a[0])
}

func uniformLog(y float64, a []float64) float64 {
	if y < a[0] || y > a[1] {
		return -inf
	}
	return -math.Log(a[1] - a[0])
}

func paretoLog(y float64, a []float64) float64 {
	if y < a[0] {
		return -inf
	}
	return math.Log(a[1]) + a[1]*math.Log(a[0]) - (a[1]+1)*math.Log(y)
}

// scaleInverse returns the arguments of the inverse gamma distribution that is a scaled inverse chi-square
// distribution.
func scaleInverse(nu, s float64) []float64 { return []float64{nu / 2, nu / 2 * s * s} }

func skewNormalLog(y float64, a []float64) float64 {
	z := (y - a[0]) / a[1]
	return normalLog(z, a[1]) + math.Log(2*phi(a[2]*z))
}

func expModNormalLog(y float64, a []float64) float64 {
	mu, sd, rate := a[0], a[1], a[2]
	return math.Log(rate) + rate/2*(2*mu+rate*sd*sd-2*y) + math.Log(phi(-(mu+rate*sd*sd-y)/sd))
}

func vonMisesLog(y float64, a []float64) float64 {
	return a[1]*math.Cos(y-a[0]) - math.Log(2*math.Pi) - logBesselI(0, a[1])
}

func betaBinomialLog(y, n float64, a []float64) float64 {
	return lchoose(n, y) + lbeta(y+a[0], n-y+a[1]) - lbeta(a[0], a[1])
}

func logitsLog(y, n float64, a []float64) float64 {
	return lchoose(n, y) - y*log1pExp(-a[0]) - (n-y)*log1pExp(a[0])
}

// densities maps Stan's names to the densities of numbers.
var densities = map[string]density{
	"bernoulli": {1, true, func(y float64, a []float64) float64 { return bernoulliLog(y, a[0]) },
		func(y float64, a []float64) (float64, float64) {
			switch {
			case y < 0:
				return 0, 1
			case y < 1:
				return 1 - a[0], a[0]
			}
			return 1, 0
		}},
	"bernoulli_logit": {1, true, func(y float64, a []float64) float64 {
		return -log1pExp((1 - 2*y) * a[0])
	}, nil},
	"beta":          {2, false, betaLog, betaCDF},
	"beta_binomial": {3, true, countsTo(betaBinomialLog), summed(countsTo(betaBinomialLog))},
	"beta_proportion": {2, false, func(y float64, a []float64) float64 { return betaLog(y, meanBeta(a)) },
		func(y float64, a []float64) (float64, float64) { return betaCDF(y, meanBeta(a)) }},
	"binomial":       {2, true, countsTo(binomialLog), summed(countsTo(binomialLog))},
	"binomial_logit": {2, true, countsTo(logitsLog), nil},
	"cauchy": {2, false, func(y float64, a []float64) float64 {
		z := (y - a[0]) / a[1]
		return -math.Log(math.Pi*a[1]) - math.Log1p(z*z)
	}, symmetricTails(func(z float64) float64 { return math.Atan2(1, -z) / math.Pi })},
	"chi_square": {1, false, positive(true, func(y float64, a []float64) float64 {
		return gammaLog(y, []float64{a[0] / 2, 0.5})
	}), above(func(y float64, a []float64) (float64, float64) { return gammaTails(a[0]/2, y/2) })},
	"discrete_range": {2, true, func(y float64, a []float64) float64 {
		if y < a[0] || y > a[1] {
			return -inf
		}
		return -math.Log(a[1] - a[0] + 1)
	}, nil},
	"double_exponential": {2, false, func(y float64, a []float64) float64 {
		return -math.Log(2*a[1]) - math.Abs(y-a[0])/a[1]
	}, symmetricTails(laplaceCDF)},
	"exp_mod_normal": {3, false, expModNormalLog, nil},
	"exponential": {1, false, positive(true, func(y float64, a []float64) float64 { return math.Log(a[0]) - a[0]*y }),
		above(func(y float64, a []float64) (float64, float64) { return -math.Expm1(-a[0] * y), math.Exp(-a[0] * y) })},
	"frechet": {2, false, positive(false, func(y float64, a []float64) float64 {
		z := y / a[1]
		return math.Log(a[0]/a[1]) - (1+a[0])*math.Log(z) - math.Pow(z, -a[0])
	}), above(func(y float64, a []float64) (float64, float64) {
		z := math.Pow(y/a[1], -a[0])
		return math.Exp(-z), -math.Expm1(-z)
	})},
	"gamma": {2, false, positive(true, gammaLog), above(func(y float64, a []float64) (float64, float64) {
		return gammaTails(a[0], a[1]*y)
	})},
	"gumbel": {2, false, func(y float64, a []float64) float64 {
		z := (y - a[0]) / a[1]
		return -math.Log(a[1]) - z - math.Exp(-z)
	}, func(y float64, a []float64) (float64, float64) {
		z := math.Exp(-(y - a[0]) / a[1])
		return math.Exp(-z), -math.Expm1(-z)
	}},
	"hypergeometric": {3, true, func(y float64, a []float64) float64 {
		return lchoose(a[1], y) + lchoose(a[2], a[0]-y) - lchoose(a[1]+a[2], a[0])
	}, nil},
	"inv_chi_square": {1, false, positive(false, func(y float64, a []float64) float64 {
		return inverseGammaLog(y, []float64{a[0] / 2, 0.5})
	}), above(func(y float64, a []float64) (float64, float64) { return swap(gammaTails(a[0]/2, 0.5/y)) })},
	"inv_gamma": {2, false, positive(false, inverseGammaLog), above(func(y float64, a []float64) (float64, float64) {
		return swap(gammaTails(a[0], a[1]/y))
	})},
	"logistic": {2, false, func(y float64, a []float64) float64 { return logisticLog((y-a[0])/a[1], a[1]) },
		symmetricTails(logistic)},
	"loglogistic": {2, false, positive(true, func(y float64, a []float64) float64 {
		z := y / a[0]
		return math.Log(a[1]/a[0]) + xlogy(a[1]-1, z) - 2*math.Log1p(math.Pow(z, a[1]))
	}), above(func(y float64, a []float64) (float64, float64) {
		z := math.Pow(y/a[0], a[1])
		return z / (1 + z), 1 / (1 + z)
	})},
	"lognormal": {2, false, positive(false, func(y float64, a []float64) float64 {
		return normalLog((math.Log(y)-a[0])/a[1], a[1]) - math.Log(y)
	}), above(func(y float64, a []float64) (float64, float64) {
		z := (math.Log(y) - a[0]) / a[1]
		return phi(z), phi(-z)
	})},
	"neg_binomial": {2, true, func(y float64, a []float64) float64 { return negBinomialLog(y, a[0]/a[1], a[0]) },
		summed(func(y float64, a []float64) float64 { return negBinomialLog(y, a[0]/a[1], a[0]) })},
	"neg_binomial_2": {2, true, func(y float64, a []float64) float64 { return negBinomialLog(y, a[0], a[1]) },
		summed(func(y float64, a []float64) float64 { return negBinomialLog(y, a[0], a[1]) })},
	"neg_binomial_2_log": {2, true, func(y float64, a []float64) float64 {
		return negBinomialLog(y, math.Exp(a[0]), a[1])
	}, nil},
	"normal": {2, false, func(y float64, a []float64) float64 { return normalLog((y-a[0])/a[1], a[1]) },
		symmetricTails(phi)},
	"pareto": {2, false, paretoLog, func(y float64, a []float64) (float64, float64) {
		z := math.Pow(a[0]/math.Max(y, a[0]), a[1])
		return 1 - z, z
	}},
	"pareto_type_2": {3, false, func(y float64, a []float64) float64 {
		if y < a[0] {
			return -inf
		}
		return math.Log(a[2]/a[1]) - (a[2]+1)*math.Log1p((y-a[0])/a[1])
	}, func(y float64, a []float64) (float64, float64) {
		z := math.Pow(1+math.Max(0, y-a[0])/a[1], -a[2])
		return 1 - z, z
	}},
	"poisson": {1, true, poissonLog, func(y float64, a []float64) (float64, float64) {
		if y < 0 {
			return 0, 1
		}
		return swap(gammaTails(math.Floor(y)+1, a[0]))
	}},
	"poisson_log": {1, true, func(y float64, a []float64) float64 {
		return y*a[0] - math.Exp(a[0]) - lgamma(y+1)
	}, nil},
	"rayleigh": {1, false, positive(true, func(y float64, a []float64) float64 {
		return math.Log(y) - 2*math.Log(a[0]) - y*y/(2*a[0]*a[0])
	}), above(func(y float64, a []float64) (float64, float64) {
		z := y * y / (2 * a[0] * a[0])
		return -math.Expm1(-z), math.Exp(-z)
	})},
	"scaled_inv_chi_square": {2, false, positive(false, func(y float64, a []float64) float64 {
		return inverseGammaLog(y, scaleInverse(a[0], a[1]))
	}), above(func(y float64, a []float64) (float64, float64) {
		s := scaleInverse(a[0], a[1])
		return swap(gammaTails(s[0], s[1]/y))
	})},
	"skew_double_exponential": {3, false, func(y float64, a []float64) float64 {
		weight := 1 - a[2]
		if y > a[0] {
			weight = a[2]
		}
		return math.Log(2*a[2]*(1-a[2])/a[1]) - 2/a[1]*weight*math.Abs(y-a[0])
	}, nil},
	"skew_normal": {3, false, skewNormalLog, nil},
	"std_normal": {0, false, func(y float64, _ []float64) float64 { return normalLog(y, 1) },
		func(y float64, _ []float64) (float64, float64) { return phi(y), phi(-y) }},
	"student_t": {3, false, studentLog, studentCDF},
	"uniform": {2, false, uniformLog, func(y float64, a []float64) (float64, float64) {
		p := math.Min(1, math.Max(0, (y-a[0])/(a[1]-a[0])))
		return p, 1 - p
	}},
	"von_mises": {2, false, vonMisesLog, nil},
	"weibull": {2, false, positive(true, weibullLog), above(func(y float64, a []float64) (float64, float64) {
		z := math.Pow(y/a[1], a[0])
		return -math.Expm1(-z), math.Exp(-z)
	})},
}

func meanBeta(a []float64) []float64 { return []float64{a[0] * a[1], (1 - a[0]) * a[1]} }

func gammaTails(shape, y float64) (lower, upper float64) {
	if math.IsInf(y, 1) {
		return 1, 0
	}
	return mathext.GammaIncReg(shape, y), mathext.GammaIncRegComp(shape, y)
}

func swap(a, b float64) (float64, float64) { return b, a }

// over returns the sum of f over the elements of y and of the arguments. Scalars are combined with every element.
func over(y value, args []value, f func(y float64, a []float64) float64) float64 {
	n := len(y.nums)
	if y.isScalar() {
		for _, a := range args {
			if !a.isScalar() {
				n = len(a.nums)
			}
		}
	}
	for _, a := range args {
		if !a.isScalar() && len(a.nums) != n {
			fail("the arguments of a distribution have different lengths: %d and %d", n, len(a.nums))
		}
	}
	sum, at := 0.0, make([]float64, len(args))
	for i := range n {
		for k, a := range args {
			at[k] = a.at(i)
		}
		sum += f(y.at(i), at)
	}
	return sum
}

// logDensity returns the log density of values under a distribution of Stan.
func logDensity(name string, y value, args []value) float64 {
	if d, ok := densities[name]; ok && len(args) == d.n {
		return over(y, args, d.log)
	}
	if f := vectorDensities[name]; f != nil {
		return f(y, args)
	}
	fail("the distribution `%s` is not supported", name)
	return 0
}

// known reports whether name is a supported distribution.
func known(name string) bool {
	_, scalar := densities[name]
	return scalar || vectorDensities[name] != nil
}

// probability evaluates a call of a density or of a distribution function. It returns false for other functions.
func (r *run) probability(name string, args []value) (value, bool) {
	for _, suffix := range []string{"_lpdf", "_lpmf", "_lcdf", "_lccdf", "_cdf_log", "_ccdf_log", "_log", "_cdf"} {
		base, ok := strings.CutSuffix(name, suffix)
		if !ok || !known(base) {
			continue
		}
		switch suffix {
		case "_lpdf", "_lpmf", "_log":
			if suffix == "_log" && len(args) == 1 { // names such as poisson_log are distributions themselves
				return value{}, false
			}
			return real(logDensity(base, args[0], args[1:])), true
		}
		d := densities[base]
		if d.cdf == nil {
			fail("the distribution function of `%s` is not supported", base)
		}
		log := over(args[0], args[1:], func(y float64, a []float64) float64 {
			lower, upper := d.cdf(y, a)
			if suffix == "_lccdf" || suffix == "_ccdf_log" {
				return math.Log(upper)
			}
			return math.Log(lower)
		})
		if suffix == "_cdf" {
			return real(math.Exp(log)), true
		}
		return real(log), true
	}
	return value{}, false
}

// sample executes y ~ f(args).
func (r *run) sample(s *stan.Sample) {
	args := append([]value{r.eval(s.Left)}, r.args(s.Args)...)
	for _, suffix := range []string{"_lpdf", "_lpmf", "_log"} {
		if fs := r.info.Functions[s.Dist.Name+suffix]; len(fs) > 0 {
			types := make([]stan.Type, len(args))
			for i, a := range args {
				types[i] = a.typ
			}
			r.increment(r.function(fitting(fs, types), args))
			return
		}
	}
	r.target += logDensity(s.Dist.Name, args[0], args[1:])
	if s.Truncated {
		r.target -= r.truncated(s, args[0], args[1:])
	}
}

// truncated returns the log probability of the range in which y must lie.
func (r *run) truncated(s *stan.Sample, y value, args []value) float64 {
	d, ok := densities[s.Dist.Name]
	if !ok || d.cdf == nil {
		fail("`%s` is not supported with T[,]", s.Dist.Name)
	}
	lo, hi := real(-inf), real(inf)
	if s.Lower != nil {
		lo = r.eval(s.Lower)
	}
	if s.Upper != nil {
		hi = r.eval(s.Upper)
	}
	return over(y, append([]value{lo, hi}, args...), func(y float64, a []float64) float64 {
		if y < a[0] || y > a[1] {
			return inf
		}
		below := a[0]
		if d.counts {
			below--
		}
		lower, upper := d.cdf(below, a[2:])
		switch {
		case s.Upper == nil && s.Lower == nil:
			return 0
		case s.Upper == nil:
			return math.Log(upper)
		case s.Lower == nil:
			upTo, _ := d.cdf(a[1], a[2:])
			return math.Log(upTo)
		}
		upTo, beyond := d.cdf(a[1], a[2:])
		if lower > 0.5 { // subtracting small numbers loses fewer digits
			return math.Log(upper - beyond)
		}
		return math.Log(upTo - lower)
	})
}
