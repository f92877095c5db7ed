package renhd

import (
	"errors"
	"fmt"

	"ppl/infer"
	"ppl/infer/dynamics"
	"ppl/infer/symmetry"
	"ppl/lang/types"
)

// A config is what a run was asked for: the target and the user's options, completed by what follows from them. It is
// not changed after newConfig has made it; what warm-up changes for a time is a phase.
type config struct {
	given   infer.Target       // the target with the coordinates that the model gives it
	ends    []types.Coordinate // of given; nil if it does not describe its coordinates
	options infer.Options
	swaps   swapRules
	auto    bool          // warm-up chooses the rows of a minibatch
	blocks  []types.Block // of a network (network.go); nil for all other targets
}

// swapRules are what a population has to know of how neighbours on a ladder swap.
type swapRules struct {
	program bool // the program may exchange rungs by itself: Metropolis' test, where nothing is noisy
	plain   bool // no control variates: for comparison
}

// newConfig refuses settings that contradict each other or do not suit the target. The phase is the one that draws are
// collected in, as far as it is known before warm-up.
func newConfig(given infer.Target, o infer.Options, x swapRules) (*config, phase, error) {
	if o.Settings.Dynamics == "tacthmc" && o.Settings.Replicas <= 1 {
		o.Settings.Replicas = 1
	}
	batch, auto, err := firstOfAuto(given, o)
	if err != nil {
		return nil, phase{}, err
	}
	blocks := infer.NetworkBlocks(given, o.Settings.Batch)
	if o.Settings.Batch = batch; blocks != nil {
		o.Settings = settingsOfNetwork(o.Settings)
	}
	c := &config{auto: auto, given: given, ends: infer.CoordinatesOf(given), options: o, swaps: x, blocks: blocks}
	first, err := c.firstPhase()
	return c, first, err
}

// maxRungs is the largest number of rungs of a ladder whose length is chosen.
const maxRungs = 32

// firstPhase is the phase that draws are collected in, as far as it is known before warm-up.
func (c *config) firstPhase() (phase, error) {
	set := c.settings()
	p := phase{config: c, target: infer.InPrecision(c.given, set.Precision), rule: dynamics.Named(dynamicsOf(set)),
		stepSize: set.StepSize, steps: set.Steps}
	if c.blocks == nil {
		p.images = symmetry.ImagesOf(c.given, nil)
	}
	if err := p.check(); err != nil {
		return p, err
	}
	if err := p.splitRows(); err != nil {
		return p, err
	}
	p.system = dynamics.System{Target: p.target, Path: p.path(), Noise: set.Noise, Batches: p.batches,
		Metric: p.firstMetric(), Thermostats: c.thermostats(), Rungs: c.exchanged(), Chains: c.options.Chains}
	return p, nil
}

func (c *config) settings() infer.Settings { return c.options.Settings }

// exchanged is the largest number of rungs that programs exchange; 0 if the host does it.
func (c *config) exchanged() int {
	switch n := c.settings().Replicas; {
	case !c.swaps.program || n == 1:
		return 0
	case n > 1:
		return n
	}
	return maxRungs
}

// check refuses settings that contradict each other.
func (c *config) check() error {
	set := c.settings()
	switch {
	case c.given.Dim() == 0:
		return errors.New("the model has no parameters to sample")
	case set.Dynamics == "tacthmc" && set.Replicas > 1:
		return errors.New("tacthmc has a temperature of its own and takes no ladder; leave out replicas, or take " +
			"other dynamics")
	case set.Noise > 0 && set.Dynamics == "hmc":
		return errors.New("noise makes gradients inexact, which hmc cannot correct; leave out dynamics, or " +
			"take noise = 0")
	case set.Path == "likelihood" && !c.given.ProperPrior():
		return errors.New("path = likelihood ends at the prior, which is not known to be proper; use path = energy, " +
			"or proper priors")
	case c.options.Chains < 1 || c.options.Draws < 1 || c.options.Warmup < 0:
		return fmt.Errorf("%d chains of %d draws after %d of warm-up: chains and draws must be at least 1, "+
			"warm-up at least 0", c.options.Chains, c.options.Draws, c.options.Warmup)
	}
	return nil
}

// dynamicsOf names the rule to move by: where gradients are exact, one that uses it.
func dynamicsOf(s infer.Settings) string {
	switch {
	case s.Dynamics != "":
		return s.Dynamics
	case s.Noise > 0 || s.Batch > 0:
		return "nosehoover"
	}
	return "hmc"
}

// settingsOfNetwork completes the settings of a run of a network.
func settingsOfNetwork(set infer.Settings) infer.Settings {
	set.Replicas, set.Ratio = 1, 0
	if set.Precision == 0 {
		set.Precision = 32
	}
	return set
}

// thermostats are the sizes of the blocks, each of which has its own.
func (c *config) thermostats() (sizes []int) {
	for _, b := range c.blocks {
		sizes = append(sizes, b.Size)
	}
	return sizes
}
