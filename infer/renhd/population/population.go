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

// A Population holds the walkers of all chains in the current phase of a run. Parts of the run read the walkers'
// positions, evaluate the target elsewhere, move walkers by trajectories, and change their program: to other
// coordinates, another metric, or other rungs.
type Population struct {
	*Walkers // walkers on the device; nil before the first program is loaded
	Kept
	Ctx   context.Context
	Phase Phase
	Blank bool // programs compute nothing, because finished parts of warm-up are replayed

	// ReadRows returns the RowReader for walkers. fresh is true if they have no positions yet. ReadRows may be nil.
	ReadRows func(w *Walkers, fresh bool) RowReader
}

// Kept is the state of a population in a checkpoint, without the lane buffers of its device.
type Kept struct {
	Roster     *Lineup
	Iterations int     // number of iterations so far, of warm-up and sampling together
	MedianStep float64 // median step of the walkers at temperature 1
	Length     float64 // length of hmc's trajectories, in quarter periods
	// Reference is the reference for images, in the model's coordinates; if it is empty, walkers may be in any image.
	Reference symmetry.Reference
	Centring  types.Centring // centring of effects; nil: all are as in the model
	// Discontinuities are coordinates in which the density jumps, if Metropolis steps move them.
	Discontinuities []dynamics.Discontinuity

	// Properties of the phase in which draws are collected.
	Path     dynamics.Path
	Anchored bool      // whether gradients have control variates
	Batch    int       // size of minibatches, if warm-up chose it
	Always   []float64 // rows in every minibatch
}

// New returns a population without walkers.
func New(ctx context.Context, first Phase) *Population {
	return &Population{Ctx: ctx, Phase: first, Kept: Kept{Length: 1}}
}

// Name returns the name of the state in checkpoints.
func (p *Population) Name() string { return "population" }

// State returns the state that checkpoints store.
func (p *Population) State() any { return &p.Kept }

// populationDecisions are the values of a population that warm-up reads between two parts.
type populationDecisions struct {
	Betas      []float64
	Iterations int
}

// Decisions returns the values that warm-up reads between two parts.
func (p *Population) Decisions() any { return populationDecisions{p.Betas(), p.Iterations} }

// Decide restores the values that Decisions returned when a checkpoint was taken.
func (p *Population) Decide(decode func(any) error) error {
	var d populationDecisions
	if err := decode(&d); err != nil {
		return err
	}
	if len(d.Betas) != len(p.Rungs) {
		return fmt.Errorf("the checkpoint does not match this run: it has %d rungs instead of %d; start a new run",
			len(d.Betas), len(p.Rungs))
	}
	for j, b := range d.Betas {
		p.Rungs[j].Beta = b
	}
	p.Iterations = d.Iterations
	return nil
}

// Numbers returns the approximate number of float64 values in a checkpoint of the state.
func (s *Kept) Numbers() (n int) {
	for _, g := range s.Roster.Rungs {
		n += len(g.Metric.Factor) + len(g.Metric.Scale) + len(g.Metric.Vectors) + len(g.Metric.Stretch)
	}
	return n
}

// follow replaces the population's walkers by w, with a reader of rows if one is needed. fresh is true if w has no
// positions yet.
func (p *Population) follow(w *Walkers, fresh bool) {
	p.Walkers = w
	if p.ReadRows != nil {
		w.rows = p.ReadRows(w, fresh)
	}
	w.chooseSaved()
}

// Reload restores the walkers from the state and the lane buffers of a checkpoint. It uses the program of the current
// phase, unless metric or coordinates differ.
func (p *Population) Reload(lanes device.Snapshot) error {
	if then, now := p.Roster.Rungs[0].Metric.Dim, p.Phase.Target.Dim(); then != now {
		return infer.Refusal{Cause: fmt.Errorf("the checkpoint does not match the model: it has %d unconstrained "+
			"parameters, and the model has %d; start a new run", then, now)}
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
		debug.FreeOSMemory() // after a replay, garbage may be as large as the next program
	}
	exe, err := p.loadDevice(program, p.Phase.Options.Chains*p.Roster.PerChain)
	if err != nil {
		return err
	}
	p.follow(newWalkers(&p.Phase, program, exe, p.Roster), false)
	p.WriteAllRungs()
	if err := device.Restore(exe, p.Lanes(), lanes); err != nil {
		return fmt.Errorf("the checkpoint does not match this run: %w; start a new run", err)
	}
	return nil
}

// loaded returns the current program, or an empty one before the first is loaded.
func (p *Population) loaded() program {
	if p.Walkers == nil {
		return program{}
	}
	return p.program
}

// TakeDrawingPhase sets the phase to that of a checkpoint that was taken while draws were collected.
func (p *Population) TakeDrawingPhase() {
	if p.Batch > 0 {
		p.Phase = p.Phase.InBatches(p.Batch)
	}
	p.Phase = p.Phase.OnPath(p.Path).WithControls(p.Anchored).WithAlways(p.Always)
}

// Load compiles the system and opens perChain walkers for each chain, distributed over rungs with these inverse
// temperatures.
func (p *Population) Load(betas []float64, perChain int) error {
	program, err := p.Phase.compile()
	if err != nil {
		return err
	}
	return p.open(program, p.Phase.newRungs(betas), perChain)
}

// Reopen opens perChain walkers for each chain in the current program.
func (p *Population) Reopen(rungs []Rung, perChain int) error {
	return p.open(p.program, rungs, perChain)
}

// open loads a program for walkers that are distributed over the rungs. Noise steps and counts continue those of the
// previous walkers.
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

// Close frees the memory of the current program, which may hold a copy of all rows. Call it before another one is
// loaded.
func (p *Population) Close() {
	if p.Walkers != nil && p.Exe != nil {
		_ = p.Exe.Close() // no result depends on it any more
		p.Exe = nil
	}
}

// Disperse places every walker at a separate starting point of finite density.
func (p *Population) Disperse() error {
	o, lanes := p.Phase.Options, p.Lanes()
	start := func(walker int) []float64 { return o.StartOf(p.Phase.Target, lanes, walker) }
	return infer.Disperse(lanes, start, func(at [][]float64) ([]int, error) {
		return p.Place(p.Ctx, at)
	})
}

// MoveFrom places each walker at an earlier position of a walker of the same chain. at holds the earlier positions,
// perChain for each chain; from returns the index of the earlier walker within the chain.
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

// ChangeProgram compiles the program for the current system, and places the walkers at the given positions.
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

// loadDevice loads a program for a number of lanes. While finished parts are replayed, it returns a device that
// computes nothing.
func (p *Population) loadDevice(program program, lanes int) (device.Executable, error) {
	if p.Blank {
		return newReplayDevice(program, lanes), nil
	}
	o := p.Phase.Options
	return program.Load(device.Options{Lanes: lanes, Group: lanes / o.Chains, Seed: o.Seed, Threads: o.Threads})
}

// Heights returns the log densities of the target at positions. Afterwards the walkers have their previous positions
// and noise step.
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

// LowestBetween returns the lowest log density on each line from the position with index from to those with indices to.
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

// OnLine returns the point (1 − u)·from + u·to.
func OnLine(from, to []float64, u float64) []float64 {
	x := make([]float64, len(from))
	for j := range x {
		x[j] = (1-u)*from[j] + u*to[j]
	}
	return x
}

// Aside calls do with all walkers at temperature 1, and then restores their state. do may move them.
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

// MoveAt moves every walker by one trajectory at a temperature T. Steps in whitened coordinates grow with √T.
func (p *Population) MoveAt(temperature float64) error {
	w := p.Walkers
	for lane, at := range w.RungOf {
		w.Set(dynamics.StepSize, lane, w.Rungs[at].Step*math.Sqrt(temperature))
		w.Set(dynamics.Cool, lane, 1/temperature)
	}
	return w.Trajectory(p.Ctx, p.Steps(MaxSteps))
}

// Surveyors returns walkers on many lanes, to evaluate thousands of points: a call of the device with few lanes takes
// about as long.
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

// EvaluateSlopes is Evaluate with gradients.
func (p *Population) EvaluateSlopes(at [][]float64) (density []float64, gradient [][]float64, err error) {
	return p.Evaluate(at, true)
}

// Evaluate returns the log density and, if slopes is true, the gradient of the target at points. It evaluates them in
// groups of one for each lane, and moves the walkers.
func (p *Population) Evaluate(at [][]float64, slopes bool) (density []float64, gradient [][]float64, err error) {
	return p.Walkers.Evaluate(p.Ctx, at, slopes)
}

// Evaluate is Population.Evaluate for these walkers.
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

// Excess returns for each walker the highest log density on its rung minus its own. It is infinite on rungs with fewer
// than three walkers.
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

// AsTheModel returns positions in the model's coordinates.
func (p *Population) AsTheModel(positions [][]float64) [][]float64 {
	if p.Centring == nil || len(positions) == 0 {
		return positions
	}
	return converted(p.Phase.Target.(infer.Recentrable), positions, nil)
}

// converted returns positions of a target in the coordinates of the centring c.
func converted(of infer.Recentrable, positions [][]float64, c types.Centring) [][]float64 {
	e, out := infer.NewEffects(of), make([][]float64, len(positions))
	for k, x := range positions {
		out[k] = e.Converted(x, c)
	}
	return out
}

// KnownBefore returns points in modes that a previous run has found, in the current coordinates.
func (p *Population) KnownBefore() [][]float64 {
	known, target := p.Phase.Options.Known, p.Phase.Recentrable()
	if p.Centring == nil || target == nil || len(known) == 0 {
		return known
	}
	return converted(target.Recentred(nil), known, p.Centring)
}

// ShortestWarmup is the number of iterations of warm-up below which the report warns that it was too short.
const ShortestWarmup = 100
