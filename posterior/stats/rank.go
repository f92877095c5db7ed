package stats

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// normalScores returns the normal scores of the ranks of the first n draws, z = Φ⁻¹((r − 3/8)/(n + 1/4)). Ties get
// their mean rank.
func (w *Workspace) normalScores(n int) []float64 { return w.scores(w.sorted, w.at, n) }

// foldedScores returns the normal scores of the distances of the first n draws from the median of all draws. Chains
// that differ in scale differ in the location of these scores. The result is nil if all distances are equal, as for
// draws with only two values.
//
// Draws on each side of the median are sorted already, so merging the two sides sorts the distances.
func (w *Workspace) foldedScores(n int) []float64 {
	median := SortedQuantile(w.sorted, .5)
	size := len(w.sorted)
	w.folded, w.foldedAt = grow(w.folded, size)[:0], grow(w.foldedAt, size)[:0]
	right := 0
	for right < size && w.sorted[right] < median {
		right++
	}
	for left := right - 1; left >= 0 || right < size; {
		take := right
		if right == size || left >= 0 && median-w.sorted[left] < w.sorted[right]-median {
			take = left
			left--
		} else {
			right++
		}
		if at := w.at[take]; int(at) < n {
			w.folded, w.foldedAt = append(w.folded, math.Abs(w.sorted[take]-median)), append(w.foldedAt, at)
		}
	}
	if constant(w.folded) {
		return nil
	}
	return w.scores(w.folded, w.foldedAt, n)
}

// scores returns the normal scores of n draws, given in ascending order with their positions. It ignores draws at
// positions from n on.
func (w *Workspace) scores(sorted []float64, at []int32, n int) []float64 {
	w.z = grow(w.z, n)
	w.setScored(n)
	rank := 0
	for lo, hi := 0, 0; lo < len(sorted); lo = hi {
		ties := 0
		for hi = lo; hi < len(sorted) && sorted[hi] == sorted[lo]; hi++ {
			if int(at[hi]) < n {
				ties++
			}
		}
		if ties == 0 {
			continue
		}
		z := w.score(2*rank + 1 + ties)
		for _, i := range at[lo:hi] {
			if int(i) < n {
				w.z[i] = z
			}
		}
		rank += ties
	}
	return w.z
}

// setScored resets the table of scores if it is not for n draws.
func (w *Workspace) setScored(n int) {
	if w.scored == n {
		return
	}
	w.scored, w.scoreOf = n, grow(w.scoreOf, 2*n+1)
	for i := range w.scoreOf {
		w.scoreOf[i] = math.NaN()
	}
}

// score returns the normal score of the rank twice/2. Mean ranks of ties are multiples of 1/2.
func (w *Workspace) score(twice int) float64 {
	z := &w.scoreOf[twice]
	if math.IsNaN(*z) {
		*z = normalScore(float64(twice)/2, w.scored)
	}
	return *z
}

// normalScore returns the normal score of a rank among n.
func normalScore(rank float64, n int) float64 {
	return distuv.UnitNormal.Quantile((rank - .375) / (float64(n) + .25))
}
