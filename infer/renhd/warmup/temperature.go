package warmup

import (
	"fmt"
	"math"

	"ppl/infer/adapt"
	"ppl/posterior/store"
)

// measureTemperature measures the temperature on the cold rung, if the rule has no Metropolis test. Positions of
// neighbouring sweeps are correlated, so only half the number of points counts.
func (r *Warmup) measureTemperature(p *adapt.Points) {
	if !r.Phase.Unadjusted() || p.Len() == 0 {
		return
	}
	r.state.Temperature = gradientTemperature{p.Temperature(),
		4 * math.Sqrt(4/float64(p.Len()*r.Phase.Target.Dim()))}
}

// Tolerance is the relative error of variances, in addition to the statistical error, that is not worth a warning: 2 %
// of standard deviations.
const Tolerance = 0.04

// WarnOfTemperature warns if positions were too hot or too cold in the last window of warm-up. It does so only if there
// are too few draws for the check of their own temperature (PositionTemperature).
func (r *Warmup) WarnOfTemperature() {
	t := r.state.Temperature
	if r.Report.Positions.Value != 0 || t.Bound == 0 || math.Abs(t.Value-1) <= Tolerance+t.Bound {
		return
	}
	advice := []store.Advice{store.SmallerSteps(float64(r.Report.StepSize))}
	if b := r.Phase.Batches; b.InUse() {
		advice = append(advice, store.LargerBatches(b.Size))
	}
	if r.Phase.Rule.Name() != "nosehoover" {
		advice = append(advice, store.Advice{Do: store.Choose, On: "dynamics", To: "nosehoover",
			Text: "Take --set dynamics=nosehoover."})
	}
	r.Warn(store.Warning{
		Fact: fmt.Sprintf("Positions have a temperature of %.2f, but it should be 1.", t.Value),
		Reason: fmt.Sprintf("Variances are wrong by about this factor: the step or the noise of gradients is too "+
			"large for %s.", r.Phase.Rule.Name()),
		Advice: advice})
}
