package population

import (
	"cmp"
	"errors"
	"fmt"

	"ppl/infer"
	"ppl/infer/dynamics"
	"ppl/infer/symmetry"
	"ppl/lang/types"
)

// A Config holds the target and the user's options, completed by defaults. NewConfig makes it, and nothing changes it
// afterwards; what warm-up changes for a time is in a Phase.
type Config struct {
	Given   infer.Target       // the target in the model's coordinates
	Ends    []types.Coordinate // coordinates of Given; nil if it does not describe them
	Options infer.Options
	Swaps   SwapRules
	Auto    bool          // whether warm-up chooses the size of minibatches
	Blocks  []types.Block // blocks of a network (infer.NetworkBlocks); nil for all other targets

	AskedWarmup int // iterations of warm-up that the user asked for; Options.Warmup is the number that runs
}

// SwapRules holds the properties of swaps between neighbouring rungs that a population takes into account.
type SwapRules struct {
	Program bool // the program may exchange rungs itself: the test is Metropolis' test, and nothing is noisy
	Plain   bool // no control variates, for comparison
}

// NewConfig returns a Config and the phase in which draws are collected, as far as it is known before warm-up. It
// returns an error for settings that contradict each other or do not suit the target.
func NewConfig(given infer.Target, o infer.Options, x SwapRules) (*Config, Phase, error) {
	if o.Settings.Dynamics == "tacthmc" && o.Settings.Replicas <= 1 {
		o.Settings.Replicas = 1
	}
	batch, auto, err := firstOfAuto(given, o)
	if err != nil {
		return nil, Phase{}, err
	}
	blocks := infer.NetworkBlocks(given, o.Settings.Batch)
	o.Settings.Batch = batch
	if blocks != nil {
		o.Settings = settingsOfNetwork(o.Settings)
	}
	c := &Config{Auto: auto, Given: given, Ends: infer.CoordinatesOf(given), Options: o, Swaps: x, Blocks: blocks,
		AskedWarmup: o.Warmup}
	if o.Warmup > 0 && blocks == nil {
		c.Options.Warmup = max(o.Warmup, leastWarmup)
	}
	first, err := c.firstPhase()
	return c, first, err
}

// leastWarmup is the least number of iterations of warm-up that runs, unless the user asks for none. In fewer, windows
// are so short that neither the metric nor steps are learned, and the draws then cost many times what 50 iterations do.
const leastWarmup = 50

// MaxRungs is the largest number of rungs that warm-up chooses.
const MaxRungs = 32

// firstPhase returns the phase in which draws are collected, as far as it is known before warm-up.
func (c *Config) firstPhase() (Phase, error) {
	set := c.Settings()
	p := Phase{Config: c, Target: infer.InPrecision(c.Given, set.Precision), Rule: dynamics.Named(dynamicsOf(set)),
		StepSize: set.StepSize, Steps: set.Steps}
	if c.Blocks == nil {
		p.Images = symmetry.ImagesOf(c.Given, nil)
	}
	if err := p.check(); err != nil {
		return p, err
	}
	if err := p.splitRows(); err != nil {
		return p, err
	}
	p.System = dynamics.System{Target: p.Target, Path: p.Path(), Noise: set.Noise, Batches: p.Batches,
		Metric: p.FirstMetric(), Thermostats: c.thermostats(), Rungs: c.exchanged(), Chains: c.Options.Chains}
	return p, nil
}

func (c *Config) Settings() infer.Settings { return c.Options.Settings }

// exchanged returns the largest number of rungs that programs exchange, or 0 if the host exchanges them.
func (c *Config) exchanged() int {
	switch n := c.Settings().Replicas; {
	case !c.Swaps.Program || n == 1:
		return 0
	case n > 1:
		return n
	}
	return MaxRungs
}

// check returns an error for settings that contradict each other or do not suit the target.
func (c *Config) check() error {
	set := c.Settings()
	switch {
	case c.Given.Dim() == 0:
		return errors.New("the model has no parameters to sample")
	case set.Dynamics == "tacthmc" && set.Replicas > 1:
		return errors.New("tacthmc has a temperature of its own and takes no ladder; leave out replicas, or take " +
			"other dynamics")
	case set.Noise > 0 && set.Dynamics == "hmc":
		return errors.New("noise makes gradients inexact, which hmc cannot correct; leave out dynamics, or " +
			"take noise = 0")
	case set.Path == "likelihood" && !c.Given.ProperPrior():
		return errors.New("path = likelihood needs a proper prior; use path = energy, or give every parameter a " +
			"proper prior")
	case c.Options.Chains < 1 || c.Options.Draws < 1 || c.Options.Warmup < 0:
		return fmt.Errorf("%d chains of %d draws after %d of warm-up: chains and draws must be at least 1, "+
			"warm-up at least 0", c.Options.Chains, c.Options.Draws, c.Options.Warmup)
	}
	return nil
}

// dynamicsOf returns the name of the dynamics. The default depends on whether gradients are exact.
func dynamicsOf(s infer.Settings) string {
	switch {
	case s.Dynamics != "":
		return s.Dynamics
	case s.Noise > 0 || s.Batch > 0:
		return "nosehoover"
	}
	return "hmc"
}

// Complete sets the dynamics, the swap test, the precision and the acceptance goal to their defaults, if they are
// unset. Only rules with a Metropolis test have an acceptance goal. For a network it also removes the ladder.
func Complete(t infer.Target, s infer.Settings) infer.Settings {
	if infer.NetworkBlocks(t, s.Batch) != nil {
		s = settingsOfNetwork(s)
	}
	s.Dynamics, s.Exchange = dynamicsOf(s), cmp.Or(s.Exchange, "penalty")
	s.Precision = cmp.Or(s.Precision, 64)
	if dynamics.Named(s.Dynamics).Traits().Corrected {
		s.Accept = cmp.Or(s.Accept, defaultAccept)
	}
	return s
}

// settingsOfNetwork completes the settings of a run of a network.
func settingsOfNetwork(set infer.Settings) infer.Settings {
	set.Replicas, set.Ratio = 1, 0
	if set.Precision == 0 {
		set.Precision = 32
	}
	return set
}

// thermostats returns the sizes of the blocks, each of which has a thermostat.
func (c *Config) thermostats() (sizes []int) {
	for _, b := range c.Blocks {
		sizes = append(sizes, b.Size)
	}
	return sizes
}
