package adapt

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"

	"ppl/posterior/stats"
	"ppl/posterior/store"
)

// An Exploration holds the positions visited by walkers that started at independent points, not at draws.
type Exploration struct {
	Visited   [][][]float64 // positions by walker
	Apart     bool          // whether the walkers disagree, or climbs found modes that contain no walker
	Cut       bool          // whether the budget of gradients ran out; then Visited is empty
	Gradients int64
}

// Against returns the comparison of an exploration with the draws of chains, for the report.
func (e *Exploration) Against(chains [][][]float64) *store.Elsewhere {
	out := &store.Elsewhere{Walkers: len(e.Visited), Apart: e.Apart, Cut: e.Cut}
	if len(e.Visited) > 0 {
		c := ContrastOf(chains, e.Visited)
		out.Outside, out.Shifted, out.Spread = c.Outside, c.Shifted, c.Spread
	}
	return out
}

// A Contrast measures how the positions of an exploration differ from draws, in the coordinate or direction in which
// they differ most.
type Contrast struct {
	Outside float64 // share of the positions that are farther out than draws
	Shifted float64 // Kolmogorov-Smirnov distance, minus the amount that chance explains
	Spread  float64 // absolute log ratio of the widths, minus the amount that chance explains
}

// outOfReach is the number of standard deviations from the mean of the draws beyond which a position is outside. Even
// for Student's t with five degrees of freedom, only .2 % of draws are beyond it.
const outOfReach = 6

// ContrastOf compares draws of chains with positions of walkers.
func ContrastOf(chains, walkers [][][]float64) (c Contrast) {
	draws := slices.Concat(chains...)
	views := viewsOf(draws, walkers)
	for j, view := range views {
		drawn, seen := seenFrom(view, chains), seenFrom(view, walkers)
		xs := slices.Concat(drawn...)
		c.Outside = math.Max(c.Outside, outside(xs, seen))
		independent := [2]float64{stats.ESSMean(drawn), stats.ESSMean(seen)}
		if !(independent[0] > 1 && independent[1] > 1) {
			continue
		}
		all := slices.Concat(seen...)
		slices.Sort(xs)
		slices.Sort(all)
		chance := extreme(len(views)) * math.Sqrt(1/math.Min(independent[0], float64(len(xs)))+
			1/math.Min(independent[1], float64(len(all))))
		c.Shifted = math.Max(c.Shifted, stat.KolmogorovSmirnov(xs, nil, all, nil)-chance)
		if j < len(draws[0]) {
			c.Spread = math.Max(c.Spread, math.Abs(logWidth(all)-logWidth(xs))-chance)
		}
	}
	return c
}

// seenFrom applies view to each position. Results are by chain.
func seenFrom(view func(x []float64) float64, chains [][][]float64) [][]float64 {
	out := make([][]float64, len(chains))
	for k, positions := range chains {
		for _, x := range positions {
			out[k] = append(out[k], view(x))
		}
	}
	return out
}

// viewsOf returns functions of a position that are compared: each coordinate, the projection on the direction between
// the means of draws and positions, and the distance from the mean of the draws.
func viewsOf(draws [][]float64, walkers [][][]float64) (views []func(x []float64) float64) {
	dim := len(draws[0])
	mean, sd, direction := make([]float64, dim), make([]float64, dim), make([]float64, dim)
	for j := range dim {
		views = append(views, func(x []float64) float64 { return x[j] })
		mean[j], sd[j] = stat.MeanStdDev(coordinate(draws, j), nil)
		var firsts []float64 // only the first half chooses the direction, since the choice biases the comparison
		for _, places := range walkers {
			firsts = append(firsts, coordinate(places[:len(places)/2], j)...)
		}
		if sd[j] > 0 && len(firsts) > 0 {
			direction[j] = (stat.Mean(firsts, nil) - mean[j]) / (sd[j] * sd[j])
		}
	}
	return append(views,
		func(x []float64) float64 { return floats.Dot(direction, x) },
		func(x []float64) (sum float64) {
			for j := range x {
				if sd[j] > 0 {
					z := (x[j] - mean[j]) / sd[j]
					sum += z * z
				}
			}
			return math.Sqrt(sum)
		})
}

// coordinate returns coordinate j of each position.
func coordinate(xs [][]float64, j int) []float64 {
	out := make([]float64, len(xs))
	for i, x := range xs {
		out[i] = x[j]
	}
	return out
}

// outside returns the share of the walkers' values that are more than outOfReach standard deviations from the mean of
// xs.
func outside(xs []float64, walkers [][]float64) float64 {
	mean, sd := stat.MeanStdDev(xs, nil)
	if !(sd > 0) {
		return 0
	}
	out, all := 0, 0
	for _, ys := range walkers {
		all += len(ys)
		for _, y := range ys {
			if math.Abs(y-mean) > outOfReach*sd {
				out++
			}
		}
	}
	return float64(out) / float64(max(all, 1))
}

// extreme returns a bound, in standard errors, for the largest Kolmogorov-Smirnov distance of this many views. Samples
// of one distribution exceed it once in a thousand comparisons. The bound is about right for log widths too.
func extreme(views int) float64 { return math.Sqrt(math.Log(2000*float64(views)) / 2) }

// logWidth returns the logarithm of the width of the middle two thirds of sorted numbers. It is finite even if all
// numbers are equal, since reports are stored as JSON, which has no infinity.
func logWidth(xs []float64) float64 {
	width := stats.SortedQuantile(xs, 5./6) - stats.SortedQuantile(xs, 1./6)
	return math.Log(math.Max(width, math.SmallestNonzeroFloat64))
}
