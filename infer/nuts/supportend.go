package nuts

import (
	"slices"

	"ppl/infer"
	"ppl/infer/adapt"
	"ppl/infer/dynamics"
)

// refuseInfiniteIntegral ends a run whose chains came near an end of a support at which the target has no finite
// integral. It also stores which parameters have tails without a mean or an integral.
func (r *run) refuseInfiniteIntegral(visited [][]float64) error {
	clock := r.state.Clock
	o, err := r.state.Divergence.Improper(visited, r.bounded, r.evaluate)
	if err == nil && o != nil {
		err = infer.NotIntegrable(r.named, o.Coordinate, o.Up)
	}
	if err == nil {
		var noMean, noIntegral []int
		improper := !r.target.ProperPrior()
		noMean, noIntegral, err = adapt.Meanless(visited, infer.CoordinatesOf(r.named), improper, r.evaluate)
		r.state.NoMean = infer.ParametersOf(r.named, noMean)
		r.state.NoIntegral = infer.ParametersOf(r.named, noIntegral)
	}
	r.state.Clock = clock
	return err
}

// evaluate returns log density and gradient of the target at positions. Chains keep their last draws.
func (r *run) evaluate(at [][]float64) (density []float64, slopes [][]float64, err error) {
	dim := r.target.Dim()
	for len(at) > 0 {
		n := min(len(at), len(r.chains))
		for lane := range n {
			r.exe.SetLane(dynamics.Theta, lane, at[lane])
		}
		if err := r.call("start", nil); err != nil {
			return nil, nil, err
		}
		for lane := range n {
			state := slices.Clone(r.stateOf(lane))
			density = append(density, logPrior(state, dim)+logLik(state, dim))
			slopes = append(slopes, gradient(state, dim))
		}
		at = at[n:]
	}
	return density, slopes, nil
}
