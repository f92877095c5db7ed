package main

import (
	"math"
	"math/rand/v2"
	"testing"

	"ppl/infer/compensation"
)

// TestWays checks that every method draws with the probabilities of the distribution at five points, within five
// standard errors. Draws of the logistic distribution, whose variance is larger by σ², must fail.
func TestWays(t *testing.T) {
	law, r := compensation.New(0.2, 10, 3), rand.New(rand.NewPCG(1, 2))
	for _, w := range ways() {
		if off := worstShare(law, w, w.draw(law, r, 20_000)); off > 5 {
			t.Errorf("%s: %.1f standard errors off", w.name, off)
		}
	}
	if off := worstShare(law, ways()[0], quantiles(compensation.New(0, math.Inf(1), 1), r, 400_000)); off < 5 {
		t.Errorf("the logistic law passes for the other: %.1f standard errors", off)
	}
}

// worstShare compares the share of draws below some points with the CDF, in standard errors.
func worstShare(law compensation.Distribution, w way, zs []float64) (worst float64) {
	n := effective(w, zs)
	for _, z := range []float64{-4, -2, -0.5, 1, 3} {
		below, p := 0.0, law.CDF(z)
		for _, x := range zs {
			if x < z {
				below++
			}
		}
		worst = math.Max(worst, math.Abs(below/float64(len(zs))-p)/math.Sqrt(p*(1-p)/n))
	}
	return worst
}

// TestIsLaw checks the statements of the text about densities below zero.
func TestIsLaw(t *testing.T) {
	if !isDistribution(compensation.New(1, math.Inf(1), 8)) || isDistribution(compensation.New(1.5, math.Inf(1), 8)) {
		t.Error("eight terms are a law at σ² = 1, and none at 1.5")
	}
}
