package ladder

import (
	"context"
	"math"
	"slices"

	"ppl/infer/dynamics"
	"ppl/infer/renhd/population"
	"ppl/runtime/noise"
)

// An Exchange defines how neighbours on the ladder swap: the test and the order. It is fixed for a run.
type Exchange struct {
	population.SwapRules
	Test    Test
	Shuffle bool // choose even or odd pairs at random, as in the published RENHD: then walkers diffuse along the ladder
	Stays   bool // buffers that belong to the rung are not exchanged: a planted fault for tests
}

// Swaps proposes exchanges between neighbouring rungs of each chain, even pairs and odd pairs in turn (deterministic
// even-odd: Okabe et al. 2001; Syed et al. 2021), decides them and executes them.
//
// A swap permutes the rungs of lanes: θ and momenta (of unit temperature) stay, and everything that belongs to a rung
// moves:
//
//	lane   0 1 2 3        0 1 2 3
//	rung   0 1 2 3    →   1 0 2 3    after the even pairs, of which only (0, 1) was accepted
type Swaps struct {
	Exchange
	seed      uint64
	carried   []string // lane buffers of size 1 that belong to the rung and move with it
	estimator Estimator
	state     State
	variance  float64    // variance of the noise of the difference of two energies, if it is known
	Proposals []Proposal // proposals of this round
	deciding  *Proposal
	// noise returns uniform numbers for the proposal that is being decided. It is created once, to avoid allocations.
	noise    func(k int) float64
	accepted [][2]int // lanes of the accepted proposals
}

// State holds the state on which the next round of swaps depends, and the counts.
type State struct {
	Round  int
	Counts Counts
}

// Counts are the numbers of proposals, swaps and round trips since the last reset.
type Counts struct {
	Pairs      []pair // counts of each pair; the index is its lower rung
	RoundTrips roundTrips
	Decided    int     // number of proposals decided from estimates over some of the rows
	Skewed     int     // number of these whose noise was too skewed for the test
	RowShare   float64 // sum of these proposals' shares of all rows
}

// A pair counts the proposals between a rung and the next.
type pair struct {
	Proposed int
	Accept   float64 // sum of acceptance probabilities, given the estimates
	Noise    float64 // sum of the variances of the noise
}

func (p pair) rate() float64 {
	if p.Proposed == 0 {
		return math.NaN()
	}
	return p.Accept / float64(p.Proposed)
}

// A Proposal is a proposed swap between a rung and the next one, with an estimate of its log acceptance ratio.
type Proposal struct {
	chain, rung int
	Cold, Hot   int     // lanes
	gap         float64 // inverse temperature of the colder rung minus that of the hotter
	Gain        float64 // estimated gain of the tempered log density on the colder rung
	Variance    float64 // variance of the noise of Gain
	Seen        float64 // number of rows from which Variance was estimated; 0: it is known
	Skew        float64 // skewness of the terms of these rows
	Share       float64 // these rows' share of all rows
}

// Delta returns the log acceptance ratio and the variance of its noise. Its sign is opposite to the paper's, which is
// wrong: the colder rung gets the better position.
func (p *Proposal) Delta() (mean, variance float64) {
	return p.gap * p.Gain, p.gap * p.gap * p.Variance
}

// NewSwaps returns swaps for a phase. If e is nil, energies are taken from the ends of trajectories.
func NewSwaps(x Exchange, s *population.Phase, e Estimator) *Swaps {
	w := &Swaps{Exchange: x, seed: s.Options.Seed, estimator: e, variance: 2 * s.Settings().Noise}
	if !x.Stays {
		w.carried = s.Rule.Traits().Carried
	}
	w.noise = func(k int) float64 { return w.uniform(w.deciding.chain, uint32(4*w.deciding.rung+k)) }
	if e == nil {
		w.estimator = &trajectoryEnergies{noise: s.Settings().Noise}
	}
	return w
}

// Name returns the name of the state in checkpoints.
func (x *Swaps) Name() string { return "ladder" }

// State returns the state that checkpoints store.
func (x *Swaps) State() any { return &x.state }

// Decisions returns the values that warm-up reads between two parts: the counts of neighbouring rungs.
func (x *Swaps) Decisions() any { return x.state.Counts.Pairs }

// Decide restores the values that Decisions returned when a checkpoint was taken.
func (x *Swaps) Decide(decode func(any) error) error {
	x.state.Counts.Pairs = nil
	return decode(&x.state.Counts.Pairs)
}

// Reset sets the counts to 0.
func (x *Swaps) Reset(rungs, lanes int) {
	x.state.Counts = Counts{Pairs: make([]pair, rungs-1), RoundTrips: roundTrips{LastEnd: make([]int, lanes)}}
}

// Round proposes one swap for each even pair or for each odd pair of every chain, decides them, and exchanges the rungs
// of the accepted ones.
func (x *Swaps) Round(ctx context.Context, w *population.Walkers) error {
	if len(w.Rungs) < 2 {
		return nil
	}
	x.propose(w)
	if err := x.estimator.Estimate(ctx, w, x, x.Test.MaxVariance); err != nil {
		return err
	}
	x.accepted = x.accepted[:0]
	for i := range x.Proposals {
		if p := &x.Proposals[i]; x.decide(p) {
			x.accepted = append(x.accepted, [2]int{p.Cold, p.Hot})
		}
	}
	w.ExchangeRungs(x.accepted, x.carried)
	x.state.Round++
	x.state.Counts.RoundTrips.count(w)
	return nil
}

// Follow records a round of swaps that the program has decided after a trajectory of a call: the proposals, and the new
// rungs of the lanes.
func (x *Swaps) Follow(w *population.Walkers, seen *population.Record) {
	if len(w.Rungs) < 2 {
		return
	}
	chances, rungs := seen.Numbers(dynamics.Chance), seen.Numbers(dynamics.Rung)
	for chain := range w.Chains {
		for j := x.firstRung(chain); j+1 < len(w.Rungs); j += 2 {
			cold, hot := w.LaneAt(chain, j), w.LaneAt(chain, j+1)
			gap := w.Rungs[j].Beta - w.Rungs[j+1].Beta
			x.state.Counts.Pairs[j].Proposed++
			x.state.Counts.Pairs[j].Accept += chances[cold]
			x.state.Counts.Pairs[j].Noise += gap * gap * x.variance
			if int(rungs[cold]) != j {
				w.Put(cold, j+1)
				w.Put(hot, j)
			}
		}
	}
	x.state.Round++
	x.state.Counts.RoundTrips.count(w)
}

// OneEvaluationSuffices reports whether one evaluation of each energy is precise enough for all swaps. A program that
// swaps on the device requires this.
func (x *Swaps) OneEvaluationSuffices(w *population.Walkers) bool {
	for j := range len(w.Rungs) - 1 {
		if gap := w.Rungs[j].Beta - w.Rungs[j+1].Beta; gap*gap*x.variance > x.Test.MaxVariance {
			return false
		}
	}
	return true
}

func (x *Swaps) propose(w *population.Walkers) {
	x.Proposals = x.Proposals[:0]
	for chain := range w.Chains {
		for j := x.firstRung(chain); j+1 < len(w.Rungs); j += 2 {
			x.Proposals = append(x.Proposals, Proposal{chain: chain, rung: j, Cold: w.LaneAt(chain, j),
				Hot: w.LaneAt(chain, j+1), gap: w.Rungs[j].Beta - w.Rungs[j+1].Beta})
		}
	}
}

// firstRung returns the lower rung of the first pair.
func (x *Swaps) firstRung(chain int) int {
	if x.Shuffle {
		return int(2 * x.uniform(chain, math.MaxUint32))
	}
	return x.state.Round % 2
}

// uniform returns a random number of the current round. Swaps and choices of pairs use different points.
func (x *Swaps) uniform(chain int, point uint32) float64 {
	return noise.Uniform(x.seed, uint32(chain), uint64(x.state.Round), site, point)
}

// site is the noise site of swap decisions, both of the host and of programs.
const site = dynamics.SiteSwap

// decide tests a proposal and counts it.
func (x *Swaps) decide(p *Proposal) (accept bool) {
	x.deciding = p
	chance, accept := x.Test.Decide(p, x.noise)
	x.countProposal(p, chance)
	return accept
}

func (x *Swaps) countProposal(p *Proposal, chance float64) {
	_, variance := p.Delta()
	at := &x.state.Counts.Pairs[p.rung]
	at.Proposed++
	at.Accept += chance
	at.Noise += variance
	if p.Share == 0 {
		return
	}
	x.state.Counts.Decided++
	x.state.Counts.RowShare += p.Share
	if p.Seen > 0 && math.Abs(p.Skew)*math.Pow(variance, 1.5)/(6*math.Sqrt(p.Seen)) > tooSkewed {
		x.state.Counts.Skewed++
	}
}

// tooSkewed is the largest third cumulant of the noise, divided by 6, at which noise counts as normal. This quotient is
// the resulting shift of the log acceptance ratio.
const tooSkewed = 0.05

// Rates returns the acceptance rate between neighbours, over all chains.
func (s *Counts) Rates() []float64 {
	out := make([]float64, len(s.Pairs))
	for j, p := range s.Pairs {
		out[j] = p.rate()
	}
	return out
}

// ProposedAll reports whether swaps were proposed between all neighbours of a ladder.
func (s *Counts) ProposedAll() bool {
	return len(s.Pairs) > 0 && !slices.ContainsFunc(s.Pairs, func(p pair) bool { return p.Proposed == 0 })
}

// NoiselessRates returns the acceptance rates that Metropolis' test would have without noise. The spacing of rungs is
// based on these, since rejections caused by noise do not depend on the spacing.
func (x *Swaps) NoiselessRates() []float64 {
	out := x.state.Counts.Rates()
	for j, p := range x.state.Counts.Pairs {
		out[j] = metropolis(x.Test.logRatioVariance(out[j], p.Noise/float64(p.Proposed)))
	}
	return out
}

// Counts returns the counts since the last reset.
func (x *Swaps) Counts() *Counts { return &x.state.Counts }

// Rounds returns the number of rounds so far.
func (x *Swaps) Rounds() int { return x.state.Round }
