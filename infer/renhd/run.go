package renhd

import (
	"context"
	"fmt"

	"ppl/infer"
	"ppl/posterior/store"
)

// A run is one call of Sample.
type run struct {
	*population
	recorder infer.Recorder
	state    state
	stats    statistics
	swaps    *swaps
	replay   replay

	// recentred is whether a part of warm-up has changed the coordinates of effects, also one of the run
	// that is resumed.
	recentred bool
}

func newRun(ctx context.Context, first phase, rec infer.Recorder) *run {
	r := &run{population: newPopulation(ctx, first), recorder: rec}
	r.swaps = newSwaps(&r.phase, &r.state.Swaps, &r.stats.Swaps)
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

// notef adds a remark to the report.
func (r *run) notef(format string, args ...any) {
	r.stats.Report.Notes = append(r.stats.Report.Notes, fmt.Sprintf(format, args...))
}

// warn adds a warning to the report.
func (r *run) warn(w store.Warning) { r.stats.Report.Warnings = append(r.stats.Report.Warnings, w) }

// showProgress hands the number of iterations to the recorder.
func (r *run) showProgress(p infer.Phase) {
	report, o := &r.stats.Report, r.phase.options
	done, total := r.Iterations+1, o.Warmup
	if p == infer.Sampling {
		done, total = min(r.stats.Iterations, (report.Draws+1)*report.Thin), o.Draws*report.Thin
	}
	progress := infer.Progress{Phase: p, Done: min(done, total), Total: total, Divergences: report.Divergences,
		SwapRates: r.stats.Swaps.rates()}
	if p == infer.Sampling {
		progress.Thin = report.Thin
	}
	if r.phase.blocks != nil {
		progress.Steps = r.walkers.Gradients / int64(r.walkers.lanes())
		progress.Epoch = r.stats.Steps / float64(r.phase.epoch(true))
	}
	r.recorder.Progress(progress)
}
