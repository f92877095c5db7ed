package warmup

import (
	"slices"

	"ppl/infer"
	"ppl/infer/adapt"
	"ppl/infer/renhd/population"
)

// stuckShare is the share of warm-up after which a walker that is stuck is moved.
const stuckShare = .04

// restartStuck moves walkers that are stuck to the nearest other walker of their rung that is not far below them.
// Choosing the nearest avoids losing a mode together with a walker. Warm-up need not be reversible. A walker is stuck
// if, for at least two windows and stuckShare of warm-up, it hardly moved, or was in a region of negligible mass and
// did not rise.
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

// stuckLong updates the number of sweeps for which each walker has been stuck, and reports which have been stuck for
// too long.
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

// restartElsewhere places explorers that were moved to others at new starting points, and restarts warm-up.
func (r *Warmup) restartElsewhere() error {
	if err := r.convertTo(r.Phase.NotCentred(r.Centring)); err != nil {
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
	r.Notef("walkers agreed on where the target is, but only %d of %d reached it without being "+
		"moved; the others were restarted elsewhere", lanes-len(moved), lanes)
	r.state.Departures, r.state.Before, r.state.Divergence = nil, nil, adapt.Divergence{}
	r.modes.Remember(nil)
	r.Walkers.Stuck, r.Iterations = nil, 0
	return err
}

// firstNewStart is the number of the first new starting point of a walker, beyond all numbers used before.
const firstNewStart = 1 << 10

// sameRung returns the walkers of a lane's rung that are not stuck.
func sameRung(rungOf []int, stuck []bool, lane int) []int {
	var out []int
	for l, r := range rungOf {
		if r == rungOf[lane] && !stuck[l] {
			out = append(out, l)
		}
	}
	return out
}

// stuckWalkers reports for each lane whether its walker seems to be stuck. Masses can be compared only if all walkers
// are on one rung and none is still far out.
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

// inNegligibleMass reports which walkers stay in regions of negligible mass, and whether others are leaving such
// regions.
func inNegligibleMass(s *population.Visits) (stay []bool, leave bool) {
	stay = adapt.InNegligibleMass(s.Density, s.Visited)
	for lane, rising := range adapt.Rising(s.Density) {
		leave = leave || stay[lane] && rising
		stay[lane] = stay[lane] && !rising
	}
	return stay, leave
}
