package renhd

import (
	"context"
	"math"

	"ppl/infer/dynamics"
)

// A meter measures the gains of proposals, each until the noise of its log acceptance ratio has a variance of at most `most`.
type meter interface {
	measure(ctx context.Context, w *walkers, proposals []*proposal, round int, most float64) error
}

// potentials are those that trajectories end with: exact, or with noise of a known variance, which repeats average out.
type potentials struct{ noise float64 }

func (m potentials) measure(ctx context.Context, w *walkers, proposals []*proposal, _ int, most float64) error {
	sum := w.read(dynamics.Tempered, nil)
	n := 1.0
	for ; n < m.repeats(proposals, most); n++ {
		if err := w.entry(ctx, dynamics.Potential, nil); err != nil {
			return err
		}
		for lane, v := range w.read(dynamics.Tempered, nil) {
			sum[lane] += v
		}
	}
	for _, p := range proposals {
		p.gain, p.variance = (sum[p.hot]-sum[p.cold])/n, 2*m.noise/n
	}
	return nil
}

// repeats is how often each potential has to be measured.
func (m potentials) repeats(proposals []*proposal, most float64) float64 {
	n := 1.0
	for _, p := range proposals {
		n = math.Max(n, math.Ceil(p.gap*p.gap*2*m.noise/most))
	}
	return n
}
