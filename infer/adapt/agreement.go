package adapt

import (
	"math"

	"ppl/infer/stats"
)

// WorstRHat is the greatest R-hat of log densities [chain, iteration] and of the coordinates of positions
// [chain, iteration, dim].
func WorstRHat(density [][]float64, visited [][][]float64) float64 {
	worst := stats.RHat(density)
	column := make([][]float64, len(visited))
	for j := range visited[0][0] {
		for chain, xs := range visited {
			column[chain] = column[chain][:0]
			for _, x := range xs {
				column[chain] = append(column[chain], x[j])
			}
		}
		worst = math.Max(worst, stats.RHat(column))
	}
	return worst
}
