package renhd

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

// A population is the walkers of all chains in the present phase of a run. Parts of the run read where walkers are,
// evaluate the target elsewhere, move walkers by trajectories, and let them continue in another program: in other
// coordinates, with another metric, on other rungs.
type population struct {
	*walkers // on the device; nil before the first program is loaded
	populationState
	ctx   context.Context
	phase phase
	blank bool // programs compute nothing: finished parts of warm-up are replayed

	// readRows makes the reader of rows of walkers; fresh, if they have no positions yet. May be nil.
	readRows func(w *walkers, fresh bool) rowReader
}

// populationState is what checkpoints keep of a population, besides the lane buffers of its device.
type populationState struct {
	Roster          *roster
	Iterations      int                // of all walkers, warm-up and sampling together
	MedianStep      float64            // of the walkers at temperature 1
	Length          float64            // of hmc's trajectories, in quarter periods
	Reference       symmetry.Reference // of images, in the coordinates of the model; empty: walkers are anywhere
	Centring        types.Centring     // of effects that are not centred as the model says; nil while all are
	Discontinuities []dynamics.Jump    // coordinates in which the density jumps, if Metropolis steps move these

	// What the phase is in which draws are collected.
	Path     dynamics.Path
	Anchored bool // gradients have control variates
	Batch    int  // rows of a minibatch, if warm-up chose them
}

// newPopulation has no walkers yet.
func newPopulation(ctx context.Context, first phase) *population {
	return &population{ctx: ctx, phase: first, populationState: populationState{Length: 1}}
}

// Name implements owner.
func (p *population) Name() string { return "population" }

// State implements owner.
func (p *population) State() any { return &p.populationState }

// populationDecisions are what warm-up reads of a population between two parts.
type populationDecisions struct {
	Betas      []float64
	Iterations int
}

// Decisions implements decider.
func (p *population) Decisions() any { return populationDecisions{p.betas(), p.Iterations} }

// Decide implements decider.
func (p *population) Decide(decode func(any) error) error {
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
func (s *populationState) Numbers() (n int) {
	for _, g := range s.Roster.Rungs {
		n += len(g.Metric.Factor) + len(g.Metric.Scale) + len(g.Metric.Vectors) + len(g.Metric.Stretch)
	}
	return n
}

// follow makes w the walkers of the population.
func (p *population) follow(w *walkers, fresh bool) {
	if p.walkers = w; p.readRows != nil {
		w.rows = p.readRows(w, fresh)
	}
	w.chooseSaved()
}

// reload puts the walkers where their state, which was read from a checkpoint, and the buffers of their lanes say. The
// program is that of the present phase, unless metric or coordinates are others.
func (p *population) reload(lanes device.Snapshot) error {
	p.close()
	program, form := p.loaded(), p.Roster.Rungs[0].Metric
	if form.Rank != p.phase.system.Metric.Rank || !p.phase.centredBy(p.Centring) ||
		!slices.Equal(p.phase.system.Jumps, p.Discontinuities) || program.Loader == nil {
		p.phase = p.phase.inForm(form).across(p.Discontinuities).inCoordinates(p.Centring)
		var err error
		if program, err = p.phase.compile(); err != nil {
			return err
		}
	}
	p.walkers = nil
	if p.phase.blocks != nil {
		debug.FreeOSMemory() // what a replay leaves behind is as large as the program that comes now
	}
	exe, err := p.loadDevice(program, p.phase.options.Chains*p.Roster.PerChain)
	if err != nil {
		return err
	}
	p.follow(newWalkers(&p.phase, program, exe, p.Roster), false)
	p.writeAllRungs()
	if err := device.Restore(exe, p.lanes(), lanes); err != nil {
		return fmt.Errorf("the checkpoint does not fit: %w", err)
	}
	return nil
}

// loaded is the program that runs; none before the first is loaded.
func (p *population) loaded() program {
	if p.walkers == nil {
		return program{}
	}
	return p.program
}

// takeDrawingPhase makes the phase that in which draws were collected at a checkpoint, from which the state was read.
func (p *population) takeDrawingPhase() {
	if p.Batch > 0 {
		p.phase = p.phase.inBatches(p.Batch)
	}
	p.phase = p.phase.onPath(p.Path).withControls(p.Anchored)
}

// load compiles the system and opens perChain walkers for each chain, in turn on rungs of these inverse temperatures.
func (p *population) load(betas []float64, perChain int) error {
	program, err := p.phase.compile()
	if err != nil {
		return err
	}
	return p.open(program, p.phase.newRungs(betas), perChain)
}

// reopen opens perChain walkers for each chain in the program that runs.
func (p *population) reopen(rungs []rung, perChain int) error {
	return p.open(p.program, rungs, perChain)
}

// open loads a program for walkers in turn on the rungs. Noise steps and counts continue those of the walkers before.
func (p *population) open(program program, rungs []rung, perChain int) error {
	lanes := p.phase.options.Chains * perChain
	p.close()
	exe, err := p.loadDevice(program, lanes)
	if err != nil {
		return err
	}
	to := &roster{PerChain: perChain, Rungs: rungs, RungOf: make([]int, lanes)}
	for lane := range to.RungOf {
		to.RungOf[lane] = lane % perChain % len(rungs)
	}
	w := newWalkers(&p.phase, program, exe, to)
	if old := p.walkers; old != nil {
		to.NoiseStep, to.Gradients, w.perStep = old.NoiseStep, old.Gradients, old.perStep*2
	}
	p.Roster = to
	p.follow(w, true)
	w.numberLanes()
	w.writeAllRungs()
	return nil
}

// close gives back the memory of the program that runs, which may hold a copy of all rows: before there is another one.
func (p *population) close() {
	if p.walkers != nil && p.exe != nil {
		_ = p.exe.Close() // no result depends on it any more
		p.exe = nil
	}
}

// disperse places every walker at a start of its own where the density is finite.
func (p *population) disperse() error {
	o, lanes := p.phase.options, p.lanes()
	start := func(walker int) []float64 { return o.StartOf(p.phase.target, lanes, walker) }
	return infer.Disperse(lanes, start, func(at [][]float64) ([]int, error) {
		return p.place(p.ctx, at)
	})
}

// moveFrom places each walker of a chain where a walker of that chain was, of perChain then; from says which.
func (p *population) moveFrom(at [][]float64, perChain int, from func(walker int) int) error {
	var to [][]float64
	for chain := range p.chains {
		for walker := range p.PerChain {
			to = append(to, at[chain*perChain+from(walker)])
		}
	}
	_, err := p.place(p.ctx, to)
	return err
}

// changeProgram compiles the program for the system as it is now, and lets the walkers go on in it from positions.
func (p *population) changeProgram(at [][]float64) error {
	old := p.walkers
	program, err := p.phase.compile()
	if err != nil {
		return err
	}
	p.close()
	exe, err := p.loadDevice(program, old.lanes())
	if err != nil {
		return err
	}
	p.follow(newWalkers(&p.phase, program, exe, old.roster), false)
	p.perStep = old.perStep
	p.numberLanes()
	p.writeAllRungs()
	_, err = p.place(p.ctx, at)
	return err
}

// loadDevice loads a program for lanes: on a blank device while finished parts are replayed.
func (p *population) loadDevice(program program, lanes int) (device.Executable, error) {
	if p.blank {
		return newReplayDevice(program, lanes), nil
	}
	o := p.phase.options
	return program.Load(device.Options{Lanes: lanes, Group: lanes / o.Chains, Seed: o.Seed, Threads: o.Threads})
}

// heights are the log densities of the target at positions. Walkers and their noise stay as they are.
func (p *population) heights(at [][]float64) ([]float64, error) {
	w := p.walkers
	here, clock := w.positions(), w.NoiseStep
	out := make([]float64, 0, len(at))
	for len(out) < len(at) {
		there := w.positions()
		n := copy(there, at[len(out):])
		if _, err := w.place(p.ctx, there); err != nil {
			return nil, err
		}
		out = append(out, w.logDensities()[:n]...)
	}
	_, err := w.place(p.ctx, here)
	w.NoiseStep = clock
	return out, err
}

// lowestBetween is the least log density at points on the lines from a place to others.
func (p *population) lowestBetween(at [][]float64, from int, to []int) ([]float64, error) {
	const points = 16
	var between [][]float64
	for _, i := range to {
		for k := range points {
			between = append(between, onLine(at[from], at[i], (float64(k)+0.5)/points))
		}
	}
	height, err := p.heights(between)
	lowest := make([]float64, len(to))
	for k := range lowest {
		lowest[k] = math.Inf(1)
		for _, h := range height[min(len(height), k*points):min(len(height), (k+1)*points)] {
			if lowest[k] = math.Min(lowest[k], h); math.IsNaN(h) {
				lowest[k] = math.Inf(-1)
			}
		}
	}
	return lowest, err
}

// onLine is a point on the line between two places: the first at u = 0 and the second at 1.
func onLine(from, to []float64, u float64) []float64 {
	x := make([]float64, len(from))
	for j := range x {
		x[j] = (1-u)*from[j] + u*to[j]
	}
	return x
}

// aside runs something that moves all walkers at temperature 1, and puts everything back to where it was.
func (p *population) aside(do func() error) error {
	w := p.walkers
	clock, all := w.NoiseStep, slices.Collect(device.Save(w.exe, w.lanes(), w.saved))
	if w.tempered {
		w.setAll(dynamics.Beta, 1)
	}
	err := do()
	w.NoiseStep = clock
	if err != nil {
		return err
	}
	return device.Restore(w.exe, w.lanes(), all)
}

// moveAt moves every walker by a trajectory at a temperature. In whitened coordinates steps may grow with its root.
func (p *population) moveAt(temperature float64) error {
	w := p.walkers
	for lane, at := range w.RungOf {
		w.set(dynamics.StepSize, lane, w.Rungs[at].Step*math.Sqrt(temperature))
		w.set(dynamics.Cool, lane, 1/temperature)
	}
	return w.trajectory(p.ctx, p.steps(maxSteps))
}

// surveyors are walkers on many lanes, for points by the thousand: a call of the device with few takes about as long.
func (p *population) surveyors(lanes int) (*walkers, error) {
	w := p.walkers
	to := &roster{PerChain: (lanes + w.chains - 1) / w.chains, Rungs: w.Rungs[:1]}
	exe, err := p.loadDevice(w.program, w.chains*to.PerChain)
	if err != nil {
		return nil, err
	}
	to.RungOf = make([]int, w.chains*to.PerChain)
	many := newWalkers(&p.phase, w.program, exe, to)
	many.writeAllRungs()
	return many, nil
}

func (p *population) evaluateSlopes(at [][]float64) (density []float64, gradient [][]float64, err error) {
	return p.evaluate(at, true)
}

// evaluate is log density and, where asked for, gradient of the target at points, on all lanes at a time. Walkers are
// moved.
func (p *population) evaluate(at [][]float64, slopes bool) (density []float64, gradient [][]float64, err error) {
	return p.walkers.evaluate(p.ctx, at, slopes)
}

func (w *walkers) evaluate(ctx context.Context, at [][]float64, slopes bool) (density []float64,
	gradient [][]float64, err error) {
	there := w.positions()
	for len(at) > 0 {
		n := copy(there, at)
		if err := w.startAt(ctx, there); err != nil {
			return nil, nil, err
		}
		density = append(density, w.logDensities()[:n]...)
		if slopes {
			g, err := w.gradients(ctx)
			if err != nil {
				return nil, nil, err
			}
			gradient = append(gradient, g[:n]...)
		}
		at = at[n:]
	}
	return density, gradient, nil
}

// excess is how far a walker's log density lies below the best of its rung: infinite for a walker that is alone there.
func (w *walkers) excess() []float64 {
	density := w.read(dynamics.LogPrior, nil)
	for lane, l := range w.read(dynamics.LogLik, nil) {
		density[lane] += w.Rungs[w.RungOf[lane]].Beta * l
	}
	best, count := make([]float64, len(w.Rungs)), make([]int, len(w.Rungs))
	for lane, r := range w.RungOf {
		if count[r]++; count[r] == 1 || density[lane] > best[r] {
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

// asTheModel are positions in the coordinates of the model.
func (p *population) asTheModel(positions [][]float64) [][]float64 {
	if p.Centring == nil || len(positions) == 0 {
		return positions
	}
	return converted(p.phase.target.(infer.Recentrable), positions, nil)
}

// converted are positions of a target in the coordinates that c makes.
func converted(of infer.Recentrable, positions [][]float64, c types.Centring) [][]float64 {
	e, out := infer.NewEffects(of), make([][]float64, len(positions))
	for k, x := range positions {
		out[k] = e.Converted(x, c)
	}
	return out
}

// knownBefore are the points in modes that a run before has found, in the coordinates that the run has now.
func (p *population) knownBefore() [][]float64 {
	known, target := p.phase.options.Known, p.phase.recentrable()
	if p.Centring == nil || target == nil || len(known) == 0 {
		return known
	}
	return converted(target.Recentred(nil), known, p.Centring)
}

// shortestWarmup are the iterations of warm-up below which the report says that it was too short.
const shortestWarmup = 100
