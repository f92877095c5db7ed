package warmup

import (
	"ppl/infer/adapt"
	"ppl/infer/renhd/ladder"
	"ppl/infer/renhd/modesearch"
	"ppl/infer/renhd/part"
	"ppl/infer/renhd/population"
	"ppl/infer/renhd/subsampling"
	"ppl/lang/types"
)

// A Warmup moves walkers from their starting points to the bulk of the target.
type Warmup struct {
	*part.Run
	swaps *ladder.Swaps
	modes *modesearch.Known
	rows  *subsampling.Subsampling
	state State

	// recentred is true if a part of warm-up has changed the coordinates of effects, in this run or in the run that it
	// resumes.
	recentred bool
}

// State holds the decisions of warm-up so far.
type State struct {
	Divergence  adapt.Divergence // state of the detection of diverging walkers
	Temperature gradientTemperature
	Form        *adapt.Choice      // form of the metric; nil if it was given
	FormFrom    int                // number of sweeps of the window in which it was chosen
	Chosen      types.Centring     // the centring before a search in the model's coordinates
	Before      *population.Visits // positions of the last window in which walkers were compared; nil at other times
	Departures  []departure        // positions of explorers that were restarted elsewhere
	// LeastStep is the lower bound of steps if the density jumps and trajectories must cross the jumps; else 0.
	LeastStep float64
}

// A gradientTemperature is the sampling temperature of positions, estimated from the gradients there: 1 ± Bound for
// draws from the target. Rules without a Metropolis test need it: if the step or the gradient noise is too large,
// momenta may still have the correct temperature.
type gradientTemperature struct{ Value, Bound float64 }

// Numbers returns the approximate number of values in a checkpoint of the state.
func (s *State) Numbers() int {
	if s.Before == nil {
		return 0
	}
	return s.Before.Numbers()
}

// Name returns the name of the state in checkpoints.
func (r *Warmup) Name() string { return "warm-up" }

// State returns the state that checkpoints store.
func (r *Warmup) State() any { return &r.state }

// New returns the warm-up of a run with the given swaps, known modes and minibatches.
func New(c *part.Run, s *ladder.Swaps, m *modesearch.Known, rows *subsampling.Subsampling) *Warmup {
	return &Warmup{Run: c, swaps: s, modes: m, rows: rows}
}
