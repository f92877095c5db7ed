package stats

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"
)

// weyl returns a sample that other programs can reproduce: quantiles of the fractional parts of i·φ.
func weyl(n int, quantile func(u float64) float64) []float64 {
	xs := make([]float64, n)
	for i := range xs {
		_, u := math.Modf(float64(i+1) * 0.6180339887498949)
		xs[i] = quantile(u)
	}
	return xs
}

// TestShapiroWilk compares W and p with those of scipy.stats.shapiro on the same samples, to 1e-4 of 1 − W and 1e-3 of
// p.
func TestShapiroWilk(t *testing.T) {
	normal := distuv.UnitNormal.Quantile
	for _, c := range []struct {
		name     string
		n        int
		quantile func(float64) float64
		w, p     float64
	}{
		{"normal", 12, normal, 0.9926242295965975, 0.9999774227804367},
		{"exponential", 50, func(u float64) float64 { return -math.Log1p(-u) }, 0.8702559626245463,
			5.738521040705816e-05},
		{"normal", 200, normal, 0.9989531776420888, 0.9999903236657796},
		{"cauchy", 200, func(u float64) float64 { return math.Tan(math.Pi * (u - .5)) }, 0.4179339612780204,
			4.758181977864285e-25},
		{"normal", 5000, normal, 0.9999685444481843, 0.999999999948002},
	} {
		w, p := ShapiroWilk(weyl(c.n, c.quantile))
		if math.Abs(w-c.w) > 1e-4*(1-c.w) || math.Abs(p-c.p) > 1e-3*c.p+1e-12 {
			t.Errorf("%s, %d: W %.10f p %.6g, want %.10f, %.6g", c.name, c.n, w, p, c.w, c.p)
		}
	}
	if w, _ := ShapiroWilk(make([]float64, 100)); !math.IsNaN(w) {
		t.Error("constant numbers have no W")
	}
}
