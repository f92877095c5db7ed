package renhd

import (
	"ppl/infer/dynamics"
	"ppl/runtime/device"
)

// Where nothing between two iterations needs the host, one call of the device runs several trajectories of every
// walker, and the host then reads what each of them has left (dynamics.Recorded):
//
//	thin = 2   begin step×9 end | begin step×4 end values | begin step×11 end | begin step×7 end values | …
//
// On a ladder the program then also exchanges rungs after each trajectory (dynamics.Swap), and the host follows:
//
//	begin step×9 end look swap | begin step×4 end look swap values | …
//
// and before that jumps between the modes that are known (dynamics.Leap).
//
// Entries and their noise steps are those of as many calls, so draws are the same bytes however many run in one.

// ahead are the steps of the next trajectories that one call can run, at most that many: as long as it takes no longer
// than a call may.
func (r *run) ahead(most int) (steps []int) {
	w := r.walkers
	alone := r.drawsEndTrajectories() && len(r.modes.modes()) == 0
	onLadder := w.swaps && r.swaps.once(w) && w.PerChain == len(w.Rungs) && (!r.modes.jumps() || r.modes.leaps())
	if w.records == 0 || w.wholeCalls || !alone && !onLadder || r.phase.images != nil {
		return nil
	}
	for left := w.stepsPerCall(); len(steps) < min(most, w.records); {
		n := r.stepsAt(r.Iterations+len(steps), maxSteps)
		if left -= n; left < 0 {
			break
		}
		steps = append(steps, n)
	}
	return steps
}

// left is the number of iterations until all draws are there, or half of them, or those after which modes are searched;
// or until the next one, where they are far apart: the record of values, which is read as a whole, would have few rows.
func (c *drawCollector) left() int {
	const far = 4
	report, draws := c.run.report, 1
	all := c.run.phase.options.Draws
	stops := []int{all}
	if len(c.run.swaps.counts().Pairs) > 0 {
		stops = append(stops, all/2)
	}
	if c.run.modes.searchesOn() {
		stops = append(stops, c.state.Watch.Search.Due)
	}
	if report.Thin <= far {
		draws = all - report.Draws
		for _, stop := range stops {
			if stop > report.Draws {
				draws = min(draws, stop-report.Draws)
			}
		}
	}
	return draws*report.Thin - c.state.Chains[0].Counted
}

// moveAhead runs iterations in one call of the device, and gives take what each of them has left. After those that are
// due, the values of a draw are computed too.
func (c *drawCollector) moveAhead(steps []int, due func(i int) bool, take func(*record)) error {
	r, w := c.run, c.run.walkers
	between := r.between()
	if err := w.trajectories(r.ctx, steps, due, between); err != nil {
		return err
	}
	seen := w.seen(len(steps))
	for i, n := range steps {
		seen.row = i
		c.count(float64(n), seen.ends())
		r.Iterations++
		if r.modes.leaps() {
			r.modes.countLeaps(seen.numbers(dynamics.Landed))
		}
		r.swaps.follow(w, seen)
		take(seen)
	}
	return nil
}

// between are the entries after each trajectory of a call: jumps and swaps, which it prepares.
func (r *run) between() (calls []device.Call) {
	if r.modes.leaps() {
		r.modes.beginLeaps(r.Iterations + 1)
		calls = append(calls, leapCalls()...)
	}
	if r.walkers.swaps {
		r.walkers.beginSwaps(r.swaps.rounds())
		calls = append(calls, device.Call{Entry: dynamics.Look, Times: 1}, device.Call{Entry: dynamics.Swap, Times: 1})
	}
	return calls
}
