package stats

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/dsp/fourier"
)

// A Workspace computes statistics of one quantity after another. It reuses memory, the table of normal scores and the
// plan of the Fourier transform for quantities with the same number of draws, and sorts the draws of each quantity only
// once:
//
//	var w Workspace
//	for _, chains := range quantities { // [chain][draw]
//		s := w.Summarize(chains)
//	}
//
// The zero value is ready for use. A Workspace must not be used by several goroutines at the same time.
type Workspace struct {
	draws  []float64 // draws of all parts in order, then draws that are in no part but are sorted
	sorted []float64 // the draws, ascending, NaN first
	at     []int32   // index in draws of each element of sorted

	folded   []float64 // distances from the median, ascending
	foldedAt []int32   // index in draws of each element of folded
	z        []float64 // normal scores
	below    []float64 // indicators

	scoreOf []float64 // by twice the rank; NaN if not computed yet
	scored  int       // number of draws for which scoreOf is valid

	items, spare []item
	counts       [digits][1 << digitBits]int32

	centred      []float64
	rho          []float64
	fft          *fourier.FFT
	padded       []float64
	coefficients []complex128
	power        []complex128
}

// An item is a draw during the sort.
type item struct {
	key uint64 // has the same order as the values
	at  int32
}

// take stores the draws of a quantity, in parts. rest holds draws that are sorted but belong to no part.
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

// The sort uses digits of 11 bits; six of them cover the 64 bits of a value.
const (
	digitBits = 11
	digits    = 6
)

// sort sets sorted and at. A radix sort takes the same time for any distribution, and skips digits that all values
// share, such as the exponents of numbers of similar size.
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

// sortKey maps numbers to integers in the same order; NaN maps to 0, the smallest.
func sortKey(x float64) uint64 {
	if math.IsNaN(x) {
		return 0
	}
	b := math.Float64bits(x)
	return b ^ (uint64(int64(b)>>63) | 1<<63) // for negative numbers, larger bits mean smaller numbers
}

// grow returns a slice of n elements, in the memory of xs if that is large enough.
func grow[T any](xs []T, n int) []T {
	if cap(xs) < n {
		return make([]T, n)
	}
	return xs[:n]
}
