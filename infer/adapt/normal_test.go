package adapt

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distmv"
)

// TestNormal compares log densities from Distance and LogVolume with gonum's, checks that Point is the inverse of
// Whiten, and that the standard deviations of a fit to draws are right within five standard errors.
func TestNormal(t *testing.T) {
	cov := mat.NewSymDense(3, []float64{4, 1.9, 0, 1.9, 1, .003, 0, .003, 1e-4})
	mean := []float64{1, -2, 300}
	want, ok := distmv.NewNormal(mean, cov, rand.NewPCG(1, 2))
	if !ok {
		t.Fatal("not positive definite")
	}
	var c mat.Cholesky
	var precision mat.SymDense
	if !c.Factorize(cov) || c.InverseTo(&precision) != nil {
		t.Fatal("no inverse")
	}
	n, ok := NormalAt(mean, &precision)
	if !ok {
		t.Fatal("refused")
	}
	var draws [][]float64
	for range 4000 {
		draws = append(draws, want.Rand(nil))
	}
	fit, ok := FitNormal(draws, nil)
	if !ok {
		t.Fatal("no fit")
	}
	for _, x := range draws[:20] {
		if got := -n.Distance(x)/2 - n.LogVolume(); math.Abs(got-want.LogProb(x)) > 1e-6 {
			t.Errorf("log density %v, want %v", got, want.LogProb(x))
		}
		for j, v := range n.Point(n.Whiten(x)) {
			if math.Abs(v-x[j]) > 1e-9*math.Abs(x[j]) {
				t.Errorf("coordinate %d: %v, want %v", j, v, x[j])
			}
		}
	}
	for j, sd := range fit.SD() {
		if want := math.Sqrt(cov.At(j, j)); math.Abs(sd/want-1) > 5/math.Sqrt(2*4000) ||
			math.Abs(n.SD()[j]/want-1) > 1e-6 {
			t.Errorf("sd %d: %v fitted, %v, want %v", j, sd, n.SD()[j], want)
		}
	}
	if _, ok := NormalAt(mean, mat.NewSymDense(3, []float64{1, 2, 0, 2, 1, 0, 0, 0, 1})); ok {
		t.Error("an indefinite precision is accepted")
	}
}
