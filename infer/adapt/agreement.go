package adapt

import (
	"math"
	"math/rand/v2"

	"ppl/posterior/stats"
)

// mostCompared is the maximum number of walkers from which R-hat and effective sample sizes are computed. With this
// number, chance changes R-hat − 1 by less than a tenth of its value; ranking more walkers would dominate the time of a
// warm-up of thousands of chains. R-hat of any number of walkers does not detect a single walker in another mode; tests
// of each walker do (package warmup).
const mostCompared = 512

// sampleWalkers returns at most mostCompared walkers: one random walker from each of mostCompared ranges of indices.
// Equally spaced indices might share a property, such as their rung.
func sampleWalkers[T any](walkers []T) []T {
	if len(walkers) <= mostCompared {
		return walkers
	}
	r := rand.New(rand.NewPCG(uint64(len(walkers)), mostCompared)) // fixed seed: the same walkers in each call
	chosen := make([]T, mostCompared)
	for k := range chosen {
		from, to := k*len(walkers)/mostCompared, (k+1)*len(walkers)/mostCompared
		chosen[k] = walkers[from+r.IntN(to-from)]
	}
	return chosen
}

// WorstRHat returns the largest R-hat of the log densities [chain, iteration] and of all coordinates of the positions
// [chain, iteration, dim]. It uses at most threads cores, or all if threads is 0.
func WorstRHat(density [][]float64, visited [][][]float64, threads int) float64 {
	return math.Max(stats.RHat(sampleWalkers(density)), WorstOfPositions(visited, threads))
}

// WorstOfPositions returns the largest R-hat of all coordinates of the positions [chain, iteration, dim]. It uses at
// most threads cores, or all if threads is 0.
func WorstOfPositions(visited [][][]float64, threads int) (worst float64) {
	visited = sampleWalkers(visited)
	for _, rhat := range ofCoordinates(visited, AllOf(len(visited[0][0])), threads, (*stats.Workspace).RHat) {
		worst = math.Max(worst, rhat)
	}
	return worst
}
