package compensation

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// TestPaperCompensation compares the paper's distribution with a polynomial and quantiles that were derived by hand and
// checked with independent programs, and its variance with π²/3 − σ².
func TestPaperCompensation(t *testing.T) {
	c := New(0.2, 10, 3)
	want := Distribution{0.895, 0.375, -0.45, 0.3, -0.12}
	if d := cmp.Diff(want, c, cmpopts.EquateApprox(0, 1e-15)); d != "" {
		t.Error(d)
	}
	for u, want := range map[float64]float64{.6: .388082, .75: 1.052978, .9: 2.116811, .99: 4.487642} {
		if z := c.Quantile(u); math.Abs(z-want) > 1e-6 || c.Quantile(1-u) != -z {
			t.Errorf("quantile %v is %.7f, want %v and its reflection %v", u, z, want, c.Quantile(1-u))
		}
	}
	var square float64
	const n = 1 << 16
	for k := range n {
		z := c.Quantile((float64(k) + 0.5) / n)
		square += z * z / n
	}
	if want := math.Pi*math.Pi/3 - 0.2; math.Abs(square/want-1) > 1e-3 {
		t.Errorf("variance %.5f, want π²/3 − .2 = %.5f", square, want)
	}
}

// TestCompensationError compares Error with values from independent programs, within 10 %.
func TestCompensationError(t *testing.T) {
	for _, c := range []struct {
		variance, lambda float64
		terms            int
		want             float64
	}{
		{.2, 10, 1, 9.2e-3}, {.1, 10, 3, 1.1e-3}, {.2, 10, 3, 1.0e-3}, {1, 10, 3, 2.7e-3},
		{.1, math.Inf(1), 3, 7e-6}, {.2, math.Inf(1), 5, 7.4e-7}, {1, math.Inf(1), 5, 2.7e-4},
		{1, math.Inf(1), 8, 2.1e-5},
	} {
		worst := New(c.variance, c.lambda, c.terms).Error(c.variance)
		if worst > 1.1*c.want || worst < 0.9*c.want {
			t.Errorf("σ² = %v, λ = %v, %d terms: error %.2g, want %.2g", c.variance, c.lambda, c.terms, worst, c.want)
		}
	}
}

// TestCompensationIsADistribution checks that the density of each distribution that a swap test uses is nowhere
// negative. Planted fault: eight terms at σ² = 1.5, whose density is negative somewhere.
func TestCompensationIsADistribution(t *testing.T) {
	least := func(c Distribution) float64 {
		least := 1.0
		for z := -12.0; z <= 0; z += 0.01 {
			least = math.Min(least, c.Density(z)/New(0, 1, 1).Density(z))
		}
		return least
	}
	for _, c := range []Distribution{New(1, math.Inf(1), 8), New(0.2, 10, 3)} {
		if by := least(c); by < 0 {
			t.Errorf("density negative: %v", by)
		}
	}
	if by := least(New(1.5, math.Inf(1), 8)); by >= 0 {
		t.Errorf("the planted fault is not detected: least relative density %v", by)
	}
}

// TestCompensationAgrees checks that quantile and density agree with the CDF, and that without noise the distribution
// is logistic.
func TestCompensationAgrees(t *testing.T) {
	for _, c := range []Distribution{New(0, math.Inf(1), 1), New(0.2, 10, 3), New(1, math.Inf(1), 8)} {
		for _, z := range []float64{-20, -3, -0.5, 0, 0.1, 2, 7} {
			const h = 1e-4
			if u := c.CDF(z); z < 5 && math.Abs(c.Quantile(u)-z) > 1e-9*math.Max(1, math.Abs(z)) {
				t.Errorf("quantile of the CDF of %v is %v", z, c.Quantile(u))
			}
			if slope := (c.CDF(z+h) - c.CDF(z-h)) / (2 * h); math.Abs(slope-c.Density(z)) > 1e-7 {
				t.Errorf("density at %v is %v, slope of the CDF %v", z, c.Density(z), slope)
			}
		}
	}
	if u := New(0, math.Inf(1), 1).CDF(1); math.Abs(u-1/(1+math.Exp(-1))) > 1e-15 {
		t.Errorf("logistic at 1: %v", u)
	}
}
