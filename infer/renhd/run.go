package renhd

import (
	"context"

	"ppl/infer"
)

// A run is one call of Sample.
type run struct {
	*course
	state state
	stats counts
	swaps *swaps

	// recentred is whether a part of warm-up has changed the coordinates of effects, also one of the run
	// that is resumed.
	recentred bool
}

func newRun(ctx context.Context, first phase, rec infer.Recorder) *run {
	r := &run{course: &course{population: newPopulation(ctx, first), report: new(infer.Report), recorder: rec},
		swaps: newSwaps(&first)}
	r.progress = r.howFar
	r.owners = []owner{r.population, r.swaps, owned{"report", r.report}, owned{"counts", &r.stats},
		owned{"run", &r.state}}
	return r
}

// loadLadder opens perChain walkers for each chain, in turn on the rungs of a new ladder.
func (r *run) loadLadder(betas []float64, perChain int) error {
	err := r.load(betas, perChain)
	r.swaps.reset(len(betas), r.phase.options.Chains*perChain)
	return err
}

// reopen opens perChain walkers for each chain on other rungs.
func (r *run) reopen(rungs []rung, perChain int) error {
	err := r.population.reopen(rungs, perChain)
	r.swaps.reset(len(rungs), r.phase.options.Chains*perChain)
	return err
}

// howFar is the progress of the run in a phase of it.
func (r *run) howFar(p infer.Phase) infer.Progress {
	report, o := r.report, r.phase.options
	done, total := r.Iterations+1, o.Warmup
	if p == infer.Sampling {
		done, total = min(r.stats.Iterations, (report.Draws+1)*report.Thin), o.Draws*report.Thin
	}
	progress := infer.Progress{Phase: p, Done: min(done, total), Total: total, Divergences: report.Divergences,
		SwapRates: r.swaps.state.Counts.rates()}
	if p == infer.Sampling {
		progress.Thin = report.Thin
	}
	if r.phase.blocks != nil {
		progress.Steps = r.Gradients / int64(r.lanes())
		progress.Epoch = r.stats.Steps / float64(r.phase.epoch(true))
	}
	return progress
}
