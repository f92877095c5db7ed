package stats

import (
	"math"
	"math/rand/v2"
	"testing"
)

// Chains of one law disagree by little, about as often as the greatest of four normal errors exceeds a bound: of 120
// repetitions none beyond 5 standard errors is expected (2·4·3e-7·120 < .001 for known errors; the errors are estimated, from 50
// effective draws a chain at φ = .9, hence the room for one). Chains kept apart disagree by far more.
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

// modes draws chains of 500 independent normals about each mean.
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
