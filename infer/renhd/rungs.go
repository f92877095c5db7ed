package renhd

import (
	"math"
	"ppl/infer/adapt"
	"ppl/infer/dynamics"
)

// A roster says which walkers there are, what each rung owns and which rung each walker is on. Chain c has the lanes
// from c·PerChain to (c+1)·PerChain.
type roster struct {
	PerChain  int
	Rungs     []rung
	RungOf    []int  // by lane
	Stuck     []bool // by lane: in negligible mass, as the last window of warm-up left it; nil before
	NoiseStep uint64 // the device's next noise step
	Gradients int64  // computed so far, a lane's each
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

// A noiseLevel is the variance of whitened gradients of minibatches: its mean over the coordinates, that in the
// direction which has most, and the mean squared distance of the walkers from their anchors at which it was measured.
type noiseLevel struct{ Mean, Worst, Distance float64 }

// noises are those with control variates and without.
type noises struct{ Anchored, Plain noiseLevel }

// used is the lesser.
func (n noises) used() noiseLevel {
	if n.Anchored.Worst < n.Plain.Worst {
		return n.Anchored
	}
	return n.Plain
}

// newRungs makes rungs of given inverse temperatures with nothing adapted.
func (s *phase) newRungs(betas []float64) []rung {
	rungs := make([]rung, len(betas))
	for j, b := range betas {
		rungs[j] = rung{Beta: b, Metric: s.system.Metric, Step: s.firstStep(b), Friction: s.friction(b)}
	}
	return rungs
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

// stepAndFriction are those for the noise of a rung. A thermostat takes up noise that is the same in all directions,
// for which firstStepIn bounds the step. Where one has more, h²V in place of the mean, it is hotter by
// (c + h²V/2)/(c + h²V̄/2): more friction and shorter steps then keep that within unequal.
func (s *phase) stepAndFriction(at rung) (step, friction float64) {
	step, friction = s.firstStepIn(at), s.friction(at.Beta)
	if s.settings().Friction > 0 {
		return step, friction
	}
	friction = math.Min(defaultFriction, step/2)
	excess := at.WorstNoise - (1+unequal)*at.Noise
	if s.stepSize == 0 && step*step/2*excess > unequal*friction {
		friction = defaultFriction
		step = math.Min(step, math.Sqrt(2*unequal*friction/excess))
	}
	return step, friction
}

// pace is how far a walker gets in a step, in standard deviations, with a rung's noise at a level: momenta carry it for
// 1/s steps, s = c + h²V/2, after which it diffuses.
func (s *phase) pace(at rung, level noiseLevel) float64 {
	at.Noise, at.WorstNoise = level.Mean, level.Worst
	h, c := s.stepAndFriction(at)
	return 1 / (1/h + (c+h*h*level.Mean/2)/(h*h))
}

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

// noiseAt is the largest variance of a coordinate of the gradient with a control variate, at a squared distance from
// its anchor: to first order in proportion to that.
func (g *rung) noiseAt(distance float64) float64 {
	at := g.Noises.Anchored
	if at.Distance == 0 {
		return at.Worst
	}
	return at.Worst * distance / at.Distance
}

// stepUnder is the rung's step, or a shorter one for a walker whose noise is far beyond what is usual on the rung.
func (g *rung) stepUnder(noise float64) float64 {
	const unusual = 4
	if usual := unusual * math.Max(g.WorstNoise, noiseTimesStep/(g.Step*g.Step)); noise > usual {
		return g.Step * math.Sqrt(usual/noise)
	}
	return g.Step
}

const (
	noiseTimesStep = 0.2 // bound of h²V
	longestInMode  = 0.4 // bound of h·√λ, λ the largest curvature at a mode: twice defaultStep
)

// unequal is the relative error of a variance that noise may make where it is not the same in all directions: standard
// deviations are to be right to 2 %, and other errors come on top.
const unequal = 0.03
