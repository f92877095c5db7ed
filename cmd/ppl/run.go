package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"ppl/compiler"
	"ppl/infer"
	"ppl/posterior/store"
)

// A posteriorRun is one run of a sampler on a model.
type posteriorRun struct {
	*sampling
	program  *compiler.Program
	sampler  samplerRow
	dir      *runDir
	digests  digests
	note     func(line string)
	recorder *recorder
	job      *job // nil for a process alone
}

// carryOut samples until there are count draws of each chain, which makes the run done, or ctx ends; show and clear are
// for its progress. An error says that the run failed.
func carryOut(ctx context.Context, run *posteriorRun, count int, done store.Status, show func(infer.Progress),
	clear func()) (stopped bool, err error) {
	run.recorder = run.newRecorder(show)
	run.dir.recorder.Store(run.recorder)
	options := run.again.options(run.options)
	options.Draws, options.Checkpoints, options.Judged = count, run.recorder, size(run.program.Saved())
	start := time.Now()
	sample := run.samplerOnRanks(&options)
	report, err := sample(ctx, target{compiler.Recorded{Program: run.program, EachRow: run.recorder.rows}},
		options, run.recorder)
	clear()

	stopped = err != nil && errors.Is(err, context.Canceled)
	timeOver := err != nil && errors.Is(err, context.DeadlineExceeded)
	status := done
	switch {
	case timeOver:
		err = nil
	case stopped:
		status, err = store.Interrupted, nil
	case err != nil:
		status = store.Failed
	}
	code := failed
	if errors.As(err, new(infer.Refusal)) {
		code = wrong
	} else if err != nil && run.recorder.writer == nil {
		if parts := run.program.NotFinite(run.seed); len(parts) > 0 { // the model's fault, or its data's
			err, code = explain(err, parts), wrong
		}
	}
	run.again.complete(&report)
	report.NonFiniteTerms, report.Looked = run.program.NonFiniteTerms(report.NonFiniteEnds)
	report.Seconds = run.dir.info.Report.Seconds + time.Since(start).Seconds()
	report.Sampling = run.dir.info.Report.Sampling + run.recorder.sampling().Seconds()
	closed := run.recorder.close(&report.SamplerReport, status, err)
	if err = firstError(err, closed); err != nil {
		return false, code(err)
	}
	return stopped, nil
}

// hasDraws reports whether there are draws: of this process, or of the run that was to go on.
func (run *posteriorRun) hasDraws() bool {
	return run.recorder != nil && run.recorder.writer != nil || run.dir.info.Draws > 0
}

// explain adds to the failure of a run without draws which parts of the model have no finite density.
func explain(err error, parts []string) error {
	for _, part := range parts {
		err = fmt.Errorf("%w\n  %s", err, part)
	}
	return err
}

func firstError(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

func (run *posteriorRun) newRecorder(show func(infer.Progress)) *recorder {
	return &recorder{
		program: run.program, disk: run.dir.disk, dir: run.out, goesOn: run.dir.before != nil,
		chains: run.options.Chains, seed: run.seed, progress: show, note: run.note, rows: run.keepsRows(),
		kept: newSelection(run.program, run.keep), single: run.network && run.options.Settings.Precision != 64,
		options: store.Options{
			Overwrite: true,
			Model:     run.model,
			Source:    []byte(run.program.Model().Source.Text),
			Resolved:  run.resolved(),
			Sampler:   run.sampler.name,
			Device:    run.options.Device.Name(),
			Seed:      run.seed,
			Draws:     run.options.Draws,
			Version:   version,
			Keep:      run.keep,
		},
	}
}

// mostLogLikelihoods is how many numbers a run keeps of the log likelihood of rows if it is not asked to.
const mostLogLikelihoods = 10_000_000

// keepsRows reports whether the log likelihood of each row is kept. A run that goes on keeps what it kept before.
func (run *posteriorRun) keepsRows() bool {
	if before := run.dir.before; before != nil {
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
	return size(rows)*run.options.Chains*run.options.Draws <= mostLogLikelihoods
}

func (run *posteriorRun) resolved() resolvedOptions {
	o := run.options
	here, _ := os.Getwd() // without one, paths are relative to where the run is read
	data := inputsInRun(run.dir.path, run.data)
	if run.copyInputs {
		data = inputCopies(data)
	}
	return resolvedOptions{Model: run.model, Data: data, Sampler: run.sampler.name, Chains: o.Chains,
		Draws:  o.Draws,
		Warmup: o.Warmup, Seed: run.seed, Device: o.Device.Name(), Settings: o.Settings, Init: run.init,
		Keep: run.keep, Again: run.again,
		KeepsRows: run.keepsRows(),
		Directory: here, Asked: run.asked, Digests: run.digests, Made: makerOn(o.Device.Name())}
}
