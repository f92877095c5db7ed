package symmetry

import "math"

// assignment assigns a different column to each row such that the sum of their costs is minimal. It is the Hungarian
// method with shortest augmenting paths (Jonker and Volgenant 1987, Computing 38, 325).
func assignment(cost [][]float64) []int {
	n := len(cost)
	rowPrice, price := make([]float64, n+1), make([]float64, n+1)
	// for each column, from 1: its row, and the previous column on a path
	row, before := make([]int, n+1), make([]int, n+1)
	for k := 1; k <= n; k++ {
		row[0] = k
		least, done, at := make([]float64, n+1), make([]bool, n+1), 0
		for j := range least {
			least[j] = math.Inf(1)
		}
		for row[at] != 0 {
			done[at] = true
			i, step, next := row[at], math.Inf(1), 0
			for j := 1; j <= n; j++ {
				if done[j] {
					continue
				}
				if c := cost[i-1][j-1] - rowPrice[i] - price[j]; c < least[j] {
					least[j], before[j] = c, at
				}
				if least[j] < step {
					step, next = least[j], j
				}
			}
			for j := range done {
				if done[j] {
					rowPrice[row[j]] += step
					price[j] -= step
				} else {
					least[j] -= step
				}
			}
			at = next
			if next == 0 {
				break // some costs are not finite
			}
		}
		for at != 0 {
			row[at], at = row[before[at]], before[at]
		}
	}
	out := make([]int, n)
	for j := 1; j <= n; j++ {
		if row[j] > 0 {
			out[row[j]-1] = j - 1
		}
	}
	return out
}
