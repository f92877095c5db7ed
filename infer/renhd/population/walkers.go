package population

import (
	"context"
	"math"
	"slices"
	"time"

	"ppl/infer/adapt"
	"ppl/infer/dynamics"
	"ppl/runtime/device"
)

// Walkers are the walkers of a population on the lanes of a device.
type Walkers struct {
	*Lineup
	Exe                device.Executable
	program            program
	Chains             int
	Dim                int
	laneOf             []int // the lane on each rung of each chain, the first if there are several
	uniform            bool  // whether the program has one metric for all walkers
	tempered           bool  // whether the program reads β
	Numbered           bool  // whether the program reads the number of the walker
	chained            bool  // whether the program reads the number of the chain
	UsesAnchors        bool  // whether gradients have control variates
	Swaps              bool  // whether the program exchanges rungs
	JumpsOnDevice      bool  // whether the program jumps between modes
	discontinuityMoves int   // number of Metropolis steps before a trajectory, see dynamics.DiscontinuityMove
	Records            int   // number of trajectories that the program records, see dynamics.Recorded
	Traits             dynamics.Traits
	Batches            dynamics.Batches
	Seed               uint64
	rows               RowReader // nil if every step reads all rows
	Placed             int       // number of times that all lanes were placed

	Saved        []string // lane buffers that a checkpoint holds
	SavedNumbers int      // number of values in them, over all lanes

	// perStep is the measured time of a step. It determines how trajectories are split into calls, never their results.
	perStep    time.Duration
	WholeCalls bool // trajectories are not split

	moved  []int                // buffer for the lanes that change rungs
	Calls  []device.Call        // buffer for the calls to run
	views  map[string][]float64 // memory of View, for each lane buffer
	record Record               // memory of Seen
	number [1]float64           // buffer for the number being set
}

// Numbers of Metropolis steps across discontinuities before a trajectory.
const (
	movesOfEach = 20 // for each coordinate
	mostMoves   = 80 // maximum in total
)

// A RowReader prepares the data that walkers read if a step does not read all rows.
type RowReader interface {
	BeforeTrajectory() // called before a trajectory of all walkers
	// BeforePlace is called before all walkers are placed at these positions.
	BeforePlace(at [][]float64)
	// Run runs calls of the device on the lanes of mask (nil: all).
	Run(ctx context.Context, calls []device.Call, mask []bool) error
	Inputs() []string // lane buffers to which rows are copied
}

// callTime is the target time of one call of the device, short enough for quick reactions to Ctrl-C and for progress.
const callTime = 50 * time.Millisecond

// A program is a compiled program with the lane buffers that carry over from one iteration to the next.
type program struct {
	device.Loader
	lasting []string
}

func newWalkers(s *Phase, program program, exe device.Executable, p *Lineup) *Walkers {
	w := &Walkers{Lineup: p, Exe: exe, program: program, Chains: s.Options.Chains, Dim: s.Target.Dim(),
		uniform: s.System.OneMetric(), tempered: s.System.Path != dynamics.Plain, Numbered: s.System.Batches.Size > 0,
		UsesAnchors: s.System.Batches.Size > 0 && s.System.Batches.Anchored, Traits: s.Rule.Traits(),
		Batches: s.System.Batches, Seed: s.Options.Seed, WholeCalls: s.Options.WholeCalls}
	w.Records, w.Swaps = rowsOf(program, dynamics.Accept), rowsOf(program, dynamics.Rung) > 0
	w.JumpsOnDevice = rowsOf(program, dynamics.Jumped) > 0
	w.discontinuityMoves = min(movesOfEach*len(s.System.Discontinuities), mostMoves)
	w.chained = w.Numbered && s.Blocks == nil || w.Swaps
	w.findLanes()
	return w
}

// rowsOf returns the number of rows in which a program records a buffer, or 0.
func rowsOf(program device.Loader, name string) int {
	for _, b := range program.Buffers() {
		if b.Name == dynamics.RecordOf(name) {
			return b.Size
		}
	}
	return 0
}

// Lanes returns the number of walkers.
func (w *Walkers) Lanes() int { return w.Chains * w.PerChain }

// LaneAt returns the lane of a chain that is on a rung.
func (w *Walkers) LaneAt(chain, rung int) int { return w.laneOf[chain*len(w.Rungs)+rung] }

// Cold returns the lane of a chain at T = 1, the first if there are several.
func (w *Walkers) Cold(chain int) int { return w.LaneAt(chain, 0) }

// Hottest returns the temperature of the last rung.
func (w *Walkers) Hottest() float64 { return 1 / w.Rungs[len(w.Rungs)-1].Beta }

// Betas returns the inverse temperatures of the ladder.
func (w *Walkers) Betas() []float64 {
	var out []float64
	for _, g := range w.Rungs {
		out = append(out, g.Beta)
	}
	return out
}

// MedianOfSteps returns the median of the rungs' steps.
func (w *Walkers) MedianOfSteps() float64 {
	var steps []float64
	for _, r := range w.Rungs {
		steps = append(steps, r.Step)
	}
	return Median(steps, Ones(len(steps)))
}

// findLanes sets laneOf to the inverse of RungOf.
func (w *Walkers) findLanes() {
	w.laneOf = make([]int, w.Chains*len(w.Rungs))
	for lane := w.Lanes() - 1; lane >= 0; lane-- {
		w.Put(lane, w.RungOf[lane])
	}
}

// Put records that a lane is on a rung.
func (w *Walkers) Put(lane, rung int) {
	w.RungOf[lane], w.laneOf[lane/w.PerChain*len(w.Rungs)+rung] = rung, lane
}

// ExchangeRungs swaps the rungs of pairs of lanes, each within one chain, together with the carried lane buffers of
// size 1 and the parameters that the host writes. Positions stay.
func (w *Walkers) ExchangeRungs(pairs [][2]int, carried []string) {
	if len(pairs) == 0 {
		return
	}
	w.moved = w.moved[:0]
	for _, p := range pairs {
		from, to := w.RungOf[p[0]], w.RungOf[p[1]]
		w.Put(p[0], to)
		w.Put(p[1], from)
		if !w.Rungs[from].Metric.Is(w.Rungs[to].Metric) {
			w.writeMetric(p[0])
			w.writeMetric(p[1])
		}
		w.moved = append(w.moved, p[0], p[1])
	}
	for _, name := range carried {
		all := w.View(name)
		for _, p := range pairs {
			all[p[0]], all[p[1]] = all[p[1]], all[p[0]]
		}
		w.Exe.Set(name, all)
	}
	w.writeNumbers(w.moved)
}

// WriteAllRungs writes the parameters of its rung to every lane.
func (w *Walkers) WriteAllRungs() {
	if w.uniform {
		dynamics.ShareMetric(w.Exe, w.Rungs[0].Metric)
	} else {
		for lane := range w.Lanes() {
			w.writeMetric(lane)
		}
	}
	w.writeNumbers(adapt.AllOf(w.Lanes()))
	if w.Swaps {
		w.writeLadder()
	}
}

// writeLadder writes the rungs to the tables of a program that exchanges them.
func (w *Walkers) writeLadder() {
	rungs := make([]dynamics.LadderRung, len(w.Rungs))
	for j, r := range w.Rungs {
		rungs[j] = dynamics.LadderRung{Beta: r.Beta, Step: r.Step, Friction: r.Friction, Metric: r.Metric}
	}
	dynamics.WriteLadder(w.Exe, w.Traits, rungs)
}

func (w *Walkers) writeMetric(lane int) {
	dynamics.SetMetric(w.Exe, lane, w.Rungs[w.RungOf[lane]].Metric)
}

// writeNumbers writes the scalar parameters of their rungs to some lanes.
func (w *Walkers) writeNumbers(lanes []int) {
	write := func(name string, of func(r *Rung) float64) {
		all := w.View(name)
		for _, lane := range lanes {
			all[lane] = of(&w.Rungs[w.RungOf[lane]])
		}
		w.Exe.Set(name, all)
	}
	write(dynamics.StepSize, func(r *Rung) float64 { return r.Step })
	if w.tempered {
		write(dynamics.Beta, func(r *Rung) float64 { return r.Beta })
	}
	if w.Traits.Friction {
		write(dynamics.Friction, func(r *Rung) float64 { return r.Friction })
	}
	if w.Traits.Corrected {
		write(dynamics.Cool, func(*Rung) float64 { return 1 })
	}
	if w.UsesAnchors {
		write(dynamics.AnchorShare, func(r *Rung) float64 {
			return OneIf(r.Noises.Anchored.Worst < r.Noises.Plain.Worst)
		})
	}
}

// NumberLanes writes the numbers of walkers and chains, which are keys of the noise of minibatches and swaps.
func (w *Walkers) NumberLanes() {
	for lane := range w.Lanes() {
		if w.Numbered {
			w.Set(dynamics.Walker, lane, float64(lane))
		}
		if w.chained {
			w.Set(dynamics.Chain, lane, float64(lane/w.PerChain))
		}
	}
}

// Set writes the element of one lane of a lane buffer of size 1.
func (w *Walkers) Set(name string, lane int, value float64) {
	w.number[0] = value
	w.Exe.SetLane(name, lane, w.number[:])
}

// Get reads a lane buffer of size 1.
func (w *Walkers) Get(name string, lane int) float64 {
	w.Exe.GetLane(name, lane, w.number[:])
	return w.number[0]
}

// SetAll writes one number to a lane buffer of size 1, on all lanes.
func (w *Walkers) SetAll(name string, value float64) {
	w.Exe.Set(name, slices.Repeat([]float64{value}, w.Lanes()))
}

// GiveAll writes a given buffer of size 1.
func (w *Walkers) GiveAll(name string, value float64) {
	w.number[0] = value
	w.Exe.Set(name, w.number[:])
}

// Thermostated reports whether the rule has a thermostat, which belongs to the rung.
func (w *Walkers) Thermostated() bool { return slices.Contains(w.Traits.Carried, dynamics.Thermostat) }

// Trajectory runs one trajectory of every walker, in calls that are short enough to allow interruption between them.
// The last call also runs the entries then.
func (w *Walkers) Trajectory(ctx context.Context, steps int, then ...device.Call) error {
	if w.rows != nil {
		w.rows.BeforeTrajectory()
	}
	w.Calls = w.begin(w.Calls[:0])
	for left := steps; ; {
		n := min(left, w.StepsPerCall())
		left -= n
		w.Calls = append(w.Calls, device.Call{Entry: "step", Times: n})
		if left == 0 {
			w.Calls = append(append(w.Calls, device.Call{Entry: "end", Times: 1}), then...)
		}
		if err := w.RunTimed(ctx, w.Calls, n); err != nil {
			return err
		}
		if left == 0 {
			return nil
		}
		w.Calls = w.Calls[:0]
	}
}

// begin appends the calls before the steps of a trajectory.
func (w *Walkers) begin(calls []device.Call) []device.Call {
	if w.discontinuityMoves > 0 {
		calls = append(calls, device.Call{Entry: dynamics.DiscontinuityMove, Times: w.discontinuityMoves})
	}
	return append(calls, device.Call{Entry: "begin", Times: 1})
}

// StepsPerCall returns the number of steps that fit into the time limit of one call.
func (w *Walkers) StepsPerCall() int {
	if w.WholeCalls {
		return math.MaxInt
	}
	if w.perStep == 0 {
		return 1
	}
	return int(max(1, min(callTime/w.perStep, 1<<20)))
}

// RunTimed runs calls that contain n steps, and updates the measured time of a step.
func (w *Walkers) RunTimed(ctx context.Context, calls []device.Call, n int) error {
	began := time.Now()
	if err := w.Execute(ctx, calls, nil); err != nil {
		return err
	}
	took := max(time.Since(began)/time.Duration(n), 1)
	if w.perStep == 0 {
		w.perStep = took
	}
	w.perStep = (3*w.perStep + took) / 4
	w.Gradients += int64(n) * int64(w.Lanes())
	return nil
}

// RunEntry runs one entry once on the lanes of mask (nil: all).
func (w *Walkers) RunEntry(ctx context.Context, name string, mask []bool) error {
	w.Calls = append(w.Calls[:0], device.Call{Entry: name, Times: 1})
	return w.Execute(ctx, w.Calls, mask)
}

// Execute runs calls on the lanes of mask (nil: all), with the rows that they read.
func (w *Walkers) Execute(ctx context.Context, calls []device.Call, mask []bool) error {
	if w.rows != nil {
		return w.rows.Run(ctx, calls, mask)
	}
	return w.CallDevice(ctx, calls, mask)
}

// CallDevice runs one call of the device.
func (w *Walkers) CallDevice(ctx context.Context, calls []device.Call, mask []bool) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	next, err := w.Exe.Run(calls, w.NoiseStep, mask)
	w.NoiseStep = next
	return err
}

// Read copies a lane buffer to dst, which is replaced if it has another size.
func (w *Walkers) Read(name string, dst []float64) []float64 {
	n := w.Lanes() * w.Exe.Size(name)
	if len(dst) != n {
		dst = make([]float64, n)
	}
	w.Exe.Get(name, dst)
	return dst
}

// View returns a copy of a lane buffer. The next view of the same buffer overwrites it.
func (w *Walkers) View(name string) []float64 {
	if w.views == nil {
		w.views = map[string][]float64{}
	}
	now, ok := w.views[name]
	if !ok {
		now = make([]float64, w.Lanes()*w.Exe.Size(name))
		w.views[name] = now
	}
	w.Exe.Get(name, now)
	return now
}

// Positions returns a copy of θ of every lane.
func (w *Walkers) Positions() [][]float64 {
	return Split(w.Read(dynamics.Theta, nil), w.Dim)
}

// Slopes computes ∇log π_β at every walker.
func (w *Walkers) Slopes(ctx context.Context) ([][]float64, error) {
	if err := w.RunEntry(ctx, dynamics.Gradient, nil); err != nil {
		return nil, err
	}
	w.Gradients += int64(w.Lanes())
	return Split(w.Read(dynamics.Gradient, nil), w.Dim), nil
}

// Place sets θ of every lane and runs the entry "start". It returns the lanes at which the density is not finite.
func (w *Walkers) Place(ctx context.Context, at [][]float64) (bad []int, err error) {
	if err := w.startAt(ctx, at); err != nil {
		return nil, err
	}
	for lane, u := range w.LogDensities() {
		if math.IsNaN(u) || math.IsInf(u, 0) {
			bad = append(bad, lane)
		}
	}
	return bad, nil
}

// startAt is Place without the check of the density.
func (w *Walkers) startAt(ctx context.Context, at [][]float64) error {
	for lane, x := range at {
		w.Exe.SetLane(dynamics.Theta, lane, x)
	}
	if w.rows != nil {
		w.rows.BeforePlace(at)
	}
	w.Placed++
	return w.RunEntry(ctx, "start", nil)
}

// LogDensities returns log ρ + log ℓ of every walker, as last computed.
func (w *Walkers) LogDensities() []float64 {
	density := w.Read(dynamics.LogPrior, nil)
	for lane, l := range w.Read(dynamics.LogLik, nil) {
		density[lane] += l
	}
	return density
}
