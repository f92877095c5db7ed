// Package nuts is the No-U-Turn sampler: Hamiltonian Monte Carlo whose trajectories grow by doubling, forward or
// backward at random, until they begin to return, and whose draws are chosen from all their points by weight (Hoffman
// and Gelman, JMLR 2014; the multinomial form of Betancourt, arXiv:1701.02434, appendix A.3, with the criterion between
// subtrees that Stan added in 2.23).
//
// Chains are the lanes of a device. The host builds each chain's tree from the leaves up. A call of the device is one
// leapfrog step of every chain, whatever the state of its tree. All decisions use noise addressed by (seed, chain,
// iteration), so draws do not depend on how chains share calls.
package nuts

import (
	"context"

	"ppl/infer"
)

// Sample draws from t. It is an infer.Sampler.
func Sample(ctx context.Context, t infer.Target, o infer.Options, rec infer.Recorder) (infer.Report, error) {
	return sample(ctx, t, o, rec, faults{}, nil)
}

// Searching returns Sample with a search for unvisited modes at the end of warm-up.
func Searching(search Search) infer.Sampler {
	return func(ctx context.Context, t infer.Target, o infer.Options, rec infer.Recorder) (infer.Report, error) {
		return sample(ctx, t, o, rec, faults{}, search)
	}
}

func sample(ctx context.Context, t infer.Target, o infer.Options, rec infer.Recorder, faults faults,
	search Search) (infer.Report, error) {
	r := &run{ctx: ctx, target: infer.InPrecision(t, o.Settings.Precision), named: t,
		bounded: infer.Bounded(infer.CoordinatesOf(t)), options: o, recorder: rec, faults: faults,
		search: search}
	if err := r.check(); err != nil {
		return r.report, err
	}
	defer r.close()
	from, err := r.loadCheckpoint()
	if err == nil {
		err = r.open(from)
	}
	sampling := from != nil && from.State.Window == len(windows(o.Warmup))
	if err == nil && !sampling {
		err = r.warm(from != nil)
	}
	if err == nil {
		err = r.sample(sampling)
	}
	r.conclude()
	return r.report, err
}
