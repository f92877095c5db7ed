package adapt

import (
	"cmp"
	"math"
	"runtime"
	"slices"

	"gonum.org/v1/gonum/stat"

	"ppl/posterior/stats"
)

// GoalShare is the target ratio of effective draws to draws: the worst bulk ESS of 4,000 draws should reach 1,000.
const GoalShare = 0.25

// Thin returns the number of iterations per draw that raises the ratio of effective draws to draws to enough, limited
// to most. share is the ratio of effective iterations to iterations.
func Thin(share, enough float64, most int) int {
	return int(min(max(math.Ceil(enough/share), 1), float64(most)))
}

// WorstShare returns the least ratio of effective iterations to iterations, over location and spread of all
// coordinates. seen is indexed by chain, iteration and coordinate. If there are very many coordinates, it examines only
// those that are slowest by batch means, which cost far less. It uses at most threads cores, or all if threads is 0.
func WorstShare(seen [][][]float64, threads int) float64 {
	const judged = 256
	seen = sampleWalkers(seen)
	worst, n := 1.0, float64(len(seen)*len(seen[0]))
	for _, ess := range ofCoordinates(seen, slowest(seen, judged), threads, leastSize) {
		worst = math.Min(worst, ess/n)
	}
	return worst
}

// leastSize returns the smaller of the effective sizes of location and spread. NaN, the size of a constant, counts as
// infinite.
func leastSize(w *stats.Workspace, chains [][]float64) float64 {
	least := math.Inf(1)
	location, spread := w.LocationAndSpread(chains)
	for _, ess := range []float64{location, spread} {
		if ess < least {
			least = ess
		}
	}
	return least
}

// ofCoordinates returns a statistic of some coordinates of seen, which is indexed by chain, iteration and coordinate.
// It uses at most threads cores, or all if threads is 0.
func ofCoordinates(seen [][][]float64, coordinates []int, threads int,
	statistic func(w *stats.Workspace, chains [][]float64) float64) []float64 {
	out := make([]float64, len(coordinates))
	stats.Together(cmp.Or(threads, runtime.GOMAXPROCS(0)), len(out), func(k int, w *stats.Workspace) {
		chains := make([][]float64, len(seen))
		column(chains, seen, coordinates[k])
		out[k] = statistic(w, chains)
	})
	return out
}

// slowest returns the coordinates with the longest autocorrelation times by batch means, of the value or of its
// distance from the mean. It returns all coordinates, or the slowest of them if there are more than most.
func slowest(seen [][][]float64, most int) []int {
	coordinates := AllOf(len(seen[0][0]))
	if len(coordinates) <= most {
		return coordinates
	}
	times, chains := make([]float64, len(coordinates)), make([][]float64, len(seen))
	for j := range times {
		column(chains, seen, j)
		times[j] = stats.BatchMeansTime(chains)
		center := stat.Mean(slices.Concat(chains...), nil)
		for _, xs := range chains {
			for i, x := range xs {
				xs[i] = math.Abs(x - center)
			}
		}
		times[j] = math.Max(times[j], stats.BatchMeansTime(chains))
	}
	slices.SortFunc(coordinates, func(a, b int) int { return cmp.Compare(times[b], times[a]) })
	return coordinates[:most]
}

// column fills chains with coordinate j of the positions in seen.
func column(chains [][]float64, seen [][][]float64, j int) {
	for c, points := range seen {
		chains[c] = slices.Grow(chains[c][:0], len(points))
		for _, p := range points {
			chains[c] = append(chains[c], p[j])
		}
	}
}

// AllOf returns the numbers 0 to n−1.
func AllOf(n int) []int {
	all := make([]int, n)
	for j := range all {
		all[j] = j
	}
	return all
}
