package adapt

import (
	"math"

	"ppl/infer/stats"
)

// WorstRHat is the greatest R-hat of log densities [chain, iteration] and of the coordinates of positions
// [chain, iteration, dim].
func WorstRHat(density [][]float64, visited [][][]float64) float64 {
	worst := stats.RHat(density)
	chains := make([][]float64, len(visited))
	for j := range visited[0][0] {
		column(chains, visited, j)
		worst = math.Max(worst, stats.RHat(chains))
	}
	return worst
}
