package netwarmup

import (
	"fmt"
	"math"

	"ppl/infer"
	"ppl/infer/renhd/part"
	"ppl/infer/renhd/population"
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

// WarmUp moves walkers from the starting points to an equilibrium from which draws can be taken, beginning with an
// optimiser.
func (r *Warmup) WarmUp() error {
	if err := r.Load([]float64{1}, 1); err != nil {
		return err
	}
	bad, err := r.Walkers.Place(r.Ctx, r.initialWeights())
	if err != nil {
		return err
	}
	if len(bad) > 0 && !r.Replaying() {
		return infer.Refusal{Cause: infer.NowhereFinite{
			Tried: fmt.Sprintf("the initial weights of %d of %d walkers", len(bad), r.Walkers.Lanes())}}
	}
	if _, err := part.Do(r.Run, &climb{run: r}); err != nil {
		return err
	}
	if _, err := part.Do(r.Run, &noiseOfBlocks{run: r}); err != nil {
		return err
	}
	if _, err := r.Walkers.Place(r.Ctx, r.Walkers.Positions()); err != nil {
		return err
	}
	for range mostHalvings {
		found, err := part.Do(r.Run, &settling{run: r})
		if err != nil || found.Settled {
			return err
		}
	}
	r.Warn(store.Warning{
		Fact: fmt.Sprintf("After %d halvings of the step, the kinetic temperature of a block of weights is still not "+
			"1.", mostHalvings),
		Reason: "Predictions may be too wide."})
	return nil
}

// initialWeights returns points to climb from. Points that the options give are taken as they are.
func (r *Warmup) initialWeights() [][]float64 {
	o, t := r.Phase.Options, r.Phase.Given
	start := infer.InitialWeights(t, r.Phase.Blocks, infer.He, o.Seed)
	at := make([][]float64, r.Walkers.Lanes())
	for lane := range at {
		if len(o.Starts) > 0 {
			at[lane] = o.StartOf(t, len(at), lane)
		} else {
			at[lane] = start(lane)
		}
	}
	return at
}

// apart is the number of steps between two draws, unless an epoch has fewer.
const apart = 350

// Thin returns the number of iterations for each draw of a network.
func (r *Warmup) Thin() int {
	steps := min(r.Phase.Epoch(true), apart)
	return max(1, int(math.Round(float64(steps)/float64(r.Steps(population.MaxSteps)))))
}

// A Warmup moves the walkers of a network by an optimiser and then to an equilibrium from which draws can be taken.
type Warmup struct{ *part.Run }

// New warms up a run of a network.
func New(c *part.Run) *Warmup { return &Warmup{c} }
