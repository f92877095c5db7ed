package adapt

import "gonum.org/v1/gonum/stat"

// A Runaway watches, window after window of warm-up, how far walkers spread. Under a density without end they spread by
// a factor with every window, for the metric learns from where they are; under any other that ends once they have come
// to where it is.
type Runaway struct {
	spread []float64
	grown  []int // windows in a row
}

// What no density with an end shows: so many windows in a row in each of which the spread of a coordinate grew so much,
// up to there.
const (
	endless = 4
	growth  = 5
	nowhere = 1e12
)

// Watch takes the positions of a window, of all walkers, and reports whether some coordinate of theirs runs off.
func (r *Runaway) Watch(visited [][]float64) bool {
	if len(visited) == 0 {
		return false
	}
	if r.spread == nil {
		r.spread, r.grown = make([]float64, len(visited[0])), make([]int, len(visited[0]))
	}
	column, gone := make([]float64, len(visited)), false
	for j, last := range r.spread {
		for i, x := range visited {
			column[i] = x[j]
		}
		if r.spread[j] = stat.PopStdDev(column, nil); r.spread[j] > growth*last {
			r.grown[j]++
		} else {
			r.grown[j] = 0
		}
		gone = gone || r.grown[j] >= endless && r.spread[j] > nowhere
	}
	return gone
}
