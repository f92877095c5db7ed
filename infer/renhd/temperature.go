package renhd

import (
	"math"

	"ppl/infer/adapt"
)

// A gradientTemperature is the sampling temperature of positions, estimated from the gradients there: 1 for draws from
// the target, within Bound. A free rule does not notice when its step or the noise in its gradients are too large for
// it: its momenta may well have the right temperature.
type gradientTemperature struct{ Value, Bound float64 }

// measureTemperature measures the cold rung of a free rule. Points are counted as half as many, because those of
// neighbouring sweeps resemble each other.
func (r *run) measureTemperature(p *adapt.Points) {
	if !r.shared.free() || p.Len() == 0 {
		return
	}
	r.state.Temperature = gradientTemperature{p.Temperature(),
		4 * math.Sqrt(4/float64(p.Len()*r.shared.target.Dim()))}
}

// tolerance is the relative error of variances that is not worth a warning, on top of the statistical one.
const tolerance = 0.05

// warnOfTemperature warns where positions are too hot or too cold.
func (r *run) warnOfTemperature() {
	if t := r.state.Temperature; math.Abs(t.Value-1) > tolerance+t.Bound {
		r.warnf("positions have a temperature of %.2f where it should be 1, so variances are off by about that: the "+
			"step or the noise of gradients is too large for %s; use a smaller step_size, a larger batch, or "+
			"dynamics = nosehoover", t.Value, r.shared.rule.Name())
	}
}
