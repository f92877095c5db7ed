package renhd

import (
	"context"
	"math"
	"slices"
	"testing"

	"ppl/infer/renhd/renhdtest"
	"ppl/posterior/stats"
)

// TestStartsOutOfReach samples y ~ Poisson(exp(a + b·x)) with a and b uniform between −200 and 200, so that log
// densities at the starts go down to −10¹⁷⁰. Walkers must agree, and means must equal those of a grid. Without climbs
// from the starts, trajectories would go to the end of a support and the run would be refused.
func TestStartsOutOfReach(t *testing.T) {
	if testing.Short() {
		t.Skip("long: skipped by -short")
	}
	o := renhdtest.Options(3)
	o.Warmup, o.Draws = 500, 500
	rec := new(memory)
	report, err := Sample(context.Background(), renhdtest.FarCounts(), o, rec)
	if err != nil {
		t.Fatal(err)
	}
	if len(report.Temperatures) > 1 {
		t.Errorf("a ladder of %d rungs for one mode", len(report.Temperatures))
	}
	x, y := renhdtest.RowsOfCounts()
	mass, sumA, sumB := 0., 0., 0.
	for a := 0.; a <= 2; a += .01 {
		for b := -1.; b <= 5; b += .02 {
			lik := 60.
			for i := range x {
				lik += y[i]*(a+b*x[i]) - math.Exp(a+b*x[i])
			}
			w := math.Exp(lik)
			mass, sumA, sumB = mass+w, sumA+w*a, sumB+w*b
		}
	}
	for j, want := range []float64{sumA / mass, sumB / mass} {
		chains := rec.chains(j)
		for _, chain := range chains {
			for i, v := range chain {
				chain[i] = 2*renhdtest.FarthestCoefficient/(1+math.Exp(-v)) - renhdtest.FarthestCoefficient
			}
		}
		mean, _ := stats.MeanSD(slices.Concat(chains...))
		if se := stats.MCSEMean(chains); math.Abs(mean-want) > 5*se || !(se < .1) {
			t.Errorf("coefficient %d has mean %.4f ± %.4f, not %.4f", j, mean, se, want)
		}
	}
}
