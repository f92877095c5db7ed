package renhd

import (
	"ppl/infer/dynamics"
	"ppl/infer/renhd/modesearch"
	"ppl/infer/renhd/population"
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
// and before that jumps between the modes that are known (dynamics.ModeJump).
//
// Entries and their noise steps are those of as many calls, so draws are the same bytes however many run in one.

// ahead returns the steps of the next trajectories that one call can run, at most that many: as long as it takes no
// longer than a call may.
func (r *run) ahead(most int) (steps []int) {
	w := r.Walkers
	alone := r.drawsEndTrajectories() && len(r.modes.Modes()) == 0
	onLadder := w.Swaps && r.swaps.Once(w) && w.PerChain == len(w.Rungs) &&
		(!r.modes.CanJump() || r.modes.JumpsOnDevice())
	if w.Records == 0 || w.WholeCalls || !alone && !onLadder || r.Phase.Images != nil {
		return nil
	}
	for left := w.StepsPerCall(); len(steps) < min(most, w.Records); {
		n := r.StepsAt(r.Iterations+len(steps), population.MaxSteps)
		left -= n
		if left < 0 {
			break
		}
		steps = append(steps, n)
	}
	return steps
}

// left returns the number of iterations until all draws are there, or half of them, or those after which modes are
// searched; or until the next one, where they are far apart: the record of values, which is read as a whole, would have
// few rows.
func (c *drawCollector) left() int {
	const far = 4
	report, draws := c.run.Report, 1
	all := c.run.Phase.Options.Draws
	stops := []int{all}
	if len(c.run.swaps.Counts().Pairs) > 0 {
		stops = append(stops, all/2)
	}
	if c.run.modes.SearchesOn() {
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
func (c *drawCollector) moveAhead(steps []int, due func(i int) bool, take func(*population.Record)) error {
	r, w := c.run, c.run.Walkers
	between := r.between()
	if err := w.Trajectories(r.Ctx, steps, due, between); err != nil {
		return err
	}
	seen := w.Seen(len(steps))
	for i, n := range steps {
		seen.Row = i
		c.count(float64(n), seen.Ends())
		r.Iterations++
		if r.modes.JumpsOnDevice() {
			r.modes.CountDeviceJumps(seen.Numbers(dynamics.Jumped))
		}
		r.swaps.Follow(w, seen)
		take(seen)
	}
	return nil
}

// between returns the entries after each trajectory of a call: jumps and swaps, which it prepares.
func (r *run) between() (calls []device.Call) {
	if r.modes.JumpsOnDevice() {
		r.modes.BeginDeviceJumps(r.Iterations + 1)
		calls = append(calls, modesearch.DeviceJumpCalls()...)
	}
	if r.Walkers.Swaps {
		r.Walkers.BeginSwaps(r.swaps.Rounds())
		calls = append(calls, device.Call{Entry: dynamics.Look, Times: 1}, device.Call{Entry: dynamics.Swap, Times: 1})
	}
	return calls
}
