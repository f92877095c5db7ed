package renhd

import (
	"fmt"
	"math"
)

// conclude fills the report with what the run was. What draws and counts say for themselves (divergences, chains that
// disagree, swap rates near 0, no round trips) is put in words where they are summarised; here is only what cannot be
// seen from them.
func (r *run) conclude() {
	p, w := &r.report, r.walkers
	p.Sampler, p.Dynamics, p.Path = "renhd", r.rule.Name(), r.system.Path.String()
	p.Chains, p.Warmup = r.options.Chains, r.options.Warmup
	p.Temperatures, p.Batch = []float64{1}, r.batches.Size
	if w == nil {
		return
	}
	p.Gradients, p.StepSize = w.laneSteps, w.rungs[0].step
	p.Steps = r.totalSteps / math.Max(float64(r.kept), 1)
	if len(w.rungs) > 1 {
		p.Temperatures, p.SwapRates = temperatures(r.betas()), r.exchange.rates()
		p.RoundTrips, p.Barrier = r.exchange.trips.count, barrier(p.SwapRates)
	}
	if r.batches.Some() {
		r.note("minibatches of %d of %d rows; lp and log_likelihood are estimates from one each", r.batches.Size,
			r.batches.Rows)
	}
	if x := r.exchange; x.settled > 0 {
		r.note("exchanges looked at %.2g of the rows on average", x.rows/float64(x.settled))
		if share := float64(x.skewed) / float64(x.settled); share > 0.01 {
			r.warnf("in %.0f %% of exchanges the log likelihood differences were too skewed for the test of swaps to "+
				"be exact; a larger exchange_batch helps",
				100*share)
		}
	}
	if r.free() && r.warmth.bound > 0 && !r.rule.Traits().Flagged {
		r.tellTemperature()
	}
	if p.Warmup < shortest && p.Draws > 0 {
		r.warnf("a warm-up of %d iterations is too short to find step, coordinates and whether the target has "+
			"several modes; "+
			"the default is 1000", p.Warmup)
	}
	if r.rule.Name() == "hmc" && p.Draws > 0 && p.StepSize < collapsed {
		r.warnf("the step size had to shrink to %.2g of the target's width: its curvature varies wildly, and regions "+
			"may be missing from the draws; "+
			"for a hierarchical model try `noncentered` where effects are not yet, and check scales that may go to 0",
			p.StepSize)
	}
}

// shortest is the warm-up below which the report says that it was too short.
const shortest = 100

// collapsed is a step size that no target needs whose coordinates fit it.
const collapsed = 0.01

func (r *run) warnf(format string, args ...any) {
	r.report.Warnings = append(r.report.Warnings, fmt.Sprintf(format, args...))
}
