package compilertest

import (
	"math"
	"math/rand/v2"
	"testing"

	"ppl/autodiff"
	"ppl/compiler"
	"ppl/compiler/datasets/datafile/content"
	"ppl/numbers"
)

// Density returns log ρ and log ℓ at unconstrained coordinates, and the gradient of their sum.
func Density(p *compiler.Program, theta []float64) (prior, likelihood float64, gradient []float64) {
	x := autodiff.New().Input("theta", p.Dim())
	rho, lik := p.Density(x)
	out := autodiff.Eval(map[string][]float64{"theta": theta}, rho, lik, autodiff.Grad(autodiff.Add(rho, lik), x)[0])
	return out[0][0], out[1][0], out[2]
}

// Likelihood returns log ρ and log ℓ at unconstrained coordinates, and the gradient of log ℓ.
func Likelihood(p *compiler.Program, theta []float64) (values, gradient []float64) {
	x := autodiff.New().Input("theta", p.Dim())
	prior, lik := p.Density(x)
	out := autodiff.Eval(map[string][]float64{"theta": theta}, prior, lik, autodiff.Grad(lik, x)[0])
	return []float64{out[0][0], out[1][0]}, out[2]
}

// LikelihoodAt returns the log likelihood at values of scalar parameters.
func LikelihoodAt(t *testing.T, p *compiler.Program, values map[string]float64) float64 {
	t.Helper()
	arrays := map[string]*content.Array{}
	for name, v := range values {
		arrays[name] = &content.Array{Name: name, Values: numbers.Of(v)}
	}
	lp, err := p.LogProb(arrays)
	if err != nil {
		t.Fatal(err)
	}
	return lp.Likelihood
}

// Somewhere returns a point near a starting point with a finite density, with log ρ, log ℓ and the gradient of log ℓ at
// this point.
func Somewhere(p *compiler.Program, r *rand.Rand) (theta, values, gradient []float64) {
	for walker := range 20 {
		theta = p.Start(1, walker)
		for i := range theta {
			theta[i] = math.Ldexp(theta[i], -walker) + 0.1*r.NormFloat64() // closer and closer to 0
		}
		values, gradient = Likelihood(p, theta)
		if Finite(values[0] + values[1]) {
			return theta, values, gradient
		}
	}
	return theta, values, gradient
}

// NormalLog returns the log density of a normal distribution.
func NormalLog(x, mu, sd float64) float64 {
	z := (x - mu) / sd
	return -z*z/2 - math.Log(sd) - math.Log(2*math.Pi)/2
}

// Softmax returns exp(vᵢ) / Σⱼ exp(vⱼ).
func Softmax(v []float64) []float64 {
	p, sum := make([]float64, len(v)), 0.0
	for i, x := range v {
		p[i] = math.Exp(x)
		sum += p[i]
	}
	for i := range p {
		p[i] /= sum
	}
	return p
}

// Logistic returns 1 / (1 + exp(−x)).
func Logistic(x float64) float64 { return 1 / (1 + math.Exp(-x)) }
