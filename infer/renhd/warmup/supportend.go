package warmup

import (
	"ppl/infer"
	"ppl/infer/adapt"
	"ppl/infer/dynamics"
)

// refuseInfiniteIntegral ends a run whose walkers came near an end of a support at which the target has no finite
// integral. It also stores which parameters have tails without a mean or an integral. It needs exact gradients.
func (r *Warmup) refuseInfiniteIntegral(cold [][]float64) error {
	s := &r.Phase
	if s.Unadjusted() || s.System.Path != dynamics.Plain {
		return nil
	}
	here, clock, moved := r.Walkers.Positions(), r.Walkers.NoiseStep, false
	evaluate := func(at [][]float64) ([]float64, [][]float64, error) {
		moved = true
		return r.EvaluateSlopes(at)
	}
	bounded := infer.Bounded(s.Ends)
	o, err := r.state.Divergence.Improper(cold, bounded, evaluate)
	var noMean, noIntegral []int
	if err == nil && o == nil {
		noMean, noIntegral, err = adapt.Meanless(cold, s.Ends, !s.Target.ProperPrior(), evaluate)
		r.Report.NoMean = infer.ParametersOf(s.Given, noMean)
		r.Report.NoIntegral = infer.ParametersOf(s.Given, noIntegral)
	}
	switch {
	case err != nil:
		return err
	case o != nil:
		return infer.NotIntegrable(s.Given, o.Coordinate, o.Up)
	case moved:
		_, err = r.Walkers.Place(r.Ctx, here)
		r.Walkers.NoiseStep = clock
	}
	return err
}
