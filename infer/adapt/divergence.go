package adapt

import (
	"math"

	"gonum.org/v1/gonum/stat"

	"ppl/posterior/stats"
)

// A Divergence watches, window after window of warm-up, how far walkers spread. Under an improper density they spread
// by a factor with every window, because the metric learns from where they are; under any other that ends once they
// have come to where it is:
//
//	spread of a window   1   8   70   9e3 … 2e12   diverges: four windows in a row by more than 5, and far out
//	                     1   8   70   81    80     does not: walkers started far from the target
//
// A bounded parameter has nowhere to spread to: it goes to the end of its support, where numbers end first.
//
//	median of log s      -4  -90  -680  -709  -709  -709  -709   diverges: four windows beyond 650
type Divergence struct {
	Spread []float64
	Grown  []int  // windows in a row
	Beyond []int  // windows in a row, of bounded coordinates
	Looks  []Look // at the lower and upper end of each coordinate (Improper)
}

// A proper density never shows this: the spread of a coordinate grows by `growth` in each of `endless` consecutive
// windows, beyond `nowhere`. And e^-650 is where the normal numbers of double precision are about to end.
const (
	endless   = 4
	growth    = 5
	nowhere   = 1e12
	noNumbers = 650
)

// Watch takes the positions of a window, of all walkers, and gives a coordinate of theirs that diverges, or −1. Which
// coordinates are bounded may not be known (nil).
func (r *Divergence) Watch(visited [][]float64, bounded []bool) (coordinate int) {
	coordinate = -1
	if len(visited) == 0 {
		return coordinate
	}
	if n := len(visited[0]); r.Spread == nil {
		r.Spread, r.Grown, r.Beyond = make([]float64, n), make([]int, n), make([]int, n)
	}
	column, worst := make([]float64, len(visited)), 0.0
	for j, last := range r.Spread {
		for i, x := range visited {
			column[i] = x[j]
		}
		r.Spread[j] = stat.PopStdDev(column, nil)
		count(&r.Grown[j], r.Spread[j] > growth*last)
		count(&r.Beyond[j], bounded != nil && bounded[j] && math.Abs(stats.Quantile(column, 0.5)) > noNumbers)
		if r.Grown[j] >= endless && r.Spread[j] > nowhere && r.Spread[j] > worst {
			coordinate, worst = j, r.Spread[j]
		}
		if r.Beyond[j] >= endless && coordinate < 0 {
			coordinate = j
		}
	}
	return coordinate
}

func count(n *int, again bool) {
	*n++
	if !again {
		*n = 0
	}
}

// AtEnd returns a bounded coordinate that was beyond numbers in the last window, or −1.
func (r *Divergence) AtEnd() int {
	for j, n := range r.Beyond {
		if n > 0 {
			return j
		}
	}
	return -1
}
