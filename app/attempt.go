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

// An attempt is one run of a sampler on a model. There is a second one if the draws of the first are not good enough.
type attempt struct {
	Request                // with what was taken from a run that continues
	options  infer.Options // in force
	goal     stopping.Goal
	asked    rundir.Asked
	program  *compiler.Program
	sampler  samplers.Row
	dir      *rundir.Dir
	digests  rundir.Digests
	notes    notes.Notes
	recorder *recorder                 // of the part that is sampled
	current  *atomic.Pointer[recorder] // where others find it

	autoExtend bool          // while its draws are not good enough
	network    bool          // it is sampled as a network
	retry      *rundir.Retry // nil: the first attempt
}

// carryOut samples until there are count draws of each chain, which makes the run done, or ctx ends. An error says that
// the run failed.
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
	case errors.Is(err, context.DeadlineExceeded): // the time limit of the run
		err = nil
	case err != nil:
		status = store.Failed
	}
	nowhere := errors.As(err, new(infer.NowhereFinite)) || err != nil && !errors.As(err, new(infer.Refusal))
	if nowhere && run.recorder.writer == nil {
		if parts := run.program.NotFinite(run.Seed); len(parts) > 0 { // the model's fault, or its data's
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
			err = nil // the draws are there, and time is up
		}
	}
	return stopped && err == nil, fault.Of(err)
}

// hasDraws reports whether there are draws of every chain: of this process, or of the run that was to continue.
func (run *attempt) hasDraws() bool {
	return run.begun() && slices.Min(run.recorder.counts) > 0 || run.dir.Info.Draws > 0
}

// begun reports whether the store of draws was made, so that some chain may have draws.
func (run *attempt) begun() bool { return run.recorder != nil && run.recorder.writer != nil }

// explain adds to the failure of a run without draws which parts of the model have no finite density.
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

// mostLogLikelihoods is how many numbers a run keeps of the log likelihood of rows if it is not asked to.
const mostLogLikelihoods = 10_000_000

// keepsRows reports whether the log likelihood of each row is kept. A run that continues keeps what it kept before.
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
		return false // a pass over all rows for each draw
	}
	_, rows := run.program.LogDensities()
	return TotalSize(rows)*run.options.Chains*run.options.Draws <= mostLogLikelihoods
}

// inForce returns the settings with what is decided here.
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
	here, _ := os.Getwd() // without one, paths are relative to where the run is read
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

// TotalSize returns how many numbers variables have together.
func TotalSize(vs []types.Variable) (n int) {
	for _, v := range vs {
		n += v.Size()
	}
	return n
}
