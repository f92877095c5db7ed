package renhd

import (
	"context"
	"ppl/infer/dynamics"
	"ppl/runtime/device"
)

// ends are what trajectories have left, by lane.
type ends struct {
	accept, diverged, total, finite []float64
	numbers                         func(name string) []float64           // of another buffer of size 1
	of                              func(name string, lane int) []float64 // of any
	mode                            func(lane int) int                    // that a lane is in; −1: in none
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

// endsOf are those of the last trajectory, before any jump; mode is that of a lane.
func (w *walkers) endsOf(mode func(lane int) int) *ends {
	return &ends{w.view(dynamics.Accept), w.view(dynamics.Diverged), w.view(dynamics.Total), w.view(dynamics.Finite),
		w.view, w.ofLane, mode}
}
