package stats

import (
	"math"
	"sort"

	"gonum.org/v1/gonum/dsp/fourier"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"
)

// A productStream estimates the autocorrelations of functions of draws at the first lags. Draws are added one by one
// and are not stored:
//
//	s := newProductStream(chains, draws, lags, functions...)
//	for … { s.add(chain, d, x) }   // all draws of each chain, in order
//	size, complete := s.ess(k, &w) // effective sample size of the k-th function
//
// It buffers draws until they fill a block plus the lags after it, then multiplies them with each other: by sums of
// products if there are few lags, else by a Fourier transform of a block of 3·lags draws and the lags after it, in
// which no product wraps around.
type productStream struct {
	lags, block int // number of lags; number of draws multiplied at once
	draws       int // number of draws of each chain
	series      []productSeries
	pending     [][]float64     // by chain: buffered draws of its current half
	values      []float64       // values of a function at the buffered draws
	transform   *blockTransform // nil if there are few lags
}

// A productSeries is a function of draws, and the sums of products of its values.
type productSeries struct {
	value    func(x float64) float64 // has a mean near 0, so that sums do not cancel
	products []float64               // sums of products by lag, over all parts; with a transform, set only at the end
	power    []complex128            // Fourier transform of the products
	halves   []partSums              // sums over the first half of each chain, then over the second halves
}

// partSums holds sums over the values of half a chain.
type partSums struct{ sum, squares float64 }

// A blockTransform computes products of a block by Fourier transform, with reused memory.
type blockTransform struct {
	fft         *fourier.FFT
	padded      []float64
	starts, all []complex128
}

const blockBySums = 1024

// newProductStream returns an empty stream for chains of equal length, at least lagsBySums lags, and functions whose
// values have a mean near 0.
func newProductStream(chains, draws, lags int, values ...func(x float64) float64) *productStream {
	s := &productStream{lags: lagsBySums, block: blockBySums, draws: draws, pending: make([][]float64, chains)}
	coefficients := 0
	if lags > lagsBySums {
		s.lags = fastLength(lags)
		s.block = 3 * s.lags
		coefficients = 2*s.lags + 1
		s.transform = &blockTransform{fft: fourier.NewFFT(4 * s.lags), padded: make([]float64, 4*s.lags),
			starts: make([]complex128, coefficients), all: make([]complex128, coefficients)}
	}
	for c := range s.pending {
		s.pending[c] = make([]float64, 0, s.block+s.lags)
	}
	s.values = make([]float64, s.block+s.lags)
	for _, value := range values {
		s.series = append(s.series, productSeries{value: value, products: make([]float64, s.lags),
			power: make([]complex128, coefficients), halves: make([]partSums, 2*chains)})
	}
	return s
}

// lagsFor returns the largest power of two, but at least 128, such that a productStream with this number of lags uses
// no more memory than the given number of draws.
func lagsFor(chains, draws int) (lags int) {
	for lags = fastLength(2 * lagsBySums); 2*lags*(4*chains+36) <= draws; {
		lags *= 2
	}
	return lags
}

// half returns the number of draws in half a chain.
func (s *productStream) half() int { return s.draws / 2 }

// add adds draw d of a chain. If the number of draws is odd, the middle draw is ignored.
func (s *productStream) add(chain, d int, x float64) {
	half := s.half()
	if d >= half && d < s.draws-half {
		return
	}
	s.pending[chain] = append(s.pending[chain], x)
	if d == half-1 || d == s.draws-1 {
		s.endHalf(chain, d >= half)
	} else if len(s.pending[chain]) == s.block+s.lags {
		s.multiply(chain, d >= half, s.block)
	}
}

// endHalf multiplies the draws buffered at the end of half a chain, in two blocks if they are longer than one.
func (s *productStream) endHalf(chain int, second bool) {
	if len(s.pending[chain]) > s.block {
		s.multiply(chain, second, s.block)
	}
	s.multiply(chain, second, len(s.pending[chain]))
}

// multiply adds the products of the first n buffered draws with the draws at each lag after them, and removes these n
// draws from the buffer.
func (s *productStream) multiply(chain int, second bool, n int) {
	pending := s.pending[chain]
	part := chain
	if second {
		part += len(s.pending)
	}
	for k := range s.series {
		series := &s.series[k]
		values := s.values[:len(pending)]
		for i, x := range pending {
			values[i] = series.value(x)
		}
		series.halves[part].sum += floats.Sum(values[:n])
		series.halves[part].squares += floats.Dot(values[:n], values[:n])
		if s.transform != nil {
			s.transform.multiply(values, n, series.power)
			continue
		}
		for t := 1; t < min(s.lags, len(values)); t++ {
			m := min(n, len(values)-t)
			series.products[t] += floats.Dot(values[:m], values[t:t+m])
		}
	}
	s.pending[chain] = append(pending[:0], pending[n:]...)
}

// multiply adds to power the transform of the products of the first n values with all values.
func (t *blockTransform) multiply(values []float64, n int, power []complex128) {
	clear(t.padded[copy(t.padded, values):])
	all := t.fft.Coefficients(t.all, t.padded)
	starts := all
	if n < len(values) {
		clear(t.padded[n:])
		starts = t.fft.Coefficients(t.starts, t.padded)
	}
	for i, a := range starts {
		b := all[i]
		power[i] += complex(real(a)*real(b)+imag(a)*imag(b), real(a)*imag(b)-imag(a)*real(b))
	}
}

// ess returns the effective sample size of the k-th function, and whether its correlations vanish within the lags. If
// they do not, the size is too large. It is NaN if all values are equal.
func (s *productStream) ess(k int, w *Workspace) (size float64, complete bool) {
	c := s.correlate(k, w)
	if !(c.total > 0) {
		return math.NaN(), true
	}
	size, last := w.essOf(c, float64(2*len(s.pending)*s.half()))
	return size, last+5 < c.n || c.n == s.half()
}

// correlate computes the correlations at all lags, in the workspace. It centres a product of n−t pairs by subtracting
// (n−t)·mean², which ignores that the first and last t draws are missing from one side. Relative to the variance, the
// error is below lags/draws · (mean/sd)², which is small, since values have a mean near 0.
func (s *productStream) correlate(k int, w *Workspace) correlogram {
	series, n := &s.series[k], float64(s.half())
	means := make([]float64, len(series.halves))
	parts := float64(len(means))
	within, square := 0.0, 0.0
	for p, sums := range series.halves {
		means[p] = sums.sum / n
		within += (sums.squares - sums.sum*means[p]) / (n - 1) / parts
		square += means[p] * means[p] / parts
	}
	if s.transform != nil {
		products := s.transform.fft.Sequence(s.transform.padded, series.power)
		copy(series.products, products)
		floats.Scale(1/float64(len(products)), series.products)
	}
	c := correlogram{work: w, parts: len(means), n: min(s.lags, s.half()), within: within,
		total: within*(n-1)/n + stat.Variance(means, nil)}
	w.rho = append(w.rho[:0], 1)
	for t := 1; t < c.n; t++ {
		c.add(series.products[t]/n/parts - (n-float64(t))/n*square)
	}
	return c
}

// A scoreTable approximates the normal scores of draws by those of a sample. Scores are exact for about a thousand
// knots of the sample; between knots it interpolates.
type scoreTable struct{ values, scores []float64 }

const scoreKnots = 1024

// newScoreTable returns the table for a sample in ascending order.
func newScoreTable(sorted []float64) (t scoreTable) {
	n := len(sorted)
	for at := 0; at < n; at += max(1, min(n/scoreKnots, min(at, n-1-at)/2)) { // denser towards both ends
		x := sorted[at]
		if len(t.values) > 0 && t.values[len(t.values)-1] == x {
			continue
		}
		lo := sort.SearchFloat64s(sorted, x)
		hi := sort.Search(n, func(i int) bool { return sorted[i] > x })
		t.values = append(t.values, x)
		t.scores = append(t.scores, normalScore(float64(lo+1+hi)/2, n))
	}
	return t
}

// of returns the approximate normal score of a value.
func (t scoreTable) of(x float64) float64 {
	i := sort.SearchFloat64s(t.values, x)
	switch {
	case i == len(t.values):
		return t.scores[i-1]
	case i == 0 || t.values[i] == x:
		return t.scores[i]
	}
	share := (x/2 - t.values[i-1]/2) / (t.values[i]/2 - t.values[i-1]/2)
	return t.scores[i-1] + share*(t.scores[i]-t.scores[i-1])
}
