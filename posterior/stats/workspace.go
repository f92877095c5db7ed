package stats

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/dsp/fourier"
)

// A Workspace computes the statistics of one quantity after another. It keeps the memory, the table of normal scores
// and the plan of the Fourier transform that quantities of the same number of draws share, and sorts the draws of a
// quantity once:
//
//	var w Workspace
//	for _, chains := range quantities { // [chain][draw]
//		s := w.Summarize(chains)
//	}
//
// The zero value is ready for use, by one goroutine at a time.
type Workspace struct {
	draws  []float64 // of all parts, one part after another; those that are sorted but in no part come last
	sorted []float64 // the draws, ascending, NaN first
	at     []int32   // where in draws each of sorted stands

	folded   []float64 // distances from the median, ascending
	foldedAt []int32   // where in draws each of folded stands
	z        []float64 // normal scores
	below    []float64 // indicators

	scoreOf []float64 // by twice the rank; NaN where not computed yet
	scored  int       // the number of draws that scoreOf is for

	items, spare []item
	counts       [digits][1 << digitBits]int32

	centred      []float64
	rho          []float64
	fft          *fourier.FFT
	padded       []float64
	coefficients []complex128
	power        []complex128
}

// An item is a draw on its way through the sort.
type item struct {
	key uint64 // in the order of the values
	at  int32
}

// take takes the draws of a quantity, in parts; rest are draws that belong to the sample but to no part.
func (w *Workspace) take(parts [][]float64, rest []float64) {
	n := len(rest)
	for _, p := range parts {
		n += len(p)
	}
	w.draws = slices.Grow(w.draws[:0], n)
	for _, p := range parts {
		w.draws = append(w.draws, p...)
	}
	w.draws = append(w.draws, rest...)
}

// Draws are sorted by digits of 11 bits, six of which cover the 64 bits of a value.
const (
	digitBits = 11
	digits    = 6
)

// sort fills sorted and at. A radix sort takes the same time for any distribution; digits that all values share, such
// as the exponents of numbers of one size, cost next to nothing.
func (w *Workspace) sort() {
	n := len(w.draws)
	w.items, w.spare = grow(w.items, n), grow(w.spare, n)
	counts := &w.counts
	clear(counts[:])
	for i, x := range w.draws {
		k := sortKey(x)
		w.items[i] = item{k, int32(i)}
		for d := range counts {
			counts[d][digit(k, d)]++
		}
	}
	for d := range counts {
		count := &counts[d]
		if n > 0 && count[digit(w.items[0].key, d)] == int32(n) {
			continue
		}
		start := int32(0)
		for v, c := range count {
			count[v], start = start, start+c
		}
		for _, it := range w.items {
			v := digit(it.key, d)
			w.spare[count[v]] = it
			count[v]++
		}
		w.items, w.spare = w.spare, w.items
	}
	w.sorted, w.at = grow(w.sorted, n), grow(w.at, n)
	for i, it := range w.items {
		w.sorted[i], w.at[i] = w.draws[it.at], it.at
	}
}

func digit(key uint64, d int) uint64 { return key >> (digitBits * d) & (1<<digitBits - 1) }

// sortKey maps numbers to integers of the same order, NaN to the least.
func sortKey(x float64) uint64 {
	if math.IsNaN(x) {
		return 0
	}
	b := math.Float64bits(x)
	return b ^ (uint64(int64(b)>>63) | 1<<63) // negative numbers grow with falling bits
}

// grow returns a slice of n elements, in the memory of xs where that is enough.
func grow[T any](xs []T, n int) []T {
	if cap(xs) < n {
		return make([]T, n)
	}
	return xs[:n]
}
