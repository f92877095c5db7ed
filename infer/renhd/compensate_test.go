package renhd

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// The paper's law: its polynomial and quantiles are those worked out by hand and checked with independent programs for this project.
func TestPaperCompensation(t *testing.T) {
	c := compensation(0.2, 10, 3)
	want := compensator{0.895, 0.375, -0.45, 0.3, -0.12}
	if d := cmp.Diff(want, c, cmpopts.EquateApprox(0, 1e-15)); d != "" {
		t.Error(d)
	}
	for u, want := range map[float64]float64{.6: .388082, .75: 1.052978, .9: 2.116811, .99: 4.487642} {
		if z := c.quantile(u); math.Abs(z-want) > 1e-6 || c.quantile(1-u) != -z {
			t.Errorf("quantile %v is %.7f, want %v and its reflection %v", u, z, want, c.quantile(1-u))
		}
	}
	var square float64
	const n = 1 << 16
	for k := range n {
		z := c.quantile((float64(k) + 0.5) / n)
		square += z * z / n
	}
	if want := math.Pi*math.Pi/3 - 0.2; math.Abs(square/want-1) > 1e-3 {
		t.Errorf("variance %.5f, want π²/3 − .2 = %.5f", square, want)
	}
}

// The largest error of the law with its noise added, against the logistic: the table of our notes, from independent programs, to its digits. The
// sum over the normal is the trapezoidal rule, exact to rounding here.
func TestCompensationError(t *testing.T) {
	for _, c := range []struct {
		variance, lambda float64
		terms            int
		want             float64
	}{
		{.2, 10, 1, 9.2e-3}, {.1, 10, 3, 1.1e-3}, {.2, 10, 3, 1.0e-3}, {1, 10, 3, 2.7e-3},
		{.1, math.Inf(1), 3, 7e-6}, {.2, math.Inf(1), 5, 7.4e-7}, {1, math.Inf(1), 5, 2.7e-4}, {1, math.Inf(1), 8, 2.1e-5},
	} {
		law, worst := compensation(c.variance, c.lambda, c.terms), 0.0
		for z := 0.0; z < 12; z += 0.05 {
			sum, weight := 0.0, 0.0
			for x := -8.0; x <= 8; x += 0.125 {
				w := math.Exp(-x * x / 2)
				value, _ := law.at(1 / (1 + math.Exp(-(z + math.Sqrt(c.variance)*x))))
				sum, weight = sum+w*value, weight+w
			}
			worst = math.Max(worst, math.Abs(sum/weight-1/(1+math.Exp(-z))))
		}
		if worst > 1.1*c.want || worst < 0.9*c.want {
			t.Errorf("σ² = %v, λ = %v, %d terms: error %.2g, want %.2g", c.variance, c.lambda, c.terms, worst, c.want)
		}
	}
}

// Each law that a test draws from has a density that is nowhere negative, so that quantiles are its draws.
func TestCompensationIsALaw(t *testing.T) {
	least := func(c compensator) float64 {
		least := 1.0
		for g := 0.0; g <= 0.5; g += 1. / 4096 {
			_, by := c.at(g)
			least = math.Min(least, by)
		}
		return least
	}
	for _, c := range []compensator{compensation(1, math.Inf(1), 8), compensation(0.2, 10, 3)} {
		if by := least(c); by < 0 {
			t.Errorf("density negative: %v", by)
		}
	}
	if by := least(compensation(1.5, math.Inf(1), 8)); by >= 0 {
		t.Errorf("8 terms at σ² = 1.5 are known to be negative, not %v: the test could not fail", by)
	}
}
