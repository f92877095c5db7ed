package stats

import (
	"math"
	"slices"
)

// A Long summarises a scalar whose draws do not fit into memory. Draws are given one after another, in passes:
//
//	l := stats.NewLong(chains, draws, room, .05, .5, .95)
//	for l.More() {
//		for … { l.Add(chain, d, x) }       // all draws of each chain, in order, in each pass
//		l.EndPass()
//	}
//	s := l.Summarize(&w)
//
// Moments, extremes and quantiles are those of all draws: a pass counts the draws in bins around the place where a
// sample has a quantile, and a further one collects those of the bin that has it. R-hat and the shape of the tail are
// those of a sample of room draws. Effective sizes have the correlations of all draws, at a few lags or, in a further
// pass, at as many as there is room for: a 50th of room for four chains; ranks are those of the sample. If correlations
// are longer, so that fewer than some thousandth of the draws are effective, effective sizes are those of the sample.
type Long struct {
	every, draws int         // of the sample; of each chain
	thinned      [][]float64 // by chain
	room         int         // draws in the sample
	sizes        [tailSeries + 2]effectiveSize
	stream       *productStream // of the series that the present pass correlates; nil if there are none
	streamed     []int          // these series

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

// leastSample is how many draws of a chain a sample has at least.
const leastSample = 256

// NewLong is for chains of a number of draws each, a sample of at most room draws of them, and some quantiles: three of
// probabilities .05, .5 and .95 first if Summarize is called.
func NewLong(chains, draws, room int, quantiles ...float64) *Long {
	each := max(leastSample, room/max(1, chains))
	l := &Long{draws: draws, room: room, every: max(1, (draws+each-1)/each), thinned: make([][]float64, chains),
		least: math.Inf(1), most: math.Inf(-1), quantiles: quantiles}
	for c := range l.thinned {
		l.thinned[c] = make([]float64, 0, (draws+l.every-1)/l.every)
	}
	return l
}

// Every returns the distance between the draws of the sample: 0, Every, 2·Every, … of each chain.
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

// Add takes a draw of a chain, the d-th from 0.
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

// EndPass reports that all draws were given.
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

// search begins to look for the draws between which quantiles are, around the places where the sorted sample has them.
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

// The numbers whose effective sizes a Long has: the draws, their normal scores, and indicators of both tails.
const (
	meanSeries = iota
	bulkSeries
	tailSeries // of the lower tail; that of the upper is the next
)

// An effectiveSize is that of a function of the draws.
type effectiveSize struct {
	value func(x float64) float64
	size  float64
	ends  bool // correlations end within the lags that were looked at; else the effective size is that of the sample
}

// correlateCentre begins to correlate the draws and, if quantiles are asked for, their scores.
func (l *Long) correlateCentre(sorted []float64) {
	l.sizes[meanSeries].value = func(x float64) float64 { return x - l.mean }
	l.streamed = []int{meanSeries}
	if len(l.quantiles) > 0 {
		l.sizes[bulkSeries].value = newScoreTable(sorted).of
		l.streamed = append(l.streamed, bulkSeries)
	}
	l.startStream(lagsBySums)
}

// startStream begins to correlate the series that are streamed.
func (l *Long) startStream(lags int) {
	var values []func(x float64) float64
	for _, k := range l.streamed {
		values = append(values, l.sizes[k].value)
	}
	l.stream = newProductStream(len(l.thinned), l.draws, lags, values...)
}

// endStream ends a pass of correlations. Those that do not end within few lags get a further pass, and so do the tails
// after the second pass, in which their quantiles are found but for the draws of a bin.
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

// indicator returns whether a draw is at most the quantile q of probability p, as 1 or 0, less p.
func indicator(q, p float64) func(x float64) float64 {
	return func(x float64) float64 {
		if x <= q {
			return 1 - p
		}
		return -p
	}
}

// Quantile is that of all draws of the k-th probability given to NewLong, as the function Quantile has it.
func (l *Long) Quantile(k int) float64 {
	switch {
	case l.nan > 0 || l.count == 0:
		return math.NaN()
	case len(l.selectors) == 0: // all are one number, or some are infinite
		return Quantile(slices.Concat(l.thinned...), l.quantiles[k])
	}
	at := l.quantiles[k] * float64(l.count-1)
	low, high := l.selectors[2*k].value, l.selectors[2*k+1].value
	if frac := at - math.Floor(at); frac > 0 && low != high {
		return low + frac*(high-low)
	}
	return low
}

// Summarize gives the statistics. The quantiles of a Summary are the first three that NewLong was given.
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

// ESSMean returns the effective size of all draws for the mean.
func (l *Long) ESSMean(w *Workspace) float64 {
	if !l.varies() {
		return math.NaN()
	}
	if s := l.sizes[meanSeries]; s.ends {
		return s.size
	}
	return w.ESSMean(l.thinned)
}

// ess returns the effective size of a series, or that of the sample if correlations are longer than the lags.
func (l *Long) ess(series int, ofSample float64) float64 {
	if s := l.sizes[series]; s.ends {
		return s.size
	}
	return ofSample
}

// A selector finds the draw of a rank: it counts the draws in the bins of a bracket, narrows the bracket to the bin
// with the rank until few draws are in it, and collects these.
type selector struct {
	rank       int
	low, high  float64 // the bracket
	before     int     // draws below the bracket
	counts     [selectorBins]int
	ends       [selectorBins][2]float64 // the least and the greatest draw of a bin
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

// next ends a pass. A bracket that does not have the rank becomes that of all draws.
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
