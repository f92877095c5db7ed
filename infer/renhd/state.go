package renhd

import (
	"ppl/infer/adapt"
	"ppl/lang/types"
)

// A state is what a run has decided so far and where it is. Noise has no state: its address is (seed, lane, step,
// site), and the steps are counted here.
type state struct {
	AllRows     string           // why they are used where batch = auto
	Divergence  adapt.Divergence // of warm-up: walkers that move off without end
	Temperature gradientTemperature
	Form        *adapt.Choice  // of the metric; nil where it was given
	FormFrom    int            // sweeps of the window that it was chosen in
	Chosen      types.Centring // what Centring was before a search in the coordinates of the model
	Before      *windowState   // where walkers were before they are annealed; nil at other times
	Left        []leftPlace    // by explorers that were restarted elsewhere
	Modes       []mode         // that warm-up has found, where there are several
	Searches    int            // for modes, so far
	LeastStep   float64        // where the density jumps, and trajectories have to; else 0
}

// A roster says which walkers there are, what each rung owns and which rung each walker is on. Chain c has the lanes
// from c·PerChain to (c+1)·PerChain.
type roster struct {
	PerChain  int
	Rungs     []rung
	RungOf    []int  // by lane
	Stuck     []bool // by lane: in negligible mass, as the last window of warm-up left it; nil before
	NoiseStep uint64 // the device's next noise step
	Gradients int64  // computed so far, a lane's each
	Anchors   []anchor
	AnchorOf  []int // by lane
}

// A rung is a temperature with what belongs to it; walkers come and go.
type rung struct {
	Beta       float64 // inverse temperature of what the path tempers
	Metric     adapt.Metric
	Step       float64 // in the metric's whitened coordinates
	Friction   float64 // c
	Noise      float64 // mean variance of the whitened gradient's coordinates under minibatches, measured
	WorstNoise float64 // that in the direction which has most
	Noises     noises
	Stiffness  float64 // the largest curvature at an anchor, in whitened coordinates; 0 where it is not known
}

// Numbers implements sized.
func (s *state) Numbers() int {
	if s.Before == nil {
		return 0
	}
	return s.Before.Numbers()
}

// counts is what a run counts while draws are collected, for the report.
type counts struct {
	Jumps      jumpStatistics
	Iterations int
	Steps      float64 // of the trajectories
}
