package app

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"sync/atomic"
	"time"

	"ppl/app/fault"
	"ppl/app/notes"
	"ppl/app/rundir"
	"ppl/app/samplers"
	"ppl/app/version"
	"ppl/compiler"
	"ppl/infer"
	"ppl/lang/types"
	"ppl/posterior/stopping"
	"ppl/posterior/store"
)

// An attempt is one run of a sampler on a model. If the draws of the first attempt are not good enough, there is a
// second.
type attempt struct {
	Request                // the request, completed from a run that is resumed
	options  infer.Options // options in force
	goal     stopping.Goal
	asked    rundir.Asked
	program  *compiler.Program
	sampler  samplers.Row
	dir      *rundir.Dir
	digests  rundir.Digests
	notes    notes.Notes
	recorder *recorder                 // recorder of the current part of the run
	current  *atomic.Pointer[recorder] // makes the recorder visible to other goroutines

	autoExtend bool          // extend the run until its draws are good enough
	network    bool          // whether the model is sampled as a network
	retry      *rundir.Retry // nil for the first attempt
}

// carryOut samples until each chain has count draws, which gives the run the status done, or until ctx ends. An error
// means that the run failed.
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

// hasDraws reports whether every chain has draws, from this process or from the run that it resumes.
func (run *attempt) hasDraws() bool {
	return run.begun() && slices.Min(run.recorder.counts) > 0 || run.dir.Info.Draws > 0
}

// begun reports whether the store was created, so that chains may have draws.
func (run *attempt) begun() bool { return run.recorder != nil && run.recorder.writer != nil }

// explain adds the parts of the model without a finite density to the error of a run without draws.
func explain(err error, parts []string) error {
	for _, part := range parts {
		err = fmt.Errorf("%w\n  %s", err, part)
	}
	return err
}

func (run *attempt) newRecorder() *recorder {
	return &recorder{
		program: run.program, disk: run.dir.Disk, dir: run.dir.Path, resuming: run.dir.Before != nil,
		chains: run.options.Chains, seed: run.Seed, notes: run.notes, rows: run.keepsRows(),
		kept: newSelection(run.program, run.Keep), single: run.network && run.options.Settings.Precision != 64,
		options: store.Options{
			Overwrite: true,
			Model:     run.Model,
			Source:    []byte(run.program.Model().Source.Text),
			Resolved:  run.resolved(),
			Decides:   run.resolved().Decides(),
			Sampler:   run.sampler.Name,
			Device:    run.options.Device.Name(),
			Seed:      run.Seed,
			Draws:     run.options.Draws,
			Version:   version.Number(),
			Keep:      run.Keep,
		},
	}
}

// mostLogLikelihoods is the maximum number of log likelihoods of rows that a run stores by default.
const mostLogLikelihoods = 10_000_000

// keepsRows reports whether the run stores the log likelihood of each row. A resumed run keeps its earlier choice.
func (run *attempt) keepsRows() bool {
	if before := run.dir.Before; before != nil {
		return before.KeepsRows
	}
	switch run.options.Settings.LogLikelihood {
	case "on":
		return true
	case "off":
		return false
	}
	if run.network {
		return false // it would need a pass over all rows for each draw
	}
	_, rows := run.program.LogDensities()
	return TotalSize(rows)*run.options.Chains*run.options.Draws <= mostLogLikelihoods
}

// inForce returns the settings with the defaults decided here.
func (run *attempt) inForce() infer.Settings {
	s := run.options.Settings
	s.LogLikelihood = "off"
	if run.keepsRows() {
		s.LogLikelihood = "on"
	}
	return s
}

func (run *attempt) resolved() rundir.Options {
	o := run.options
	here, _ := os.Getwd() // if it is unknown, paths are relative to the reader's directory
	data := rundir.InputsInRun(run.dir.Path, run.Data)
	if run.CopyInputs {
		data = rundir.InputCopies(data)
	}
	return rundir.Options{Model: run.Model, Data: data, Sampler: run.sampler.Name, Chains: o.Chains,
		Draws:  o.Draws,
		Warmup: o.Warmup, Seed: run.Seed, Device: o.Device.Name(), Settings: o.Settings, Init: run.Init,
		Effective: run.sampler.Settled(run.program, run.inForce()),
		Keep:      run.Keep, Retry: run.retry,
		KeepsRows: run.keepsRows(),
		Directory: here, Asked: run.asked, Digests: run.digests, Made: rundir.MakerOn(o.Device.Name())}
}

// TotalSize returns the total number of elements of the variables.
func TotalSize(vs []types.Variable) (n int) {
	for _, v := range vs {
		n += v.Size()
	}
	return n
}
