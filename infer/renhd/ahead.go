package renhd

import (
	"context"

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

// ends are what trajectories have left, by lane.
type ends struct {
	accept, diverged, total, finite []float64
	numbers                         func(name string) []float64           // of another buffer of size 1
	of                              func(name string, lane int) []float64 // of any
	mode                            func(lane int) int                    // that a lane is in; −1: in none
}

// ends are those of the last trajectory, before any jump.
func (r *run) ends() *ends {
	w := r.walkers
	return &ends{w.view(dynamics.Accept), w.view(dynamics.Diverged), w.view(dynamics.Total), w.view(dynamics.Finite),
		w.view, w.ofLane, r.modeOf}
}

// ofLane is what a lane has of a buffer.
func (w *walkers) ofLane(name string, lane int) []float64 {
	values := make([]float64, w.exe.Size(name))
	w.exe.GetLane(name, lane, values)
	return values
}

// drawn is what a draw is made of, by lane.
type drawn struct {
	logPrior, logLik []float64
	values, theta    func(lane int, dst []float64)
}

// drawn is that where walkers are, after the entry Values.
func (w *walkers) drawn() *drawn {
	return &drawn{w.view(dynamics.LogPrior), w.view(dynamics.LogLik),
		func(lane int, dst []float64) { w.exe.GetLane(dynamics.Values, lane, dst) },
		func(lane int, dst []float64) { w.exe.GetLane(dynamics.Theta, lane, dst) }}
}

// A record is what the trajectories of one call have left.
type record struct {
	w       *walkers
	row     int // the trajectory that is read now
	last    int // the one after which walkers are where they are
	buffers map[string]*recorded
}

// A recorded buffer has what it was after each trajectory.
type recorded struct {
	all     []float64 // by lane, row and element
	current bool      // all is of this call
	row     []float64 // room, by lane
}

// seen is the record of a call, in the memory of that before.
func (w *walkers) seen(trajectories int) *record {
	r := &w.record
	if r.buffers == nil {
		r.w, r.buffers = w, map[string]*recorded{}
	}
	for _, b := range r.buffers {
		b.current = false
	}
	r.row, r.last = 0, trajectories-1
	return r
}

// buffer is the whole record of a buffer, which is read once.
func (r *record) buffer(name string) *recorded {
	b := r.buffers[name]
	if b == nil {
		b = &recorded{}
		r.buffers[name] = b
	}
	if !b.current {
		b.all, b.current = r.w.view(dynamics.RecordOf(name)), true
	}
	return b
}

// of is the row of a lane.
func (r *record) of(name string, lane int) []float64 {
	all := r.buffer(name).all
	size := len(all) / r.w.lanes() / r.w.records
	at := (lane*r.w.records + r.row) * size
	return all[at : at+size : at+size]
}

// numbers are the row of a buffer of size 1, of each lane.
func (r *record) numbers(name string) []float64 {
	b := r.buffer(name)
	if b.row == nil {
		b.row = make([]float64, r.w.lanes())
	}
	for lane := range b.row {
		b.row[lane] = b.all[lane*r.w.records+r.row]
	}
	return b.row
}

// ends are those of the trajectory that is read.
func (r *record) ends() *ends {
	return &ends{r.numbers(dynamics.Accept), r.numbers(dynamics.Diverged), r.numbers(dynamics.Total),
		r.numbers(dynamics.Finite), r.numbers, r.of, r.mode}
}

// mode is the one that a lane was in after the trajectory, where programs jump.
func (r *record) mode(lane int) int { return int(r.of(dynamics.InMode, lane)[0]) }

// drawn is what the entry Values has computed after it.
func (r *record) drawn() *drawn {
	if r.row == r.last {
		return r.w.drawn()
	}
	return &drawn{r.numbers(dynamics.LogPrior), r.numbers(dynamics.LogLik),
		func(lane int, dst []float64) { copy(dst, r.of(dynamics.Values, lane)) },
		func(lane int, dst []float64) { copy(dst, r.of(dynamics.Theta, lane)) }}
}

// ahead are the steps of the next trajectories that one call can run, at most that many: as long as it takes no longer
// than a call may.
func (r *run) ahead(most int) (steps []int) {
	w := r.walkers
	alone := r.drawsEndTrajectories() && len(r.state.Modes) == 0
	onLadder := w.swaps && r.swaps.once(w) && w.PerChain == len(w.Rungs) && (!r.jumps() || r.leaps())
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
	if len(c.run.swaps.state.Counts.Pairs) > 0 {
		stops = append(stops, all/2)
	}
	if c.run.searchesOn() {
		stops = append(stops, c.state.Search.Due)
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
		if r.leaps() {
			r.countLeaps(seen.numbers(dynamics.Landed))
		}
		r.swaps.follow(w, seen)
		take(seen)
	}
	return nil
}

// between are the entries after each trajectory of a call: jumps and swaps, which it prepares.
func (r *run) between() (calls []device.Call) {
	if r.leaps() {
		r.beginLeaps(r.Iterations + 1)
		calls = append(calls, leapCalls()...)
	}
	if r.walkers.swaps {
		r.walkers.beginSwaps(r.swaps.state.Round)
		calls = append(calls, device.Call{Entry: dynamics.Look, Times: 1}, device.Call{Entry: dynamics.Swap, Times: 1})
	}
	return calls
}

// trajectories runs trajectories of every walker in one call, other entries after each, and then the entry Values after
// those that are due.
func (w *walkers) trajectories(ctx context.Context, steps []int, due func(i int) bool, between []device.Call) error {
	w.setAll(dynamics.Recorded, 0)
	w.calls = w.calls[:0]
	sum := 0
	for i, n := range steps {
		w.calls = append(w.begin(w.calls), device.Call{Entry: "step", Times: n}, device.Call{Entry: "end", Times: 1})
		w.calls = append(w.calls, between...)
		if due(i) {
			w.calls = append(w.calls, device.Call{Entry: dynamics.Values, Times: 1})
		}
		sum += n
	}
	return w.runTimed(ctx, w.calls, sum)
}

// beginSwaps writes where the lanes are on the ladder, for a program that goes on from there.
func (w *walkers) beginSwaps(round int) {
	rungs, wants := make([]float64, w.lanes()), make([]float64, w.lanes())
	for lane, r := range w.RungOf {
		rungs[lane], wants[lane] = float64(r), float64(dynamics.Turn(r, round%2))
	}
	w.exe.Set(dynamics.Rung, rungs)
	w.exe.Set(dynamics.Want, wants)
	w.setAll(dynamics.Swaps, float64(round))
}
