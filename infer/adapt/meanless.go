package adapt

import (
	"math"
	"slices"

	"ppl/infer/stats"
)

// How a tail is looked at.
const (
	farTail   = 3.0  // widths from the median that a walker was, so that the tail is looked at; a normal has one in 10⁶
	nearPlace = 1e4  // widths from the median at which
	farPlace  = 1e6  // and to where the fall of the density is measured
	meanFrom  = 2.05 // a mean exists where the density falls off faster than |x|⁻²; .05 is for what is not yet there
	tailsSeen = 3    // at how many positions of the other coordinates
)

// Meanless are coordinates on the real line that have no mean. Draws may not show it: walkers hardly go out to where a
// Cauchy distribution has its tails, and those they draw end there. The density shows it:
//
//	log π falls from 10⁴ to 10⁶ widths by p·log 100, at each of three positions of the other coordinates
//	  p ≤ 2      Cauchy (2), half of a t with one degree of freedom: ∫|x|π dx does not exist
//	  p = 3, 5   Student's t with 2, 4 degrees of freedom
//	  p > 1000   normal, Laplace, all with an exponential
//
// Only coordinates are looked at of which some walker was far out.
func Meanless(visited [][]float64, bounded []bool, evaluate Evaluator) (found []int, err error) {
	if len(visited) < tailsSeen || len(visited[0]) > mostWide || bounded == nil {
		return nil, nil
	}
	for j := range min(len(visited[0]), len(bounded)) {
		if bounded[j] {
			continue
		}
		median, width, out := spreadOf(visited, j)
		if !(out > farTail*width) {
			continue
		}
		for _, sign := range []float64{-1, 1} {
			heavy, err := heavyTail(visited, j, median, sign*width, evaluate)
			if err != nil {
				return nil, err
			}
			if heavy {
				found = append(found, j)
				break
			}
		}
	}
	return found, nil
}

// spreadOf is the median of a coordinate, half of the width of its middle nine tenths, and how far from the median a
// walker was.
func spreadOf(visited [][]float64, j int) (median, width, out float64) {
	chains := make([][]float64, 1)
	column(chains, [][][]float64{visited}, j)
	xs := chains[0]
	slices.Sort(xs)
	median = stats.SortedQuantile(xs, 0.5)
	width = (stats.SortedQuantile(xs, 0.95) - stats.SortedQuantile(xs, 0.05)) / 2
	return median, width, math.Max(xs[len(xs)-1]-median, median-xs[0])
}

// heavyTail reports whether the density falls too slowly for a mean at all positions.
func heavyTail(visited [][]float64, j int, median, width float64, evaluate Evaluator) (bool, error) {
	var at [][]float64
	for k := range tailsSeen {
		for _, place := range []float64{nearPlace, farPlace} {
			x := slices.Clone(visited[(2*k+1)*len(visited)/(2*tailsSeen)])
			x[j] = median + place*width
			at = append(at, x)
		}
	}
	density, _, err := evaluate(at)
	if err != nil {
		return false, err
	}
	for k := 0; k < len(density); k += 2 {
		p := (density[k] - density[k+1]) / math.Log(farPlace/nearPlace)
		if !(p <= meanFrom) {
			return false, nil
		}
	}
	return true, nil
}
