package renhd

import (
	"context"
	"math"
	"slices"
	"time"

	"ppl/infer/dynamics"
	"ppl/runtime/device"
)

// walkers is a population on the lanes of a device.
type walkers struct {
	*roster
	exe      device.Executable
	program  program
	chains   int
	dim      int
	laneOf   []int // by chain and rung: the lane on it, the first where there are several
	uniform  bool  // the program has one metric for all walkers
	tempered bool  // the program reads β
	numbered bool  // the program reads the number of the walker
	chained  bool  // the program reads the number of the chain
	anchored bool  // gradients have control variates
	swaps    bool  // the program exchanges rungs
	leaps    bool  // the program jumps between modes
	hops     int   // before a trajectory, see dynamics.Hop
	records  int   // trajectories that the program records, see dynamics.Recorded
	traits   dynamics.Traits
	batches  dynamics.Batches
	seed     uint64
	rows     rowReader // nil if every step reads all rows
	placed   int       // how often all lanes got other positions at once

	saved        []string // the lane buffers that a checkpoint holds
	savedNumbers int      // in them, of all lanes

	// perStep is measured. It decides how a trajectory is cut into calls, never what it computes.
	perStep    time.Duration
	wholeCalls bool // trajectories are not cut

	moved  []int                // room for the lanes that change rungs
	calls  []device.Call        // room for the call being made
	views  map[string][]float64 // by lane buffer, see view
	record record               // of the last call, see seen
	number [1]float64           // room for the one being set
}

// How many Metropolis steps across discontinuities come before a trajectory.
const (
	hopsOfEach = 20 // coordinate
	mostHops   = 80 // in all
)

// A rowReader prepares what walkers read of the data if a step does not read all rows.
type rowReader interface {
	BeforeTrajectory()                                               // of all walkers
	BeforePlace(at [][]float64)                                      // all walkers are placed there next
	Run(ctx context.Context, calls []device.Call, mask []bool) error // of the device, on the lanes of mask (nil: all)
	Inputs() []string                                                // the lane buffers that rows are copied to
}

// callTime is what one call of the device may take, so that Ctrl-C and progress answer.
const callTime = 50 * time.Millisecond

// A program is compiled, and knows the lane buffers that carry over from one iteration to the next.
type program struct {
	device.Loader
	lasting []string
}

func newWalkers(s *phase, program program, exe device.Executable, p *roster) *walkers {
	w := &walkers{roster: p, exe: exe, program: program, chains: s.options.Chains, dim: s.target.Dim(),
		uniform: s.system.OneMetric(), tempered: s.system.Path != dynamics.Plain, numbered: s.system.Batches.Size > 0,
		anchored: s.system.Batches.Size > 0 && s.system.Batches.Anchored, traits: s.rule.Traits(),
		batches: s.system.Batches, seed: s.options.Seed, wholeCalls: s.options.WholeCalls}
	w.records, w.swaps = rowsOf(program, dynamics.Accept), rowsOf(program, dynamics.Rung) > 0
	w.leaps = rowsOf(program, dynamics.Landed) > 0
	w.hops = min(hopsOfEach*len(s.system.Jumps), mostHops)
	w.chained = w.numbered && s.blocks == nil || w.swaps
	w.findLanes()
	return w
}

// rowsOf is the number of rows in which a program records a buffer; 0 for none.
func rowsOf(program device.Loader, name string) int {
	for _, b := range program.Buffers() {
		if b.Name == dynamics.RecordOf(name) {
			return b.Size
		}
	}
	return 0
}

// lanes is the number of walkers.
func (w *walkers) lanes() int { return w.chains * w.PerChain }

// laneAt is the lane of a chain that is on a rung.
func (w *walkers) laneAt(chain, rung int) int { return w.laneOf[chain*len(w.Rungs)+rung] }

// cold is the lane of a chain at T = 1; without swaps, its first.
func (w *walkers) cold(chain int) int { return w.laneAt(chain, 0) }

// hottest is the temperature of the last rung.
func (w *walkers) hottest() float64 { return 1 / w.Rungs[len(w.Rungs)-1].Beta }

// betas are the inverse temperatures of the ladder.
func (w *walkers) betas() []float64 {
	var out []float64
	for _, g := range w.Rungs {
		out = append(out, g.Beta)
	}
	return out
}

// medianStep is that of the rungs.
func (w *walkers) medianStep() float64 {
	var steps []float64
	for _, r := range w.Rungs {
		steps = append(steps, r.Step)
	}
	return median(steps, ones(len(steps)))
}

// findLanes makes laneOf the inverse of RungOf.
func (w *walkers) findLanes() {
	w.laneOf = make([]int, w.chains*len(w.Rungs))
	for lane := w.lanes() - 1; lane >= 0; lane-- {
		w.put(lane, w.RungOf[lane])
	}
}

// put records that a lane is on a rung.
func (w *walkers) put(lane, rung int) {
	w.RungOf[lane], w.laneOf[lane/w.PerChain*len(w.Rungs)+rung] = rung, lane
}

// exchangeRungs swaps the rungs of pairs of lanes, each of one chain, with what the rungs own: the carried lane buffers
// of size 1, and what the host writes. Positions stay.
func (w *walkers) exchangeRungs(pairs [][2]int, carried []string) {
	if len(pairs) == 0 {
		return
	}
	w.moved = w.moved[:0]
	for _, p := range pairs {
		from, to := w.RungOf[p[0]], w.RungOf[p[1]]
		w.put(p[0], to)
		w.put(p[1], from)
		if !w.Rungs[from].Metric.Is(w.Rungs[to].Metric) {
			w.writeMetric(p[0])
			w.writeMetric(p[1])
		}
		w.moved = append(w.moved, p[0], p[1])
	}
	for _, name := range carried {
		all := w.view(name)
		for _, p := range pairs {
			all[p[0]], all[p[1]] = all[p[1]], all[p[0]]
		}
		w.exe.Set(name, all)
	}
	w.writeNumbers(w.moved)
}

// writeAllRungs writes to every lane what its rung owns.
func (w *walkers) writeAllRungs() {
	if w.uniform {
		dynamics.ShareMetric(w.exe, w.Rungs[0].Metric)
	} else {
		for lane := range w.lanes() {
			w.writeMetric(lane)
		}
	}
	w.writeNumbers(allOf(w.lanes()))
	if w.swaps {
		w.writeLadder()
	}
}

// writeLadder writes the rungs to the tables of a program that exchanges them.
func (w *walkers) writeLadder() {
	rungs := make([]dynamics.LadderRung, len(w.Rungs))
	for j, r := range w.Rungs {
		rungs[j] = dynamics.LadderRung{Beta: r.Beta, Step: r.Step, Friction: r.Friction, Metric: r.Metric}
	}
	dynamics.WriteLadder(w.exe, w.traits, rungs)
}

func (w *walkers) writeMetric(lane int) {
	dynamics.SetMetric(w.exe, lane, w.Rungs[w.RungOf[lane]].Metric)
}

// writeNumbers writes to some lanes the numbers of their rungs.
func (w *walkers) writeNumbers(lanes []int) {
	write := func(name string, of func(r *rung) float64) {
		all := w.view(name)
		for _, lane := range lanes {
			all[lane] = of(&w.Rungs[w.RungOf[lane]])
		}
		w.exe.Set(name, all)
	}
	write(dynamics.StepSize, func(r *rung) float64 { return r.Step })
	if w.tempered {
		write(dynamics.Beta, func(r *rung) float64 { return r.Beta })
	}
	if w.traits.Friction {
		write(dynamics.Friction, func(r *rung) float64 { return r.Friction })
	}
	if w.traits.Corrected {
		write(dynamics.Cool, func(*rung) float64 { return 1 })
	}
	if w.anchored {
		write(dynamics.AnchorShare, func(r *rung) float64 {
			return oneIf(r.Noises.Anchored.Worst < r.Noises.Plain.Worst)
		})
	}
}

// numberLanes writes the numbers that a lane's minibatches and swaps are drawn by.
func (w *walkers) numberLanes() {
	for lane := range w.lanes() {
		if w.numbered {
			w.set(dynamics.Walker, lane, float64(lane))
		}
		if w.chained {
			w.set(dynamics.Chain, lane, float64(lane/w.PerChain))
		}
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

// setAll writes one number to a lane buffer of size 1, on all lanes.
func (w *walkers) setAll(name string, value float64) {
	w.exe.Set(name, slices.Repeat([]float64{value}, w.lanes()))
}

// thermostated reports whether the rule has a thermostat, one to a rung.
func (w *walkers) thermostated() bool { return slices.Contains(w.traits.Carried, dynamics.Thermostat) }

// trajectory runs one trajectory of every walker, in calls short enough to be interrupted between, and with the last of
// them other entries that are to follow.
func (w *walkers) trajectory(ctx context.Context, steps int, then ...device.Call) error {
	if w.rows != nil {
		w.rows.BeforeTrajectory()
	}
	w.calls = w.begin(w.calls[:0])
	for left := steps; ; {
		n := min(left, w.stepsPerCall())
		left -= n
		w.calls = append(w.calls, device.Call{Entry: "step", Times: n})
		if left == 0 {
			w.calls = append(append(w.calls, device.Call{Entry: "end", Times: 1}), then...)
		}
		if err := w.runTimed(ctx, w.calls, n); err != nil {
			return err
		}
		if left == 0 {
			return nil
		}
		w.calls = w.calls[:0]
	}
}

// begin adds the calls before the steps of a trajectory.
func (w *walkers) begin(calls []device.Call) []device.Call {
	if w.hops > 0 {
		calls = append(calls, device.Call{Entry: dynamics.Hop, Times: w.hops})
	}
	return append(calls, device.Call{Entry: "begin", Times: 1})
}

func (w *walkers) stepsPerCall() int {
	if w.wholeCalls {
		return math.MaxInt
	}
	if w.perStep == 0 {
		return 1
	}
	return int(max(1, min(callTime/w.perStep, 1<<20)))
}

// runTimed runs calls with n steps in them and learns how long a step takes.
func (w *walkers) runTimed(ctx context.Context, calls []device.Call, n int) error {
	began := time.Now()
	if err := w.run(ctx, calls, nil); err != nil {
		return err
	}
	took := max(time.Since(began)/time.Duration(n), 1)
	if w.perStep == 0 {
		w.perStep = took
	}
	w.perStep = (3*w.perStep + took) / 4
	w.Gradients += int64(n) * int64(w.lanes())
	return nil
}

// runEntry runs one entry once on the lanes of mask (nil: all).
func (w *walkers) runEntry(ctx context.Context, name string, mask []bool) error {
	w.calls = append(w.calls[:0], device.Call{Entry: name, Times: 1})
	return w.run(ctx, w.calls, mask)
}

func (w *walkers) run(ctx context.Context, calls []device.Call, mask []bool) error {
	if w.rows != nil {
		return w.rows.Run(ctx, calls, mask)
	}
	return w.call(ctx, calls, mask)
}

// call is one call of the device.
func (w *walkers) call(ctx context.Context, calls []device.Call, mask []bool) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	next, err := w.exe.Run(calls, w.NoiseStep, mask)
	w.NoiseStep = next
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
	if w.views == nil {
		w.views = map[string][]float64{}
	}
	now, ok := w.views[name]
	if !ok {
		now = make([]float64, w.lanes()*w.exe.Size(name))
		w.views[name] = now
	}
	w.exe.Get(name, now)
	return now
}

// positions copies θ of every lane.
func (w *walkers) positions() [][]float64 {
	return split(w.read(dynamics.Theta, nil), w.dim)
}

// gradients computes ∇log π_β at every walker.
func (w *walkers) gradients(ctx context.Context) ([][]float64, error) {
	if err := w.runEntry(ctx, dynamics.Gradient, nil); err != nil {
		return nil, err
	}
	w.Gradients += int64(w.lanes())
	return split(w.read(dynamics.Gradient, nil), w.dim), nil
}

// place sets θ of every lane and starts them; it returns the lanes where the density is not finite.
func (w *walkers) place(ctx context.Context, at [][]float64) (bad []int, err error) {
	if err := w.startAt(ctx, at); err != nil {
		return nil, err
	}
	for lane, u := range w.logDensities() {
		if math.IsNaN(u) || math.IsInf(u, 0) {
			bad = append(bad, lane)
		}
	}
	return bad, nil
}

// startAt is place where nothing is asked of the density yet.
func (w *walkers) startAt(ctx context.Context, at [][]float64) error {
	for lane, x := range at {
		w.exe.SetLane(dynamics.Theta, lane, x)
	}
	if w.rows != nil {
		w.rows.BeforePlace(at)
	}
	w.placed++
	return w.runEntry(ctx, "start", nil)
}

// logDensities are log ρ + log ℓ of every walker, as last computed.
func (w *walkers) logDensities() []float64 {
	density := w.read(dynamics.LogPrior, nil)
	for lane, l := range w.read(dynamics.LogLik, nil) {
		density[lane] += l
	}
	return density
}
