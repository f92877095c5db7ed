package adapt

import (
	"math"
	"math/rand/v2"

	"ppl/posterior/stats"
)

// mostCompared is how many walkers R-hat and effective shares are computed from. Chance moves R-hat − 1 of that many
// walkers by less than a tenth of itself, and ranks of more are most of a warm-up of thousands of chains. That a single
// walker is somewhere else shows in tests that look at each of them (package warmup), and not in R-hat.
const mostCompared = 512

// some returns the walkers to compare: one at random from each of mostCompared ranges of numbers. Walkers at equal
// distances might share a property, such as their rung.
func some[T any](walkers []T) []T {
	if len(walkers) <= mostCompared {
		return walkers
	}
	r := rand.New(rand.NewPCG(uint64(len(walkers)), mostCompared)) // the same walkers each time
	chosen := make([]T, mostCompared)
	for k := range chosen {
		from, to := k*len(walkers)/mostCompared, (k+1)*len(walkers)/mostCompared
		chosen[k] = walkers[from+r.IntN(to-from)]
	}
	return chosen
}

// WorstRHat returns the greatest R-hat of log densities [chain, iteration] and of the coordinates of positions
// [chain, iteration, dim].
func WorstRHat(density [][]float64, visited [][][]float64) float64 {
	return math.Max(stats.RHat(some(density)), WorstOfPositions(visited))
}

// WorstOfPositions returns the greatest R-hat of coordinates of positions [chain, iteration, dim].
func WorstOfPositions(visited [][][]float64) (worst float64) {
	visited = some(visited)
	chains := make([][]float64, len(visited))
	for j := range visited[0][0] {
		column(chains, visited, j)
		worst = math.Max(worst, stats.RHat(chains))
	}
	return worst
}
