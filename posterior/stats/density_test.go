package stats

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestDensity checks that the density estimate integrates to 1, is near the true density, and does not fall off where
// draws end abruptly. The bound is .1 of the density at 0: at the bound of the exponential distribution the bias of a
// bandwidth of .11 is .8 of the limit; elsewhere the bias and three standard errors of 20,000 draws are smaller.
func TestDensity(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, c := range []struct {
		name string
		draw func() float64
		pdf  func(x float64) float64
	}{
		{"normal", r.NormFloat64, func(x float64) float64 { return math.Exp(-x*x/2) / math.Sqrt(2*math.Pi) }},
		{"exponential", r.ExpFloat64, func(x float64) float64 { return math.Exp(-x) }},
		{"uniform", r.Float64, func(float64) float64 { return 1 }},
	} {
		xs := make([]float64, 20000)
		for i := range xs {
			xs[i] = c.draw()
		}
		x, y := Density(xs, 400)
		total := 0.
		for i := range x[1:] {
			total += (x[i+1] - x[i]) * (y[i] + y[i+1]) / 2
		}
		if math.Abs(total-1) > .01 {
			t.Errorf("%s: the integral is %v", c.name, total)
		}
		for i := range x {
			scale := c.pdf(0)
			if math.Abs(y[i]-c.pdf(x[i])) > .1*scale {
				t.Errorf("%s at %.3f: %.3f, want %.3f", c.name, x[i], y[i], c.pdf(x[i]))
				break
			}
		}
	}
	if x, _ := Density([]float64{2, 2, 2}, 10); x != nil {
		t.Error("a constant has no density")
	}
}

// TestHDI checks that the shortest interval of 1 to 10 and an outlier omits the outlier.
func TestHDI(t *testing.T) {
	if lo, hi := HDI([]float64{50, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, .9); lo != 1 || hi != 10 {
		t.Errorf("%v to %v", lo, hi)
	}
}
