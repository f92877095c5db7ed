package renhd

import (
	"ppl/infer/dynamics"
	"ppl/infer/renhd/modesearch"
	"ppl/infer/renhd/population"
	"ppl/runtime/device"
)

// If no work of the host is needed between two iterations, one call of the device runs several trajectories of every
// walker. Afterwards the host reads the result of each (dynamics.Recorded):
//
//	thin = 2   begin step×9 end | begin step×4 end values | begin step×11 end | begin step×7 end values | …
//
// On a ladder the program also exchanges rungs after each trajectory (dynamics.Swap), and the host repeats the
// exchanges:
//
//	begin step×9 end look swap | begin step×4 end look swap values | …
//
// Jumps between known modes (dynamics.ModeJump) come before the exchanges.
//
// Entries and their noise steps are the same as with separate calls, so draws do not depend on the number of
// trajectories in a call.

// ahead returns the numbers of steps of the next trajectories that one call can run: no more trajectories than most,
// and no more than fit into the time limit of a call. It returns nil if the host is needed after each iteration.
func (r *run) ahead(most int) (steps []int) {
	w := r.Walkers
	alone := r.drawsEndTrajectories() && len(r.modes.Modes()) == 0
	onLadder := w.Swaps && r.swaps.OneEvaluationSuffices(w) && w.PerChain == len(w.Rungs) &&
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

// iterationsToStop returns the number of iterations until the next stop: all draws, half of them, or the next search
// for modes. If draws are many iterations apart, it returns the number until the next draw, because the record of
// values is read as one block and would have few useful rows.
func (c *drawCollector) iterationsToStop() int {
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

// moveAhead runs iterations in one call of the device and passes the result of each to take. Iterations for which due
// is true also compute the values of a draw.
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

// between returns the calls to run after each trajectory, for jumps and swaps, and sets the noise addresses that they
// need.
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
