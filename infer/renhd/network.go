package renhd

import (
	"fmt"
	"math"

	"ppl/infer"
	"ppl/posterior/store"
)

// Warm-up of a network. Where most coordinates are weights, and there are minibatches, nothing of the usual warm-up
// fits: starts from the prior saturate every unit, a few rows that represent all are as many as all rows, and a metric
// cannot be learned from a thousand positions in 10⁵ dimensions. For 784-200-10 on 60,000 images:
//
//	climb      Adam, each walker its own, with a rate that falls to 0, or until rows held out are predicted no better
//	measure    the noise of gradients by block (a parameter array): masses, and the longest step that it allows
//	settle     the sampler itself, with a thermostat for each block; the step is halved until all blocks are at T = 1
//
// The walkers then sample from all rows. There is no ladder: log π of d coordinates has a standard deviation of √(d/2),
// and temperatures in a ratio of 1.2 exchange at a rate of 10⁻²⁴¹. Walkers are independent replicas at T = 1.

// warmUp takes walkers from an optimiser to where draws can be kept.
func (r *networkWarmup) warmUp() error {
	if err := r.load([]float64{1}, 1); err != nil {
		return err
	}
	bad, err := r.walkers.place(r.ctx, r.initialWeights())
	if err != nil {
		return err
	}
	if len(bad) > 0 && !r.replaying() {
		return fmt.Errorf("the log density is not finite at the initial weights of %d of %d walkers; check the "+
			"model's supports and the data", len(bad), r.walkers.lanes())
	}
	if _, err := do(r.course, &climb{run: r}); err != nil {
		return err
	}
	if _, err := do(r.course, &noiseProbe{run: r}); err != nil {
		return err
	}
	if _, err := r.walkers.place(r.ctx, r.walkers.positions()); err != nil {
		return err
	}
	for range mostHalvings {
		found, err := do(r.course, &settling{run: r})
		if err != nil || found.Settled {
			return err
		}
	}
	r.warn(store.Warning{
		Fact: fmt.Sprintf("After %d halvings of the step, the kinetic temperature of a block of weights is still not "+
			"1.", mostHalvings),
		Reason: "Predictions may be too wide."})
	return nil
}

// initialWeights are points to climb from. Points that the options give are taken as they are.
func (r *networkWarmup) initialWeights() [][]float64 {
	o, t := r.phase.options, r.phase.given
	start := infer.InitialWeights(t, r.phase.blocks, infer.He, o.Seed)
	at := make([][]float64, r.walkers.lanes())
	for lane := range at {
		if len(o.Starts) > 0 {
			at[lane] = o.StartOf(t, len(at), lane)
		} else {
			at[lane] = start(lane)
		}
	}
	return at
}

// apart is how many steps are between two draws, unless an epoch has fewer.
const apart = 350

// thin is how many iterations make a draw of a network.
func (r *networkWarmup) thin() int {
	steps := min(r.phase.epoch(true), apart)
	return max(1, int(math.Round(float64(steps)/float64(r.steps(maxSteps)))))
}

// A networkWarmup takes the walkers of a network from an optimiser to where draws can be kept.
type networkWarmup struct{ *course }

// newNetworkWarmup warms up a run of a network.
func newNetworkWarmup(c *course) *networkWarmup { return &networkWarmup{c} }
