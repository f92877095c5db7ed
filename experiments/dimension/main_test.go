package main

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/plot/plotter"
)

// TestRate compares the closed forms of the swap rate and the barrier with simulated potentials (half of a sum of d
// squares, divided by β), within five standard errors. The closed forms for one more dimension must fail.
func TestRate(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	const n = 40_000
	energy := func(d int, beta float64) float64 {
		sum := 0.0
		for range d {
			z := r.NormFloat64()
			sum += z * z / 2
		}
		return sum / beta
	}
	for _, d := range []int{1, 2, 7, 20} {
		accepted, difference := 0.0, 0.0
		for range n {
			accepted += math.Exp(math.Min(0, (1-1/1.5)*(energy(d, 1)-energy(d, 1/1.5))))
			difference += math.Abs(energy(d, 1) - energy(d, 1))
		}
		if want := rate(float64(d), 1.5); math.Abs(accepted/n-want) > 5*0.5/math.Sqrt(n) {
			t.Errorf("%d dimensions: rate %.4f, want %.4f", d, accepted/n, want)
		}
		simulated := difference / n / 2 * math.Log(hottest)
		if want := barrier(d); math.Abs(simulated/want-1) > 0.03 || d < 10 &&
			math.Abs(simulated/barrier(d+1)-1) < 0.05 {
			t.Errorf("%d dimensions: barrier %.4f, want %.4f", d, simulated, want)
		}
	}
}

// TestBarrier checks that the rejection rates of many rungs add up to the barrier, and that the ratio for a rate has
// that rate.
func TestBarrier(t *testing.T) {
	const n = 2000
	if sum := n * (1 - rate(10, math.Pow(hottest, 1./n))); math.Abs(sum/barrier(10)-1) > 1e-3 {
		t.Errorf("rejections of %d rungs add up to %.4f, barrier %.4f", n, sum, barrier(10))
	}
	if got := rate(1000, ratioFor(1000, 0.3)); math.Abs(got-0.3) > 1e-6 {
		t.Errorf("rate %.7f", got)
	}
	if b := slope(plotter.XYs{{X: 1, Y: 100}, {X: 10, Y: 2}, {X: 40, Y: 4}, {X: 90, Y: 6}}); math.Abs(b-0.5) > 1e-9 {
		t.Errorf("slope %v of a root", b)
	}
}
