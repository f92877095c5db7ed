package renhd

import (
	"math"

	"gonum.org/v1/gonum/floats"

	"ppl/infer/dynamics"
	"ppl/infer/renhd/population"
	"ppl/posterior/stats"
	"ppl/posterior/store"
)

// A positionHeat averages the configurational temperature of a chain's positions at temperature 1: −(x − c)·f/d for the
// force f at x and any fixed c. Its mean is 1 for draws of the target (adapt.Points.Temperature names the source). A
// batch drawn after x gives an unbiased f. So the noise of minibatches does not change the mean, but its effect on x
// does. If anchors are used, c is the nearest one, which gives the least variance.
type positionHeat struct {
	Center []float64
	Means  blockMeans
}

// A blockMeans holds means of blocks of consecutive numbers. If there are mostBlocks blocks, it merges them in pairs.
type blockMeans struct {
	Size, Count int
	Sum         float64 // sum over the unfinished block
	Means       []float64
}

const mostBlocks = 64

func (b *blockMeans) add(x float64) {
	b.Size = max(b.Size, 1)
	b.Sum += x
	b.Count++
	if b.Count < b.Size {
		return
	}
	b.Means, b.Sum, b.Count = append(b.Means, b.Sum/float64(b.Size)), 0, 0
	if len(b.Means) < mostBlocks {
		return
	}
	for i := range mostBlocks / 2 {
		b.Means[i] = (b.Means[2*i] + b.Means[2*i+1]) / 2
	}
	b.Means, b.Size = b.Means[:mostBlocks/2], 2*b.Size
}

// countHeat adds the positions of the walkers at temperature 1, if the rule has no Metropolis test and flags no draws.
// It skips networks, whose walkers do not stay in one region long enough for this mean.
func (c *drawCollector) countHeat(now *population.Ends) {
	r, w := c.run, c.run.Walkers
	if !r.Phase.Unadjusted() || r.Phase.Blocks != nil || w.Traits.Flagged {
		return
	}
	if c.state.Heats == nil {
		c.state.Heats = make([]positionHeat, w.Chains)
	}
	if c.forces == nil {
		c.forces, c.heatRoom = r.Phase.System.ForceBuffers(), make([]float64, w.Dim)
	}
	f := c.heatRoom
	for chain := range w.Chains {
		lane, h := w.Cold(chain), &c.state.Heats[chain]
		x := now.Of(dynamics.Theta, lane)
		clear(f)
		for _, name := range c.forces {
			floats.Add(f, now.Of(name, lane))
		}
		if h.Center == nil {
			h.Center = append(h.Center, x...)
		}
		center := h.Center
		if w.UsesAnchors {
			center = r.rows.ModeNear(x)
		}
		heat := 0.0
		for j := range x {
			heat -= (x[j] - center[j]) * f[j] / float64(w.Dim)
		}
		if !math.IsNaN(heat) && !math.IsInf(heat, 0) {
			h.Means.add(heat)
		}
	}
}

// positionTemperature returns the mean over all chains with its standard error, and the excess that theory predicts for
// the coordinate with most noise: with a thermostat, (c + h²V/2) divided by the same with the mean of V, minus 1.
func (c *drawCollector) positionTemperature() (t store.PositionTemperature) {
	var all []float64
	for _, h := range c.state.Heats {
		all = append(all, h.Means.Means...)
	}
	if len(all) < 8 {
		return t
	}
	mean, sd := stats.MeanSD(all)
	t.Value, t.Error = store.Number(mean), store.Number(sd/math.Sqrt(float64(len(all))))
	g := c.run.Walkers.Rungs[0]
	if c.run.Walkers.Thermostated() && c.run.Phase.Batches.InUse() {
		put := func(noise float64) float64 { return g.Friction + g.Step*g.Step*noise/2 }
		t.Noise = store.Number(put(g.FeltNoise())/put(g.Noise) - 1)
	}
	return t
}
