package renhd

import (
	"fmt"
	"math"

	"ppl/infer/renhd/ladder"
	"ppl/infer/renhd/population"
	"ppl/posterior/store"
)

// completeReport adds the properties of the run to the report, and notes on facts that its numbers do not show.
// Divergences, disagreement of chains, swap rates near 0 and missing round trips are described by code that summarises
// draws.
func (r *run) completeReport() {
	p, s := r.Report, &r.Phase
	p.Sampler, p.Dynamics, p.Path = "renhd", s.Rule.Name(), s.System.Path.String()
	p.Chains, p.Warmup = s.Options.Chains, s.Options.Warmup
	p.Temperatures, p.Batch = []float64{1}, s.Batches.Size
	if r.Walkers == nil {
		return
	}
	w := r.Walkers
	p.Gradients, p.StepSize = w.Gradients, store.Number(w.Rungs[0].Step)
	p.Steps = store.Number(r.stats.Steps / math.Max(float64(r.stats.Iterations), 1))
	if len(w.Rungs) > 1 {
		p.Temperatures, p.SwapRates = ladder.Temperatures(w.Betas()), r.swaps.Counts().Rates()
		p.RoundTrips = r.swaps.Counts().RoundTrips.Count
		p.Barrier = store.Number(ladder.Barrier(p.SwapRates))
	}
	p.JumpRate = store.Number(r.modes.JumpCounts().Rate())
	r.warm.RemarkOnForm()
	r.warm.RemarkOnCentring()
	p.NonFiniteEnds = r.AsTheModel(p.NonFiniteEnds)
	if h := r.warm.LeastStep(); h > 0 {
		r.Notef("the density jumps, for example because a parameter is compared with a number or rounded: "+
			"trajectories are rejected there however short their steps are, so steps are not made shorter than %.2g", h)
	}
	r.warm.RemarkOnDiscontinuities()
	r.remarkOnRows()
	r.remarkOnWeights()
	if s.Unadjusted() && !s.Rule.Traits().Flagged {
		r.warm.WarnOfTemperature()
	}
	r.warnOfWarmup()
}

// remarkOnWeights adds a note that the weights of a network are judged by its predictions.
func (r *run) remarkOnWeights() {
	p := r.Report
	p.Weights = nil
	for _, b := range r.Phase.Blocks {
		if b.Layer != "" {
			p.Weights = append(p.Weights, b.Parameter)
		}
	}
	if len(p.Weights) > 0 && p.Draws > 0 {
		r.Notef("a network has many equivalent optima and each chain stays near one of them, so R-hat and effective " +
			"sample sizes of weights are not judged; ppl predict RUN --data NEW scores the predictions")
	}
}

// remarkOnRows adds notes on the share of the data that the run used at a time.
func (r *run) remarkOnRows() {
	if b := r.Phase.Batches; b.InUse() {
		r.Notef("minibatches of %d of %d rows; lp and log_likelihood are estimated from one minibatch each",
			b.Size, b.Rows)
		if r.Phase.HasTermsWithoutRows() {
			r.Notef("terms of the likelihood that are not sums over the rows are computed in full at each step")
		}
	}
	x := r.swaps.Counts()
	if x.Decided == 0 {
		return
	}
	r.Notef("the energies of swaps were estimated from a share of %.2g of the rows on average",
		x.RowShare/float64(x.Decided))
	if share := float64(x.Skewed) / float64(x.Decided); share > 0.01 {
		r.Warn(store.Warning{
			Fact: fmt.Sprintf("In %.0f %% of swaps the differences of log likelihoods were too skewed.", 100*share),
			Reason: "The test of a swap estimates them from a part of the rows, and is exact only if these " +
				"estimates are approximately normal.",
			Advice: []store.Advice{{Do: store.Raise, On: "exchange_batch",
				Text: "Let swaps use more rows (--set exchange_batch)."}}})
	}
}

// warnOfWarmup warns if warm-up was too short, and adds a note if it was longer than the user asked for.
func (r *run) warnOfWarmup() {
	p, asked := r.Report, r.Phase.AskedWarmup
	if p.Warmup > asked {
		r.Notef("warm-up took %d iterations instead of %d: a shorter one does not learn steps and metric, and draws "+
			"then need more gradients than the longer one", p.Warmup, asked)
	}
	if p.Warmup < population.ShortestWarmup && p.Draws > 0 && r.Phase.Blocks == nil {
		r.Warn(store.Warning{
			Fact: fmt.Sprintf("A warm-up of %d iterations is too short to find the step size, the metric and several "+
				"modes.", asked),
			Advice: []store.Advice{{Do: store.Raise, On: "warmup",
				Text: "Take a longer warm-up (--warmup; 1000 by default)."}}})
	}
}
