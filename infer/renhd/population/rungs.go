package population

import (
	"math"

	"ppl/infer/adapt"
	"ppl/infer/dynamics"
)

// A Lineup holds the rungs with their parameters, and the rung of each walker. Chain c has the lanes from c·PerChain to
// (c+1)·PerChain − 1.
type Lineup struct {
	PerChain int
	Rungs    []Rung
	RungOf   []int // rung of each lane
	// Stuck is, for each lane, the number of sweeps in recent windows for which the walker was stuck. It is nil before
	// the first window.
	Stuck     []int
	NoiseStep uint64 // next noise step of the device
	Gradients int64  // number of gradients so far, counted by lane
}

// A Rung is a temperature with its step size, metric and other parameters. Walkers move between rungs.
type Rung struct {
	Beta       float64 // inverse temperature of the tempered part of the density
	Metric     adapt.Metric
	Step       float64 // step size in the metric's whitened coordinates
	Friction   float64 // friction c
	Noise      float64 // measured variance of the whitened gradient under minibatches: mean over the coordinates
	WorstNoise float64 // the same in the direction with the largest variance
	Noises     Noises
	Stiffness  float64 // largest curvature at an anchor, in whitened coordinates; 0 if unknown
}

// A NoiseLevel is the variance of whitened gradients of minibatches: the mean over the coordinates, the value in the
// direction in which it is largest, and the mean squared distance of the walkers from their anchors during the
// measurement.
type NoiseLevel struct{ Mean, Worst, Distance float64 }

// Noises holds the noise levels with control variates and without.
type Noises struct{ Anchored, Plain NoiseLevel }

// Used returns the lower of the two levels.
func (n Noises) Used() NoiseLevel {
	if n.Anchored.Worst < n.Plain.Worst {
		return n.Anchored
	}
	return n.Plain
}

// newRungs returns unadapted rungs with these inverse temperatures.
func (s *Phase) newRungs(betas []float64) []Rung {
	rungs := make([]Rung, len(betas))
	for j, b := range betas {
		rungs[j] = Rung{Beta: b, Metric: s.System.Metric, Step: s.firstStep(b), Friction: s.friction(b)}
	}
	return rungs
}

// firstStep returns the initial step of a rung. A step fixed by the user refers to T = 1.
func (s *Phase) firstStep(beta float64) float64 {
	h := s.StepSize
	if h == 0 {
		h = DefaultStep
	}
	return h * math.Sqrt(s.stepRatio(beta))
}

// friction returns the friction c of a rung.
func (s *Phase) friction(beta float64) float64 {
	c := s.Settings().Friction
	if c == 0 {
		c = DefaultFriction
	}
	return c / s.stepRatio(beta)
}

// stepRatio returns ε of a rung divided by ε at T = 1. Without adapted metrics, the paper's dynamics at temperature T
// with ε and c equals ours at unit temperature with εT and c/T. Otherwise the rung's metric accounts for the
// temperature.
func (s *Phase) stepRatio(beta float64) float64 {
	if s.System.Path != dynamics.Energy || s.Settings().Metric != "identity" || !s.Unadjusted() {
		return 1
	}
	return 1 / beta
}

const (
	DefaultStep     = 0.2 // √ε in whitened coordinates: initial step of hmc, and the step of nosehoover
	DefaultFriction = 0.1 // friction c
)

// FirstStepIn returns the initial step for a new metric. With noisy gradients it is at most √(0.2/V), where V is the
// largest variance of the whitened gradient, so that noise does not heat the walker faster than the thermostat cools
// it. If modes differ in width, the narrowest bounds it.
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

// FeltNoise returns the variance that limits how far walkers move in the direction with most noise. With a control
// variate, noise grows with the squared distance z² from the anchor. If a few rows cause most of it, z is the distance
// in their direction, and their contribution to the variance in that direction is weighted by z²: E z⁴ = 3.
func (g *Rung) FeltNoise() float64 {
	if g.Noises.Anchored.Worst > 0 && g.Noises.Anchored.Worst < g.Noises.Plain.Worst {
		return 3 * g.WorstNoise
	}
	return g.WorstNoise
}

// StepAndFriction returns step and friction for the noise of a rung. A thermostat compensates noise that is equal in
// all directions; FirstStepIn bounds the step for this. A direction with more noise, h²V instead of the mean h²V̄, is
// hotter by the factor (c + h²V/2)/(c + h²V̄/2), with V from FeltNoise. More friction and shorter steps keep this
// factor within 1 + Unequal.
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

// Pace returns the distance, in standard deviations, that a walker moves per step at a noise level: momenta persist for
// 1/s steps, with s = c + h²V/2, and then the walker diffuses.
func (s *Phase) Pace(at Rung, level NoiseLevel) float64 {
	at.Noise, at.WorstNoise = level.Mean, level.Worst
	h, c := s.StepAndFriction(at)
	return 1 / (1/h + (c+h*h*level.Mean/2)/(h*h))
}

// largestSquare returns the largest squared norm of a column of L: the factor by which whitening increases the variance
// of gradient noise.
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

// ExpectedFriction returns the mean of s that balances the heat of a rung's friction and of the noise in its forces: c
// + εV/2, where V is measured for minibatches and β²σ² otherwise. It is NaN for noise σ² with a metric other than the
// identity, since the noise then differs between directions.
func (s *Phase) ExpectedFriction(at Rung) float64 {
	noise := s.System.Noise
	if s.Batches.InUse() {
		return at.Friction + at.Step*at.Step*at.Noise/2
	}
	if noise > 0 && s.Settings().Metric != "identity" {
		return math.NaN()
	}
	return at.Friction + at.Step*at.Step*at.Beta*at.Beta*noise/2
}

// NoiseAt returns the largest variance of a coordinate of the gradient with a control variate, at a squared distance
// from the anchor. To first order the variance is proportional to it.
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
	longestInMode  = 0.4 // bound of h·√λ, where λ is the largest curvature at a mode: twice DefaultStep
)

// Unequal is the allowed relative error of a variance due to noise that differs between directions. The goal is 2 % of
// a standard deviation, and other errors add to this one.
const Unequal = 0.03
