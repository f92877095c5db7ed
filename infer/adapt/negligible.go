package adapt

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"

	"ppl/posterior/stats"
)

// Nearest returns the lane in to whose position is closest to that of lane. Each coordinate is divided by its standard
// deviation over the lanes in to.
func Nearest(at [][]float64, lane int, to []int) int {
	unit := make([]float64, len(at[lane]))
	for j := range unit {
		column := make([]float64, len(to))
		for i, other := range to {
			column[i] = at[other][j]
		}
		unit[j] = stat.PopStdDev(column, nil)
	}
	distance := func(other int) (sum float64) {
		for j, x := range at[lane] {
			if unit[j] > 0 {
				sum += (at[other][j] - x) * (at[other][j] - x) / (unit[j] * unit[j])
			}
		}
		return sum
	}
	return slices.MinFunc(to, func(a, b int) int { return cmp.Compare(distance(a), distance(b)) })
}

// InNegligibleMass reports for each walker whether it is in a region of negligible mass. density and visited hold log
// densities and positions by walker and sweep. The mass around a walker is estimated as the exponential of its median
// log density times its standard deviations. It is negligible if it is so far below a reference that estimation errors
// cannot explain the difference. The reference is the second best walker, since one estimate may be wrong. If there are
// more than 16 walkers, it is the last of the best eighth. With fewer than three walkers the result is false for all.
// Only the second half of the sweeps counts.
//
//	median log density    −10   −11   −10   −90
//	standard deviations     1     1     1     1   → false false false true
func InNegligibleMass(density [][]float64, visited [][][]float64) []bool {
	out, mass := make([]bool, len(density)), make([]float64, len(density))
	if len(density) < 3 {
		return out
	}
	for w := range density {
		half := len(density[w]) / 2
		mass[w] = Surroundings(density[w][half:], visited[w][half:])
	}
	sorted := slices.Sorted(slices.Values(mass))
	enough := sorted[len(sorted)-max(2, len(sorted)/8)] - negligible - float64(len(visited[0][0]))/4
	for w, m := range mass {
		out[w] = !(m >= enough)
	}
	return out
}

// negligible is the log weight below which a mode is ignored, doubled to allow for estimation errors, which also grow
// with the number of coordinates.
const negligible = 20

// Rising reports for each walker whether it is still climbing from a bad start. density holds log densities by walker
// and sweep. The condition is that from the first to the second half of a window its median rose by at least an eighth
// of its remaining distance from the best walker's median, so that it may arrive in a few more windows.
//
//	medians of the halves   −800 −650   −2100 −1500   −1300 −1295   −640 −641
//	                        true        true          false         false
func Rising(density [][]float64) []bool {
	const share = 1. / 8
	out, before, after := make([]bool, len(density)), make([]float64, len(density)), make([]float64, len(density))
	best := math.Inf(-1)
	for w, xs := range density {
		half := len(xs) / 2
		before[w], after[w] = stats.Quantile(xs[:half], 0.5), stats.Quantile(xs[half:], 0.5)
		if after[w] > best { // false if it is NaN
			best = after[w]
		}
	}
	for w := range out {
		out[w] = after[w] < best && after[w]-before[w] >= share*(best-after[w])
	}
	return out
}

// Surroundings returns the logarithm of the mass around a walker, up to a constant: its median log density plus the
// logarithms of its standard deviations. density and visited are by sweep.
func Surroundings(density []float64, visited [][]float64) float64 {
	sum := stats.Quantile(density, 0.5)
	column := make([]float64, len(visited))
	for j := range visited[0] {
		for i, x := range visited {
			column[i] = x[j]
		}
		sum += math.Log(stat.PopStdDev(column, nil))
	}
	return sum
}
