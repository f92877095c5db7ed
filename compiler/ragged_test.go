package compiler_test

import (
	"math"
	"path/filepath"
	"strings"
	"testing"

	"ppl/compiler/compilertest"
	"ppl/compiler/datasets/datafile/content"
	"ppl/numbers"
)

// TestRaggedAgainstStan compares models of posteriordb, written with ragged arrays, with the density and gradient of
// Stan: homes by county, words by document, grades by bone.
func TestRaggedAgainstStan(t *testing.T) {
	t.Parallel()
	paths, err := filepath.Glob("testdata/stan/ragged/*.ppl")
	if err != nil || len(paths) != 3 {
		t.Fatal(paths, err)
	}
	for _, path := range paths {
		name := strings.TrimSuffix(filepath.Base(path), ".ppl")
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			agrees(t, stanCase{name, compilertest.Posterior(t, "testdata/stan", name, path),
				some(stanPoints(t, filepath.Join("testdata/stan", name+".points.json")))})
		})
	}
}

// raggedInGo has models whose log density is also written in Go. Their gradient is compared with central differences.
var raggedInGo = []struct {
	name, model string
	at          map[string][]float64
	density     func(at map[string][]float64) float64
}{
	{"coagulation times by diet (Gelman et al., BDA3, table 11.2)", `
data n[D], y[D, n] = [[62, 60, 63, 59], [63, 67, 71, 64, 65, 66], [68, 66, 71, 67, 68, 68],
    [56, 62, 60, 61, 63, 64, 63, 59]]
mu ~ Normal(60, 20)
tau, sigma ~ HalfNormal(10)
theta[D] ~ Normal(mu, tau)
y[d in D, i in 1..n[d]] ~ Normal(theta[d], sigma)
`, map[string][]float64{"mu": {63}, "tau": {4}, "sigma": {2.5}, "theta": {61, 66, 67, 60}}, coagulation},
	{"GARCH(1, 1) of several series (Bollerslev 1986)", `
data T[S], r[S, T] = [[0.3, -1.2, 0.8, 2.1, -0.4], [0.1, 0.2], [-0.5, 1.5, -2.2, 0.7]]
omega ~ HalfNormal(1)
a, b ~ Beta(1, 1)
v[s in S, 1] = omega / (1 - a * b)
v[s in S, t in 2..T[s]] = omega + a * r[s, t-1]^2 + b * v[s, t-1]
r[s in S, t in 1..T[s]] ~ Normal(0, sqrt(v[s, t]))
`, map[string][]float64{"omega": {0.4}, "a": {0.3}, "b": {0.5}}, garchOfSeries},
}

func coagulation(at map[string][]float64) float64 {
	mu, tau, sigma := at["mu"][0], at["tau"][0], at["sigma"][0]
	sum := compilertest.NormalLog(mu, 60, 20)
	for _, s := range []float64{tau, sigma} {
		sum += math.Ln2 + compilertest.NormalLog(s, 0, 10)
	}
	for d, times := range [][]float64{{62, 60, 63, 59}, {63, 67, 71, 64, 65, 66}, {68, 66, 71, 67, 68, 68},
		{56, 62, 60, 61, 63, 64, 63, 59}} {
		sum += compilertest.NormalLog(at["theta"][d], mu, tau)
		for _, y := range times {
			sum += compilertest.NormalLog(y, at["theta"][d], sigma)
		}
	}
	return sum
}

func garchOfSeries(at map[string][]float64) float64 {
	omega, a, b := at["omega"][0], at["a"][0], at["b"][0]
	sum := math.Ln2 + compilertest.NormalLog(omega, 0, 1)
	for _, series := range [][]float64{{0.3, -1.2, 0.8, 2.1, -0.4}, {0.1, 0.2}, {-0.5, 1.5, -2.2, 0.7}} {
		v := omega / (1 - a*b)
		for t, r := range series {
			if t > 0 {
				v = omega + a*series[t-1]*series[t-1] + b*v
			}
			sum += compilertest.NormalLog(r, 0, math.Sqrt(v))
		}
	}
	return sum
}

func TestRaggedAgainstGo(t *testing.T) {
	t.Parallel()
	for _, c := range raggedInGo {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			at := map[string]*content.Array{}
			for name, values := range c.at {
				at[name] = &content.Array{Values: numbers.Of(values...)}
				if len(values) > 1 {
					at[name].Shape = []int{len(values)}
				}
			}
			got, err := compilertest.Load(t, c.model).LogProb(at)
			if err != nil {
				t.Fatal(err)
			}
			if want := c.density(c.at); !compilertest.Near(got.Prior+got.Likelihood, want, 1e-13) {
				t.Errorf("log density %v, want %v", got.Prior+got.Likelihood, want)
			}
			for name, values := range c.at {
				for k := range values {
					slope, want := got.Gradient[name][k], centralDifference(c.density, c.at, name, k)
					if !compilertest.Near(slope, want, 1e-7) {
						t.Errorf("gradient of %s[%d] %v, want %v", name, k+1, slope, want)
					}
				}
			}
		})
	}
}

// centralDifference returns the central difference of f with respect to one element.
func centralDifference(f func(map[string][]float64) float64, at map[string][]float64, name string, k int) float64 {
	const h = 1e-5
	moved := func(by float64) float64 {
		there := map[string][]float64{}
		for n, values := range at {
			there[n] = append([]float64{}, values...)
		}
		there[name][k] += by
		return f(there)
	}
	return (moved(h) - moved(-h)) / (2 * h)
}
