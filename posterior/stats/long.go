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
// sample has a quantile, and a further one collects those of the bin that has it. R-hat, the shape of the tail and
// effective sizes are those of a sample of room draws. Draws that are thinned show the correlations of chains that mix
// slowly; if they leave more than a sixth of the sample effective, correlations are shorter than the distance between
// them, and the effective size is that of blocks of consecutive draws, in proportion. For an autoregression of order
// one, thinning to a sixth loses less than 1 %: with ρ the correlation of neighbours in the sample, τ = (1+ρ)/(1−ρ) = 6
// is ρ = 5/7, and the ratio of the effective sizes is (1−ρ)/(1+ρ) · 2/log(1/ρ) = .99. The size from blocks has a
// standard error of some 2 %.
type Long struct {
	every, draws int         // of the sample; of each chain
	thinned      [][]float64 // by chain
	blocks       [][]float64 // by chain and block
	starts       []int       // of blocks
	length       int         // of blocks

	count          int
	mean, scatter  float64
	least, most    float64
	nonFinite, nan int
	zeros, below   int
	quantiles      []float64
	selectors      []selector
	passes         int
}

const (
	blocksOfChain = 8
	slowShare     = 6 // of a sample: if fewer are effective, thinned draws show all correlations
)

// NewLong is for chains of a number of draws each, a sample of at most room draws of them, and some quantiles.
func NewLong(chains, draws, room int, quantiles ...float64) *Long {
	each := max(2*blocksOfChain*leastBlock, room/max(1, chains))
	l := &Long{draws: draws, every: max(1, (draws+each-1)/each), thinned: make([][]float64, chains),
		blocks: make([][]float64, chains*blocksOfChain), length: min(each, draws) / blocksOfChain,
		least: math.Inf(1), most: math.Inf(-1), quantiles: quantiles}
	for c := range l.thinned {
		l.thinned[c] = make([]float64, 0, (draws+l.every-1)/l.every)
	}
	for b := range l.blocks {
		l.blocks[b] = make([]float64, 0, l.length)
	}
	for b := range blocksOfChain {
		l.starts = append(l.starts, b*(draws-l.length)/(blocksOfChain-1))
	}
	return l
}

// leastBlock is how many draws a block has at least.
const leastBlock = 16

// Every is the distance between the draws of the sample: 0, Every, 2·Every, … of each chain.
func (l *Long) Every() int { return l.every }

// Thinned are the draws of the sample, by chain.
func (l *Long) Thinned() [][]float64 { return l.thinned }

// More reports whether another pass is needed.
func (l *Long) More() bool {
	return l.passes == 0 || slices.ContainsFunc(l.selectors, func(s selector) bool { return !s.done })
}

// Add takes a draw of a chain, the d-th from 0.
func (l *Long) Add(chain, d int, x float64) {
	if l.passes > 0 {
		for i := range l.selectors {
			l.selectors[i].add(x)
		}
		return
	}
	if d%l.every == 0 {
		l.thinned[chain] = append(l.thinned[chain], x)
	}
	for b, start := range l.starts {
		if start <= d && d < start+l.length {
			at := chain*blocksOfChain + b
			l.blocks[at] = append(l.blocks[at], x)
		}
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
	l.count++
	delta := x - l.mean
	l.mean += delta / float64(l.count)
	l.scatter += delta * (x - l.mean)
	l.least, l.most = math.Min(l.least, x), math.Max(l.most, x)
}

// EndPass says that all draws were given.
func (l *Long) EndPass() {
	if l.passes++; l.passes == 1 && l.nonFinite == 0 && l.least < l.most {
		l.search()
	} else {
		for i := range l.selectors {
			l.selectors[i].next(l.least, l.most)
		}
	}
}

// search begins to look for the draws between which quantiles are, around the places where the sample has them.
func (l *Long) search() {
	sorted := slices.Concat(l.thinned...)
	slices.Sort(sorted)
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
	bulk, tail := w.effective(l.blocks)
	s.ESSBulk, s.ESSTail = l.scaled(s.ESSBulk, bulk), l.scaled(s.ESSTail, tail)
	s.MCSEMean = s.SD / math.Sqrt(l.ESSMean(w))
	return s
}

// ESSMean is the effective size of all draws for the mean, after one pass.
func (l *Long) ESSMean(w *Workspace) float64 {
	if l.nonFinite > 0 || l.least == l.most {
		return math.NaN()
	}
	return l.scaled(w.ESSMean(l.thinned), w.ESSMean(l.blocks))
}

// effective are the effective sizes of draws for the bulk and the tail.
func (w *Workspace) effective(chains [][]float64) (bulk, tail float64) {
	if !sane(chains) {
		return math.NaN(), math.NaN()
	}
	h := w.sortHalves(chains)
	return w.ess(w.normalScores(h.draws), h.parts), w.essTail(h)
}

// scaled is the effective size of all draws, from those of the thinned ones and of the blocks.
func (l *Long) scaled(thinned, ofBlocks float64) float64 {
	size := 0
	for _, chain := range l.thinned {
		size += len(chain)
	}
	if thinned <= float64(size)/slowShare || math.IsNaN(ofBlocks) {
		return thinned
	}
	return math.Max(thinned, ofBlocks*float64(l.count)/float64(len(l.blocks)*l.length))
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
	if s.value = low; low == high {
		s.done = true
	}
	s.low, s.high, s.before, s.counts = low, high, 0, [selectorBins]int{}
}
