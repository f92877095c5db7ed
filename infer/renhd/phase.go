package renhd

import (
	"math"

	"ppl/autodiff"
	"ppl/infer"
	"ppl/infer/adapt"
	"ppl/infer/dynamics"
	"ppl/infer/symmetry"
	"ppl/lang/types"
)

// A phase is how walkers move for a part of a run: the rule, what it moves over, and the coordinates. Warm-up explores
// without a ladder, or on a few rows that represent all, chooses coordinates, the form of the metric and the rows of
// minibatches: each choice makes a new phase from the one before, which stays as it is:
//
//	own := run.phase
//	run.phase = own.atReference().onPath(dynamics.Plain)    corrected trajectories on a few rows, without a ladder
//	run.phase = own                                         the rule that was asked for takes over
type phase struct {
	*config
	target   infer.Target // in the precision and with the coordinates of the phase
	rule     dynamics.Rule
	system   dynamics.System
	batches  dynamics.Batches // of the draws; zero if every step reads all rows
	images   *symmetry.Images // of positions, by the target's symmetries; nil if it has none
	centring types.Centring   // of target's effects; nil: as the model says
	stepSize float64          // fixed; 0: adapted
	steps    int              // of a trajectory, fixed; 0: adapted
}

// onPath is the phase with another path to temper.
func (p phase) onPath(path dynamics.Path) phase {
	p.system.Path = path
	return p
}

// inForm is the phase with a metric of another form.
func (p phase) inForm(m adapt.Metric) phase {
	p.system.Metric = m
	return p
}

// across is the phase in which Metropolis steps move the coordinates where the density jumps.
func (p phase) across(jumps []dynamics.Jump) phase {
	p.system.Jumps = jumps
	return p
}

// inBatches is the phase with minibatches of another size.
func (p phase) inBatches(rows int) phase {
	p.batches.Size, p.system.Batches.Size = rows, rows
	return p
}

// withControls is the phase in which gradients have control variates, or have none.
func (p phase) withControls(anchored bool) phase {
	p.system.Batches.Anchored = anchored
	return p
}

// inCoordinates is the phase with the coordinates of effects that c says; nil is the model's.
func (p phase) inCoordinates(c types.Centring) phase {
	t, ok := p.given.(infer.Recentrable)
	if !ok || p.centredBy(c) {
		return p
	}
	p.target, p.centring = t.Recentred(c), c
	if p.images != nil {
		p.images = symmetry.ImagesOf(p.given, c)
	}
	p.system.Target = p.target
	return p
}

// atReference is the phase with exact gradients: corrected trajectories, which adapt their own steps, and with
// minibatches on a few rows that represent all.
func (p phase) atReference() phase {
	p.stepSize, p.steps = 0, 0
	p.rule, p.system = dynamics.Named("hmc"), p.system.AtReference()
	return p
}

// path is what a ladder tempers.
func (s *phase) path() dynamics.Path {
	set := s.settings()
	switch {
	case set.Replicas == 1:
		return dynamics.Plain
	case set.Path == "likelihood" || set.Path == "" && s.target.ProperPrior() && s.hasLikelihood():
		return dynamics.Likelihood
	}
	return dynamics.Energy
}

// hasLikelihood reports whether the target is more than a prior.
func (s *phase) hasLikelihood() bool {
	if s.batches.Some() {
		return true
	}
	_, logLik := s.target.Density(autodiff.New().Input(dynamics.Theta, s.target.Dim()))
	value, constant := logLik.IsConst()
	return !constant || value != 0
}

// hasTermsWithoutRows reports whether the likelihood has a part that minibatches compute in full.
func (s *phase) hasTermsWithoutRows() bool {
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
func (s *phase) free() bool { return !s.rule.Traits().Corrected }

// adaptsStep reports whether steps follow the acceptance rate.
func (s *phase) adaptsStep() bool { return !s.free() && s.stepSize == 0 }

// acceptanceGoal is the acceptance rate that steps are adapted to.
func (s *phase) acceptanceGoal() float64 {
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
func (s *phase) newRungs(betas []float64) []rung {
	rungs := make([]rung, len(betas))
	for j, b := range betas {
		rungs[j] = rung{Beta: b, Metric: s.system.Metric, Step: s.firstStep(b), Friction: s.friction(b)}
	}
	return rungs
}

// firstBetas are the inverse temperatures of n rungs before anything is known of the target.
func (s *phase) firstBetas(n int) []float64 {
	if ratio := s.settings().Ratio; ratio > 0 {
		return geometric(n, ratio)
	}
	return firstGuess(s.system.Path, n, hottestGuess)
}

// firstStep is the step to start from; a fixed step is that at T = 1.
func (s *phase) firstStep(beta float64) float64 {
	h := s.stepSize
	if h == 0 {
		h = defaultStep
	}
	return h * math.Sqrt(s.stepRatio(beta))
}

// friction is c of a rung.
func (s *phase) friction(beta float64) float64 {
	c := s.settings().Friction
	if c == 0 {
		c = defaultFriction
	}
	return c / s.stepRatio(beta)
}

// stepRatio is ε of a rung over ε at T = 1. In coordinates that do not adapt, the paper's dynamics at temperature T
// with ε and c is ours at unit temperature with εT and c/T; elsewhere the rung's own metric takes care of it.
func (s *phase) stepRatio(beta float64) float64 {
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
func (s *phase) firstStepIn(at rung) float64 {
	if !s.free() {
		return defaultStep
	}
	h, v := s.firstStep(at.Beta), at.WorstNoise
	if s.system.Noise > 0 {
		v += s.system.Noise * at.Beta * at.Beta * largestSquare(at.Metric)
	}
	if s.stepSize > 0 {
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
func (s *phase) expectedFriction(at rung) float64 {
	noise := s.system.Noise
	if s.batches.Some() {
		return at.Friction + at.Step*at.Step*at.Noise/2
	}
	if noise > 0 && s.settings().Metric != "identity" {
		return math.NaN()
	}
	return at.Friction + at.Step*at.Step*at.Beta*at.Beta*noise/2
}
