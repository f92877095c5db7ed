package stdlib

import (
	"math"
	"math/rand/v2"

	ad "ppl/autodiff"
	"ppl/lang/types"
)

var logSqrt2Pi = 0.5 * math.Log(2*math.Pi)

// realDists lists distributions on the whole real line.
var realDists = []Dist{
	{
		Name: "Normal", Support: types.RealLine, LocationScale: true,
		Doc: "Normal with mean mu and standard deviation sd: exp(-((x - mu) / sd)^2 / 2) / (sd sqrt(2 pi)); var = " +
			"sd^2, precision = 1 / sd^2",
		Source: "Johnson, Kotz & Balakrishnan, Continuous Univariate Distributions 1, ch. 13",
		Forms: []Form{
			{Args: args(real0("mu"), positive("sd")), LogProb: normalLogProb,
				LogCDF:  func(x Node, a []Node) Node { return ad.LogNormCDF(standard(x, a)) },
				LogCCDF: func(x Node, a []Node) Node { return ad.LogNormCDF(ad.Neg(standard(x, a))) },
				Sample:  scalar(func(r *rand.Rand, a []float64) float64 { return a[0] + a[1]*r.NormFloat64() })},
			{Args: args(real0("mu"), positive("var")), LogProb: normalVarLogProb,
				LogCDF:  func(x Node, a []Node) Node { return ad.LogNormCDF(standardVar(x, a)) },
				LogCCDF: func(x Node, a []Node) Node { return ad.LogNormCDF(ad.Neg(standardVar(x, a))) },
				Sample: scalar(func(r *rand.Rand, a []float64) float64 {
					return a[0] + math.Sqrt(a[1])*r.NormFloat64()
				})},
			{Args: args(real0("mu"), positive("precision")), LogProb: normalPrecisionLogProb,
				LogCDF:  func(x Node, a []Node) Node { return ad.LogNormCDF(standardPrecision(x, a)) },
				LogCCDF: func(x Node, a []Node) Node { return ad.LogNormCDF(ad.Neg(standardPrecision(x, a))) },
				Sample: scalar(func(r *rand.Rand, a []float64) float64 {
					return a[0] + r.NormFloat64()/math.Sqrt(a[1])
				})},
		},
	},
	{
		Name: "StudentT", Support: types.RealLine, LocationScale: true, Location: 1,
		Doc: "Student's t with nu degrees of freedom, location mu, scale sd: Gamma((nu+1)/2) / (Gamma(nu/2) " +
			"sqrt(nu pi) sd) (1 + ((x - mu) / sd)^2 / nu)^(-(nu+1)/2)",
		Source: "Johnson, Kotz & Balakrishnan, Continuous Univariate Distributions 2, ch. 28",
		Forms: []Form{{Args: args(positive("nu"), real0("mu"), positive("sd")),
			LogProb: func(x Node, a []Node) Node { return studentLogProb(a[0], standard(x, a[1:]), a[2]) },
			both:    func(x Node, a []Node) (lower, upper Node) { return studentTails(a[0], standard(x, a[1:])) },
			Sample:  scalar(func(r *rand.Rand, a []float64) float64 { return a[1] + a[2]*drawT(r, a[0]) })}},
	},
	{
		Name: "Cauchy", Support: types.RealLine, LocationScale: true,
		Doc:    "Cauchy: 1 / (pi scale (1 + ((x - loc) / scale)^2))",
		Source: "Johnson, Kotz & Balakrishnan, Continuous Univariate Distributions 1, ch. 16",
		Forms: []Form{{Args: args(real0("loc"), positive("scale")),
			LogProb: func(x Node, a []Node) Node { return cauchyLogProb(standard(x, a), a[1]) },
			LogCDF:  func(x Node, a []Node) Node { return cauchyLogCDF(standard(x, a)) },
			LogCCDF: func(x Node, a []Node) Node { return cauchyLogCDF(ad.Neg(standard(x, a))) },
			Sample:  scalar(func(r *rand.Rand, a []float64) float64 { return a[0] + a[1]*drawCauchy(r) })}},
	},
	{
		Name: "Laplace", Support: types.RealLine, LocationScale: true,
		Doc:    "Laplace: exp(-|x - loc| / scale) / (2 scale)",
		Source: "Johnson, Kotz & Balakrishnan, Continuous Univariate Distributions 2, ch. 24",
		Forms: []Form{{Args: args(real0("loc"), positive("scale")),
			LogProb: func(x Node, a []Node) Node {
				return ad.Sub(plus(ad.Neg(ad.Log(a[1])), -math.Ln2), ad.Abs(standard(x, a)))
			},
			LogCDF:  func(x Node, a []Node) Node { return laplaceLogCDF(standard(x, a)) },
			LogCCDF: func(x Node, a []Node) Node { return laplaceLogCDF(ad.Neg(standard(x, a))) },
			Sample: scalar(func(r *rand.Rand, a []float64) float64 {
				return a[0] + a[1]*(r.ExpFloat64()-r.ExpFloat64())
			})}},
	},
	{
		Name: "Logistic", Support: types.RealLine, LocationScale: true,
		Doc:    "Logistic: exp(-z) / (scale (1 + exp(-z))^2) with z = (x - loc) / scale",
		Source: "Johnson, Kotz & Balakrishnan, Continuous Univariate Distributions 2, ch. 23",
		Forms: []Form{{Args: args(real0("loc"), positive("scale")),
			LogProb: func(x Node, a []Node) Node {
				z := standard(x, a)
				return total(ad.Neg(ad.Log(a[1])), ad.LogSigmoid(z), ad.LogSigmoid(ad.Neg(z)))
			},
			LogCDF:  func(x Node, a []Node) Node { return ad.LogSigmoid(standard(x, a)) },
			LogCCDF: func(x Node, a []Node) Node { return ad.LogSigmoid(ad.Neg(standard(x, a))) },
			Sample: scalar(func(r *rand.Rand, a []float64) float64 {
				return a[0] + a[1]*math.Log(r.ExpFloat64()/r.ExpFloat64())
			})}},
	},
	{
		Name: "Gumbel", Support: types.RealLine, LocationScale: true,
		Doc:    "Gumbel, the distribution of maxima: exp(-(z + exp(-z))) / scale with z = (x - loc) / scale",
		Source: "Johnson, Kotz & Balakrishnan, Continuous Univariate Distributions 2, ch. 22",
		Forms: []Form{{Args: args(real0("loc"), positive("scale")),
			LogProb: func(x Node, a []Node) Node {
				z := standard(x, a)
				return ad.Sub(ad.Neg(ad.Log(a[1])), ad.Add(z, ad.Exp(ad.Neg(z))))
			},
			LogCDF:  func(x Node, a []Node) Node { return ad.Neg(ad.Exp(ad.Neg(standard(x, a)))) },
			LogCCDF: func(x Node, a []Node) Node { return log1mExpNegExp(ad.Neg(standard(x, a))) },
			Sample:  scalar(func(r *rand.Rand, a []float64) float64 { return a[0] - a[1]*math.Log(r.ExpFloat64()) })}},
	},
	{
		Name: "SkewNormal", Support: types.RealLine, LocationScale: true,
		Doc:    "Skew normal: 2 phi(z) Phi(shape z) / scale with z = (x - loc) / scale",
		Source: "Azzalini 1985, Scandinavian Journal of Statistics 12, 171",
		Forms: []Form{{Args: args(real0("loc"), positive("scale"), real0("shape")),
			LogProb: func(x Node, a []Node) Node {
				z := standard(x, a)
				return total(plus(ad.Neg(ad.Log(a[1])), math.Ln2-logSqrt2Pi), times(-0.5, square(z)),
					ad.LogNormCDF(ad.Mul(a[2], z)))
			},
			both:   func(x Node, a []Node) (lower, upper Node) { return skewNormalTails(standard(x, a), a[2]) },
			Sample: scalar(drawSkewNormal)}},
	},
}

// standard returns z = (x − location) / scale.
func standard(x Node, a []Node) Node          { return ad.Div(ad.Sub(x, a[0]), a[1]) }
func standardVar(x Node, a []Node) Node       { return ad.Div(ad.Sub(x, a[0]), ad.Sqrt(a[1])) }
func standardPrecision(x Node, a []Node) Node { return ad.Mul(ad.Sub(x, a[0]), ad.Sqrt(a[1])) }

func normalLogProb(x Node, a []Node) Node { return normalCore(standard(x, a), a[1]) }

// normalCore returns −z²/2 − log(sd √2π).
func normalCore(z, sd Node) Node {
	return ad.Add(plus(ad.Neg(ad.Log(sd)), -logSqrt2Pi), times(-0.5, square(z)))
}

func normalVarLogProb(x Node, a []Node) Node {
	return ad.Add(plus(times(-0.5, ad.Log(a[1])), -logSqrt2Pi), times(-0.5, ad.Div(square(ad.Sub(x, a[0])), a[1])))
}

func normalPrecisionLogProb(x Node, a []Node) Node {
	return ad.Add(plus(times(0.5, ad.Log(a[1])), -logSqrt2Pi), times(-0.5, ad.Mul(a[1], square(ad.Sub(x, a[0])))))
}

// studentLogProb returns the log density at z = (x − mu)/sd. It computes Γ((ν+1)/2)/Γ(ν/2) by logRising, because the
// difference of the two logarithms would cancel for large ν.
func studentLogProb(nu, z, sd Node) Node {
	half := logRising(num(nu, 0.5), times(0.5, nu))
	norm := ad.Sub(half, ad.Add(times(0.5, ad.Log(times(math.Pi, nu))), ad.Log(sd)))
	return ad.Sub(norm, ad.Mul(times(0.5, plus(nu, 1)), ad.Log1p(ad.Div(square(z), nu))))
}

func cauchyLogProb(z, scale Node) Node {
	return ad.Sub(plus(ad.Neg(ad.Log(scale)), -math.Log(math.Pi)), ad.Log1p(square(z)))
}

// cauchyLogCDF returns log P(Z ≤ z). For large |z| it uses the smaller tail atan(1/|z|)/π, because 1/2 + atan(z)/π
// would cancel.
func cauchyLogCDF(z Node) Node {
	near := ad.Lt(ad.Abs(z), num(z, 1))
	tail := times(1/math.Pi, ad.Atan(ad.Div(num(z, 1), ad.Abs(ad.Where(near, num(z, 1), z)))))
	far := ad.Where(ad.Lt(z, num(z, 0)), ad.Log(tail), ad.Log1p(ad.Neg(tail)))
	return ad.Where(near, ad.Log(plus(times(1/math.Pi, ad.Atan(z)), 0.5)), far)
}

func laplaceLogCDF(z Node) Node {
	left := ad.Lt(z, num(z, 0))
	right := ad.Where(left, num(z, 0), z)
	return ad.Where(left, plus(z, -math.Ln2), ad.Log1p(times(-0.5, ad.Exp(ad.Neg(right)))))
}

// drawT draws a standard Student's t: a normal divided by the root of a scaled gamma.
func drawT(r *rand.Rand, nu float64) float64 {
	return r.NormFloat64() / math.Sqrt(drawGamma(r, nu/2)*2/nu)
}

func drawCauchy(r *rand.Rand) float64 { return math.Tan(math.Pi * (r.Float64() - 0.5)) }

// drawSkewNormal draws by Azzalini's method: δ|Z₀| + √(1−δ²) Z₁ with δ = α/√(1+α²).
func drawSkewNormal(r *rand.Rand, a []float64) float64 {
	delta := a[2] / math.Hypot(1, a[2])
	z := delta*math.Abs(r.NormFloat64()) + math.Sqrt(1-delta*delta)*r.NormFloat64()
	return a[0] + a[1]*z
}
