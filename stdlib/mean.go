package stdlib

import (
	"math"

	ad "ppl/autodiff"
)

// A scalarMean returns the mean of a distribution of one number, given its scalar arguments. The result is infinite or
// NaN if there is no finite mean.
type scalarMean = func(a []float64) float64

// scalarMeans maps a distribution of one number to the means of its forms, in the order of the forms. The formulas are
// from the sources that the distribution's row names. A distribution without a simple formula is missing.
func scalarMeans() map[string][]scalarMean {
	first := func(a []float64) float64 { return a[0] }
	return map[string][]scalarMean{
		"Bernoulli": {first, func(a []float64) float64 { return logistic(a[0]) }},
		"Beta":      {func(a []float64) float64 { return a[0] / (a[0] + a[1]) }, first},
		"BetaBinomial": {func(a []float64) float64 { return a[0] * a[1] / (a[1] + a[2]) },
			func(a []float64) float64 { return a[0] * a[1] }},
		"Binomial": {func(a []float64) float64 { return a[0] * a[1] },
			func(a []float64) float64 { return a[0] * logistic(a[1]) }},
		"ChiSquare":       {first},
		"DiscreteUniform": {func(a []float64) float64 { return (a[0] + a[1]) / 2 }},
		"ExpModNormal":    {func(a []float64) float64 { return a[0] + 1/a[2] }},
		"Exponential":     {func(a []float64) float64 { return 1 / a[0] }, first},
		"Frechet": {func(a []float64) float64 {
			return finiteAbove(a[0], 1, a[1]*math.Gamma(1-1/a[0]))
		}},
		"Gamma": {func(a []float64) float64 { return a[0] / a[1] }, func(a []float64) float64 { return a[0] * a[1] },
			first},
		"GeneralizedExtremeValue": {extremeMean},
		"GeneralizedNormal":       {first},
		"GeneralizedPareto": {func(a []float64) float64 {
			return finiteAbove(1, a[2], a[0]+a[1]/(1-a[2]))
		}},
		"Geometric": {func(a []float64) float64 { return (1 - a[0]) / a[0] },
			func(a []float64) float64 { return math.Exp(-a[0]) }},
		"Gumbel":     {func(a []float64) float64 { return a[0] + a[1]*eulerGamma }},
		"HalfNormal": {func(a []float64) float64 { return a[0] * math.Sqrt(2/math.Pi) }},
		"HalfStudentT": {func(a []float64) float64 {
			up, _ := math.Lgamma((a[0] + 1) / 2)
			down, _ := math.Lgamma(a[0] / 2)
			return finiteAbove(a[0], 1, 2*a[1]*math.Sqrt(a[0]/math.Pi)*math.Exp(up-down)/(a[0]-1))
		}},
		"Hypergeometric":   {func(a []float64) float64 { return a[0] * a[1] / (a[1] + a[2]) }},
		"InverseChiSquare": {func(a []float64) float64 { return finiteAbove(a[0], 2, 1/(a[0]-2)) }},
		"InverseGamma":     {func(a []float64) float64 { return finiteAbove(a[0], 1, a[1]/(a[0]-1)) }},
		"InverseGaussian":  {first},
		"Kumaraswamy": {func(a []float64) float64 {
			up, _ := math.Lgamma(1 + 1/a[0])
			b, _ := math.Lgamma(a[1])
			both, _ := math.Lgamma(1 + 1/a[0] + a[1])
			return a[1] * math.Exp(up+b-both)
		}},
		"Laplace":  {first},
		"Logistic": {first},
		"LogLogistic": {func(a []float64) float64 {
			return finiteAbove(a[1], 1, a[0]*math.Pi/a[1]/math.Sin(math.Pi/a[1]))
		}},
		"LogNormal":  {func(a []float64) float64 { return math.Exp(a[0] + a[1]*a[1]/2) }},
		"LogUniform": {func(a []float64) float64 { return (a[1] - a[0]) / math.Log(a[1]/a[0]) }},
		"NegBinomial": {first, func(a []float64) float64 { return math.Exp(a[0]) },
			func(a []float64) float64 { return a[0] / a[1] },
			func(a []float64) float64 { return a[0] * (1 - a[1]) / a[1] },
			func(a []float64) float64 { return a[0] * math.Exp(-a[1]) }},
		"Normal":      {first, first, first},
		"Pareto":      {func(a []float64) float64 { return finiteAbove(a[1], 1, a[0]*a[1]/(a[1]-1)) }},
		"ParetoType2": {func(a []float64) float64 { return finiteAbove(a[2], 1, a[0]+a[1]/(a[2]-1)) }},
		"Poisson":     {first, func(a []float64) float64 { return math.Exp(a[0]) }},
		"Rayleigh":    {func(a []float64) float64 { return a[0] * math.Sqrt(math.Pi/2) }},
		"ScaledInverseChiSquare": {func(a []float64) float64 {
			return finiteAbove(a[0], 2, a[0]*a[1]*a[1]/(a[0]-2))
		}},
		"SkewNormal": {func(a []float64) float64 {
			return a[0] + a[1]*a[2]/math.Sqrt(1+a[2]*a[2])*math.Sqrt(2/math.Pi)
		}},
		"SoftLaplace": {first},
		"StudentT": {func(a []float64) float64 {
			if a[0] <= 1 {
				return math.NaN()
			}
			return a[1]
		}},
		"Uniform":  {func(a []float64) float64 { return (a[0] + a[1]) / 2 }},
		"VonMises": {first}, // the mean direction
		"Weibull":  {func(a []float64) float64 { return a[1] * math.Gamma(1+1/a[0]) }},
		"ZeroInflatedNegBinomial": {func(a []float64) float64 { return (1 - a[0]) * a[1] },
			func(a []float64) float64 { return (1 - a[0]) * math.Exp(a[1]) }},
		"ZeroInflatedPoisson": {func(a []float64) float64 { return (1 - a[0]) * a[1] },
			func(a []float64) float64 { return (1 - a[0]) * math.Exp(a[1]) }},
	}
}

// vectorMeans maps a distribution of vectors to the means of its forms.
func vectorMeans() map[string][]func(args [][]float64, out []float64) {
	argument := func(k int) func(args [][]float64, out []float64) {
		return func(args [][]float64, out []float64) { copy(out, args[k]) }
	}
	return map[string][]func(args [][]float64, out []float64){
		"MvNormal":   {argument(0), argument(0), argument(0), argument(0), argument(0)},
		"MvStudentT": {argument(1), argument(1)},
		"Multinomial": {
			func(args [][]float64, out []float64) {
				for k, p := range args[1] {
					out[k] = args[0][0] * p
				}
			},
			func(args [][]float64, out []float64) {
				softmax(args[1], out)
				for k := range out {
					out[k] *= args[0][0]
				}
			}},
		"Dirichlet": {func(args [][]float64, out []float64) {
			sum := 0.0
			for _, a := range args[0] {
				sum += a
			}
			for k, a := range args[0] {
				out[k] = a / sum
			}
		}},
	}
}

// shares maps a distribution of categories 1, 2, … to the category probabilities of its forms.
func shares() map[string][]func(args [][]float64, k int) float64 {
	ordered := func(cdf func(x float64) float64) func(args [][]float64, k int) float64 {
		return func(args [][]float64, k int) float64 {
			eta, cut := args[0][0], args[1]
			below, upTo := 0.0, 1.0
			if k > 1 {
				below = cdf(cut[k-2] - eta)
			}
			if k <= len(cut) {
				upTo = cdf(cut[k-1] - eta)
			}
			return upTo - below
		}
	}
	return map[string][]func(args [][]float64, k int) float64{
		"Categorical": {func(args [][]float64, k int) float64 { return args[0][k-1] },
			func(args [][]float64, k int) float64 {
				p := make([]float64, len(args[0]))
				softmax(args[0], p)
				return p[k-1]
			}},
		"OrderedLogistic": {ordered(logistic)},
		"OrderedProbit":   {ordered(func(x float64) float64 { return math.Erfc(-x/math.Sqrt2) / 2 })},
	}
}

// finiteAbove returns mean if x is above limit, else infinity.
func finiteAbove(x, limit, mean float64) float64 {
	if x > limit {
		return mean
	}
	return math.Inf(1)
}

// extremeMean returns the mean of GeneralizedExtremeValue: a formula with Γ(1 - shape) for shape < 1, Gumbel's mean for
// shape 0, and infinity for shape ≥ 1.
func extremeMean(a []float64) float64 {
	switch shape := a[2]; {
	case shape >= 1:
		return math.Inf(1)
	case math.Abs(shape) < 1e-6:
		return a[0] + a[1]*eulerGamma
	default:
		return a[0] + a[1]*(math.Gamma(1-shape)-1)/shape
	}
}

// expectations holds the means and category probabilities of all distributions, by name.
type expectations struct {
	scalars map[string][]scalarMean
	vectors map[string][]func(args [][]float64, out []float64)
	shares  map[string][]func(args [][]float64, k int) float64
}

// addTo sets Mean and Share of the forms of a row.
func (e expectations) addTo(d *Dist) {
	for k, mean := range e.scalars[d.Name] {
		d.Forms[k].Mean = func(args [][]float64, out []float64) { out[0] = mean(firsts(args)) }
	}
	for k, mean := range e.vectors[d.Name] {
		d.Forms[k].Mean = mean
	}
	for k, share := range e.shares[d.Name] {
		d.Forms[k].Share = share
	}
}

// firsts returns the first element of each argument, for arguments that are numbers.
func firsts(args [][]float64) []float64 {
	a := make([]float64, len(args))
	for i := range args {
		a[i] = args[i][0]
	}
	return a
}

// mean returns the mean of a mixture as a function of its arguments, or nil if a part has no mean.
func (m mixture) mean() func(args [][]float64, out []float64) {
	for _, p := range m.parts {
		if p.Form.Mean == nil {
			return nil
		}
	}
	return func(args [][]float64, out []float64) {
		sum, one := 0.0, make([]float64, 1)
		for k, p := range m.parts {
			p.Form.Mean(of(m, args, k), one)
			sum += m.weight(args[0], k) * one[0]
		}
		out[0] = sum
	}
}

// weight returns the weight of part k.
func (m mixture) weight(w []float64, k int) float64 {
	switch {
	case !m.single:
		return w[k]
	case k == 0:
		return w[0]
	}
	return 1 - w[0]
}

// hurdleMean returns the mean of Hurdle: the part's mean given that it is not 0, times the probability that the hurdle
// is passed. It is nil if the part has no mean.
func hurdleMean(part Part) func(args [][]float64, out []float64) {
	if part.Form.Mean == nil {
		return nil
	}
	return func(args [][]float64, out []float64) {
		part.Form.Mean(args[1:], out)
		out[0] *= (1 - args[0][0]) / probabilityAwayFromZero(part, args[1:])
	}
}

// probabilityAwayFromZero returns P(X ≠ 0) of a part.
func probabilityAwayFromZero(part Part, args [][]float64) float64 {
	if !part.Dist.Discrete() {
		return 1
	}
	g := ad.New()
	nodes := make([]Node, len(args))
	for i, a := range args {
		nodes[i] = g.Const(a[0])
	}
	return math.Exp(ad.Eval(nil, notZero(part, nodes))[0][0])
}
