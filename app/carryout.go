package app

import (
	"context"
	"errors"
	"time"

	"ppl/app/fault"
	"ppl/compiler"
	"ppl/infer"
	"ppl/posterior/store"
)

// carryOut samples until each chain has count draws or the deadline of ctx passes, and then sets the run's status to
// done. If ctx is cancelled, the status is Interrupted, and stopped is true. An error means that the run failed.
func (run *attempt) carryOut(ctx context.Context, count int, done store.Status) (stopped bool, err error) {
	run.recorder = run.newRecorder()
	run.current.Store(run.recorder)
	options := retryOptions(run.retry, run.options)
	options.Draws, options.Checkpoints, options.Judged = count, run.recorder, TotalSize(run.program.Saved())
	start := time.Now()
	sample := run.samplerOnRanks(&options)
	report, err := sample(ctx, target{compiler.Recorded{Program: run.program, EachRow: run.recorder.rows}},
		options, run.recorder)
	run.notes.ProgressEnd()

	stopped = err != nil && errors.Is(err, context.Canceled)
	status := done
	switch {
	case stopped:
		status, err = store.Interrupted, nil
	case errors.Is(err, context.DeadlineExceeded): // the run's time limit
		err = nil
	case err != nil:
		status = store.Failed
	}
	nowhere := errors.As(err, new(infer.NowhereFinite)) || err != nil && !errors.As(err, new(infer.Refusal))
	if nowhere && run.recorder.writer == nil {
		if parts := run.program.NotFinite(run.Seed); len(parts) > 0 { // the cause is the model or its data
			err = fault.Wrong(explain(err, parts))
		}
	}
	completeReport(run.retry, &report)
	report.NonFiniteTerms, report.Looked = run.program.NonFiniteTerms(report.NonFiniteEnds)
	report.Seconds = run.dir.Info.Report.Seconds + time.Since(start).Seconds()
	report.Sampling = run.dir.Info.Report.Sampling + run.recorder.sampling().Seconds()
	closed := run.recorder.close(&report.SamplerReport, status, err)
	if err == nil {
		err = closed
	}
	if err == nil && !stopped && run.begun() && (report.Divergences > 0 || run.hasUnaided()) {
		if err = run.lookOut(ctx); ctx.Err() != nil {
			err = nil // the draws exist, and the time limit has passed
		}
	}
	return stopped && err == nil, fault.Of(err)
}
