package renhd

import (
	"errors"
	"fmt"
	"math"

	"ppl/autodiff"
	"ppl/infer"
	"ppl/infer/adapt"
	"ppl/infer/dynamics"
	"ppl/infer/symmetry"
	"ppl/lang/types"
)

// shared is what all walkers have in common and only read: the target, what the user asked for, and what follows from
// that. Parts of warm-up run on another one (without a ladder, or on a few rows that represent all): they put a changed
// copy in place of it, and put the first one back.
type shared struct {
	target   infer.Target
	named    infer.Target       // target as it was given, which may know what its coordinates are
	ends     []types.Coordinate // of named; nil where it does not know them
	options  infer.Options
	batches  dynamics.Batches // of the draws to come; zero where every step reads all rows
	auto     bool             // warm-up chooses the rows of a batch
	blocks   []types.Block    // of a network (network.go); nil for all other targets
	rule     dynamics.Rule
	system   dynamics.System
	exchange exchange
	images   *symmetry.Images // of positions, by the target's symmetries; nil where it has none
	centring types.Centring   // of target's effects; nil: as the model says
}

// newShared refuses settings that contradict each other or do not suit the target.
func newShared(given infer.Target, o infer.Options, x exchange) (shared, error) {
	t := infer.InPrecision(given, o.Settings.Precision)
	if o.Settings.Dynamics == "tacthmc" && o.Settings.Replicas <= 1 {
		o.Settings.Replicas = 1
	}
	batch, auto, err := firstOfAuto(given, o)
	if err != nil {
		return shared{}, err
	}
	blocks := infer.NetworkBlocks(given, o.Settings.Batch)
	o.Settings.Batch = batch
	s := shared{auto: auto, target: t, named: given, ends: infer.CoordinatesOf(given), options: o, exchange: x,
		rule: dynamics.Named(dynamicsOf(o.Settings))}
	if blocks != nil {
		s.forNetwork(blocks)
	} else {
		s.images = symmetry.ImagesOf(given, nil)
	}
	if err := s.check(); err != nil {
		return s, err
	}
	if err := s.splitRows(); err != nil {
		return s, err
	}
	s.system = dynamics.System{Target: s.target, Path: s.path(), Noise: o.Settings.Noise, Batches: s.batches,
		Metric: s.firstMetric(), Thermostats: s.thermostats(), Rungs: s.exchanged(),
		Chains: o.Chains}
	return s, nil
}

// exchanged is the most rungs that programs exchange; 0 where the host does it.
func (s *shared) exchanged() int {
	switch n := s.settings().Replicas; {
	case !s.exchange.program || n == 1:
		return 0
	case n > 1:
		return n
	}
	return maxRungs
}

func (s *shared) settings() infer.Settings { return s.options.Settings }

// check refuses settings that contradict each other.
func (s *shared) check() error {
	set := s.settings()
	switch {
	case s.target.Dim() == 0:
		return errors.New("the model has no parameters to sample")
	case set.Dynamics == "tacthmc" && set.Replicas > 1:
		return errors.New("tacthmc has a temperature of its own and takes no ladder; leave out replicas, or take " +
			"other dynamics")
	case set.Noise > 0 && set.Dynamics == "hmc":
		return errors.New("noise makes gradients inexact, which hmc cannot correct; leave out dynamics, or " +
			"take noise = 0")
	case set.Path == "likelihood" && !s.target.ProperPrior():
		return errors.New("path = likelihood ends at the prior, which is not known to be proper; use path = energy, " +
			"or proper priors")
	case s.options.Chains < 1 || s.options.Draws < 1 || s.options.Warmup < 0:
		return fmt.Errorf("%d chains of %d draws after %d of warm-up: chains and draws must be at least 1, "+
			"warm-up at least 0", s.options.Chains, s.options.Draws, s.options.Warmup)
	}
	return nil
}

// path is what a ladder tempers.
func (s *shared) path() dynamics.Path {
	set := s.settings()
	switch {
	case set.Replicas == 1:
		return dynamics.Plain
	case set.Path == "likelihood" || set.Path == "" && s.target.ProperPrior() && s.hasLikelihood():
		return dynamics.Likelihood
	}
	return dynamics.Energy
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

// hasLikelihood reports whether the target is more than a prior.
func (s *shared) hasLikelihood() bool {
	if s.batches.Some() {
		return true
	}
	_, logLik := s.target.Density(autodiff.New().Input(dynamics.Theta, s.target.Dim()))
	value, constant := logLik.IsConst()
	return !constant || value != 0
}

// hasTermsWithoutRows reports whether the likelihood has a part that minibatches compute in full.
func (s *shared) hasTermsWithoutRows() bool {
	t, ok := s.target.(infer.Splittable)
	if !ok {
		return false
	}
	g := autodiff.New()
	_, whole, _ := t.Split(g.Input(dynamics.Theta, t.Dim()), g.Iota(1))
	value, constant := whole.IsConst()
	return !constant || value != 0
}

// free reports whether the rule rejects nothing, so that there is no acceptance rate to adapt to.
func (s *shared) free() bool { return !s.rule.Traits().Corrected }

// adaptsStep reports whether steps follow the acceptance rate.
func (s *shared) adaptsStep() bool { return !s.free() && s.settings().StepSize == 0 }

// acceptanceGoal is the acceptance rate that steps are adapted to.
func (s *shared) acceptanceGoal() float64 {
	if a := s.settings().Accept; a > 0 {
		return a
	}
	return defaultAccept
}

// defaultAccept: Stan takes .8 where the path's length pays for itself; with lengths of about a quarter period, on
// normal targets of 2 to 50 dimensions, .9 gives 1.0 to 2.1 times the effective draws a gradient, and 1.3 to 5 times
// for squares.
const defaultAccept = 0.9

// newRungs makes rungs of given inverse temperatures with nothing adapted.
func (s *shared) newRungs(betas []float64) []rung {
	rungs := make([]rung, len(betas))
	for j, b := range betas {
		rungs[j] = rung{Beta: b, Metric: s.system.Metric, Step: s.firstStep(b), Friction: s.friction(b)}
	}
	return rungs
}

// firstBetas are the inverse temperatures of n rungs before anything is known of the target.
func (s *shared) firstBetas(n int) []float64 {
	if ratio := s.settings().Ratio; ratio > 0 {
		return geometric(n, ratio)
	}
	return firstGuess(s.system.Path, n, hottestGuess)
}

// firstStep is the step to start from; a fixed step is that at T = 1.
func (s *shared) firstStep(beta float64) float64 {
	h := s.settings().StepSize
	if h == 0 {
		h = defaultStep
	}
	return h * math.Sqrt(s.stepRatio(beta))
}

// friction is c of a rung.
func (s *shared) friction(beta float64) float64 {
	c := s.settings().Friction
	if c == 0 {
		c = defaultFriction
	}
	return c / s.stepRatio(beta)
}

// stepRatio is ε of a rung over ε at T = 1. In coordinates that do not adapt, the paper's dynamics at temperature T
// with ε and c is ours at unit temperature with εT and c/T; elsewhere the rung's own metric takes care of it.
func (s *shared) stepRatio(beta float64) float64 {
	if s.system.Path != dynamics.Energy || s.settings().Metric != "identity" || !s.free() {
		return 1
	}
	return 1 / beta
}

const (
	defaultStep     = 0.2 // √ε in whitened coordinates: where hmc's adaptation starts, and what nosehoover takes
	defaultFriction = 0.1 // c
)

// firstStepIn is the step to begin with in a new metric. With noise in the gradients it is bounded by √(0.2/V), V the
// largest variance of the whitened gradient, so that noise does not heat the walker faster than the thermostat cools
// it; where modes differ in width, by that of the narrowest.
func (s *shared) firstStepIn(at rung) float64 {
	if !s.free() {
		return defaultStep
	}
	h, v := s.firstStep(at.Beta), at.WorstNoise
	if s.system.Noise > 0 {
		v += s.system.Noise * at.Beta * at.Beta * largestSquare(at.Metric)
	}
	if s.settings().StepSize > 0 {
		return h
	}
	if v > 0 {
		h = math.Min(h, math.Sqrt(noiseTimesStep/v))
	}
	if at.Stiffness > 0 {
		h = math.Min(h, longestInMode/math.Sqrt(at.Stiffness))
	}
	return h
}

const (
	noiseTimesStep = 0.2 // bound of h²V
	longestInMode  = 0.4 // bound of h·√λ, λ the largest curvature at a mode: twice defaultStep
)

// largestSquare is the largest squared norm of a column of L: the factor by which whitening raises the variance of
// gradient noise.
func largestSquare(m adapt.Metric) float64 {
	most := 0.0
	for j := range m.Dim {
		sum := 0.0
		for i := range m.Dim {
			if m.Rank < 0 {
				sum += m.Factor[i*m.Dim+j] * m.Factor[i*m.Dim+j]
			}
		}
		if m.Rank >= 0 {
			sum = m.Scale[j] * m.Scale[j]
		}
		most = math.Max(most, sum)
	}
	return most
}

// expectedFriction is the mean of s that balances what a rung's friction and the noise in its forces put in: c + εV/2,
// V measured for minibatches, else β²σ². NaN where the metric is not the identity, so that the noise is not the same in
// all directions.
func (s *shared) expectedFriction(at rung) float64 {
	noise := s.system.Noise
	if s.batches.Some() {
		return at.Friction + at.Step*at.Step*at.Noise/2
	}
	if noise > 0 && s.settings().Metric != "identity" {
		return math.NaN()
	}
	return at.Friction + at.Step*at.Step*at.Beta*at.Beta*noise/2
}
