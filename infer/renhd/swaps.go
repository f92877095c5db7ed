package renhd

import (
	"context"
	"math"
	"slices"

	"ppl/infer/dynamics"
	"ppl/runtime/noise"
)

// An exchange is how neighbours on the ladder swap: with which test, in which order. It is fixed for a run.
type exchange struct {
	swapRules
	test    test
	shuffle bool // even or odd pairs at random, as RENHD was published: the walk up and down the ladder diffuses
	stays   bool // what a rung owns on the device stays on the lane: wrong, for tests of the tests
}

// swaps proposes exchanges between neighbouring rungs of each chain, even pairs and odd pairs in turn (deterministic
// even-odd: Okabe et al. 2001; Syed et al. 2021), decides them and carries them out.
//
// A swap is a permutation of rungs over lanes: θ and momenta (of unit temperature) stay, everything a rung owns moves:
//
//	lane     0   1   2   3          0   1   2   3
//	rung     0   1   2   3    →     1   0   2   3     after the even pairs, where only (0, 1) was accepted
type swaps struct {
	exchange
	seed      uint64
	carried   []string // lane buffers of size 1 that belong to the rung and move with it
	estimator energyEstimator
	state     swapState
	variance  float64    // of the noise of a difference of two energies, where it is known
	proposals []proposal // of the round
	deciding  *proposal
	noise     func(k int) float64 // numbers of the proposal that is decided; made once, so that none allocates
	accepted  [][2]int            // lanes of those that were accepted
}

// swapState is what the next round of swaps depends on, and what was counted.
type swapState struct {
	Round  int
	Counts swapStatistics
}

// swapStatistics counts what was proposed since the last reset.
type swapStatistics struct {
	Pairs      []pair // by lower rung
	RoundTrips roundTrips
	Decided    int     // proposals decided from estimates over some rows
	Skewed     int     // of them, those whose noise was too skewed for the test
	RowShare   float64 // their shares of all rows, added up
}

// A pair counts the proposals between a rung and the next.
type pair struct {
	Proposed int
	Accept   float64 // sum of acceptance probabilities, given what was seen
	Noise    float64 // sum of variances of noise
}

func (p pair) rate() float64 {
	if p.Proposed == 0 {
		return math.NaN()
	}
	return p.Accept / float64(p.Proposed)
}

// A proposal is a swap between a rung and the next, and what is known of its log acceptance ratio.
type proposal struct {
	chain, rung int
	cold, hot   int     // lanes
	gap         float64 // of inverse temperatures, cold − hot
	gain        float64 // of the tempered log density on the colder rung; an estimate
	variance    float64 // of its noise
	seen        float64 // rows that the variance was estimated from; 0: it is known
	skew        float64 // of the terms of those rows
	share       float64 // of all rows
}

// delta is the log acceptance ratio and the variance of its noise. The sign is not the paper's, which is wrong: the
// colder rung takes the better position.
func (p *proposal) delta() (mean, variance float64) {
	return p.gap * p.gain, p.gap * p.gap * p.variance
}

func newSwaps(x exchange, s *phase, e energyEstimator) *swaps {
	w := &swaps{exchange: x, seed: s.options.Seed, estimator: e, variance: 2 * s.settings().Noise}
	if !x.stays {
		w.carried = s.rule.Traits().Carried
	}
	w.noise = func(k int) float64 { return w.uniform(w.deciding.chain, uint32(4*w.deciding.rung+k)) }
	if e == nil {
		w.estimator = &trajectoryEnergies{noise: s.settings().Noise}
	}
	return w
}

// Name implements owner.
func (x *swaps) Name() string { return "ladder" }

// State implements owner.
func (x *swaps) State() any { return &x.state }

// Decisions implements decider: what was counted of neighbours on the ladder.
func (x *swaps) Decisions() any { return x.state.Counts.Pairs }

// Decide implements decider.
func (x *swaps) Decide(decode func(any) error) error {
	x.state.Counts.Pairs = nil
	return decode(&x.state.Counts.Pairs)
}

// reset forgets what was counted.
func (x *swaps) reset(rungs, lanes int) {
	x.state.Counts = swapStatistics{Pairs: make([]pair, rungs-1), RoundTrips: roundTrips{LastEnd: make([]int, lanes)}}
}

// round proposes one swap for each pair whose turn it is, on all chains.
func (x *swaps) round(ctx context.Context, w *walkers) error {
	if len(w.Rungs) < 2 {
		return nil
	}
	x.propose(w)
	if err := x.estimator.estimate(ctx, w, x, x.test.maxVariance); err != nil {
		return err
	}
	x.accepted = x.accepted[:0]
	for i := range x.proposals {
		if p := &x.proposals[i]; x.decide(p) {
			x.accepted = append(x.accepted, [2]int{p.cold, p.hot})
		}
	}
	w.exchangeRungs(x.accepted, x.carried)
	x.state.Round++
	x.state.Counts.RoundTrips.count(w)
	return nil
}

// follow takes over a round of swaps that the program has decided after a trajectory of a call: what was proposed, and
// the rungs that lanes have now.
func (x *swaps) follow(w *walkers, seen *record) {
	if len(w.Rungs) < 2 {
		return
	}
	chances, rungs := seen.numbers(dynamics.Chance), seen.numbers(dynamics.Rung)
	for chain := range w.chains {
		for j := x.firstRung(chain); j+1 < len(w.Rungs); j += 2 {
			cold, hot := w.laneAt(chain, j), w.laneAt(chain, j+1)
			gap := w.Rungs[j].Beta - w.Rungs[j+1].Beta
			x.state.Counts.Pairs[j].Proposed++
			x.state.Counts.Pairs[j].Accept += chances[cold]
			x.state.Counts.Pairs[j].Noise += gap * gap * x.variance
			if int(rungs[cold]) != j {
				w.put(cold, j+1)
				w.put(hot, j)
			}
		}
	}
	x.state.Round++
	x.state.Counts.RoundTrips.count(w)
}

// once reports whether each energy is measured once for all swaps, as a program does.
func (x *swaps) once(w *walkers) bool {
	for j := range len(w.Rungs) - 1 {
		if gap := w.Rungs[j].Beta - w.Rungs[j+1].Beta; gap*gap*x.variance > x.test.maxVariance {
			return false
		}
	}
	return true
}

func (x *swaps) propose(w *walkers) {
	x.proposals = x.proposals[:0]
	for chain := range w.chains {
		for j := x.firstRung(chain); j+1 < len(w.Rungs); j += 2 {
			x.proposals = append(x.proposals, proposal{chain: chain, rung: j, cold: w.laneAt(chain, j),
				hot: w.laneAt(chain, j+1), gap: w.Rungs[j].Beta - w.Rungs[j+1].Beta})
		}
	}
}

// firstRung is the lower rung of the first pair.
func (x *swaps) firstRung(chain int) int {
	if x.shuffle {
		return int(2 * x.uniform(chain, math.MaxUint32))
	}
	return x.state.Round % 2
}

// uniform is a number of a round's own; points of swaps are below those of choices.
func (x *swaps) uniform(chain int, point uint32) float64 {
	return noise.Uniform(x.seed, uint32(chain), uint64(x.state.Round), site, point)
}

// site is that of swap decisions, of the host and of programs.
const site = dynamics.SiteSwap

// decide tests a proposal.
func (x *swaps) decide(p *proposal) (accept bool) {
	x.deciding = p
	chance, accept := x.test.decide(p, x.noise)
	x.countProposal(p, chance)
	return accept
}

func (x *swaps) countProposal(p *proposal, chance float64) {
	_, variance := p.delta()
	at := &x.state.Counts.Pairs[p.rung]
	at.Proposed++
	at.Accept += chance
	at.Noise += variance
	if p.share == 0 {
		return
	}
	x.state.Counts.Decided++
	x.state.Counts.RowShare += p.share
	if p.seen > 0 && math.Abs(p.skew)*math.Pow(variance, 1.5)/(6*math.Sqrt(p.seen)) > tooSkewed {
		x.state.Counts.Skewed++
	}
}

// tooSkewed is the third cumulant of the noise, over 6, from which on it is not normal enough: it shifts the log
// acceptance ratio by so much.
const tooSkewed = 0.05

// rates between neighbours, over all chains.
func (s *swapStatistics) rates() []float64 {
	out := make([]float64, len(s.Pairs))
	for j, p := range s.Pairs {
		out[j] = p.rate()
	}
	return out
}

// proposedAll reports whether the counts say something of all neighbours of a ladder.
func (s *swapStatistics) proposedAll() bool {
	return len(s.Pairs) > 0 && !slices.ContainsFunc(s.Pairs, func(p pair) bool { return p.Proposed == 0 })
}

// noiselessRates are the rates that Metropolis' test would have without noise. They space a ladder: what a test loses
// to noise says nothing of how far apart rungs are, and would not get less with more of them.
func (x *swaps) noiselessRates() []float64 {
	out := x.state.Counts.rates()
	for j, p := range x.state.Counts.Pairs {
		out[j] = metropolis(x.test.logRatioVariance(out[j], p.Noise/float64(p.Proposed)))
	}
	return out
}

// counts are what was counted since the last reset.
func (x *swaps) counts() *swapStatistics { return &x.state.Counts }

// rounds is how many rounds there were.
func (x *swaps) rounds() int { return x.state.Round }
