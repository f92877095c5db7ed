package renhd

import (
	"context"

	"ppl/infer"
	"ppl/infer/renhd/ladder"
	"ppl/infer/renhd/modesearch"
	"ppl/infer/renhd/netwarmup"
	"ppl/infer/renhd/part"
	"ppl/infer/renhd/population"
	"ppl/infer/renhd/subsampling"
	"ppl/infer/renhd/warmup"
)

// A run holds the state of one call of Sample.
type run struct {
	*part.Run
	state state
	warm  *warmup.Warmup
	stats counts
	swaps *ladder.Swaps
	modes *modesearch.Known
	rows  *subsampling.Subsampling
}

func newRun(ctx context.Context, first population.Phase, x ladder.Exchange, rec infer.Recorder) *run {
	c := part.NewRun(ctx, first, rec)
	r := &run{Run: c, modes: modesearch.NewKnown(c)}
	r.rows = subsampling.New(c, r.modes)
	r.swaps = ladder.NewSwaps(x, &first, r.rows.Estimator())
	r.warm = warmup.New(c, r.swaps, r.modes, r.rows)
	r.Progress = r.progressOf
	c.Keep(r.Population, r.swaps, r.modes, r.rows, r.warm, part.Own("report", r.Report), part.Own("counts", &r.stats),
		part.Own("run", &r.state))
	return r
}

// progressOf returns the progress of the run in phase p.
func (r *run) progressOf(p infer.Phase) infer.Progress {
	report, o := r.Report, r.Phase.Options
	done, total := r.Iterations+1, o.Warmup
	if p == infer.Sampling {
		done, total = min(r.stats.Iterations, (report.Draws+1)*report.Thin), o.Draws*report.Thin
	}
	progress := infer.Progress{Phase: p, Done: min(done, total), Total: total, Divergences: report.Divergences,
		SwapRates: r.swaps.Counts().Rates()}
	if p == infer.Sampling {
		progress.Thin = report.Thin
	}
	if r.Phase.Blocks != nil {
		progress.Steps = r.Gradients / int64(r.Lanes())
		progress.Epoch = r.stats.Steps / float64(r.Phase.Epoch(true))
	}
	return progress
}

// warmUp runs the kind of warm-up that fits the target and the settings.
func (r *run) warmUp() error {
	s := &r.Phase
	if s.Blocks != nil {
		return netwarmup.New(r.Run).WarmUp()
	}
	if s.Batches.InUse() || s.Unadjusted() && s.Settings().Noise == 0 {
		return r.warm.WarmUpFree()
	}
	if n := s.Settings().Replicas; n > 0 || s.Unadjusted() {
		return r.warm.WarmUpLadder()
	}
	last, agreed, err := r.warm.Explore()
	if err != nil {
		return err
	}
	if agreed {
		return r.warm.WarmUpAlone(last.MetricKnown())
	}
	return r.warm.GrowLadder()
}
