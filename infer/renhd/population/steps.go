package population

import "math"

// quarter is the quarter period of a normal target in whitened coordinates: a trajectory of that length forgets where
// it began.
const Quarter = math.Pi / 2

// thermostatLength is N√ε of nosehoover.
const thermostatLength = 8

// maxSteps bounds the steps of a trajectory, maxFirstSteps those while walkers may be far from the target, and
// maxImprovingSteps those while the metric is off by far.
const (
	MaxSteps          = 512
	MaxFirstSteps     = 16
	MaxImprovingSteps = 32
)

// Steps returns the number of steps of the next trajectory, at most limit. For hmc the trajectory's length, in quarter
// periods, is from half to one and a half times Length at the walkers' median step:
//
//	iteration        0    1     2     3       (a low-discrepancy sequence: lengths never repeat a period)
//	length          .50  1.12  .74   1.35     times Length
//	steps of .2       4    9    6     11
func (p *Population) Steps(limit int) int { return p.StepsAt(p.Iterations, limit) }

// StepsAt returns the number of steps of the trajectory of an iteration.
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

// WholeSteps rounds to a number of steps from 1 to most; 1 for NaN, which a step that shrank to nothing gives.
func WholeSteps(n float64, most int) int {
	if math.IsNaN(n) {
		return 1
	}
	return int(min(max(math.Round(n), 1), float64(most)))
}
