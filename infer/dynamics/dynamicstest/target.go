// Package dynamicstest compares the rules of package dynamics, and samplers that use them, with theory. It has targets
// with known distributions, a small driver of lanes on a device, and tests of the contract of all rules.
package dynamicstest

import (
	"math"
	"math/rand/v2"

	"ppl/autodiff"
	"ppl/lang/types"
)

// A Density is a target made from functions: LogPrior and LogLik of θ. Walkers start at draws from N(0, Spread²).
type Density struct {
	D        int
	LogPrior func(theta autodiff.Node) autodiff.Node
	LogLik   func(theta autodiff.Node) autodiff.Node // nil means 0
	Proper   bool
	Spread   float64 // 0 means 1
}

// Dim returns D.
func (t Density) Dim() int { return t.D }

// Density returns LogPrior and LogLik at theta.
func (t Density) Density(theta autodiff.Node) (logPrior, logLik autodiff.Node) {
	logPrior, logLik = t.LogPrior(theta), theta.Graph().Const(0)
	if t.LogLik != nil {
		logLik = t.LogLik(theta)
	}
	return logPrior, logLik
}

// ProperPrior returns Proper.
func (t Density) ProperPrior() bool { return t.Proper }

// Start returns a normal draw with standard deviation Spread.
func (t Density) Start(seed uint64, walker int) []float64 {
	r := rand.New(rand.NewPCG(seed, uint64(walker)))
	out := make([]float64, t.D)
	for i := range out {
		out[i] = r.NormFloat64() * math.Max(t.Spread, 0)
		if t.Spread == 0 {
			out[i] = r.NormFloat64()
		}
	}
	return out
}

// Saved returns one vector, x.
func (t Density) Saved() []types.Variable {
	return []types.Variable{{Name: "x", Shape: []int{t.D}, Dims: []string{"x_dim_0"}, First: []int{1}}}
}

// Values returns θ.
func (t Density) Values(theta autodiff.Node) autodiff.Node { return theta }

// Normal returns N(0, diag(sd²)) as a prior without data.
func Normal(sd ...float64) Density {
	return Density{D: len(sd), Proper: true, LogPrior: func(theta autodiff.Node) autodiff.Node {
		g := theta.Graph()
		z := autodiff.Div(theta, g.Data("sd", sd, len(sd)))
		return autodiff.Mul(g.Const(-0.5), autodiff.SumAll(autodiff.Mul(z, z)))
	}}
}

// MultiNormal returns N(mean, (AᵀA)⁻¹) with A [d, d] row-major.
func MultiNormal(mean, a []float64) Density {
	d := len(mean)
	return Density{D: d, Proper: true, LogPrior: func(theta autodiff.Node) autodiff.Node {
		g := theta.Graph()
		x := autodiff.Reshape(autodiff.Sub(theta, g.Data("mean", mean, d)), d, 1)
		z := autodiff.MatMul(g.Data("a", a, d, d), x, false, false)
		return autodiff.Mul(g.Const(-0.5), autodiff.SumAll(autodiff.Mul(z, z)))
	}}
}

// A Mixture is a mixture of normals with covariances SD²·I.
type Mixture struct {
	Weight []float64
	Center [][]float64
	SD     []float64
}

// FiveModes returns a mixture with modes at the origin and at the corners (±4, ±4), with standard deviation .5.
func FiveModes() Mixture {
	return Mixture{
		Weight: []float64{0.30, 0.10, 0.25, 0.15, 0.20},
		Center: [][]float64{{0, 0}, {4, 4}, {-4, 4}, {-4, -4}, {4, -4}},
		SD:     []float64{0.5, 0.5, 0.5, 0.5, 0.5},
	}
}

// FiveModesUnequal is FiveModes with standard deviations from .35 to .7.
func FiveModesUnequal() Mixture {
	m := FiveModes()
	m.SD = []float64{0.7, 0.35, 0.5, 0.4, 0.6}
	return m
}

// FiveModesFar is FiveModes with corners at ±6 and other weights.
func FiveModesFar() Mixture {
	m := FiveModes()
	m.Weight = []float64{0.05, 0.40, 0.10, 0.25, 0.20}
	m.Center = [][]float64{{0, 0}, {6, 6}, {-6, 6}, {-6, -6}, {6, -6}}
	return m
}

// LogDensity returns the normalised log density of the mixture.
func (m Mixture) LogDensity(theta autodiff.Node) autodiff.Node {
	g, k, d := theta.Graph(), len(m.Weight), len(m.Center[0])
	var center, offset, scale []float64
	for i := range k {
		center = append(center, m.Center[i]...)
		offset = append(offset, math.Log(m.Weight[i])-float64(d)*math.Log(m.SD[i]*math.Sqrt(2*math.Pi)))
		scale = append(scale, -0.5/(m.SD[i]*m.SD[i]))
	}
	delta := autodiff.Sub(autodiff.Broadcast(theta, []int{k, d}, []int{1}), g.Data("center", center, k, d))
	far := autodiff.Sum(autodiff.Mul(delta, delta), 1)
	return autodiff.LogSumExp(autodiff.Add(g.Data("offset", offset, k), autodiff.Mul(g.Data("scale", scale, k), far)),
		0)
}

// Target returns a target whose log ρ is the mixture, not declared to be a proper prior.
func (m Mixture) Target() Density {
	return Density{D: len(m.Center[0]), Spread: 4, LogPrior: m.LogDensity}
}

// Mode returns the index of the component whose centre is nearest to x, in units of its standard deviation.
func (m Mixture) Mode(x []float64) int {
	best, at := math.Inf(1), 0
	for k := range m.Weight {
		sum := 0.0
		for i, v := range x {
			sum += (v - m.Center[k][i]) * (v - m.Center[k][i]) / (m.SD[k] * m.SD[k])
		}
		if sum < best {
			best, at = sum, k
		}
	}
	return at
}
