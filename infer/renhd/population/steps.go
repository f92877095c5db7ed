package population

import "math"

// Quarter is the quarter period of a normal target in whitened coordinates: a trajectory of this length forgets its
// start.
const Quarter = math.Pi / 2

// thermostatLength is the length N√ε of a trajectory of N steps with a rule that has no Metropolis test.
const thermostatLength = 8

// MaxSteps is the maximum number of steps of a trajectory; MaxFirstSteps applies while walkers may be far from the
// target, and MaxImprovingSteps while the metric may be very wrong.
const (
	MaxSteps          = 512
	MaxFirstSteps     = 16
	MaxImprovingSteps = 32
)

// Steps returns the number of steps of the next trajectory, at most limit. For hmc the length of the trajectory, in
// quarter periods, is between half and one and a half times Length, at the walkers' median step:
//
//	iteration      0     1      2     3     (a low-discrepancy sequence without a period)
//	length         .50   1.12   .74   1.35  times Length
//	steps of .2    4     9      6     11
func (p *Population) Steps(limit int) int { return p.StepsAt(p.Iterations, limit) }

// StepsAt is Steps for a given iteration.
func (p *Population) StepsAt(iteration, limit int) int {
	if n := p.Phase.Steps; n > 0 {
		return n
	}
	if p.Phase.Unadjusted() {
		return WholeSteps(thermostatLength/p.Rungs[0].Step, 200)
	}
	const golden = 0.6180339887498949
	_, u := math.Modf(float64(iteration) * golden)
	return WholeSteps(Quarter*p.Length*(0.5+u)/p.MedianStep, limit)
}

// WholeSteps rounds n to a number of steps from 1 to most. It returns 1 for NaN, which results from a step size of 0.
func WholeSteps(n float64, most int) int {
	if math.IsNaN(n) {
		return 1
	}
	return int(min(max(math.Round(n), 1), float64(most)))
}
