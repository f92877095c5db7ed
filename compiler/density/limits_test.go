package density_test

import (
	"math"
	"testing"

	"ppl/autodiff"
	"ppl/compiler/compilertest"
)

// TestNormaliserIsSharedByValues checks that the normalising probability of a truncated distribution is computed once
// for all values with the same arguments, not for each value of a latent that is summed out.
func TestNormaliserIsSharedByValues(t *testing.T) {
	t.Parallel()
	p := compilertest.Load(t, `data C[R] = [3, 7], X[R] = [0.1, -0.4]
a, b, c ~ Normal(0, 3)
N[i in R] ~ Poisson(log = a + b * X[i]) in 0..100
C[i in R] ~ Binomial(N[i], logits = c)
`)
	x := autodiff.New().Input("theta", p.Dim())
	prior, lik := p.Density(x)
	autodiff.Grad(autodiff.Add(prior, lik), x)
	for _, n := range x.Graph().Nodes() {
		if n.Size() > 2*101*2 {
			t.Fatalf("node %v has shape %v; there are 2 rows with 101 values each", n, n.Shape())
		}
	}
	at := []float64{1.2, 0.7, 0.3}
	want := 0.0
	for i, count := range []float64{3, 7} {
		rate := math.Exp(at[0] + at[1]*[]float64{0.1, -0.4}[i])
		q := 1 / (1 + math.Exp(-at[2]))
		sum, mass := 0.0, 0.0
		for n := 0.0; n <= 100; n++ {
			lg, _ := math.Lgamma(n + 1)
			poisson := math.Exp(n*math.Log(rate) - rate - lg)
			mass += poisson
			if n >= count {
				kept, _ := math.Lgamma(count + 1)
				lost, _ := math.Lgamma(n - count + 1)
				sum += poisson * math.Exp(lg-kept-lost+count*math.Log(q)+(n-count)*math.Log(1-q))
			}
		}
		want += math.Log(sum / mass)
	}
	_, got, _ := compilertest.Density(p, at)
	if !compilertest.Within(got, want, 1e-10*math.Abs(want)) {
		t.Errorf("log likelihood %v, summed by hand %v", got, want)
	}
}

// TestProbitOfTwoOutcomes checks the probit model of REFERENCE.md for two outcomes: the mean over u of its factor is
// the probability of the outcomes, which for two positive elements with correlation rho is 1/4 + asin(rho) / 2 pi
// (Sheppard 1899).
func TestProbitOfTwoOutcomes(t *testing.T) {
	if testing.Short() {
		t.Skip("long: skipped by -short")
	}
	t.Parallel()
	p := compilertest.Load(t, `data y[N, K] = [[1, 1]], rho = -0.7
L = cholesky([[1, rho], [rho, 1]])
u[N, K] ~ Uniform(0, 1)
p0[i in N, k in K] = Phi(-sum(j in 1..k-1: L[k, j] * e[i, j]) / L[k, k])
e[i in N, k in K] = inv_Phi(y[i, k] == 1 ? p0[i, k] + (1 - p0[i, k]) * u[i, k] : p0[i, k] * u[i, k])
factor sum(i in N, k in K: log(y[i, k] == 1 ? 1 - p0[i, k] : p0[i, k]))
`)
	const points = 2000
	mean := 0.0
	for k := range points {
		u := (float64(k) + 0.5) / points
		_, lik, _ := compilertest.Density(p, []float64{math.Log(u / (1 - u)), 0})
		mean += math.Exp(lik) / points
	}
	want := 0.25 + math.Asin(-0.7)/(2*math.Pi)
	if !compilertest.Within(mean, want, 1e-5) {
		t.Errorf("probability %v, by Sheppard's formula %v", mean, want)
	}
}
