package renhd

import (
	"context"

	"ppl/infer"
)

// A run is one call of Sample.
type run struct {
	*course
	state state
	warm  *warmup
	stats counts
	swaps *swaps
	modes *knownModes
	rows  *subsampling
}

func newRun(ctx context.Context, first phase, x exchange, rec infer.Recorder) *run {
	c := newCourse(ctx, first, rec)
	r := &run{course: c, modes: newKnownModes(c)}
	r.rows = newSubsampling(c, r.modes)
	r.swaps = newSwaps(x, &first, r.rows.estimator())
	r.warm = newWarmup(c, r.swaps, r.modes, r.rows)
	r.progress = r.howFar
	c.keep(r.population, r.swaps, r.modes, r.rows, r.warm, own("report", r.report), own("counts", &r.stats),
		own("run", &r.state))
	return r
}

// howFar is the progress of the run in a phase of it.
func (r *run) howFar(p infer.Phase) infer.Progress {
	report, o := r.report, r.phase.options
	done, total := r.Iterations+1, o.Warmup
	if p == infer.Sampling {
		done, total = min(r.stats.Iterations, (report.Draws+1)*report.Thin), o.Draws*report.Thin
	}
	progress := infer.Progress{Phase: p, Done: min(done, total), Total: total, Divergences: report.Divergences,
		SwapRates: r.swaps.counts().rates()}
	if p == infer.Sampling {
		progress.Thin = report.Thin
	}
	if r.phase.blocks != nil {
		progress.Steps = r.Gradients / int64(r.lanes())
		progress.Epoch = r.stats.Steps / float64(r.phase.epoch(true))
	}
	return progress
}

// warmUp chooses between the ways to warm up.
func (r *run) warmUp() error {
	s := &r.phase
	if s.blocks != nil {
		return newNetworkWarmup(r.course).warmUp()
	}
	if s.batches.Some() || s.free() && s.settings().Noise == 0 {
		return r.warm.warmUpFree()
	}
	if n := s.settings().Replicas; n > 0 || s.free() {
		return r.warm.warmUpLadder()
	}
	last, agreed, err := r.warm.explore()
	if err != nil {
		return err
	}
	if agreed {
		return r.warm.warmUpAlone(last.metricKnown())
	}
	return r.warm.growLadder()
}
