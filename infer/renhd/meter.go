package renhd

import (
	"context"
	"math"

	"ppl/infer/dynamics"
)

// A meter measures the gains of proposals, each until the noise of its log acceptance ratio has a variance of at most
// `most`.
type meter interface {
	measure(ctx context.Context, w *walkers, proposals []proposal, round int, most float64) error
}

// potentials are those that trajectories end with: exact, or with noise of a known variance, which repeats average out.
type potentials struct {
	noise float64
	again []float64 // room for a repeat
}

func (m *potentials) measure(ctx context.Context, w *walkers, proposals []proposal, _ int, most float64) error {
	sum := w.view(dynamics.Tempered)
	n := 1.0
	for ; n < m.repeats(proposals, most); n++ {
		if err := w.entry(ctx, dynamics.Potential, nil); err != nil {
			return err
		}
		m.again = w.read(dynamics.Tempered, m.again)
		for lane, v := range m.again {
			sum[lane] += v
		}
	}
	for i := range proposals {
		p := &proposals[i]
		p.gain, p.variance = (sum[p.hot]-sum[p.cold])/n, 2*m.noise/n
	}
	return nil
}

// repeats is how often each potential has to be measured.
func (m *potentials) repeats(proposals []proposal, most float64) float64 {
	n := 1.0
	for _, p := range proposals {
		n = math.Max(n, math.Ceil(p.gap*p.gap*2*m.noise/most))
	}
	return n
}
