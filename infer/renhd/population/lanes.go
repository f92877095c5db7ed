package population

import (
	"math"
	"slices"
)

// OneIf returns 1 if b is true, else 0.
func OneIf(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// Mean returns the mean of xs.
func Mean(xs []float64) float64 {
	sum := 0.0
	for _, x := range xs {
		sum += x
	}
	return sum / float64(len(xs))
}

// Highest returns the index i in places with the largest height[i].
func Highest(places []int, height []float64) int {
	best := places[0]
	for _, i := range places {
		if height[i] > height[best] {
			best = i
		}
	}
	return best
}

// Median returns the median of the lanes' step sizes, each divided by the square root of the lane's temperature in
// heat.
func Median(steps, heat []float64) float64 {
	cold := make([]float64, len(steps))
	for lane, h := range steps {
		cold[lane] = h / math.Sqrt(heat[lane])
	}
	slices.Sort(cold)
	return cold[len(cold)/2]
}

// Ones returns n ones.
func Ones(n int) []float64 {
	out := make([]float64, n)
	for i := range out {
		out[i] = 1
	}
	return out
}

// Split divides flat into parts of this size, which share its memory.
func Split(flat []float64, size int) [][]float64 {
	var out [][]float64
	for ; len(flat) > 0; flat = flat[size:] {
		out = append(out, flat[:size:size])
	}
	return out
}

// Coordinate returns coordinate j of the points of each chain.
func Coordinate(chains [][][]float64, j int) [][]float64 {
	out := make([][]float64, len(chains))
	for c, xs := range chains {
		for _, x := range xs {
			out[c] = append(out[c], x[j])
		}
	}
	return out
}

// Hopeless returns a gap in log density that no volume compensates: 20 + 5·dim, more than a factor of e⁵ > 100 in each
// dimension.
func Hopeless(dim int) float64 { return 20 + 5*float64(dim) }
