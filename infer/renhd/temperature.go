package renhd

import (
	"fmt"
	"math"

	"ppl/infer/adapt"
	"ppl/infer/draws"
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

// tolerance is the relative error of variances that is not worth a warning, on top of the statistical one: 2 % of
// standard deviations.
const tolerance = 0.04

// warnOfTemperature warns where positions are too hot or too cold: those of the draws, or, where these are too few, of
// warm-up's last window.
func (r *run) warnOfTemperature() {
	if p := r.stats.Report.Positions; p.Value != 0 {
		r.warnOfPositions(p)
	} else if t := r.state.Temperature; t.Bound > 0 && math.Abs(t.Value-1) > tolerance+t.Bound {
		r.warnf("positions have a temperature of %.2f where it should be 1, so variances are off by about that: the "+
			"step or the noise of gradients is too large for %s; use a smaller step_size, a larger batch, or "+
			"dynamics = nosehoover", t.Value, r.shared.rule.Name())
	}
}

// warnOfPositions says how far standard deviations are off, and what share of that is the noise's; the rest is the
// error of discretisation.
func (r *run) warnOfPositions(p draws.PositionTemperature) {
	const errors = 3
	if math.Abs(p.Value-1) < tolerance+errors*p.Error && p.Noise < tolerance {
		return
	}
	noise := "the error of discretisation, which a smaller step_size lessens"
	if p.Noise > 0 {
		noise = fmt.Sprintf("the noise of gradients makes %.1f %% in the direction that has most, which a larger "+
			"batch lessens, and the rest is the error of discretisation, which a smaller step_size lessens", 50*p.Noise)
	}
	r.warnf("standard deviations are off by %+.1f ± %.1f %% on average, from the forces at the draws: %s",
		50*(p.Value-1), 50*p.Error, noise)
}
