package adapt

import "gonum.org/v1/gonum/stat"

// A Divergence watches, window after window of warm-up, how far walkers spread. Under an improper density they spread
// by a factor with every window, because the metric learns from where they are; under any other that ends once they
// have come to where it is:
//
//	spread of a window   1   8   70   9e3 … 2e12   diverges: four windows in a row by more than 5, and far out
//	                     1   8   70   81    80     does not: walkers started far from the target
type Divergence struct {
	Spread []float64
	Grown  []int // windows in a row
}

// A proper density never shows this: the spread of a coordinate grows by `growth` in each of `endless` consecutive
// windows, beyond `nowhere`.
const (
	endless = 4
	growth  = 5
	nowhere = 1e12
)

// Watch takes the positions of a window, of all walkers, and reports whether some coordinate of theirs diverges to
// infinity.
func (r *Divergence) Watch(visited [][]float64) bool {
	if len(visited) == 0 {
		return false
	}
	if r.Spread == nil {
		r.Spread, r.Grown = make([]float64, len(visited[0])), make([]int, len(visited[0]))
	}
	column, diverges := make([]float64, len(visited)), false
	for j, last := range r.Spread {
		for i, x := range visited {
			column[i] = x[j]
		}
		if r.Spread[j] = stat.PopStdDev(column, nil); r.Spread[j] > growth*last {
			r.Grown[j]++
		} else {
			r.Grown[j] = 0
		}
		diverges = diverges || r.Grown[j] >= endless && r.Spread[j] > nowhere
	}
	return diverges
}
