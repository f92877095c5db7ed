package adapt

import (
	"math"
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"ppl/posterior/stats"
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
		if got, want := WorstShare(seen, 0), WorstShare(alone, 0); got != want || want > .2 {
			t.Errorf("%s: the worst share is %.3f, that of the slow coordinate %.3f", name, got, want)
		}
	}
}

// TestStatisticsUseNoMoreThanTheThreads checks that statistics of coordinates are the same for any number of threads,
// and that no more of them are computed at a time.
func TestStatisticsUseNoMoreThanTheThreads(t *testing.T) {
	seen := [][][]float64{{{1, 2, 3, 4, 5, 6, 7, 8}}}
	for _, threads := range []int{1, 2, 3, 5} {
		var now, most atomic.Int64
		got := ofCoordinates(seen, AllOf(8), threads, func(_ *stats.Workspace, chains [][]float64) float64 {
			most.Store(max(most.Load(), now.Add(1)))
			time.Sleep(time.Millisecond)
			now.Add(-1)
			return chains[0][0]
		})
		if n := int(most.Load()); n > threads || !slices.Equal(got, seen[0][0]) {
			t.Errorf("%d threads: %d at a time, %v", threads, n, got)
		}
	}
}
