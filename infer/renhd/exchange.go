package renhd

import (
	"context"
	"math"

	"ppl/runtime/noise"
)

// exchange trades places between neighbouring rungs of each chain, even pairs and odd pairs in turn (deterministic
// even-odd: Okabe et al. 2001; Syed et al. 2021), and keeps the books.
//
// A swap is a permutation of rungs over lanes: θ and momenta (of unit temperature) stay, everything a rung owns moves.
type exchange struct {
	test    test
	meter   meter
	shuffle bool     // even or odd at random, as RENHD was published: the walk up and down the ladder diffuses
	stays   bool     // what a rung owns on the device stays on the lane: wrong, for tests of the tests
	plain   bool     // no control variates: for comparison
	carried []string // lane buffers of size 1 that belong to the rung
	seed    uint64

	round   int
	offers  []proposal // of the round
	pairs   []pair     // by lower rung
	trips   trips
	skewed  int     // proposals whose noise was too skewed for the test
	settled int     // proposals settled by rows
	rows    float64 // their rows, all together
}

// pair counts the proposals between a rung and the next.
type pair struct {
	proposed int
	accept   float64 // sum of acceptance probabilities, given what was seen
	noise    float64 // sum of variances of noise
}

func (p pair) rate() float64 {
	if p.proposed == 0 {
		return math.NaN()
	}
	return p.accept / float64(p.proposed)
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
// colder rung takes the place that is better.
func (p *proposal) delta() (mean, variance float64) {
	return p.gap * p.gain, p.gap * p.gap * p.variance
}

// reset forgets what was counted.
func (x *exchange) reset(rungs, lanes int) {
	x.pairs = make([]pair, rungs-1)
	x.trips = trips{last: make([]int, lanes)}
	x.skewed, x.settled, x.rows = 0, 0, 0
}

// swap is one round on all chains.
func (x *exchange) swap(ctx context.Context, w *walkers) error {
	if len(w.rungs) < 2 {
		return nil
	}
	x.offers = x.offers[:0]
	for chain := range w.chains {
		for j := x.first(chain); j+1 < len(w.rungs); j += 2 {
			x.offers = append(x.offers, proposal{chain: chain, rung: j, cold: w.laneAt(chain, j),
				hot: w.laneAt(chain, j+1),
				gap: w.rungs[j].beta - w.rungs[j+1].beta})
		}
	}
	if err := x.meter.measure(ctx, w, x.offers, x.round, x.test.most); err != nil {
		return err
	}
	for i := range x.offers {
		x.settle(w, &x.offers[i])
	}
	x.round++
	x.trips.note(w)
	return nil
}

// first is the lower rung of the first pair.
func (x *exchange) first(chain int) int {
	if x.shuffle {
		return int(2 * x.uniform(chain, math.MaxUint32))
	}
	return x.round % 2
}

// uniform is a number of a round's own; points of swaps are below those of choices.
func (x *exchange) uniform(chain int, point uint32) float64 {
	return noise.Uniform(x.seed, uint32(chain), uint64(x.round), site, point)
}

// site is that of swap decisions; no device program uses it.
const site = noise.Sites - 1

// settle decides a proposal and carries it out.
func (x *exchange) settle(w *walkers, p *proposal) {
	chance, accept := x.test.decide(p, func(k int) float64 { return x.uniform(p.chain, uint32(4*p.rung+k)) })
	x.pairs[p.rung].proposed++
	x.pairs[p.rung].accept += chance
	_, variance := p.delta()
	x.pairs[p.rung].noise += variance
	x.note(p)
	if !accept {
		return
	}
	for _, name := range x.carried {
		if x.stays {
			break
		}
		x.carry(w, name, p.cold, p.hot)
	}
	w.trade(p.cold, p.hot)
}

// note keeps what the report says of estimates.
func (x *exchange) note(p *proposal) {
	if p.share == 0 {
		return
	}
	x.settled++
	x.rows += p.share
	_, variance := p.delta()
	if p.seen > 0 && math.Abs(p.skew)*math.Pow(variance, 1.5)/(6*math.Sqrt(p.seen)) > tooSkewed {
		x.skewed++
	}
}

// tooSkewed is the third cumulant of the noise, over 6, from which on it is not normal enough: it shifts the log
// acceptance ratio by so much.
const tooSkewed = 0.05

// carry swaps what two lanes have in a buffer of size 1.
func (x *exchange) carry(w *walkers, name string, a, b int) {
	from, to := w.get(name, a), w.get(name, b)
	w.set(name, a, to)
	w.set(name, b, from)
}

// rates between neighbours, over all chains.
func (x *exchange) rates() []float64 {
	out := make([]float64, len(x.pairs))
	for j, p := range x.pairs {
		out[j] = p.rate()
	}
	return out
}

// quiet are the rates that Metropolis' test would have without noise: what spaces a ladder, for the loss of a test says
// nothing of how far apart rungs are, and would not get less with more of them.
func (x *exchange) quiet() []float64 {
	out := x.rates()
	for j, p := range x.pairs {
		out[j] = metropolis(x.test.spread(out[j], p.noise/float64(p.proposed)))
	}
	return out
}
