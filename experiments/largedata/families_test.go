package main

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"
)

// TestFamilies compares the derivatives of the families with differences of gonum's log densities.
func TestFamilies(t *testing.T) {
	density := map[string]func(y, eta float64) float64{
		"poisson": func(y, eta float64) float64 { return distuv.Poisson{Lambda: math.Exp(eta)}.LogProb(y) },
		"robust": func(y, eta float64) float64 {
			return distuv.StudentsT{Mu: eta, Sigma: 1, Nu: freedom}.LogProb(y)
		},
		"hierarchical": func(y, eta float64) float64 {
			return distuv.Bernoulli{P: 1 / (1 + math.Exp(-eta))}.LogProb(y)
		},
	}
	const h = 1e-3
	for _, f := range families() {
		for _, y := range []float64{0, 1} {
			for _, eta := range []float64{-1.5, 0.2, 2} {
				up, here, down := density[f.name](y, eta+h), density[f.name](y, eta), density[f.name](y, eta-h)
				if d := (up - down) / (2 * h); math.Abs(d-f.slope(y, eta)) > 1e-5 {
					t.Errorf("%s: slope %v at %v, %v; want %v", f.name, f.slope(y, eta), y, eta, d)
				}
				if d := (2*here - up - down) / (h * h); math.Abs(d-f.curvature(y, eta)) > 1e-4 || d == 0 {
					t.Errorf("%s: curvature %v at %v, %v; want %v", f.name, f.curvature(y, eta), y, eta, d)
				}
			}
		}
	}
}

// TestLaplaceOfFamilies checks that with 20,000 rows the mode is within five standard deviations of the simulated
// slopes, and that the standard deviations decrease with the square root of the number of rows.
func TestLaplaceOfFamilies(t *testing.T) {
	for _, f := range families() {
		few, many := f.simulate(5000), f.simulate(20_000)
		a, sd := few.laplace()
		b, narrow := many.laplace()
		for j := range slopes {
			if math.Abs(a[j]-b[j]) > 5*sd[j] || math.Abs(2*narrow[j]/sd[j]-1) > 0.1 {
				t.Errorf("%s: slope %d is %v ± %v, with more rows %v ± %v", f.name, j, a[j], sd[j], b[j], narrow[j])
			}
		}
	}
}
