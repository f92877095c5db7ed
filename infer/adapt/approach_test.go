package adapt

import (
	"math"
	"testing"
)

// TestApproachComesUpAnExponential checks that at most 150 evaluations are enough to climb from a start at which the
// log density, minus the exponential of a sum of coordinates, is extremely low. Planted fault: steps that do not grow.
func TestApproachComesUpAnExponential(t *testing.T) {
	weights := []float64{3, -1, .5, 2}
	density := func(x []float64) (u float64, slope []float64) {
		sum := 0.0
		for j, w := range weights {
			sum += w * x[j]
		}
		slope = make([]float64, len(x))
		for j, w := range weights {
			slope[j] = -w*math.Exp(sum) - x[j]
			u -= x[j] * x[j] / 2
		}
		return u - math.Exp(sum), slope
	}
	climb := func(spoil func(a *Approach)) (reached float64, evaluations int) {
		start := []float64{40, -30, 20, 25}
		u, _ := density(start)
		a := NewApproach(start, u)
		for ; !a.Done && a.Density < -1e4 && evaluations < 150; evaluations++ {
			a.Report(density(a.Next()))
			spoil(&a)
		}
		return a.Density, evaluations
	}
	if u, n := climb(func(*Approach) {}); u < -1e4 {
		t.Errorf("log density %.3g after %d evaluations", u, n)
	}
	if u, n := climb(func(a *Approach) { a.Fraction = math.Min(a.Fraction, 1) }); u >= -1e4 {
		t.Errorf("the planted fault is not detected: steps that do not grow need only %d evaluations", n)
	}
}

// TestApproachGivesUp checks that the climb ends at its start if the gradient there is not finite or is 0.
func TestApproachGivesUp(t *testing.T) {
	for _, slope := range [][]float64{{math.NaN()}, {math.Inf(1)}, {0}} {
		a := NewApproach([]float64{2}, -1e200)
		a.Report(-1e200, slope)
		if !a.Done || a.At[0] != 2 {
			t.Errorf("slope %g: at %g, done %v", slope, a.At, a.Done)
		}
	}
}
