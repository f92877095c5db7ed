package app

import (
	"fmt"
	"os"
	"slices"
	"sync/atomic"

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

// hasDraws reports whether every chain has draws, from this process or from the run that it resumes.
func (run *attempt) hasDraws() bool {
	return run.begun() && slices.Min(run.recorder.counts) > 0 || run.dir.Info.Draws > 0
}

// begun reports whether the store was created, so that chains may have draws.
func (run *attempt) begun() bool { return run.recorder != nil && run.recorder.writer != nil }

// explain appends to err a line for each part of the model whose density is not finite.
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

// inForce returns the settings with LogLikelihood set to "on" or "off".
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
	here, _ := os.Getwd() // if it fails, Directory stays empty
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
