package adapt

import (
	"math"

	"gonum.org/v1/gonum/stat"

	"ppl/posterior/stats"
)

// A Divergence tracks over the windows of warm-up how far walkers spread. Under an improper density the spread grows by
// a factor in each window, because the metric adapts to the positions. Under a proper density the growth ends when the
// walkers have reached the target:
//
//	spread of a window   1  8  70  9e3 … 2e12   diverges: growth by more than 5 in four consecutive windows, and large
//	                     1  8  70   81   80     does not: walkers started far from the target
//
// A bounded parameter cannot spread: it moves to the end of its support until its coordinate leaves the range of double
// precision:
//
//	median of log s   -4  -90  -680  -709  -709  -709   diverges: beyond 650 in four windows
type Divergence struct {
	Spread []float64
	Grown  []int  // number of consecutive windows in which the spread grew
	Beyond []int  // number of consecutive windows in which a bounded coordinate was beyond largestBounded
	Looks  []Look // result for the lower and upper end of each coordinate, for Improper
}

// A coordinate diverges if its spread grows by the factor growth in each of divergingWindows consecutive windows and
// exceeds divergedSpread; a proper density never shows this. A bounded coordinate diverges if its median exceeds
// largestBounded: e^-650 is close to the smallest normal double.
const (
	divergingWindows = 4
	growth           = 5
	divergedSpread   = 1e12
	largestBounded   = 650
)

// Watch updates r by the positions of all walkers in a window. It returns a coordinate that diverges, or −1. bounded
// may be nil if it is unknown which coordinates are bounded.
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
		count(&r.Beyond[j], bounded != nil && bounded[j] && math.Abs(stats.Quantile(column, 0.5)) > largestBounded)
		if r.Grown[j] >= divergingWindows && r.Spread[j] > divergedSpread && r.Spread[j] > worst {
			coordinate, worst = j, r.Spread[j]
		}
		if r.Beyond[j] >= divergingWindows && coordinate < 0 {
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

// AtEnd returns a bounded coordinate that was beyond largestBounded in the last window, or −1.
func (r *Divergence) AtEnd() int {
	for j, n := range r.Beyond {
		if n > 0 {
			return j
		}
	}
	return -1
}
