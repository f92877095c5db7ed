package renhd

import (
	"context"
	"errors"
	"fmt"
	"math"

	"ppl/autodiff"
	"ppl/compiler/ir"
	"ppl/infer"
	"ppl/infer/adapt"
	"ppl/infer/dynamics"
	"ppl/runtime/device"
)

// A run is one call of Sample: what it was asked, what it decided, and the walkers it has now.
type run struct {
	ctx      context.Context
	target   infer.Target
	options  infer.Options
	recorder infer.Recorder

	system   dynamics.System
	rule     dynamics.Rule
	program  *ir.Program
	walkers  *walkers
	exchange exchange
	batches  dynamics.Batches
	report   infer.Report
	runaway  adapt.Runaway

	swept      int     // iterations of all walkers so far
	kept       int     // of them, those after warm-up
	totalSteps float64 // of the trajectories after warm-up
	pace       float64 // median step of the walkers at temperature 1
	warmth     warmth  // of the cold rung in the last window of warm-up
	length     float64 // of hmc's trajectories, in quarter periods
}

func (r *run) settings() infer.Settings { return r.options.Settings }

// choose decides path and dynamics.
func (r *run) choose() {
	if r.settings().Dynamics == "tacthmc" {
		r.options.Settings.Replicas = 1
	}
	s := r.settings()
	path := dynamics.Plain
	if s.Replicas != 1 {
		path = dynamics.Energy
		if s.Path == "likelihood" || s.Path == "" && r.target.ProperPrior() && r.hasLikelihood() {
			path = dynamics.Likelihood
		}
	}
	r.system = dynamics.System{Target: r.target, Path: path, Noise: s.Noise, Batches: r.batches,
		Metric: adapt.First(s.Metric, r.target.Dim())}
	r.rule = dynamics.Named(dynamicsOf(s))
	r.exchange.carried, r.exchange.seed = r.rule.Traits().Carried, r.options.Seed
	r.exchange.meter = &potentials{noise: s.Noise}
	if s.Batch > 0 {
		r.exchange.meter = &rows{batches: r.batches, path: path}
	}
}

// dynamicsOf is the rule to move by: where gradients are exact, one that uses it.
func dynamicsOf(s infer.Settings) string {
	switch {
	case s.Dynamics != "":
		return s.Dynamics
	case s.Noise > 0 || s.Batch > 0:
		return "nosehoover"
	}
	return "hmc"
}

// hasLikelihood reports whether there is anything but a prior.
func (r *run) hasLikelihood() bool {
	if r.batches.Some() {
		return true
	}
	_, logLik := r.target.Density(autodiff.New().Input(dynamics.Theta, r.target.Dim()))
	value, constant := logLik.IsConst()
	return !constant || value != 0
}

// free reports whether the rule rejects nothing, so that there is no acceptance to adapt to.
func (r *run) free() bool { return !r.rule.Traits().Corrected }

// check refuses settings that contradict each other.
func (r *run) check() error {
	s := r.settings()
	switch {
	case r.target.Dim() == 0:
		return errors.New("the model has no parameters to sample")
	case s.Dynamics == "tacthmc" && s.Replicas > 1:
		return errors.New("tacthmc has a temperature of its own and takes no ladder; leave out replicas, or take " +
			"other dynamics")
	case s.Noise > 0 && s.Dynamics == "hmc":
		return errors.New("noise makes gradients inexact, which hmc cannot correct; leave out dynamics, or " +
			"take noise = 0")
	case s.Path == "likelihood" && !r.target.ProperPrior():
		return errors.New("path = likelihood ends at the prior, which is not known to be proper; use path = energy, " +
			"or proper priors")
	case r.options.Chains < 1 || r.options.Draws < 1 || r.options.Warmup < 0:
		return fmt.Errorf("%d chains of %d draws after %d of warm-up: chains and draws must be at least 1, "+
			"warm-up at least 0",
			r.options.Chains, r.options.Draws, r.options.Warmup)
	}
	return nil
}

// open loads walkers on new lanes: per of them for each chain, on the rungs given by rungOf within a chain.
func (r *run) open(rungs []rung, per int, rungOf func(walker int) int) error {
	chains := r.options.Chains
	exe, err := r.options.Device.Load(r.program, device.Options{Lanes: chains * per, Seed: r.options.Seed,
		Threads: r.options.Threads})
	if err != nil {
		return err
	}
	w := &walkers{exe: exe, chains: chains, per: per, dim: r.target.Dim(), rungs: rungs, views: map[string][]float64{},
		tempered: r.system.Path != dynamics.Plain, traits: r.rule.Traits(), feed: r.newFeed()}
	w.seat(rungOf)
	r.close()
	if old := r.walkers; old != nil {
		w.noiseStep, w.laneSteps, w.perStep = old.noiseStep, old.laneSteps, old.perStep*2
	}
	r.walkers = w
	if r.system.Batches.Size > 0 {
		for lane := range w.lanes() {
			w.set(dynamics.Chain, lane, float64(lane/per))
			w.set(dynamics.Walker, lane, float64(lane))
		}
	}
	r.exchange.reset(len(rungs), w.lanes())
	w.settleAll()
	return nil
}

func (r *run) close() {
	if r.walkers != nil {
		_ = r.walkers.exe.Close() // nothing on it is wanted any more
	}
}

// begin places every walker at a start of its own where the density is finite.
func (r *run) begin() error {
	return infer.Disperse(r.target, r.options.Seed, r.walkers.lanes(), func(at [][]float64) ([]int, error) {
		return r.walkers.place(r.ctx, at)
	})
}

// newRungs makes rungs of given inverse temperatures with nothing adapted.
func (r *run) newRungs(betas []float64) []rung {
	rungs := make([]rung, len(betas))
	for j, b := range betas {
		rungs[j] = rung{beta: b, metric: r.system.Metric, step: r.firstStep(b), friction: r.friction(b)}
	}
	return rungs
}

// firstStep is the step to start from; a fixed step is that at T = 1.
func (r *run) firstStep(beta float64) float64 {
	h := r.settings().StepSize
	if h == 0 {
		h = defaultStep
	}
	return h * math.Sqrt(r.slowness(beta))
}

// friction is c of a rung.
func (r *run) friction(beta float64) float64 {
	c := r.settings().Friction
	if c == 0 {
		c = defaultFriction
	}
	return c / r.slowness(beta)
}

// slowness is ε of a rung over ε at T = 1. In coordinates that do not adapt, the paper's dynamics at temperature T with
// ε and c is ours at unit temperature with εT and c/T; elsewhere the rung's own metric sees to it.
func (r *run) slowness(beta float64) float64 {
	if r.system.Path != dynamics.Energy || r.settings().Metric != "identity" || !r.free() {
		return 1
	}
	return 1 / beta
}

// defaultStep is √ε in whitened coordinates: where hmc's adaptation starts, and what nosehoover takes.
const defaultStep = 0.2

// defaultFriction is c.
const defaultFriction = 0.1
