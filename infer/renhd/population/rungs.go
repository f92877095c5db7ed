package population

import (
	"math"

	"ppl/infer/adapt"
	"ppl/infer/dynamics"
)

// A Lineup lists the rungs with their parameters, and the rung of each walker. Chain c has the lanes from c·PerChain
// to (c+1)·PerChain.
type Lineup struct {
	PerChain  int
	Rungs     []Rung
	RungOf    []int  // by lane
	Stuck     []int  // by lane: for how many sweeps of the last windows in negligible mass; nil before the first
	NoiseStep uint64 // the device's next noise step
	Gradients int64  // computed so far, a lane's each
}

// A Rung is a temperature with its step size, metric and other parameters; walkers move between rungs.
type Rung struct {
	Beta       float64 // inverse temperature of what the path tempers
	Metric     adapt.Metric
	Step       float64 // in the metric's whitened coordinates
	Friction   float64 // c
	Noise      float64 // mean variance of the whitened gradient's coordinates under minibatches, measured
	WorstNoise float64 // that in the direction which has most
	Noises     Noises
	Stiffness  float64 // the largest curvature at an anchor, in whitened coordinates; 0 if it is not known
}

// A NoiseLevel is the variance of whitened gradients of minibatches: its mean over the coordinates, that in the
// direction which has most, and the mean squared distance of the walkers from their anchors at which it was measured.
type NoiseLevel struct{ Mean, Worst, Distance float64 }

// Noises are those with control variates and without.
type Noises struct{ Anchored, Plain NoiseLevel }

// Used returns the lesser.
func (n Noises) Used() NoiseLevel {
	if n.Anchored.Worst < n.Plain.Worst {
		return n.Anchored
	}
	return n.Plain
}

// newRungs returns unadapted rungs of given inverse temperatures.
func (s *Phase) newRungs(betas []float64) []Rung {
	rungs := make([]Rung, len(betas))
	for j, b := range betas {
		rungs[j] = Rung{Beta: b, Metric: s.System.Metric, Step: s.firstStep(b), Friction: s.friction(b)}
	}
	return rungs
}

// firstStep returns the step to start from; a fixed step is that at T = 1.
func (s *Phase) firstStep(beta float64) float64 {
	h := s.StepSize
	if h == 0 {
		h = DefaultStep
	}
	return h * math.Sqrt(s.stepRatio(beta))
}

// friction is c of a rung.
func (s *Phase) friction(beta float64) float64 {
	c := s.Settings().Friction
	if c == 0 {
		c = DefaultFriction
	}
	return c / s.stepRatio(beta)
}

// stepRatio is ε of a rung over ε at T = 1. In coordinates that do not adapt, the paper's dynamics at temperature T
// with ε and c is ours at unit temperature with εT and c/T; elsewhere the rung's own metric takes care of it.
func (s *Phase) stepRatio(beta float64) float64 {
	if s.System.Path != dynamics.Energy || s.Settings().Metric != "identity" || !s.Unadjusted() {
		return 1
	}
	return 1 / beta
}

const (
	DefaultStep     = 0.2 // √ε in whitened coordinates: where hmc's adaptation starts, and what nosehoover takes
	DefaultFriction = 0.1 // c
)

// FirstStepIn returns the step to begin with in a new metric. With noise in the gradients it is bounded by √(0.2/V), V
// the largest variance of the whitened gradient, so that noise does not heat the walker faster than the thermostat
// cools it; where modes differ in width, by that of the narrowest.
func (s *Phase) FirstStepIn(at Rung) float64 {
	if !s.Unadjusted() {
		return DefaultStep
	}
	h, v := s.firstStep(at.Beta), at.WorstNoise
	if s.System.Noise > 0 {
		v += s.System.Noise * at.Beta * at.Beta * largestSquare(at.Metric)
	}
	if s.StepSize > 0 {
		return h
	}
	if v > 0 {
		h = math.Min(h, math.Sqrt(NoiseTimesStep/v))
	}
	if at.Stiffness > 0 {
		h = math.Min(h, longestInMode/math.Sqrt(at.Stiffness))
	}
	return h
}

// FeltNoise returns the variance that counts for how far walkers get in the direction with most noise. With a control
// variate noise grows with the squared distance z² from the anchor. Where a few rows have most of it, that is the
// distance in their direction, and what it adds to the variance there is weighed by z²: E z⁴ = 3.
func (g *Rung) FeltNoise() float64 {
	if g.Noises.Anchored.Worst > 0 && g.Noises.Anchored.Worst < g.Noises.Plain.Worst {
		return 3 * g.WorstNoise
	}
	return g.WorstNoise
}

// StepAndFriction returns those for the noise of a rung. A thermostat takes up noise that is the same in all
// directions, for which firstStepIn bounds the step. Where one has more, h²V in place of the mean, it is hotter by (c +
// h²V/2)/(c + h²V̄/2), V as felt: more friction and shorter steps then keep that within unequal.
func (s *Phase) StepAndFriction(at Rung) (step, friction float64) {
	step, friction = s.FirstStepIn(at), s.friction(at.Beta)
	if s.Settings().Friction > 0 {
		return step, friction
	}
	friction = math.Min(DefaultFriction, step/2)
	excess := at.FeltNoise() - (1+Unequal)*at.Noise
	if s.StepSize == 0 && step*step/2*excess > Unequal*friction {
		friction = DefaultFriction
		step = math.Min(step, math.Sqrt(2*Unequal*friction/excess))
	}
	return step, friction
}

// Pace returns how far a walker gets in a step, in standard deviations, with a rung's noise at a level: momenta carry
// it for 1/s steps, s = c + h²V/2, after which it diffuses.
func (s *Phase) Pace(at Rung, level NoiseLevel) float64 {
	at.Noise, at.WorstNoise = level.Mean, level.Worst
	h, c := s.StepAndFriction(at)
	return 1 / (1/h + (c+h*h*level.Mean/2)/(h*h))
}

// largestSquare returns the largest squared norm of a column of L: the factor by which whitening raises the variance of
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

// ExpectedFriction returns the mean of s that balances what a rung's friction and the noise in its forces put in: c +
// εV/2, V measured for minibatches, else β²σ². NaN if the metric is not the identity, so that the noise is not the same
// in all directions.
func (s *Phase) ExpectedFriction(at Rung) float64 {
	noise := s.System.Noise
	if s.Batches.Some() {
		return at.Friction + at.Step*at.Step*at.Noise/2
	}
	if noise > 0 && s.Settings().Metric != "identity" {
		return math.NaN()
	}
	return at.Friction + at.Step*at.Step*at.Beta*at.Beta*noise/2
}

// NoiseAt returns the largest variance of a coordinate of the gradient with a control variate, at a squared distance
// from its anchor: to first order in proportion to that.
func (g *Rung) NoiseAt(distance float64) float64 {
	at := g.Noises.Anchored
	if at.Distance == 0 {
		return at.Worst
	}
	return at.Worst * distance / at.Distance
}

// StepUnder returns the rung's step size, or a shorter one for a walker whose gradient noise is much larger than usual
// on the rung.
func (g *Rung) StepUnder(noise float64) float64 {
	const unusual = 4
	if usual := unusual * math.Max(g.WorstNoise, NoiseTimesStep/(g.Step*g.Step)); noise > usual {
		return g.Step * math.Sqrt(usual/noise)
	}
	return g.Step
}

const (
	NoiseTimesStep = 0.2 // bound of h²V
	longestInMode  = 0.4 // bound of h·√λ, λ the largest curvature at a mode: twice defaultStep
)

// unequal is the relative error of a variance that noise may make where it is not the same in all directions: standard
// deviations are to be right to 2 %, and other errors come on top.
const Unequal = 0.03
