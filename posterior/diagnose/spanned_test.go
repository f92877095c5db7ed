package diagnose

import (
	"math"
	"math/rand/v2"
	"testing"

	"ppl/lang/types"
	"ppl/posterior/quantities"
	"ppl/posterior/stats"
)

// TestHeavyTailsWithEnds checks that a heavy tail is not reported for a quantity with bounds if draws come near to one,
// such as a probability that is mostly small and sometimes near 1. With distant bounds or none it is reported.
func TestHeavyTailsWithEnds(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	chains := make([][]float64, 4)
	for c := range chains {
		for range 1000 {
			z := r.NormFloat64() / r.NormFloat64()
			chains[c] = append(chains[c], math.Min(1, 1e-4*math.Abs(z)))
		}
	}
	shape := func(between []float64) float64 {
		v := types.Variable{Name: "risk", Between: between}
		return new(findings).look(v, 0, quantities.Quantity{Chains: chains}, nil, new(stats.Workspace)).row.TailShape
	}
	if got := shape([]float64{0, 1}); got != 0 {
		t.Errorf("between 0 and 1 the tail has the shape %v", got)
	}
	for _, between := range [][]float64{nil, {0, 1e6}} {
		if got := shape(between); !(got > .7) {
			t.Errorf("between %v the tail has the shape %v", between, got)
		}
	}
}
