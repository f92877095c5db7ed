package adapt

import (
	"math"
	"testing"
)

// A start e²⁰⁰ below the target, at exp of a sum of coordinates, is within reach after some hundred evaluations; steps
// that do not grow, and steps along the gradient as it is, do not get there.
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
		t.Errorf("steps that do not grow suffice, with %d evaluations: the test could not fail", n)
	}
}

// A start where the gradient is not finite, or is zero, ends the climb where it began.
func TestApproachGivesUp(t *testing.T) {
	for _, slope := range [][]float64{{math.NaN()}, {math.Inf(1)}, {0}} {
		a := NewApproach([]float64{2}, -1e200)
		a.Report(-1e200, slope)
		if !a.Done || a.At[0] != 2 {
			t.Errorf("slope %g: at %g, done %v", slope, a.At, a.Done)
		}
	}
}
