package renhd

import (
	"ppl/infer"
	"ppl/infer/adapt"
	"ppl/infer/dynamics"
)

// refuseInfiniteIntegral ends a run whose walkers have come near the end of a support where the target has no finite
// integral, and notes which parameters have tails without a mean or an integral. It needs gradients of the target
// itself, without noise.
func (r *warmup) refuseInfiniteIntegral(cold [][]float64) error {
	s := &r.phase
	if s.free() || s.system.Path != dynamics.Plain {
		return nil
	}
	here, clock, moved := r.walkers.positions(), r.walkers.NoiseStep, false
	evaluate := func(at [][]float64) ([]float64, [][]float64, error) {
		moved = true
		return r.evaluateSlopes(at)
	}
	bounded := infer.Bounded(s.ends)
	o, err := r.state.Divergence.Improper(cold, bounded, evaluate)
	var noMean, noIntegral []int
	if err == nil && o == nil {
		noMean, noIntegral, err = adapt.Meanless(cold, s.ends, !s.target.ProperPrior(), evaluate)
		r.report.NoMean = infer.ParametersOf(s.given, noMean)
		r.report.NoIntegral = infer.ParametersOf(s.given, noIntegral)
	}
	switch {
	case err != nil:
		return err
	case o != nil:
		return infer.NotIntegrable(s.given, o.Coordinate, o.Up)
	case moved:
		_, err = r.walkers.place(r.ctx, here)
		r.walkers.NoiseStep = clock
	}
	return err
}
