package population

import (
	"context"

	"ppl/infer/dynamics"
	"ppl/runtime/device"
)

// Ends holds the results of trajectories, by lane.
type Ends struct {
	Accept, Diverged, Total, Finite []float64
	Numbers                         func(name string) []float64           // returns another buffer of size 1
	Of                              func(name string, lane int) []float64 // returns a lane's part of any buffer
	Mode                            func(lane int) int                    // returns the mode that a lane is in, or −1
}

// OfLane returns a lane's part of a buffer.
func (w *Walkers) OfLane(name string, lane int) []float64 {
	values := make([]float64, w.Exe.Size(name))
	w.Exe.GetLane(name, lane, values)
	return values
}

// Drawn holds the values of a draw, by lane.
type Drawn struct {
	LogPrior, LogLik []float64
	Theta            func(lane int, dst []float64)
	// Judged copies the first len(dst[k]) values of each lanes[k] to dst[k]; all dst[k] have one length. Recorded does
	// the same in the process that records draws; in other processes dst is undefined.
	Judged, Recorded func(lanes []int, dst [][]float64)
}

// Drawn returns the values at the walkers' current positions, after the entry Values has run.
func (w *Walkers) Drawn() *Drawn {
	return &Drawn{w.View(dynamics.LogPrior), w.View(dynamics.LogLik),
		func(lane int, dst []float64) { w.Exe.GetLane(dynamics.Theta, lane, dst) },
		func(lanes []int, dst [][]float64) { device.ReadLanes(w.Exe, dynamics.Values, lanes, dst) },
		func(lanes []int, dst [][]float64) { device.CollectLanes(w.Exe, dynamics.Values, lanes, dst) }}
}

// A Record holds the results of the trajectories of one call.
type Record struct {
	w       *Walkers
	Row     int // index of the trajectory that is read now
	last    int // index of the last trajectory, whose end is the walkers' current position
	buffers map[string]*recorded
}

// recorded holds the contents of a buffer after each trajectory.
type recorded struct {
	all     []float64 // values, indexed by lane, row and element
	current bool      // whether all belongs to this call
	row     []float64 // buffer with one element for each lane
}

// Seen returns the record of the last call. It reuses the memory of the previous record.
func (w *Walkers) Seen(trajectories int) *Record {
	r := &w.record
	if r.buffers == nil {
		r.w, r.buffers = w, map[string]*recorded{}
	}
	for _, b := range r.buffers {
		b.current = false
	}
	r.Row, r.last = 0, trajectories-1
	return r
}

// buffer returns the complete record of a buffer, which is read from the device once.
func (r *Record) buffer(name string) *recorded {
	b := r.buffers[name]
	if b == nil {
		b = &recorded{}
		r.buffers[name] = b
	}
	if !b.current {
		b.all, b.current = r.w.View(dynamics.RecordOf(name)), true
	}
	return b
}

// of returns the current row of a lane.
func (r *Record) of(name string, lane int) []float64 {
	all := r.buffer(name).all
	size := len(all) / r.w.Lanes() / r.w.Records
	at := (lane*r.w.Records + r.Row) * size
	return all[at : at+size : at+size]
}

// Numbers returns the current row of a buffer of size 1, for all lanes.
func (r *Record) Numbers(name string) []float64 {
	b := r.buffer(name)
	if b.row == nil {
		b.row = make([]float64, r.w.Lanes())
	}
	for lane := range b.row {
		b.row[lane] = b.all[lane*r.w.Records+r.Row]
	}
	return b.row
}

// Ends returns the results of the current trajectory.
func (r *Record) Ends() *Ends {
	return &Ends{r.Numbers(dynamics.Accept), r.Numbers(dynamics.Diverged), r.Numbers(dynamics.Total),
		r.Numbers(dynamics.Finite), r.Numbers, r.of, r.mode}
}

// mode returns the mode that a lane was in after the trajectory, if programs jump.
func (r *Record) mode(lane int) int { return int(r.of(dynamics.InMode, lane)[0]) }

// Drawn returns the results of the entry Values after the current trajectory.
func (r *Record) Drawn() *Drawn {
	if r.Row == r.last {
		return r.w.Drawn()
	}
	values := func(lanes []int, dst [][]float64) { // there is one process: with several, no records are on the device
		for k, lane := range lanes {
			copy(dst[k], r.of(dynamics.Values, lane))
		}
	}
	return &Drawn{r.Numbers(dynamics.LogPrior), r.Numbers(dynamics.LogLik),
		func(lane int, dst []float64) { copy(dst, r.of(dynamics.Theta, lane)) }, values, values}
}

// Trajectories runs several trajectories of every walker in one call, with the calls between after each, and the entry
// Values after those for which due is true.
func (w *Walkers) Trajectories(ctx context.Context, steps []int, due func(i int) bool, between []device.Call) error {
	w.SetAll(dynamics.Recorded, 0)
	w.Calls = w.Calls[:0]
	sum := 0
	for i, n := range steps {
		w.Calls = append(w.begin(w.Calls), device.Call{Entry: "step", Times: n}, device.Call{Entry: "end", Times: 1})
		w.Calls = append(w.Calls, between...)
		if due(i) {
			w.Calls = append(w.Calls, device.Call{Entry: dynamics.Values, Times: 1})
		}
		sum += n
	}
	return w.RunTimed(ctx, w.Calls, sum)
}

// BeginSwaps writes the rungs of the lanes, for a program that exchanges them from there on.
func (w *Walkers) BeginSwaps(round int) {
	rungs, wants := make([]float64, w.Lanes()), make([]float64, w.Lanes())
	for lane, r := range w.RungOf {
		rungs[lane], wants[lane] = float64(r), float64(dynamics.Partner(r, round%2))
	}
	w.Exe.Set(dynamics.Rung, rungs)
	w.Exe.Set(dynamics.Want, wants)
	w.SetAll(dynamics.Swaps, float64(round))
}

// EndsOf returns the results of the last trajectory, before any jump. mode returns the mode of a lane.
func (w *Walkers) EndsOf(mode func(lane int) int) *Ends {
	return &Ends{w.View(dynamics.Accept), w.View(dynamics.Diverged), w.View(dynamics.Total), w.View(dynamics.Finite),
		w.View, w.OfLane, mode}
}
