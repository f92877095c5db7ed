package renhd

import (
	"math"
	"testing"

	"ppl/infer/renhd/population"
	"ppl/infer/renhd/renhdtest"
	"ppl/infer/renhd/warmup"
	"ppl/posterior/stats"
)

// TestJumpsOfTheDensity checks that the step size stays long although the density jumps, and that the share of the
// draws with sin 4x > 0 is right. Without the factor e², half of the normal would be there, since sin is odd.
func TestJumpsOfTheDensity(t *testing.T) {
	if testing.Short() {
		t.Skip("long: skipped by -short")
	}
	m, report := draw(t, renhdtest.Terraces(), renhdtest.Options(2))
	if report.StepSize < warmup.ShortStep || report.Gradients > 3e6 {
		t.Errorf("a step of %v, %d gradients", report.StepSize, report.Gradients)
	}
	high, want := m.chains(0), math.Exp(2)/(1+math.Exp(2))
	mean := 0.0
	for _, chain := range high {
		for i, x := range chain {
			chain[i] = population.OneIf(math.Sin(4*x) > 0)
			mean += chain[i] / float64(len(chain)*len(high))
		}
	}
	if mcse := stats.MCSEMean(high); math.Abs(mean-want) > 4*mcse || mcse > .02 {
		t.Errorf("share %.4f ± %.4f, want %.4f", mean, mcse, want)
	}
}
