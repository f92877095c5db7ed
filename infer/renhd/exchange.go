package renhd

import (
	"math"

	"ppl/infer/dynamics"
	"ppl/runtime/noise"
)

// exchange trades places between neighbouring rungs of each chain, even pairs and odd pairs in turn (deterministic even-odd: Okabe
// et al. 2001; Syed et al. 2021), and keeps the books.
//
// A swap is a permutation of rungs over lanes: θ and momenta (of unit temperature) stay, everything a rung owns moves.
type exchange struct {
	logRatio func(betaGap, gain, noise float64) float64
	stays    bool     // what a rung owns on the device stays on the lane: wrong, for tests of the tests
	carried  []string // lane buffers of size 1 that belong to the rung
	noise    float64  // variance of the noise in one lane's tempered potential
	seed     uint64

	round int
	pairs []pair // by lower rung
	trips trips
}

// pair counts the proposals between a rung and the next.
type pair struct {
	proposed int
	accept   float64 // sum of acceptance probabilities
}

func (p pair) rate() float64 {
	if p.proposed == 0 {
		return math.NaN()
	}
	return p.accept / float64(p.proposed)
}

// penalty is the log of the acceptance ratio of a swap between inverse temperatures that differ by betaGap, where the colder rung would
// gain so much of the tempered log density. The gain is known up to noise of a known variance in each of its two terms; the penalty of
// half the variance makes the test exact for normal noise (Ceperley and Dewing, J. Chem. Phys. 1999). Without noise it is Metropolis.
func penalty(betaGap, gain, noise float64) float64 {
	return betaGap*gain - betaGap*betaGap*2*noise/2
}

// reset forgets what was counted.
func (x *exchange) reset(rungs, lanes int) {
	x.pairs = make([]pair, rungs-1)
	x.trips = trips{last: make([]int, lanes)}
}

// swap is one round on all chains, from the potentials of a trajectory's end.
func (x *exchange) swap(w *walkers) {
	if len(w.rungs) < 2 {
		return
	}
	tempered := w.read(dynamics.Tempered, nil)
	for chain := range w.chains {
		for j := x.round % 2; j+1 < len(w.rungs); j += 2 {
			x.try(w, chain, j, tempered)
		}
	}
	x.round++
	x.trips.note(w)
}

// site is that of swap decisions; no device program uses it.
const site = noise.Sites - 1

func (x *exchange) try(w *walkers, chain, j int, tempered []float64) {
	cold, hot := w.laneAt(chain, j), w.laneAt(chain, j+1)
	ratio := x.logRatio(w.rungs[j].beta-w.rungs[j+1].beta, tempered[hot]-tempered[cold], x.noise)
	if math.IsNaN(ratio) {
		ratio = math.Inf(-1)
	}
	x.pairs[j].proposed++
	x.pairs[j].accept += math.Exp(min(ratio, 0))
	if math.Log(noise.Uniform(x.seed, uint32(chain), uint64(x.round), site, uint32(j))) >= ratio {
		return
	}
	w.rungOf[cold], w.rungOf[hot] = j+1, j
	for _, name := range x.carried {
		if x.stays {
			break
		}
		x.carry(w, name, cold, hot)
	}
	w.settle(cold)
	w.settle(hot)
}

func (x *exchange) carry(w *walkers, name string, a, b int) {
	var va, vb [1]float64
	w.exe.GetLane(name, a, va[:])
	w.exe.GetLane(name, b, vb[:])
	w.exe.SetLane(name, a, vb[:])
	w.exe.SetLane(name, b, va[:])
}

// rates between neighbours, over all chains.
func (x *exchange) rates() []float64 {
	out := make([]float64, len(x.pairs))
	for j, p := range x.pairs {
		out[j] = p.rate()
	}
	return out
}

// trips counts journeys of walkers from the cold end to the hot end and back.
type trips struct {
	last  []int // by lane: the way it goes
	count int
}

// The ways a walker can go: towards the end where it was not last.
const (
	undecided = iota
	upward    // from the cold end
	downward  // from the hot end, and the cold one before
)

func (t *trips) note(w *walkers) {
	for lane, r := range w.rungOf {
		switch {
		case r == len(w.rungs)-1 && t.last[lane] == upward:
			t.last[lane] = downward
		case r == 0 && t.last[lane] == downward:
			t.last[lane] = upward
			t.count++
		case r == 0:
			t.last[lane] = upward
		}
	}
}
