package stats

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestDisagreement checks that chains from one distribution rarely have a large Disagreement, and that chains in
// different modes do. With known standard errors, values above 5 would be expected in 2·4·3e-7·120 < .001 of 120
// repetitions; the standard errors are estimated, from 50 effective draws per chain for φ = .9, so the test allows one.
func TestDisagreement(t *testing.T) {
	for _, phi := range []float64{0, .5, .9} {
		beyond := 0
		for seed := range uint64(120) {
			if Disagreement(ar(seed, phi, 4, 1000)) > 5 {
				beyond++
			}
		}
		if beyond > 1 {
			t.Errorf("φ = %v: %d of 120 sets of chains from one law were taken for different", phi, beyond)
		}
	}
	short := 0 // of windows of warm-up: fifty sweeps, some ten coordinates, walkers that need as long to forget
	for seed := range uint64(1200) {
		if Disagreement(ar(seed, .95, 16, 50)) > 10 {
			short++
		}
	}
	if short > 2 {
		t.Errorf("%d of 1200 sets of sixteen short chains from one law were taken for different", short)
	}
	if d := Disagreement(modes([]float64{0, 0, 0, 6})); !(d > 20) {
		t.Errorf("a chain in a mode of its own: %v", d)
	}
	if d := Disagreement(modes([]float64{0, 0, 6, 6})); !(d > 20) {
		t.Errorf("two and two chains: %v", d)
	}
	if d := Disagreement([][]float64{{1, 2, 3, 4, 5, 6, 7}}); !math.IsNaN(d) {
		t.Errorf("one chain: %v", d)
	}
}

// TestApart checks that walkers from one distribution are not more than half a standard deviation and five standard
// errors apart, even if their numbers of draws differ much, and that walkers in different modes are.
func TestApart(t *testing.T) {
	beyond := 0
	for seed := range uint64(120) {
		walkers := ar(seed, .5, 12, 400)
		walkers[3], walkers[7] = walkers[3][:60], walkers[7][:20]
		if d := Apart(walkers, 50); d.Deviations > .5 && d.Errors > 5 {
			beyond++
		}
	}
	if beyond > 0 {
		t.Errorf("%d of 120 ladders of one law were taken for stuck", beyond)
	}
	stuck := modes([]float64{0, 6, 0, 6, 0, 6})
	stuck[1] = stuck[1][:100]
	if d := Apart(stuck, 50); d.Deviations < 1 || d.Errors < 10 || d.Kept < .9 || !d.Beyond(1000) {
		t.Errorf("walkers in modes of their own: %+v", d)
	}
	if d := Apart(modes([]float64{0, 6})[:1], 50); d != (Distance{}) || d.Beyond(1) {
		t.Error("one walker is not apart")
	}
}

// modes returns chains of 500 independent normal draws, one chain for each mean.
func modes(means []float64) [][]float64 {
	r := rand.New(rand.NewPCG(5, 6))
	chains := make([][]float64, len(means))
	for c, m := range means {
		for range 500 {
			chains[c] = append(chains[c], m+r.NormFloat64())
		}
	}
	return chains
}
