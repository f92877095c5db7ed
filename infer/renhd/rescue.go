package renhd

import (
	"slices"

	"ppl/infer"
	"ppl/infer/adapt"
	"ppl/infer/dynamics"
)

// rescue sends walkers that are lost to where the nearest other of their rung is: nearest, so that a mode is not given
// up with a walker. Warm-up need not be reversible. Lost is a walker that for two windows hardly moved, for something
// in its corner of the space stops it, or around which there was next to nothing of the target.
func (r *run) rescue(t *tuner) error {
	if r.free() {
		return nil
	}
	w, at, lost := r.walkers, r.walkers.positions(), t.lost()
	again := slices.Clone(lost)
	for lane := range again {
		again[lane] = lost[lane] && w.lost != nil && w.lost[lane]
	}
	w.lost = lost
	changed := false
	for lane := range at {
		if !again[lane] {
			continue
		}
		if to := fellows(w.rungOf, lost, lane); len(to) > 0 {
			at[lane], changed = at[adapt.Nearest(at, lane, to)], true
		}
	}
	if !changed {
		return nil
	}
	_, err := w.place(r.ctx, at)
	return err
}

// stopRunaway ends a run whose walkers run off without end at temperature 1, for nothing that came after would mean
// anything. At others they may, where tails are heavy.
func (r *run) stopRunaway(t *tuner) error {
	var cold [][]float64
	for lane, xs := range t.visited {
		for i, x := range xs {
			if t.stood[lane][i] == 0 {
				cold = append(cold, x)
			}
		}
	}
	if !r.runaway.Watch(cold) {
		return nil
	}
	w := r.walkers
	if err := w.entry(r.ctx, dynamics.Values, nil); err != nil {
		return err
	}
	return infer.RunsOff(r.target, w.read(dynamics.Values, nil)[:w.exe.Size(dynamics.Values)])
}

// fellows are the walkers of a lane's rung that are not lost.
func fellows(rungOf []int, lost []bool, lane int) []int {
	var out []int
	for l, r := range rungOf {
		if r == rungOf[lane] && !lost[l] {
			out = append(out, l)
		}
	}
	return out
}

// lost tells the walkers that seem to be, by lane. Masses can be compared only where all walkers are of one rung and
// none is still coming down from far out.
func (t *tuner) lost() []bool {
	out := make([]bool, t.walkers.lanes())
	for lane := range out {
		out[lane] = t.moved[lane] < 0.05*float64(t.sweeps)
	}
	if len(t.walkers.rungs) > 1 || t.heats != nil && t.hot() {
		return out
	}
	for lane, l := range adapt.Lost(t.density, t.visited) {
		out[lane] = out[lane] || l
	}
	return out
}
