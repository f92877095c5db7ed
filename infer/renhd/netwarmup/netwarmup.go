package netwarmup

import (
	"fmt"
	"math"

	"ppl/infer"
	"ppl/infer/renhd/part"
	"ppl/infer/renhd/population"
	"ppl/posterior/store"
)

// WarmUp warms up a network, a target most of whose coordinates are weights, with minibatches. The usual warm-up does
// not work for networks: starting points from the prior saturate every unit, a representative sample of rows would be
// almost all rows, and a metric in 10⁵ dimensions cannot be learned from a thousand positions. The steps for a network
// 784-200-10 with 60,000 images:
//
//	climb     Adam, separately for each walker, with a rate that falls to 0, until held-out scores stop rising
//	measure   the noise of gradients by block (a parameter array): this gives masses, and the longest possible step
//	settle    the sampler, with a thermostat for each block; the step is halved until all blocks are at T = 1
//
// The walkers then sample from all rows, as independent replicas at T = 1. There is no ladder: log π of d coordinates
// has a standard deviation of √(d/2), so temperatures in a ratio of 1.2 would exchange at a rate of 10⁻²⁴¹.
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

// initialWeights returns starting points for the optimiser. Points given in the options are used unchanged.
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

// apart is the maximum number of steps between two draws; an epoch may have fewer.
const apart = 350

// Thin returns the number of iterations for each draw of a network.
func (r *Warmup) Thin() int {
	steps := min(r.Phase.Epoch(true), apart)
	return max(1, int(math.Round(float64(steps)/float64(r.Steps(population.MaxSteps)))))
}

// A Warmup moves the walkers of a network by an optimiser, and then to an equilibrium from which draws can be taken.
type Warmup struct{ *part.Run }

// New returns the warm-up of a run of a network.
func New(c *part.Run) *Warmup { return &Warmup{c} }
