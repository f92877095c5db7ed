package warmup

import (
	"slices"

	"ppl/infer"
	"ppl/infer/adapt"
	"ppl/infer/renhd/population"
)

// stuckShare is the share of warm-up for which a walker may be stuck.
const stuckShare = .04

// restartStuck moves walkers that are stuck in negligible mass to where the nearest other of their rung is that is not
// far below: nearest, so that a mode is not given up with a walker. Warm-up need not be reversible. A walker is stuck
// if, for two windows or more and a twenty-fifth of warm-up, it hardly moved, because something in its corner of the
// space stops it, or had next to nothing of the target around it and did not rise.
func (r *Warmup) restartStuck(seen *population.Visits) error {
	if r.Phase.Unadjusted() {
		return nil
	}
	w, at, stuck := r.Walkers, r.Walkers.Positions(), stuckWalkers(r.Walkers, seen)
	long := r.stuckLong(stuck, seen.Sweeps)
	density, excess, changed := w.LogDensities(), w.Excess(), false
	for lane := range at {
		if !long[lane] {
			continue
		}
		to := slices.DeleteFunc(sameRung(w.RungOf, stuck, lane), func(other int) bool {
			return density[other] < density[lane]-population.Hopeless(w.Dim)
		})
		if len(to) > 0 {
			r.recordDeparture(lane, at[lane], excess[lane])
			at[lane], changed = at[adapt.Nearest(at, lane, to)], true
		}
	}
	if !changed {
		return nil
	}
	_, err := w.Place(r.Ctx, at)
	return err
}

// stuckLong counts for how many sweeps each walker has been stuck by now, and reports which have been for long.
func (r *Warmup) stuckLong(stuck []bool, now int) (long []bool) {
	w, before := r.Walkers, r.Walkers.Stuck
	w.Stuck, long = make([]int, len(stuck)), make([]bool, len(stuck))
	for lane := range stuck {
		if !stuck[lane] {
			continue
		}
		w.Stuck[lane] = now
		if before != nil && before[lane] > 0 {
			w.Stuck[lane] += before[lane]
			long[lane] = w.Stuck[lane] >= sweeps(stuckShare, r.Phase.Options.Warmup)
		}
	}
	return long
}

// beginAgain places explorers that were moved to others at new starts, from which warm-up continues as at its
// beginning.
func (r *Warmup) beginAgain() error {
	if err := r.goOnIn(r.Phase.NotCentred(r.Centring)); err != nil {
		return err
	}
	o, lanes, at, moved := r.Phase.Options, r.Walkers.Lanes(), r.Walkers.Positions(), map[int]bool{}
	for _, l := range r.state.Departures {
		moved[l.Lane] = true
	}
	err := infer.Disperse(lanes, func(walker int) []float64 {
		if lane := walker % lanes; !moved[lane] {
			return at[lane]
		}
		return o.StartOf(r.Phase.Target, lanes, walker+lanes*firstNewStart)
	}, func(at [][]float64) ([]int, error) { return r.Walkers.Place(r.Ctx, at) })
	r.Notef("walkers agreed on where the target is, but only %d of %d had come there on their own; the others began "+
		"again elsewhere", lanes-len(moved), lanes)
	r.state.Departures, r.state.Before, r.state.Divergence = nil, nil, adapt.Divergence{}
	r.modes.Remember(nil)
	r.Walkers.Stuck, r.Iterations = nil, 0
	return err
}

// firstNewStart is the number of the first start of a walker that begins again, beyond all tries of the first time.
const firstNewStart = 1 << 10

// sameRung lists the walkers of a lane's rung that are not stuck.
func sameRung(rungOf []int, stuck []bool, lane int) []int {
	var out []int
	for l, r := range rungOf {
		if r == rungOf[lane] && !stuck[l] {
			out = append(out, l)
		}
	}
	return out
}

// stuck reports which walkers seem to be, by lane. Masses can be compared only if all walkers are of one rung and
// none is still coming down from far out.
func stuckWalkers(w *population.Walkers, seen *population.Visits) []bool {
	out := make([]bool, w.Lanes())
	for lane := range out {
		out[lane] = seen.Moved[lane] < 0.05*float64(seen.Sweeps)
	}
	if len(w.Rungs) > 1 || seen.Heats != nil && hot(seen.Heats) {
		return out
	}
	stay, _ := inNegligibleMass(seen)
	for lane := range out {
		out[lane] = out[lane] || stay[lane]
	}
	return out
}

// inNegligibleMass reports which walkers are there and stay, and whether others leave it.
func inNegligibleMass(s *population.Visits) (stay []bool, leave bool) {
	stay = adapt.InNegligibleMass(s.Density, s.Visited)
	for lane, rising := range adapt.Rising(s.Density) {
		leave = leave || stay[lane] && rising
		stay[lane] = stay[lane] && !rising
	}
	return stay, leave
}
