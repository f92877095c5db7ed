package bind

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// Ranks of a tally are places in the sorted values, of few different values and of many.
func TestTally(t *testing.T) {
	source := rand.New(rand.NewPCG(1, 2))
	for _, different := range []int{1, 5, tallied, 3 * tallied} {
		values := make([]float64, 20_000)
		for i := range values {
			values[i] = float64(source.IntN(different)) / 7
		}
		sorted := slices.Sorted(slices.Values(values))
		values = append(values, math.NaN())
		all := tally(values)
		if n := total(all); n != len(sorted) {
			t.Fatalf("%d of %d values", n, len(sorted))
		}
		for k := 0; k < len(sorted); k += 97 {
			if got := ranked(all, k); got != sorted[k] {
				t.Fatalf("%d different: place %d has %v, want %v", different, k, got, sorted[k])
			}
		}
	}
}
