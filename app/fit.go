// Package app loads a model with its data, samples it, and stores the run so that it can be extended, or resumed after
// an interruption:
//
//	request := app.NewRequest("schools.ppl")
//	run, err := app.Sample(ctx, request, notes.None{})
//	mu, err := run.Draws("mu") // by chain
//
// A Fit does the same in steps, for callers that must be able to stop sampling or to save the draws before the process
// ends. FindMode searches for the mode of a posterior. Package analysis answers questions about the draws of a run:
// queries, predictions, cross-validation, evidence. Errors have a kind (package fault). Calls report their progress and
// decisions to a notes.Notes.
package app

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"ppl/app/devices"
	"ppl/app/fault"
	"ppl/app/notes"
	"ppl/app/rundir"
	"ppl/app/samplers"
	"ppl/compiler"
	"ppl/infer"
	"ppl/infer/renhd"
	"ppl/posterior/stopping"
	"ppl/posterior/store"
	"ppl/runtime/sys/files"
)

// Sample draws from the posterior of a model and opens the run. If the context is cancelled, it returns the draws so
// far, or nil if there are none, and an error of kind fault.Interruption.
func Sample(ctx context.Context, r Request, n notes.Notes) (*store.Run, error) {
	f := NewFit(r, n)
	if err := f.Prepare(ctx); err != nil {
		return nil, err
	}
	stopped, err := f.Sample(ctx)
	if err != nil {
		return nil, err
	}
	var run *store.Run
	if f.HasDraws() {
		run, err = f.Draws()
	}
	if stopped && err == nil {
		err = fault.Interrupted()
	}
	return run, err
}

// A Fit is one run of a sampler on a model. Call Prepare once, then Sample once.
type Fit struct {
	inProgress
	request Request
	notes   notes.Notes
	run     *attempt

	complete bool // a resumed run that needs no more draws
}

// NewFit returns a fit that has not started.
func NewFit(r Request, n notes.Notes) *Fit {
	if r.Disk == nil {
		r.Disk = files.Disk{}
	}
	return &Fit{request: r, notes: n}
}

// Dir returns the directory of the run.
func (f *Fit) Dir() string { return f.request.Dir }

// Draws opens the run for reading.
func (f *Fit) Draws() (*store.Run, error) {
	run, err := store.OpenOn(f.request.Disk, f.Dir())
	if err != nil {
		return nil, fault.Of(err)
	}
	return run, nil
}

// HasDraws reports whether every chain has draws, from this fit or from the run that it resumes.
func (f *Fit) HasDraws() bool { return f.run != nil && f.run.hasDraws() }

// HasSomeDraws reports whether any chain has draws. They are kept even if the run failed.
func (f *Fit) HasSomeDraws() bool {
	return f.HasDraws() || f.run != nil && f.run.begun() && slices.Max(f.run.recorder.counts) > 0
}

// HasCheckpoint reports whether the run can be resumed from a checkpoint.
func (f *Fit) HasCheckpoint() bool { return f.dir.Load().HasCheckpoint() }

// Complete reports whether the run already had enough draws when Sample was called.
func (f *Fit) Complete() bool { return f.complete }

// Prepare locks the run's directory, compiles the model with its data, and opens the device. It returns an error if the
// model cannot be sampled or the run cannot be resumed; the fit must not be used afterwards.
func (f *Fit) Prepare(ctx context.Context) error {
	if err := f.request.check(); err != nil {
		return err
	}
	byDirectory := f.request.ByDirectory()
	switch {
	case byDirectory:
		f.request.Dir = f.request.Model
	case f.request.Dir == "":
		f.request.Dir, f.request.Disk = DefaultDir(f.request.Model), &files.Memory{}
	}
	dir, err := rundir.Take(ctx, f.request.Disk, f.request.Dir, f.request.Existing, f.notes,
		func() { f.lose(f.request.Lost) })
	if err != nil {
		return err
	}
	f.dir.Store(dir)
	if err := f.prepareIn(ctx, dir, byDirectory); err != nil {
		dir.Close(false)
		return err
	}
	return nil
}

func (f *Fit) prepareIn(ctx context.Context, dir *rundir.Dir, byDirectory bool) error {
	run := &attempt{Request: f.request, dir: dir, notes: f.notes, current: &f.current}
	if before := dir.Before; before != nil && before.Asked.Search != nil {
		return fault.Usagef("%s is a search by ppl optimize; to continue it, run ppl optimize --resume %[1]s", dir.Path)
	}
	drawsGiven := run.Draws > 0
	if before := dir.Before; before != nil {
		if !drawsGiven {
			run.Draws, drawsGiven = before.Draws, !before.Asked.AutoExtend
		}
		run.fillFrom(before, byDirectory)
		run.retry = before.Retry
		if err := run.check(); err != nil { // the new request was checked before
			return fault.Of(store.ErrDamaged{Dir: dir.Path, Cause: fmt.Errorf("options.json: %v", err)})
		}
	}
	if err := run.settleOptions(drawsGiven); err != nil {
		return err
	}
	f.run = run
	return run.prepare(ctx, f.request.Draws > 0 || dir.Before != nil || len(run.Until) > 0)
}

// Sample draws samples. If the request contains no number of draws, it extends the run until the draws are good enough.
// It does not change a complete run. stopped reports whether the context was cancelled. The draws so far are kept in
// that case, and after an error.
func (f *Fit) Sample(ctx context.Context) (stopped bool, err error) {
	useful, dir := false, f.dir.Load()
	defer func() { dir.Close(useful) }()
	if f.complete, err = f.run.complete(); err != nil || f.complete {
		useful = err == nil
		return false, err
	}
	if err := f.run.announce(); err != nil {
		return false, err
	}
	stopped, err = f.run.sampleToGoal(ctx)
	useful = err == nil || f.HasDraws() || f.run.begun() || fault.KindOf(err) == fault.Failure && f.HasCheckpoint()
	return stopped, err
}

// prepare compiles the model. It returns an error if the model cannot be sampled or the run cannot be resumed. drawn is
// true if the user gave the number of draws.
func (run *attempt) prepare(ctx context.Context, drawn bool) error {
	cache := rowCache(run.Source.Network, run.Job != nil || run.Join != nil)
	defer cache.Sharing().Remove()
	p, err := loadSharing(ctx, cache, run.Source, run.notes,
		func(first *compiler.Program) error { return run.needsAll(first, drawn) })
	if err != nil {
		return err
	}
	if p.Dim() == 0 && len(p.Saved()) == 0 {
		return noParameters(run.Source)
	}
	run.program = p
	if run.options.Device, err = devices.Open(ctx, run.Device, run.notes.Note); err != nil {
		return err
	}
	if err := run.chooseSampler(); err != nil {
		return err
	}
	run.fitNetwork(drawn)
	if err := run.checkRequest(); err != nil {
		return err
	}
	if n := run.storedBytes(); n > manyBytes {
		run.notes.Note(fmt.Sprintf("the draws will take up to %.0f GB in %s; Ctrl-C ends the run and keeps its draws",
			n/1e9, run.dir.Path))
	}
	if run.digests, err = rundir.DigestsOf(p); err != nil {
		return fault.Of(err)
	}
	if err := run.chooseStarts(); err != nil {
		return err
	}
	if err := run.checkSame(); err != nil {
		return err
	}
	if now, before := run.options.Device.Name(), run.dir.Before; before != nil && before.Device != now {
		run.notes.Note(fmt.Sprintf("the run continues on %s but began on %s: its draws are valid, but not the same "+
			"to the last bit as on %[2]s", now, before.Device))
	}
	return run.loadOnRanks(ctx, cache.SharedAs)
}

// needsAll returns an error if the data are too large for memory but the sampler needs all of them at once. first is
// the program compiled with the first rows of the data.
func (run *attempt) needsAll(first *compiler.Program, drawn bool) error {
	try := *run
	try.program, try.notes = first, notes.None{}
	if first.Dim() == 0 && len(first.Saved()) == 0 {
		return noParameters(run.Source)
	}
	if err := try.chooseSampler(); err != nil {
		return nil //nolint:nilerr // the error may depend on the number of rows; prepare reports it
	}
	try.fitNetwork(drawn)
	if try.options.Settings.Batch != 0 && try.sampler.Takes("batch") {
		return nil
	}
	return fault.Of(infer.NeedAll(first, try.sampler.Name+try.wholeGradients()))
}

// wholeGradients returns " without minibatches" if the sampler supports minibatches, else "", for a message.
func (run *attempt) wholeGradients() string {
	if run.sampler.Takes("batch") {
		return " without minibatches"
	}
	return ""
}

// chooseSampler sets the sampler and its settings.
func (run *attempt) chooseSampler() error {
	row, set, err := samplers.Choose(run.program, run.Sampler, run.Settings)
	if err != nil {
		return err
	}
	run.sampler, run.options.Settings = samplerOf(run.retry, row, set)
	return nil
}

// fitNetwork sets the numbers of chains and draws for a neural network. A resumed run keeps its numbers.
func (run *attempt) fitNetwork(drawn bool) {
	if !run.sampler.Exchanges {
		return
	}
	o, note := renhd.NetworkOptions(run.program, run.options, drawn)
	run.options = o
	if note != "" {
		run.network = true
		run.notes.Note(note)
	}
}

// checkRequest returns an error for options that do not suit the model or the sampler.
func (run *attempt) checkRequest() error {
	limits := run.goal
	limits.Time = 0
	if run.sampler.Independent && !limits.Empty() {
		return fault.Usagef("--until and --max-gradients do not apply to %[1]s: its draws are independent, so "+
			"that their number determines how good they are; use --draws", run.sampler.Name)
	}
	if run.options.Settings.LogLikelihood == "on" && run.program.Streams() > 0 {
		return fault.Wrong(errors.New("log_likelihood=on: the log likelihood of each row cannot be stored if the " +
			"data are too large for memory; use log_likelihood=off"))
	}
	return checkKeep(run.program, run.Keep)
}

// manyBytes is the size of the draws, in bytes, from which a note warns the user before sampling.
const manyBytes = 10e9

// storedBytes returns the uncompressed size of the draws in bytes.
func (run *attempt) storedBytes() float64 {
	bytes := 0
	for _, v := range newSelection(run.program, run.Keep).variables(run.program, run.network) {
		bytes += 8 * v.Size()
		if v.Single {
			bytes -= 4 * v.Size()
		}
	}
	return float64(bytes) * float64(run.options.Chains) * float64(run.options.Draws)
}

// announce clears the directory for a new run and writes its first files. For a resumed run, it only sets the status.
func (run *attempt) announce() error {
	if run.dir.Before != nil {
		return fault.Of(run.dir.SetStatus(store.Running))
	}
	if err := run.dir.Clear(); err != nil {
		return fault.Of(err)
	}
	if err := store.Announce(run.dir.Disk, run.dir.Path, run.newRecorder().options); err != nil {
		return fault.Of(err)
	}
	if run.CopyInputs {
		if err := run.dir.CopyInputs(run.Data); err != nil {
			return fault.Of(err)
		}
	}
	return fault.Of(run.dir.WriteStarts(run.options.Starts))
}

func noParameters(of Source) error {
	return fault.Wrongf("%s has no parameters and generates nothing; declare a parameter with a distribution: "+
		"`mu ~ Normal(0, 1)`", of.Model)
}

// settleOptions sets the sampler's options from the request. If there is a goal, the number of draws is an upper limit.
func (run *attempt) settleOptions(drawsGiven bool) (err error) {
	run.options = infer.Defaults()
	o := &run.options
	o.Chains, o.Warmup, o.Seed, o.Threads = run.Chains, run.Warmup, run.Seed, run.Threads
	if run.Draws > 0 {
		o.Draws = run.Draws
	}
	if run.goal, err = stopping.Parse(run.Until); err != nil {
		return fault.Usagef("--until %w", err)
	}
	run.autoExtend = run.goal.Empty() && !drawsGiven
	if !run.goal.Empty() && !drawsGiven {
		o.Draws = mostUntil
	}
	run.asked = run.Request.asked(run.autoExtend)
	if run.MaxTime > 0 {
		run.goal.Time = run.MaxTime
	}
	if run.MaxGradients > 0 {
		run.goal.Gradients = run.MaxGradients
	}
	return nil
}
