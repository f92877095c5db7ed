package population

import (
	"context"
	"fmt"
	"math"
	"runtime/debug"
	"slices"

	"ppl/infer"
	"ppl/infer/dynamics"
	"ppl/infer/symmetry"
	"ppl/lang/types"
	"ppl/runtime/device"
)

// A Population is the walkers of all chains in the present phase of a run. Parts of the run read where walkers are,
// evaluate the target elsewhere, move walkers by trajectories, and let them continue in another program: in other
// coordinates, with another metric, on other rungs.
type Population struct {
	*Walkers // on the device; nil before the first program is loaded
	Kept
	Ctx   context.Context
	Phase Phase
	Blank bool // programs compute nothing: finished parts of warm-up are replayed

	// readRows makes the reader of rows of walkers; fresh, if they have no positions yet. May be nil.
	ReadRows func(w *Walkers, fresh bool) RowReader
}

// Kept is the state of a population in a checkpoint, without the lane buffers of its device.
type Kept struct {
	Roster     *Lineup
	Iterations int                // of all walkers, warm-up and sampling together
	MedianStep float64            // of the walkers at temperature 1
	Length     float64            // of hmc's trajectories, in quarter periods
	Reference  symmetry.Reference // of images, in the coordinates of the model; empty: walkers are anywhere
	Centring   types.Centring     // of effects that are not centred as the model says; nil while all are
	// Discontinuities are coordinates in which the density jumps, if Metropolis steps move these.
	Discontinuities []dynamics.Discontinuity

	// What the phase is in which draws are collected.
	Path     dynamics.Path
	Anchored bool      // gradients have control variates
	Batch    int       // rows of a minibatch, if warm-up chose them
	Always   []float64 // rows that every minibatch has
}

// New has no walkers yet.
func New(ctx context.Context, first Phase) *Population {
	return &Population{Ctx: ctx, Phase: first, Kept: Kept{Length: 1}}
}

// Name implements owner.
func (p *Population) Name() string { return "population" }

// State implements owner.
func (p *Population) State() any { return &p.Kept }

// populationDecisions are what warm-up reads of a population between two parts.
type populationDecisions struct {
	Betas      []float64
	Iterations int
}

// Decisions implements decider.
func (p *Population) Decisions() any { return populationDecisions{p.Betas(), p.Iterations} }

// Decide implements decider.
func (p *Population) Decide(decode func(any) error) error {
	var d populationDecisions
	if err := decode(&d); err != nil {
		return err
	}
	if len(d.Betas) != len(p.Rungs) {
		return fmt.Errorf("the checkpoint does not fit: it has %d rungs instead of %d", len(d.Betas), len(p.Rungs))
	}
	for j, b := range d.Betas {
		p.Rungs[j].Beta = b
	}
	p.Iterations = d.Iterations
	return nil
}

// Numbers implements sized.
func (s *Kept) Numbers() (n int) {
	for _, g := range s.Roster.Rungs {
		n += len(g.Metric.Factor) + len(g.Metric.Scale) + len(g.Metric.Vectors) + len(g.Metric.Stretch)
	}
	return n
}

// follow replaces the population's walkers by w.
func (p *Population) follow(w *Walkers, fresh bool) {
	p.Walkers = w
	if p.ReadRows != nil {
		w.rows = p.ReadRows(w, fresh)
	}
	w.chooseSaved()
}

// Reload puts the walkers where their state, which was read from a checkpoint, and the buffers of their lanes say. The
// program is that of the present phase, unless metric or coordinates are others.
func (p *Population) Reload(lanes device.Snapshot) error {
	if then, now := p.Roster.Rungs[0].Metric.Dim, p.Phase.Target.Dim(); then != now {
		return infer.Refusal{Cause: fmt.Errorf("the checkpoint does not fit: it is that of a model with %d unknown "+
			"numbers, and this one has %d", then, now)}
	}
	p.Close()
	program, form := p.loaded(), p.Roster.Rungs[0].Metric
	if form.Rank != p.Phase.System.Metric.Rank || !p.Phase.CentredBy(p.Centring) ||
		!slices.Equal(p.Phase.System.Discontinuities, p.Discontinuities) || program.Loader == nil {
		p.Phase = p.Phase.InForm(form).Across(p.Discontinuities).InCoordinates(p.Centring)
		var err error
		if program, err = p.Phase.compile(); err != nil {
			return err
		}
	}
	p.Walkers = nil
	if p.Phase.Blocks != nil {
		debug.FreeOSMemory() // what a replay leaves behind is as large as the program that comes now
	}
	exe, err := p.loadDevice(program, p.Phase.Options.Chains*p.Roster.PerChain)
	if err != nil {
		return err
	}
	p.follow(newWalkers(&p.Phase, program, exe, p.Roster), false)
	p.WriteAllRungs()
	if err := device.Restore(exe, p.Lanes(), lanes); err != nil {
		return fmt.Errorf("the checkpoint does not fit: %w", err)
	}
	return nil
}

// loaded returns the current program; nil before the first is loaded.
func (p *Population) loaded() program {
	if p.Walkers == nil {
		return program{}
	}
	return p.program
}

// TakeDrawingPhase makes the phase that in which draws were collected at a checkpoint, from which the state was read.
func (p *Population) TakeDrawingPhase() {
	if p.Batch > 0 {
		p.Phase = p.Phase.InBatches(p.Batch)
	}
	p.Phase = p.Phase.OnPath(p.Path).WithControls(p.Anchored).WithAlways(p.Always)
}

// Load compiles the system and opens perChain walkers for each chain, in turn on rungs of these inverse temperatures.
func (p *Population) Load(betas []float64, perChain int) error {
	program, err := p.Phase.compile()
	if err != nil {
		return err
	}
	return p.open(program, p.Phase.newRungs(betas), perChain)
}

// Reopen opens perChain walkers for each chain in the program that runs.
func (p *Population) Reopen(rungs []Rung, perChain int) error {
	return p.open(p.program, rungs, perChain)
}

// open loads a program for walkers in turn on the rungs. Noise steps and counts continue those of the walkers before.
func (p *Population) open(program program, rungs []Rung, perChain int) error {
	lanes := p.Phase.Options.Chains * perChain
	p.Close()
	exe, err := p.loadDevice(program, lanes)
	if err != nil {
		return err
	}
	to := &Lineup{PerChain: perChain, Rungs: rungs, RungOf: make([]int, lanes)}
	for lane := range to.RungOf {
		to.RungOf[lane] = lane % perChain % len(rungs)
	}
	w := newWalkers(&p.Phase, program, exe, to)
	if old := p.Walkers; old != nil {
		to.NoiseStep, to.Gradients, w.perStep = old.NoiseStep, old.Gradients, old.perStep*2
	}
	p.Roster = to
	p.follow(w, true)
	w.NumberLanes()
	w.WriteAllRungs()
	return nil
}

// Close frees the memory of the current program, which may hold a copy of all rows, before another one is loaded.
func (p *Population) Close() {
	if p.Walkers != nil && p.Exe != nil {
		_ = p.Exe.Close() // no result depends on it any more
		p.Exe = nil
	}
}

// Disperse places every walker at a separate start at which the density is finite.
func (p *Population) Disperse() error {
	o, lanes := p.Phase.Options, p.Lanes()
	start := func(walker int) []float64 { return o.StartOf(p.Phase.Target, lanes, walker) }
	return infer.Disperse(lanes, start, func(at [][]float64) ([]int, error) {
		return p.Place(p.Ctx, at)
	})
}

// MoveFrom places each walker of a chain where a walker of that chain was, of perChain then; from says which.
func (p *Population) MoveFrom(at [][]float64, perChain int, from func(walker int) int) error {
	var to [][]float64
	for chain := range p.Chains {
		for walker := range p.PerChain {
			to = append(to, at[chain*perChain+from(walker)])
		}
	}
	_, err := p.Place(p.Ctx, to)
	return err
}

// ChangeProgram compiles the program for the system as it is now, and lets the walkers continue in it from positions.
func (p *Population) ChangeProgram(at [][]float64) error {
	old := p.Walkers
	program, err := p.Phase.compile()
	if err != nil {
		return err
	}
	p.Close()
	exe, err := p.loadDevice(program, old.Lanes())
	if err != nil {
		return err
	}
	p.follow(newWalkers(&p.Phase, program, exe, old.Lineup), false)
	p.perStep = old.perStep
	p.NumberLanes()
	p.WriteAllRungs()
	_, err = p.Place(p.Ctx, at)
	return err
}

// loadDevice loads a program for lanes: on a blank device while finished parts are replayed.
func (p *Population) loadDevice(program program, lanes int) (device.Executable, error) {
	if p.Blank {
		return newReplayDevice(program, lanes), nil
	}
	o := p.Phase.Options
	return program.Load(device.Options{Lanes: lanes, Group: lanes / o.Chains, Seed: o.Seed, Threads: o.Threads})
}

// Heights returns the log densities of the target at positions, without moving the walkers or advancing their noise.
func (p *Population) Heights(at [][]float64) ([]float64, error) {
	w := p.Walkers
	here, clock := w.Positions(), w.NoiseStep
	out := make([]float64, 0, len(at))
	for len(out) < len(at) {
		there := w.Positions()
		n := copy(there, at[len(out):])
		if _, err := w.Place(p.Ctx, there); err != nil {
			return nil, err
		}
		out = append(out, w.LogDensities()[:n]...)
	}
	_, err := w.Place(p.Ctx, here)
	w.NoiseStep = clock
	return out, err
}

// LowestBetween returns the least log density at points on the lines from a place to others.
func (p *Population) LowestBetween(at [][]float64, from int, to []int) ([]float64, error) {
	const points = 16
	var between [][]float64
	for _, i := range to {
		for k := range points {
			between = append(between, OnLine(at[from], at[i], (float64(k)+0.5)/points))
		}
	}
	height, err := p.Heights(between)
	lowest := make([]float64, len(to))
	for k := range lowest {
		lowest[k] = math.Inf(1)
		for _, h := range height[min(len(height), k*points):min(len(height), (k+1)*points)] {
			lowest[k] = math.Min(lowest[k], h)
			if math.IsNaN(h) {
				lowest[k] = math.Inf(-1)
			}
		}
	}
	return lowest, err
}

// OnLine returns a point on the line between two places: the first at u = 0 and the second at 1.
func OnLine(from, to []float64, u float64) []float64 {
	x := make([]float64, len(from))
	for j := range x {
		x[j] = (1-u)*from[j] + u*to[j]
	}
	return x
}

// Aside calls do, which may move all walkers at temperature 1, and then restores their state.
func (p *Population) Aside(do func() error) error {
	w := p.Walkers
	clock, all := w.NoiseStep, slices.Collect(device.Save(w.Exe, w.Lanes(), w.Saved))
	if w.tempered {
		w.SetAll(dynamics.Beta, 1)
	}
	err := do()
	w.NoiseStep = clock
	if err != nil {
		return err
	}
	return device.Restore(w.Exe, w.Lanes(), all)
}

// MoveAt moves every walker by a trajectory at a temperature. In whitened coordinates steps may grow with its root.
func (p *Population) MoveAt(temperature float64) error {
	w := p.Walkers
	for lane, at := range w.RungOf {
		w.Set(dynamics.StepSize, lane, w.Rungs[at].Step*math.Sqrt(temperature))
		w.Set(dynamics.Cool, lane, 1/temperature)
	}
	return w.Trajectory(p.Ctx, p.Steps(MaxSteps))
}

// Surveyors returns walkers on many lanes, for points by the thousand: a call of the device with few takes about as
// long.
func (p *Population) Surveyors(lanes int) (*Walkers, error) {
	w := p.Walkers
	to := &Lineup{PerChain: (lanes + w.Chains - 1) / w.Chains, Rungs: w.Rungs[:1]}
	exe, err := p.loadDevice(w.program, w.Chains*to.PerChain)
	if err != nil {
		return nil, err
	}
	to.RungOf = make([]int, w.Chains*to.PerChain)
	many := newWalkers(&p.Phase, w.program, exe, to)
	many.WriteAllRungs()
	return many, nil
}

func (p *Population) EvaluateSlopes(at [][]float64) (density []float64, gradient [][]float64, err error) {
	return p.Evaluate(at, true)
}

// Evaluate is log density and, where asked for, gradient of the target at points, on all lanes at a time. Walkers are
// moved.
func (p *Population) Evaluate(at [][]float64, slopes bool) (density []float64, gradient [][]float64, err error) {
	return p.Walkers.Evaluate(p.Ctx, at, slopes)
}

func (w *Walkers) Evaluate(ctx context.Context, at [][]float64, slopes bool) (density []float64,
	gradient [][]float64, err error) {
	there := w.Positions()
	for len(at) > 0 {
		n := copy(there, at)
		if err := w.startAt(ctx, there); err != nil {
			return nil, nil, err
		}
		density = append(density, w.LogDensities()[:n]...)
		if slopes {
			g, err := w.Slopes(ctx)
			if err != nil {
				return nil, nil, err
			}
			gradient = append(gradient, g[:n]...)
		}
		at = at[n:]
	}
	return density, gradient, nil
}

// Excess returns for each walker the difference between the best log density on its rung and its own; infinite if it
// is alone on the rung.
func (w *Walkers) Excess() []float64 {
	density := w.Read(dynamics.LogPrior, nil)
	for lane, l := range w.Read(dynamics.LogLik, nil) {
		density[lane] += w.Rungs[w.RungOf[lane]].Beta * l
	}
	best, count := make([]float64, len(w.Rungs)), make([]int, len(w.Rungs))
	for lane, r := range w.RungOf {
		count[r]++
		if count[r] == 1 || density[lane] > best[r] {
			best[r] = density[lane]
		}
	}
	for lane, r := range w.RungOf {
		density[lane] = best[r] - density[lane]
		if count[r] < 3 {
			density[lane] = math.Inf(1)
		}
	}
	return density
}

// AsTheModel returns positions in the coordinates of the model.
func (p *Population) AsTheModel(positions [][]float64) [][]float64 {
	if p.Centring == nil || len(positions) == 0 {
		return positions
	}
	return converted(p.Phase.Target.(infer.Recentrable), positions, nil)
}

// converted returns positions of a target in the coordinates that c makes.
func converted(of infer.Recentrable, positions [][]float64, c types.Centring) [][]float64 {
	e, out := infer.NewEffects(of), make([][]float64, len(positions))
	for k, x := range positions {
		out[k] = e.Converted(x, c)
	}
	return out
}

// KnownBefore returns the points in modes that a run before has found, in the coordinates that the run has now.
func (p *Population) KnownBefore() [][]float64 {
	known, target := p.Phase.Options.Known, p.Phase.Recentrable()
	if p.Centring == nil || target == nil || len(known) == 0 {
		return known
	}
	return converted(target.Recentred(nil), known, p.Centring)
}

// shortestWarmup are the iterations of warm-up below which the report says that it was too short.
const ShortestWarmup = 100
