package ladder

import (
	"context"
	"math"

	"ppl/infer/dynamics"
	"ppl/infer/renhd/population"
)

// An Estimator estimates the energy difference of each proposed swap, until the variance of its log acceptance ratio is
// at most maxVariance.
type Estimator interface {
	Estimate(ctx context.Context, w *population.Walkers, x *Swaps, maxVariance float64) error
}

// trajectoryEnergies uses the energies at the ends of trajectories: exact ones, or noisy ones with known variance,
// which it averages over repeated evaluations.
type trajectoryEnergies struct {
	noise  float64
	repeat []float64 // buffer for one evaluation
}

func (m *trajectoryEnergies) Estimate(ctx context.Context, w *population.Walkers, x *Swaps, maxVariance float64) error {
	sum := w.View(dynamics.Tempered)
	n := 1.0
	for ; n < m.repeats(x.Proposals, maxVariance); n++ {
		if err := w.RunEntry(ctx, dynamics.Potential, nil); err != nil {
			return err
		}
		m.repeat = w.Read(dynamics.Tempered, m.repeat)
		for lane, v := range m.repeat {
			sum[lane] += v
		}
	}
	for i := range x.Proposals {
		p := &x.Proposals[i]
		p.Gain, p.Variance = (sum[p.Hot]-sum[p.Cold])/n, 2*m.noise/n
	}
	return nil
}

// repeats returns the number of evaluations of each energy.
func (m *trajectoryEnergies) repeats(proposals []Proposal, maxVariance float64) float64 {
	n := 1.0
	for _, p := range proposals {
		n = math.Max(n, math.Ceil(p.gap*p.gap*2*m.noise/maxVariance))
	}
	return n
}
