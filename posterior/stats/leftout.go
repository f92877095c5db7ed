package stats

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
)

// A LeftOut estimates how well a row is predicted without it, by Pareto smoothed importance sampling (Vehtari, Gelman,
// Gabry: Practical Bayesian model evaluation using leave-one-out cross-validation and WAIC, Statistics and Computing
// 27, 2017). Draws are added one by one. It stores only the draws with the largest weights, which smoothing changes,
// and sums of the others.
//
//	l := stats.NewLeftOut(draws, reff)
//	for … { l.Add(logLik, share) }
//	elpd := l.Result().ELPD
type LeftOut struct {
	tail  int        // number of weights in the tail
	far   []weighted // largest tail+1 weights, as a heap with the smallest on top
	seen  int
	bad   bool   // whether a log likelihood is not finite
	body  logSum // sum of the weights of the draws that are not in far
	parts logSum // sum of weights times shares over the same draws

	full          logSum  // sum of the row's densities
	mean, scatter float64 // of the row's log densities; scatter is the sum of squared deviations
}

// weighted is a draw: the log of its importance ratio, its position (to order equal ratios), and its share.
type weighted struct {
	ratio float64
	order int
	share float64
}

func compareWeights(a, b weighted) int {
	return cmp.Or(cmp.Compare(a.ratio, b.ratio), cmp.Compare(a.order, b.order))
}

// NewLeftOut returns an empty LeftOut for a number of draws. reff is the effective sample size divided by that number.
func NewLeftOut(draws int, reff float64) *LeftOut {
	n := tailLength(draws, reff)
	return &LeftOut{tail: n, far: make([]weighted, 0, n+2)}
}

// LeftOutSize returns the memory of a LeftOut, in bytes, for a number of draws.
func LeftOutSize(draws int, reff float64) int { return 24 * (tailLength(draws, reff) + 10) }

// Add adds a draw: the log likelihood of the row, and the share of its prediction that is below the observed value (see
// Below), or 0 if PIT is not needed.
func (l *LeftOut) Add(logLik, share float64) {
	l.seen++
	if math.IsNaN(logLik) || math.IsInf(logLik, 0) {
		l.bad = true
		return
	}
	l.full.add(logLik, 1)
	delta := logLik - l.mean
	l.mean += delta / float64(l.seen)
	l.scatter += delta * (logLik - l.mean)
	w := weighted{-logLik, l.seen, share}
	switch {
	case len(l.far) <= l.tail:
		l.far = append(l.far, w)
		l.up(len(l.far) - 1)
	case w.ratio < l.far[0].ratio:
		l.addToBody(w)
	default:
		l.addToBody(l.far[0])
		l.far[0] = w
		l.down()
	}
}

// addToBody adds a draw to the sums over draws that are not in far.
func (l *LeftOut) addToBody(w weighted) {
	l.body.add(w.ratio, 1)
	l.parts.add(w.ratio, w.share)
}

func (l *LeftOut) up(i int) {
	for i > 0 && compareWeights(l.far[i], l.far[(i-1)/2]) < 0 {
		l.far[i], l.far[(i-1)/2] = l.far[(i-1)/2], l.far[i]
		i = (i - 1) / 2
	}
}

func (l *LeftOut) down() {
	for i := 0; ; {
		least := i
		for _, k := range []int{2*i + 1, 2*i + 2} {
			if k < len(l.far) && compareWeights(l.far[k], l.far[least]) < 0 {
				least = k
			}
		}
		if least == i {
			return
		}
		l.far[i], l.far[least] = l.far[least], l.far[i]
		i = least
	}
}

// Finite reports whether the log likelihood was finite in all draws.
func (l *LeftOut) Finite() bool { return !l.bad }

// A RowOut holds the estimates for one row.
type RowOut struct {
	ELPD, P, K  float64 // see Pointwise
	WAIC, PWAIC float64 // Watanabe's criterion on the same scale, and its effective number of parameters
	PIT         float64 // weighted share of predictions below the observed value
}

// Result returns the estimates. At least one draw with a finite log likelihood must have been added.
func (l *LeftOut) Result() RowOut {
	slices.SortFunc(l.far, compareWeights)
	greatest := l.far[len(l.far)-1].ratio
	lw := make([]float64, len(l.far))
	for i, w := range l.far {
		lw[i] = w.ratio - greatest
	}
	k, smoothed := smoothTail(lw, l.seen, l.tail)
	kept := len(lw) - smoothed // number of stored weights that are not smoothed
	for _, w := range l.far[:kept] {
		l.addToBody(w)
	}
	total, parts := l.body.shifted(-greatest), l.parts.shifted(-greatest)
	density := logSum{-greatest, float64(l.seen - smoothed)}
	for i, w := range l.far[kept:] {
		total.add(lw[kept+i], 1)
		parts.add(lw[kept+i], w.share)
		density.add(lw[kept+i]-w.ratio, 1)
	}
	full, variance := l.full.log()-math.Log(float64(l.seen)), l.scatter/float64(l.seen)
	elpd := density.log() - total.log()
	return RowOut{ELPD: elpd, P: full - elpd, K: k, WAIC: full - variance, PWAIC: variance,
		PIT: math.Exp(parts.log() - total.log())}
}

// A logSum is a sum of numbers given by their logarithms.
type logSum struct{ greatest, sum float64 } // sum is in units of exp(greatest)

// add adds times·exp(x).
func (s *logSum) add(x, times float64) {
	switch {
	case s.sum == 0:
		s.greatest, s.sum = x, times
	case x > s.greatest:
		s.greatest, s.sum = x, s.sum*math.Exp(s.greatest-x)+times
	default:
		s.sum += times * math.Exp(x-s.greatest)
	}
}

func (s logSum) shifted(by float64) logSum { return logSum{s.greatest + by, s.sum} }
func (s logSum) log() float64              { return s.greatest + math.Log(s.sum) }

// Append appends a row.
func (p *Pointwise) Append(elpd, effective, k float64) {
	p.ELPD, p.P, p.K = append(p.ELPD, elpd), append(p.P, effective), append(p.K, k)
}

// Tie returns the share, from 0 to 1, of predictions equal to a row's value that count as below it. It depends only on
// the number of the row. Of counts and of outcomes 0 and 1, most predictions are such ties; the PIT is uniform over
// rows only if their share is random (Czado, Gneiting and Held 2009, Predictive model assessment for count data,
// Biometrics 65, 1254).
func Tie(row int) float64 { return rand.New(rand.NewPCG(uint64(row), 1)).Float64() }

// Below returns 1 if a prediction is below the observed value, tie if it is equal, else 0.
func Below(predicted, observed, tie float64) float64 {
	switch {
	case predicted < observed:
		return 1
	case predicted == observed:
		return tie
	}
	return 0
}

// PIT returns the share of predictions below the observed value, plus the share tie of those equal to it. With the ties
// that Tie returns, it is uniform over rows if predictions are calibrated.
func PIT(predicted []float64, observed, tie float64) float64 {
	sum := 0.0
	for _, y := range predicted {
		sum += Below(y, observed, tie)
	}
	return sum / float64(len(predicted))
}
