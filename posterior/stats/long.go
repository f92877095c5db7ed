package stats

import (
	"math"
	"slices"
)

// A Long summarises a scalar whose draws do not fit in memory. Draws are added one by one, in several passes:
//
//	l := stats.NewLong(chains, draws, room, .05, .5, .95)
//	for l.More() {
//		for … { l.Add(chain, d, x) }       // all draws of each chain, in order, in each pass
//		l.EndPass()
//	}
//	s := l.Summarize(&w)
//
// Moments, extremes and quantiles of finite draws are exact: one pass counts the draws in bins around the quantiles of
// a sample, and a later one collects the draws of the bin that contains the quantile. R-hat and the tail shape come
// from a sample of room draws. Effective sample sizes use the autocorrelations of all draws, at a few lags or, in a
// further pass, at as many as fit in memory (about room/50 for four chains), with ranks from the sample. If
// autocorrelations are longer, so that less than about a thousandth of the draws is effective, effective sample sizes
// come from the sample.
type Long struct {
	every, draws int         // distance between the draws of the sample; number of draws of each chain
	thinned      [][]float64 // draws of the sample, by chain
	room         int         // wanted number of draws in the sample
	sizes        [tailSeries + 2]effectiveSize
	stream       *productStream // correlates series in the current pass; nil if there are none
	streamed     []int          // indices in sizes of these series

	count          int
	mean, scatter  float64
	least, most    float64
	nonFinite, nan int
	zeros, below   int
	two            pair
	quantiles      []float64
	selectors      []selector
	passes         int
}

// leastSample is the minimum number of draws of each chain in a sample.
const leastSample = 256

// NewLong returns an empty Long for chains of equal length. The sample has at most room draws, but up to leastSample of
// each chain. Summarize requires that the first three quantiles are those for .05, .5 and .95.
func NewLong(chains, draws, room int, quantiles ...float64) *Long {
	each := max(leastSample, room/max(1, chains))
	l := &Long{draws: draws, room: room, every: max(1, (draws+each-1)/each), thinned: make([][]float64, chains),
		least: math.Inf(1), most: math.Inf(-1), quantiles: quantiles}
	for c := range l.thinned {
		l.thinned[c] = make([]float64, 0, (draws+l.every-1)/l.every)
	}
	return l
}

// Every returns the distance between the draws of the sample, which are the draws 0, Every, 2·Every, … of each chain.
func (l *Long) Every() int { return l.every }

// Thinned returns the draws of the sample, by chain.
func (l *Long) Thinned() [][]float64 { return l.thinned }

// More reports whether another pass is needed.
func (l *Long) More() bool {
	return l.passes == 0 || l.stream != nil ||
		slices.ContainsFunc(l.selectors, func(s selector) bool { return !s.done })
}

// varies reports whether all draws are finite and not all equal.
func (l *Long) varies() bool { return l.nonFinite == 0 && l.least < l.most }

// Add adds draw d of a chain, counted from 0.
func (l *Long) Add(chain, d int, x float64) {
	if l.passes > 0 {
		for i := range l.selectors {
			l.selectors[i].add(x)
		}
		if l.stream != nil {
			l.stream.add(chain, d, x)
		}
		return
	}
	if d%l.every == 0 {
		l.thinned[chain] = append(l.thinned[chain], x)
	}
	l.note(x)
}

func (l *Long) note(x float64) {
	const normal = 0x1p-1022
	switch {
	case math.IsNaN(x):
		l.nan++
		l.nonFinite++
	case math.IsInf(x, 0):
		l.nonFinite++
	case x == 0:
		l.zeros++
	case math.Abs(x) < normal:
		l.below++
	}
	if !l.two.more {
		l.two.add(x)
	}
	l.count++
	delta := x - l.mean
	l.mean += delta / float64(l.count)
	l.scatter += delta * (x - l.mean)
	l.least, l.most = math.Min(l.least, x), math.Max(l.most, x)
}

// EndPass ends a pass, after all draws were added.
func (l *Long) EndPass() {
	l.passes++
	if l.passes == 1 {
		if l.varies() {
			sorted := slices.Concat(l.thinned...)
			slices.Sort(sorted)
			l.search(sorted)
			l.correlateCentre(sorted)
		}
		return
	}
	for i := range l.selectors {
		l.selectors[i].next(l.least, l.most)
	}
	l.endStream()
}

// search prepares the search for the two order statistics around each quantile. The search starts near their positions
// in the sorted sample.
func (l *Long) search(sorted []float64) {
	n := float64(len(sorted))
	for _, p := range l.quantiles {
		at, wide := p*(n-1), 6*math.Sqrt(p*(1-p)*n)+6
		lo, hi := max(0, int(at-wide)), min(len(sorted)-1, int(at+wide)+1)
		low := int(p * float64(l.count-1))
		for _, rank := range []int{low, min(low+1, l.count-1)} {
			l.selectors = append(l.selectors, newSelector(rank, sorted[lo], sorted[hi]))
		}
	}
}

// Indices of the series whose effective sample sizes a Long estimates: the draws, their normal scores, and indicators
// of the two tails.
const (
	meanSeries = iota
	bulkSeries
	tailSeries // lower tail; the upper tail follows
)

// An effectiveSize is the effective sample size of a function of the draws.
type effectiveSize struct {
	value func(x float64) float64
	size  float64
	ends  bool // whether correlations vanish within the lags computed; if not, the sample's effective size is used
}

// correlateCentre starts correlating the draws and, if there are quantiles, their normal scores.
func (l *Long) correlateCentre(sorted []float64) {
	l.sizes[meanSeries].value = func(x float64) float64 { return x - l.mean }
	l.streamed = []int{meanSeries}
	if len(l.quantiles) > 0 {
		l.sizes[bulkSeries].value = newScoreTable(sorted).of
		l.streamed = append(l.streamed, bulkSeries)
	}
	l.startStream(lagsBySums)
}

// startStream starts correlating the series in l.streamed.
func (l *Long) startStream(lags int) {
	var values []func(x float64) float64
	for _, k := range l.streamed {
		values = append(values, l.sizes[k].value)
	}
	l.stream = newProductStream(len(l.thinned), l.draws, lags, values...)
}

// endStream ends a pass of correlations. Series whose correlations do not vanish within few lags get a further pass.
// The tails get a pass after the second one, when their quantiles are known up to the width of a bin.
func (l *Long) endStream() {
	var further []int
	lags := lagsBySums
	if l.stream != nil {
		var w Workspace
		for i, k := range l.streamed {
			s := &l.sizes[k]
			s.size, s.ends = l.stream.ess(i, &w)
			if !s.ends && l.stream.lags == lagsBySums {
				further, lags = append(further, k), lagsFor(len(l.thinned), l.room)
			}
		}
	}
	if l.passes == 2 && len(l.quantiles) > 0 && l.varies() {
		for tail, s := range []selector{l.selectors[0], l.selectors[4]} {
			if q := s.low/2 + s.high/2; q < l.most {
				l.sizes[tailSeries+tail].value = indicator(q, l.quantiles[2*tail])
				further = append(further, tailSeries+tail)
			} else {
				l.sizes[tailSeries+tail] = effectiveSize{size: math.NaN(), ends: true} // all draws are in the tail
			}
		}
	}
	l.streamed, l.stream = further, nil
	if len(further) > 0 {
		l.startStream(lags)
	}
}

// indicator returns the function that is 1 − p for draws of at most q, and −p for others. q is the quantile for p.
func indicator(q, p float64) func(x float64) float64 {
	return func(x float64) float64 {
		if x <= q {
			return 1 - p
		}
		return -p
	}
}

// Quantile returns the quantile of all draws for the k-th probability given to NewLong, defined as by the function
// Quantile. If some draws are infinite, it returns the quantile of the sample.
func (l *Long) Quantile(k int) float64 {
	switch {
	case l.nan > 0 || l.count == 0:
		return math.NaN()
	case len(l.selectors) == 0: // all draws are equal, or some are infinite
		return Quantile(slices.Concat(l.thinned...), l.quantiles[k])
	}
	at := l.quantiles[k] * float64(l.count-1)
	low, high := l.selectors[2*k].value, l.selectors[2*k+1].value
	if frac := at - math.Floor(at); frac > 0 && low != high {
		return low + frac*(high-low)
	}
	return low
}

// Summarize returns the statistics. The first three quantiles given to NewLong must be those for .05, .5 and .95.
func (l *Long) Summarize(w *Workspace) Summary {
	s := w.Summarize(l.thinned)
	s.NonFinite, s.Underflown, s.Constant = l.nonFinite, 0, l.nonFinite == 0 && l.least == l.most
	if l.below > 0 {
		s.Underflown = l.zeros + l.below
	}
	s.Q5, s.Q50, s.Q95 = l.Quantile(0), l.Quantile(1), l.Quantile(2)
	s.Mean, s.SD = l.mean, math.Sqrt(l.scatter/float64(l.count-1))
	switch {
	case s.Constant:
		s.Mean, s.SD, s.MCSEMean = l.least, 0, 0
		return s
	case l.nonFinite > 0:
		s.MCSEMean, s.ESSBulk, s.ESSTail, s.RHat = math.NaN(), math.NaN(), math.NaN(), math.NaN()
		return s
	}
	s.ESSBulk = l.ess(bulkSeries, s.ESSBulk)
	s.ESSTail = lesser(l.ess(tailSeries, s.ESSTail), l.ess(tailSeries+1, s.ESSTail))
	s.MCSEMean = l.two.mcse(s.SD, l.ESSMean(w))
	return s
}

// ESSMean returns the effective sample size for the mean.
func (l *Long) ESSMean(w *Workspace) float64 {
	if !l.varies() {
		return math.NaN()
	}
	if s := l.sizes[meanSeries]; s.ends {
		return s.size
	}
	return w.ESSMean(l.thinned)
}

// ess returns the effective sample size of a series, or that of the sample if correlations are longer than the lags
// computed.
func (l *Long) ess(series int, ofSample float64) float64 {
	if s := l.sizes[series]; s.ends {
		return s.size
	}
	return ofSample
}

// A selector finds the draw with a given rank. It counts the draws in the bins of a bracket, narrows the bracket to the
// bin with the rank until that contains few draws, and then collects these.
type selector struct {
	rank       int
	low, high  float64 // ends of the bracket
	before     int     // number of draws below the bracket
	counts     [selectorBins]int
	ends       [selectorBins][2]float64 // smallest and largest draw of each bin
	collecting bool
	inside     []float64
	done       bool
	value      float64
}

const (
	selectorBins = 512
	fewInside    = 1 << 16
)

func newSelector(rank int, low, high float64) selector {
	return selector{rank: rank, low: low, high: high}
}

func (s *selector) add(x float64) {
	switch {
	case s.done || x > s.high:
	case x < s.low:
		s.before++
	case s.collecting:
		s.inside = append(s.inside, x)
	default:
		b := 0
		if s.high > s.low {
			b = min(selectorBins-1, int((x/2-s.low/2)/(s.high/2-s.low/2)*selectorBins))
		}
		if s.counts[b] == 0 {
			s.ends[b] = [2]float64{x, x}
		}
		s.counts[b]++
		s.ends[b][0], s.ends[b][1] = math.Min(s.ends[b][0], x), math.Max(s.ends[b][1], x)
	}
}

// next ends a pass. If the bracket does not contain the rank, the next bracket spans all draws.
func (s *selector) next(least, most float64) {
	if s.done {
		return
	}
	if s.collecting {
		slices.Sort(s.inside)
		s.value, s.done = s.inside[s.rank-s.before], true
		s.inside = nil
		return
	}
	at := s.rank - s.before
	low, high := least, most
	if at >= 0 {
		for b, n := range s.counts {
			if at < n {
				low, high = s.ends[b][0], s.ends[b][1]
				s.collecting = n <= fewInside
				break
			}
			at -= n
		}
	}
	s.value = low
	if low == high {
		s.done = true
	}
	s.low, s.high, s.before, s.counts = low, high, 0, [selectorBins]int{}
}
