package renhd

import (
	"context"
	"math"

	"ppl/infer/dynamics"
)

// An energyEstimator estimates the energy difference of each proposed swap until the variance of its log acceptance
// ratio is at most maxVariance.
type energyEstimator interface {
	estimate(ctx context.Context, w *walkers, x *swaps, maxVariance float64) error
}

// trajectoryEnergies takes the energies that trajectories end with: exact, or with noise of a known variance, which
// repeats average out.
type trajectoryEnergies struct {
	noise  float64
	repeat []float64 // room for one
}

func (m *trajectoryEnergies) estimate(ctx context.Context, w *walkers, x *swaps, maxVariance float64) error {
	sum := w.view(dynamics.Tempered)
	n := 1.0
	for ; n < m.repeats(x.proposals, maxVariance); n++ {
		if err := w.runEntry(ctx, dynamics.Potential, nil); err != nil {
			return err
		}
		m.repeat = w.read(dynamics.Tempered, m.repeat)
		for lane, v := range m.repeat {
			sum[lane] += v
		}
	}
	for i := range x.proposals {
		p := &x.proposals[i]
		p.gain, p.variance = (sum[p.hot]-sum[p.cold])/n, 2*m.noise/n
	}
	return nil
}

// repeats is how often each energy has to be measured.
func (m *trajectoryEnergies) repeats(proposals []proposal, maxVariance float64) float64 {
	n := 1.0
	for _, p := range proposals {
		n = math.Max(n, math.Ceil(p.gap*p.gap*2*m.noise/maxVariance))
	}
	return n
}
