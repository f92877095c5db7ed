package renhd

import (
	"context"
	"math"
	"slices"
	"time"

	"ppl/compiler/ir"
	"ppl/compiler/lower"
	"ppl/infer/adapt"
	"ppl/infer/dynamics"
	"ppl/runtime/device"
)

// A rung is what a place on the ladder owns; walkers come and go.
type rung struct {
	beta     float64 // inverse temperature of what the path tempers
	metric   adapt.Metric
	step     float64 // in the metric's whitened coordinates
	friction float64 // c
	noise    float64 // mean variance of the whitened gradient's coordinates under minibatches, measured
	worst    float64 // the largest of them
}

// walkers are the lanes of a device: chain c has those from c·per to (c+1)·per.
type walkers struct {
	exe         device.Executable
	chains, per int
	dim         int
	rungs       []rung
	rungOf      []int // by lane
	laneOf      []int // by chain and rung: the lane that stands there, the first where there are several
	tempered    bool  // there is a β
	traits      dynamics.Traits
	lost        []bool // by lane: as the last window of warm-up left them; nil before

	feed *feed // nil where all data are in memory

	noiseStep uint64 // the device's next noise step
	laneSteps int64
	perStep   time.Duration // measured; decides how a trajectory is cut into calls, never what it computes

	calls  []device.Call        // room for the call being made
	views  map[string][]float64 // by lane buffer, see view
	number [1]float64           // room for the one being set
}

// callTime is what one call of the device may take, so that Ctrl-C and progress answer.
const callTime = 50 * time.Millisecond

// compile lowers a rule over a system once; walkers of any number run it.
func compile(rule dynamics.Rule, s dynamics.System) (*ir.Program, error) {
	return lower.Program(dynamics.Program(rule, s))
}

// lanes is their number.
func (w *walkers) lanes() int { return w.chains * w.per }

// lanesOf lists the lanes of a chain.
func (w *walkers) lanesOf(chain int) []int {
	out := make([]int, w.per)
	for i := range out {
		out[i] = chain*w.per + i
	}
	return out
}

// laneAt is the lane of a chain that stands on a rung.
func (w *walkers) laneAt(chain, rung int) int { return w.laneOf[chain*len(w.rungs)+rung] }

// seat puts the walkers of each chain on the rungs given by rungOf within a chain.
func (w *walkers) seat(rungOf func(walker int) int) {
	w.rungOf, w.laneOf = make([]int, w.lanes()), make([]int, w.chains*len(w.rungs))
	for lane := w.lanes() - 1; lane >= 0; lane-- {
		w.stand(lane, rungOf(lane%w.per))
	}
}

func (w *walkers) stand(lane, rung int) {
	w.rungOf[lane], w.laneOf[lane/w.per*len(w.rungs)+rung] = rung, lane
}

// trade swaps the rungs of two lanes of a chain, with what the rungs own.
func (w *walkers) trade(a, b int) {
	from, to := w.rungOf[a], w.rungOf[b]
	w.stand(a, to)
	w.stand(b, from)
	differ := !w.rungs[from].metric.Is(w.rungs[to].metric)
	for _, lane := range [...]int{a, b} {
		if differ {
			w.shape(lane)
		}
		w.drive(lane)
	}
}

// settle writes what its rung owns to a lane.
func (w *walkers) settle(lane int) {
	w.shape(lane)
	w.drive(lane)
}

// shape writes the metric, drive the numbers.
func (w *walkers) shape(lane int) { dynamics.SetMetric(w.exe, lane, w.rungs[w.rungOf[lane]].metric) }

func (w *walkers) drive(lane int) {
	r := &w.rungs[w.rungOf[lane]]
	w.set(dynamics.StepSize, lane, r.step)
	if w.tempered {
		w.set(dynamics.Beta, lane, r.beta)
	}
	if w.traits.Friction {
		w.set(dynamics.Friction, lane, r.friction)
	}
	if w.traits.Corrected {
		w.set(dynamics.Cool, lane, 1)
	}
}

// set writes a lane buffer of size 1.
func (w *walkers) set(name string, lane int, value float64) {
	w.number[0] = value
	w.exe.SetLane(name, lane, w.number[:])
}

// get reads a lane buffer of size 1.
func (w *walkers) get(name string, lane int) float64 {
	w.exe.GetLane(name, lane, w.number[:])
	return w.number[0]
}

// thermostated reports whether the rule has a thermostat, one to a rung.
func (w *walkers) thermostated() bool { return slices.Contains(w.traits.Carried, dynamics.Thermostat) }

func (w *walkers) settleAll() {
	for lane := range w.lanes() {
		w.settle(lane)
	}
}

// trajectory runs one trajectory of every walker, in calls short enough to be interrupted between.
func (w *walkers) trajectory(ctx context.Context, steps int) error {
	w.calls = append(w.calls[:0], device.Call{Entry: "begin", Times: 1})
	for left := steps; ; {
		n := min(left, w.stepsPerCall())
		left -= n
		w.calls = append(w.calls, device.Call{Entry: "step", Times: n})
		if left == 0 {
			w.calls = append(w.calls, device.Call{Entry: "end", Times: 1})
		}
		if err := w.timed(ctx, w.calls, n); err != nil {
			return err
		}
		if left == 0 {
			return nil
		}
		w.calls = w.calls[:0]
	}
}

func (w *walkers) stepsPerCall() int {
	if w.perStep == 0 {
		return 1
	}
	return int(max(1, min(callTime/w.perStep, 1<<20)))
}

// timed runs calls with n steps in them and learns how long a step takes.
func (w *walkers) timed(ctx context.Context, calls []device.Call, n int) error {
	began := time.Now()
	if err := w.run(ctx, calls, nil); err != nil {
		return err
	}
	took := max(time.Since(began)/time.Duration(n), 1)
	if w.perStep == 0 {
		w.perStep = took
	}
	w.perStep = (3*w.perStep + took) / 4
	w.laneSteps += int64(n) * int64(w.lanes())
	return nil
}

// entry runs one entry once on the lanes of mask (nil: all).
func (w *walkers) entry(ctx context.Context, name string, mask []bool) error {
	w.calls = append(w.calls[:0], device.Call{Entry: name, Times: 1})
	return w.run(ctx, w.calls, mask)
}

func (w *walkers) run(ctx context.Context, calls []device.Call, mask []bool) error {
	if w.feed != nil {
		return w.runFed(ctx, calls, mask)
	}
	return w.once(ctx, calls, mask)
}

// once is one call of the device.
func (w *walkers) once(ctx context.Context, calls []device.Call, mask []bool) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	next, err := w.exe.Run(calls, w.noiseStep, mask)
	w.noiseStep = next
	return err
}

// read copies a lane buffer to dst, which grows as needed.
func (w *walkers) read(name string, dst []float64) []float64 {
	n := w.lanes() * w.exe.Size(name)
	if len(dst) != n {
		dst = make([]float64, n)
	}
	w.exe.Get(name, dst)
	return dst
}

// view is a lane buffer as it is now, in a copy that the next view of it overwrites.
func (w *walkers) view(name string) []float64 {
	w.views[name] = w.read(name, w.views[name])
	return w.views[name]
}

// positions copies θ of every lane.
func (w *walkers) positions() [][]float64 {
	return split(w.read(dynamics.Theta, nil), w.dim)
}

func split(flat []float64, size int) [][]float64 {
	var out [][]float64
	for ; len(flat) > 0; flat = flat[size:] {
		out = append(out, flat[:size:size])
	}
	return out
}

// place sets θ of every lane and starts them; it returns the lanes where the density is not finite.
func (w *walkers) place(ctx context.Context, at [][]float64) (bad []int, err error) {
	for lane, x := range at {
		w.exe.SetLane(dynamics.Theta, lane, x)
	}
	if err := w.entry(ctx, "start", nil); err != nil {
		return nil, err
	}
	logPrior, logLik := w.read(dynamics.LogPrior, nil), w.read(dynamics.LogLik, nil)
	for lane := range at {
		if u := logPrior[lane] + logLik[lane]; math.IsNaN(u) || math.IsInf(u, 0) {
			bad = append(bad, lane)
		}
	}
	return bad, nil
}
