package renhd

import (
	"math"

	"ppl/infer/adapt"
)

// A warmth is how warm positions are, by the gradients there: 1 for draws from the target, and known to bound. A free
// rule does not notice itself when its step or the noise in its gradients are too much for it: its momenta may well
// have the right temperature.
type warmth struct{ temperature, bound float64 }

// takeTemperature measures the cold rung of a free rule. Points are counted as half as many, for those of neighbouring
// sweeps resemble each other.
func (r *run) takeTemperature(p *adapt.Points) {
	if !r.free() || p.Len() == 0 {
		return
	}
	r.warmth = warmth{p.Temperature(), 4 * math.Sqrt(4/float64(p.Len()*r.target.Dim()))}
}

// tolerance is the relative error of variances that is not worth a warning, beside the statistical one.
const tolerance = 0.05

// tellTemperature warns where positions are too hot or too cold.
func (r *run) tellTemperature() {
	if w := r.warmth; math.Abs(w.temperature-1) > tolerance+w.bound {
		r.warnf("positions have a temperature of %.2f where it should be 1, so variances are off by about that: the "+
			"step or the noise of gradients is too "+
			"much for %s; take a smaller step_size, a larger batch, or dynamics = nosehoover", w.temperature,
			r.rule.Name())
	}
}
