package nuts

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"

	"ppl/infer"
	"ppl/infer/adapt"
	"ppl/infer/dynamics"
	"ppl/infer/symmetry"
	"ppl/lang/types"
	"ppl/posterior/stats"
	"ppl/runtime/device"
)

// A run is one call of Sample.
type run struct {
	ctx      context.Context
	target   infer.Target
	named    infer.Target // target as it was given, which may know what its coordinates are
	bounded  []bool       // by coordinate; nil if it is not known
	options  infer.Options
	recorder infer.Recorder
	kept     infer.Statistics // of each draw
	rule     rule
	search   Search           // nil: none
	effects  *infer.Effects   // of target; nil until they are read for draws
	images   *symmetry.Images // of draws, by the target's symmetries; nil in warm-up, and where it has none

	exe    device.Executable
	chains []*chain
	states []float64 // the State of every lane, as the device left it
	mask   []bool
	values []float64

	state  state
	report infer.Report
}

// A state is what a run has decided and counted so far. With the chains at their last draws it is all that a checkpoint
// keeps.
type state struct {
	Window   int // of warm-up, the present one; one more than there are: sampling
	Metric   adapt.Metric
	Centring types.Centring // of the target's effects; nil: as the model says
	Clock    uint64         // the device's noise step
	Seen     windowSeen

	Divergence adapt.Divergence
	NoMean     []string // parameters whose tails are too heavy for a mean
	NoIntegral []string // those whose tails have no integral
	Careful    bool     // the acceptance goal is the higher one

	Missed []adapt.MissedMode // found in warm-up,
	Visits []int              // how many draws were in each,
	Looked int                // of that many

	Warmed, Drawn int              // iterations of all chains
	Depths, Steps int              // summed over them, after warm-up
	Taken         []int            // how many iterations each chain has made after warm-up
	Energies      []stats.Energies // by chain
	Since         []sinceDraw      // by chain
	Stuck         []bool           // by chain: its last trajectory hardly moved

	Monitor *symmetry.Monitor // nil in warm-up, and where the target has no symmetries
}

// sinceDraw is what a chain's trajectories have done since its last kept draw.
type sinceDraw struct {
	Accept              float64 // sum of their acceptance rates
	Trajectories, Steps int
	Diverged            bool
}

// windowSeen is what a window of warm-up has seen.
type windowSeen struct {
	Divergent, Late int           // trajectories in its second half,
	Stuck, Usual    int           // and those of them whose steps were no longer than those that are kept
	Visited         [][][]float64 // where each chain's trajectories ended
	Density         [][]float64   // log π there
	Points          adapt.Points  // what the metric is learned from
}

func (r *run) settings() infer.Settings { return r.options.Settings }

func (r *run) check() error {
	switch o := r.options; {
	case r.target.Dim() == 0:
		return errors.New("the model has no parameters to sample")
	case o.Chains < 1 || o.Draws < 1 || o.Warmup < 0:
		return fmt.Errorf("%d chains of %d draws after %d of warm-up: chains and draws must be at least 1, "+
			"warm-up at least 0",
			o.Chains, o.Draws, o.Warmup)
	}
	return infer.NeedAll(r.target, "nuts")
}

// limits end a trajectory: after that many doublings, or where the energy has become so much larger.
type limits struct {
	depth       int
	energyError float64
}

// Complete fills in what settings leave open and nothing chooses later. Trajectories end as those of Stan: after ten
// doublings, 1,023 steps.
func Complete(s infer.Settings) infer.Settings {
	s.Accept, s.Precision = cmp.Or(s.Accept, defaultAccept), cmp.Or(s.Precision, 64)
	s.MaxDepth, s.MaxEnergyError = cmp.Or(s.MaxDepth, 10), cmp.Or(s.MaxEnergyError, dynamics.MaxEnergyError)
	return s
}

func limitsOf(s infer.Settings) limits {
	s = Complete(s)
	return limits{s.MaxDepth, s.MaxEnergyError}
}

// open loads the program and places every chain at a start of its own, or where a checkpoint has it.
func (r *run) open(from *checkpoint) error {
	o, dim := r.options, r.target.Dim()
	r.state.Metric = adapt.First(o.Settings.Metric, dim)
	if from != nil {
		r.state, r.report = from.State, from.Report
	}
	if c := r.state.Centring; c != nil {
		r.target = r.recentrable().Recentred(c)
	}
	limits := limitsOf(o.Settings)
	for lane := range o.Chains {
		c := newChain(lane, dim, limits, o.Seed)
		c.rule = r.rule
		r.chains = append(r.chains, c)
	}
	if err := r.load(); err != nil {
		return err
	}
	r.states, r.mask = make([]float64, o.Chains*stateSize(dim)), make([]bool, o.Chains)
	if from != nil {
		return r.restore(from)
	}
	start := func(chain int) []float64 { return o.StartOf(r.target, o.Chains, chain) }
	return infer.Disperse(o.Chains, start, r.place)
}

// load compiles the program for the target in its present coordinates, and gives each chain a lane of it.
func (r *run) load() error {
	o := r.options
	program, err := o.Device.Compile(dynamics.Leapfrog(dynamics.System{Target: r.target, Metric: r.state.Metric}))
	if err != nil {
		return err
	}
	exe, err := program.Load(device.Options{Lanes: o.Chains, Seed: o.Seed, Threads: o.Threads})
	if err != nil {
		return err
	}
	r.close()
	r.exe = exe
	for _, c := range r.chains {
		c.exe = exe
	}
	dynamics.ShareMetric(exe, r.state.Metric)
	return nil
}

// reload loads the program for what has changed and places the chains.
func (r *run) reload(at [][]float64) error {
	if err := r.load(); err != nil {
		return err
	}
	_, err := r.place(at)
	return err
}

func (r *run) close() {
	if r.exe != nil {
		_ = r.exe.Close() // nothing on it is wanted any more
		r.exe = nil
	}
}

// place puts chains at positions and returns those from if there is no way to the target: where the density is not
// finite, or so steep that no step of ours is short enough.
func (r *run) place(at [][]float64) (bad []int, err error) {
	for lane, x := range at {
		r.exe.SetLane(dynamics.Theta, lane, x)
	}
	if err := r.call("start", nil); err != nil {
		return nil, err
	}
	for lane, c := range r.chains {
		state := r.stateOf(lane)
		copy(c.state(), state)
		if !(math.Abs(logPrior(state, c.dim)+logLik(state, c.dim)) <= math.MaxFloat64 &&
			steepness(state, c.dim) < steepest) {
			bad = append(bad, lane)
		}
	}
	return bad, nil
}

// steepest is where a chain cannot start: it would halve its energy with each trajectory, and not arrive within any
// warm-up.
const steepest = 1e20

// steepness returns the largest element of the gradient; NaN if one is.
func steepness(state []float64, dim int) (most float64) {
	for _, g := range gradient(state, dim) {
		most = math.Max(most, math.Abs(g))
	}
	return most
}

// call runs an entry once and reads the states it leaves.
func (r *run) call(entry string, mask []bool) error {
	if err := r.ctx.Err(); err != nil {
		return err
	}
	next, err := r.exe.Run([]device.Call{{Entry: entry, Times: 1}}, r.state.Clock, mask)
	if err != nil {
		return err
	}
	r.state.Clock = next
	r.exe.Get(dynamics.State, r.states)
	for lane := range r.chains {
		if mask == nil || mask[lane] {
			r.report.Gradients++
		}
	}
	return nil
}

// state is what a lane's State was after the last call.
func (r *run) stateOf(lane int) []float64 {
	n := stateSize(r.target.Dim())
	return r.states[lane*n : (lane+1)*n]
}

// iterate lets every chain make n trajectories and calls after as each is done, in the order in which they end.
func (r *run) iterate(n int, after func(c *chain) error) error {
	busy := 0
	for _, c := range r.chains {
		c.left = n
		if n > 0 {
			c.begin()
			busy++
		}
	}
	return r.goOn(busy, after)
}

// goOn lets chains that have begun a trajectory make those that are left.
func (r *run) goOn(busy int, after func(c *chain) error) error {
	for busy > 0 {
		if err := r.call("step", r.active(busy)); err != nil {
			return err
		}
		for lane, c := range r.chains {
			if c.left == 0 || !c.grow(r.stateOf(lane)) {
				continue
			}
			if err := after(c); err != nil {
				return err
			}
			c.left--
			if c.left > 0 {
				c.begin()
			} else {
				busy--
			}
		}
		if err := r.saveIfDue(); err != nil {
			return err
		}
	}
	return nil
}

// active masks the chains that are done; nil when none is.
func (r *run) active(busy int) []bool {
	if busy == len(r.chains) {
		return nil
	}
	for lane, c := range r.chains {
		r.mask[lane] = c.left > 0
	}
	return r.mask
}
