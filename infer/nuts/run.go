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

// defaultAccept is the acceptance goal of Stan. If too many trajectories fail late in warm-up, the last window uses
// carefulAccept, as Stan advises its users to do after divergences. A divergent trajectory fails. A trajectory also
// fails if nearly all its points are rejected although its steps are no longer than the adapted one: chains seldom
// enter and leave such a region, and underestimate its mass and their own errors.
const (
	defaultAccept = 0.8
	carefulAccept = 0.95

	// fewDivergent is the highest acceptable share of divergent trajectories in the second half of the last window that
	// learns, fewStuck that of stuck trajectories among those with steps no longer than the adapted one.
	fewDivergent = 0.002
	fewStuck     = 0.003
)

// A run holds the state of one call of Sample.
type run struct {
	ctx      context.Context
	target   infer.Target
	named    infer.Target // the target as given, which may describe its coordinates
	bounded  []bool       // whether each coordinate is bounded; nil if unknown
	options  infer.Options
	recorder infer.Recorder
	kept     infer.Statistics // statistics stored with each draw
	faults   faults
	search   Search         // nil: no search
	effects  *infer.Effects // effects of target; nil until needed for draws
	// images computes images of draws under the target's symmetries. It is nil in warm-up, and if there are no
	// symmetries.
	images *symmetry.Images

	exe    device.Executable
	chains []*chain
	states []float64 // State of every lane after the last call
	mask   []bool
	values []float64

	state  state
	report infer.Report
}

// A state holds the decisions and counts of a run so far. A checkpoint consists of this and the chains at their last
// draws.
type state struct {
	Window   int // index of the current window of warm-up; the number of windows while sampling
	Metric   adapt.Metric
	Centring types.Centring // centring of the target's effects; nil means the model's
	Clock    uint64         // next noise step of the device
	Seen     windowSeen

	Divergence adapt.Divergence
	NoMean     []string // parameters whose tails are too heavy for a mean
	NoIntegral []string // parameters whose tails have no finite integral
	Careful    bool     // whether the higher acceptance goal is used

	Missed []adapt.MissedMode // modes found in warm-up that no chain was in
	Visits []int              // number of draws in each missed mode
	Looked int                // number of draws checked

	Warmed, Drawn int              // number of iterations of all chains, in warm-up and afterwards
	Depths, Steps int              // sums of depths and steps of these iterations after warm-up
	Taken         []int            // number of iterations of each chain after warm-up
	Energies      []stats.Energies // energies of each chain
	Since         []sinceDraw      // trajectories of each chain since its last draw
	Stuck         []bool           // whether the last trajectory of each chain hardly moved

	Monitor *symmetry.Monitor // nil in warm-up, and if the target has no symmetries
}

// sinceDraw holds sums over a chain's trajectories since its last stored draw.
type sinceDraw struct {
	Accept              float64 // sum of their acceptance rates
	Trajectories, Steps int
	Diverged            bool
}

// windowSeen holds the data of a window of warm-up.
type windowSeen struct {
	Divergent, Late int // in its second half: number of divergent trajectories, and of all trajectories
	// Stuck and Usual count trajectories in its second half with steps no longer than the adapted one: those that
	// hardly moved, and all.
	Stuck, Usual int
	Visited      [][][]float64 // ends of the trajectories of each chain
	Density      [][]float64   // log π at Visited
	Points       adapt.Points  // points from which the metric is learned
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

// limits are bounds of a trajectory: the number of doublings and the energy error.
type limits struct {
	depth       int
	energyError float64
}

// Complete sets the acceptance goal, the precision and the limits of trajectories to their defaults, if they are 0. As
// in Stan, trajectories end after ten doublings, 1,023 steps.
func Complete(s infer.Settings) infer.Settings {
	s.Accept, s.Precision = cmp.Or(s.Accept, defaultAccept), cmp.Or(s.Precision, 64)
	s.MaxDepth, s.MaxEnergyError = cmp.Or(s.MaxDepth, 10), cmp.Or(s.MaxEnergyError, dynamics.MaxEnergyError)
	return s
}

func limitsOf(s infer.Settings) limits {
	s = Complete(s)
	return limits{s.MaxDepth, s.MaxEnergyError}
}

// open loads the program and places every chain at its starting point, or at its position in a checkpoint.
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
		c.faults = r.faults
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

// load compiles the program for the target in its current coordinates, and assigns a lane to each chain.
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

// reload loads the program after a change, and places the chains.
func (r *run) reload(at [][]float64) error {
	if err := r.load(); err != nil {
		return err
	}
	_, err := r.place(at)
	return err
}

func (r *run) close() {
	if r.exe != nil {
		_ = r.exe.Close() // no result depends on it any more
		r.exe = nil
	}
}

// place sets the positions of chains. It returns the chains that cannot reach the target from there: the density is not
// finite, or so steep that no step is short enough.
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

// steepest is the size of a gradient at which a chain cannot start: it would only halve its energy in each trajectory,
// and would not reach the bulk of the target during any warm-up.
const steepest = 1e20

// steepness returns the largest absolute element of the gradient, or NaN if one is NaN.
func steepness(state []float64, dim int) (most float64) {
	for _, g := range gradient(state, dim) {
		most = math.Max(most, math.Abs(g))
	}
	return most
}

// call runs an entry once and reads the resulting States.
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

// stateOf returns a lane's State after the last call.
func (r *run) stateOf(lane int) []float64 {
	n := stateSize(r.target.Dim())
	return r.states[lane*n : (lane+1)*n]
}

// iterate runs n trajectories of every chain. It calls after for each finished trajectory, in the order in which they
// end.
func (r *run) iterate(n int, after func(c *chain) error) error {
	busy := 0
	for _, c := range r.chains {
		c.left = n
		if n > 0 {
			c.begin()
			busy++
		}
	}
	return r.continueTrajectories(busy, after)
}

// continueTrajectories finishes the remaining trajectories of chains that have begun one. busy is the number of these
// chains.
func (r *run) continueTrajectories(busy int, after func(c *chain) error) error {
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

// active returns a mask of the chains that are not finished, or nil if all are active.
func (r *run) active(busy int) []bool {
	if busy == len(r.chains) {
		return nil
	}
	for lane, c := range r.chains {
		r.mask[lane] = c.left > 0
	}
	return r.mask
}

func (r *run) adaptsStep() bool { return r.settings().StepSize == 0 }
