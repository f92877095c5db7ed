package adapt

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"

	"ppl/posterior/stats"
	"ppl/posterior/store"
)

// An Exploration is where walkers have been that began at starts of their own and not where draws were.
type Exploration struct {
	Visited   [][][]float64 // by walker
	Apart     bool          // they do not agree on where the target is, or climbs found modes that none is in
	Cut       bool          // it needed more gradients than were allowed: there are no places
	Gradients int64
}

// Against returns what a report says of an exploration and of draws of chains.
func (e *Exploration) Against(chains [][][]float64) *store.Elsewhere {
	out := &store.Elsewhere{Walkers: len(e.Visited), Apart: e.Apart, Cut: e.Cut}
	if len(e.Visited) > 0 {
		c := ContrastOf(chains, e.Visited)
		out.Outside, out.Shifted, out.Spread = c.Outside, c.Shifted, c.Spread
	}
	return out
}

// A Contrast is how the places of an exploration differ from draws, in the coordinate or the direction in which they
// differ most.
type Contrast struct {
	Outside float64 // share of the places that are farther out than draws
	Shifted float64 // distance of the distribution functions, beyond what chance explains
	Spread  float64 // logarithm of the ratio of the widths, beyond what chance explains
}

// outOfReach is how far out of draws a place is outside, in standard deviations: even of Student's t with five degrees
// of freedom, .2 % of the draws are as far out.
const outOfReach = 6

// ContrastOf compares draws of chains with the places of walkers.
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

// seenFrom returns positions as numbers, by chain.
func seenFrom(view func(x []float64) float64, chains [][][]float64) [][]float64 {
	out := make([][]float64, len(chains))
	for k, positions := range chains {
		for _, x := range positions {
			out[k] = append(out[k], view(x))
		}
	}
	return out
}

// viewsOf returns the coordinates, the direction between the means of draws and places, and the distance from the
// middle of the draws.
func viewsOf(draws [][]float64, walkers [][][]float64) (views []func(x []float64) float64) {
	dim := len(draws[0])
	mean, sd, direction := make([]float64, dim), make([]float64, dim), make([]float64, dim)
	for j := range dim {
		views = append(views, func(x []float64) float64 { return x[j] })
		mean[j], sd[j] = stat.MeanStdDev(coordinate(draws, j), nil)
		var firsts []float64 // what chooses the direction is not compared alone
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

// coordinate returns one coordinate of positions.
func coordinate(xs [][]float64, j int) []float64 {
	out := make([]float64, len(xs))
	for i, x := range xs {
		out[i] = x[j]
	}
	return out
}

// outside returns the share of numbers of walkers that are out of the reach of others.
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

// extreme returns how many errors the distance of Kolmogorov and Smirnov is in one of a thousand comparisons of that
// many views by chance; the logarithm of a width has an error of about the same size.
func extreme(views int) float64 { return math.Sqrt(math.Log(2000*float64(views)) / 2) }

// logWidth returns the logarithm of the width of the middle two thirds of sorted numbers. It is finite for numbers that
// are all equal, too, since a report is stored as JSON, which has no infinity.
func logWidth(xs []float64) float64 {
	width := stats.SortedQuantile(xs, 5./6) - stats.SortedQuantile(xs, 1./6)
	return math.Log(math.Max(width, math.SmallestNonzeroFloat64))
}
