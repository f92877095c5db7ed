package adapt

import (
	"math"

	"ppl/posterior/stats"
)

// WorstRHat is the greatest R-hat of log densities [chain, iteration] and of the coordinates of positions
// [chain, iteration, dim].
func WorstRHat(density [][]float64, visited [][][]float64) float64 {
	return math.Max(stats.RHat(density), WorstOfPositions(visited))
}

// WorstOfPositions is the greatest R-hat of coordinates of positions [chain, iteration, dim].
func WorstOfPositions(visited [][][]float64) (worst float64) {
	chains := make([][]float64, len(visited))
	for j := range visited[0][0] {
		column(chains, visited, j)
		worst = math.Max(worst, stats.RHat(chains))
	}
	return worst
}
