package main

import (
	"math/rand/v2"
	"slices"
	"testing"

	"ppl/experiments/lab"
)

// TestCalibrated checks that ranks of numbers among others of the same distribution are uniform, and that ranks among
// numbers with half of the spread are not.
func TestCalibrated(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	runs := func(spread float64) (all []run) {
		for range 200 {
			draws := make([]float64, thinned)
			for i := range draws {
				draws[i] = spread * r.NormFloat64()
			}
			at, err := rank(r.NormFloat64(), draws, r)
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, run{Ranks: map[string]float64{"x": at}})
		}
		return all
	}
	if c := calibrated(runs(1)); c.p < 1e-3 {
		t.Errorf("p of ranks that are uniform is %g", c.p)
	}
	if c := calibrated(runs(0.5)); c.p > 1e-6 || c.worst != "x" {
		t.Errorf("p of draws with half of the spread is %g", c.p)
	}
}

// TestRankOfIntegers checks that ranks among integers with ties are uniform.
func TestRankOfIntegers(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	counts := make([]float64, bins)
	for range 2000 {
		draws := make([]float64, thinned)
		for i := range draws {
			draws[i] = float64(r.IntN(3))
		}
		at, err := rank(float64(r.IntN(3)), draws, r)
		if err != nil {
			t.Fatal(err)
		}
		counts[int(at*bins)]++
	}
	if _, p := lab.Uniform(counts); p < 1e-3 {
		t.Errorf("p is %g", p)
	}
}

// TestThin checks that thinned draws are equally spaced over all chains.
func TestThin(t *testing.T) {
	chains := [][]float64{make([]float64, 400), make([]float64, 400)}
	for c := range chains {
		for d := range 200 {
			chains[c][2*d+1] = float64(200*c + d)
		}
	}
	got := thin(chains, 2, 1)
	if len(got) != thinned || got[0] != 4 || got[98] != 396 || !slices.IsSorted(got) {
		t.Errorf("%d draws, from %v to %v", len(got), got[0], got[len(got)-1])
	}
}
