package adapt

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestWorstShareFindsTheSlowOne checks that WorstShare finds the one of 1,000 coordinates whose location, or whose
// spread, changes slowly.
func TestWorstShareFindsTheSlowOne(t *testing.T) {
	const chains, iterations, coordinates = 4, 300, 1000
	for name, plant := range map[string]func(slow, fast float64) float64{
		"location": func(slow, _ float64) float64 { return slow },
		"spread":   func(slow, fast float64) float64 { return math.Exp(slow) * fast },
	} {
		r := rand.New(rand.NewPCG(4, 4))
		seen, alone := make([][][]float64, chains), make([][][]float64, chains)
		for c := range seen {
			slow := r.NormFloat64()
			for range iterations {
				slow = .95*slow + math.Sqrt(1-.95*.95)*r.NormFloat64()
				point := make([]float64, coordinates)
				for j := range point {
					point[j] = r.NormFloat64()
				}
				point[777] = plant(slow, point[777])
				seen[c] = append(seen[c], point)
				alone[c] = append(alone[c], point[777:778])
			}
		}
		if got, want := WorstShare(seen), WorstShare(alone); got != want || want > .2 {
			t.Errorf("%s: the worst share is %.3f, that of the slow coordinate %.3f", name, got, want)
		}
	}
}
