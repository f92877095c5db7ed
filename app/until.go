package app

import (
	"context"
	"errors"
	"fmt"
	"time"

	"ppl/app/fault"
	"ppl/app/rundir"
	"ppl/posterior/stopping"
	"ppl/posterior/store"
)

// mostUntil is how many draws a chain may have where a goal is given and no number of draws.
const mostUntil = 10_000

// mostByItself is how many draws a chain may get where nobody has said how many, while they are not good enough.
const mostByItself = 10_000

// extendsItself reports whether the run may get more draws than it was begun for: where chains have to agree on every
// quantity, which the weights of a network need not, and all rows are read.
func (run *attempt) extendsItself() bool {
	return run.autoExtend && !run.network && !run.sampler.Independent && run.options.Settings.Batch == 0 &&
		(run.sampler.Name == "renhd" || run.sampler.Name == "nuts")
}

// complete reports whether the run that is there needs nothing more.
func (run *attempt) complete() (bool, error) {
	d := run.dir
	if d.Before == nil || d.Info.Status != store.Finished || d.Info.Draws == 0 {
		return false, nil
	}
	if run.goal.Empty() || d.Info.Draws == run.options.Draws {
		return d.Info.Draws == run.options.Draws, nil
	}
	at, err := standing(d, run.goal)
	return run.goal.Reached(at), err
}

func standing(dir *rundir.Dir, g stopping.Goal) (stopping.Standing, error) {
	run, err := dir.Open()
	if err != nil {
		return stopping.Standing{}, fault.Of(err)
	}
	at, err := g.Standing(run)
	return at, fault.Of(err)
}

// sampleToGoal samples the number of draws that was asked for, or until the goal is reached: then the run is extended
// from one look at its draws to the next, and could be extended further. It is finished when nothing more is to come.
func (run *attempt) sampleToGoal(ctx context.Context) (stopped bool, err error) {
	if run.goal.Time > 0 {
		spent := time.Duration(run.dir.Info.Report.Seconds * float64(time.Second))
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, max(run.goal.Time-spent, 0))
		defer cancel()
	}
	switch {
	case run.extendsItself():
		stopped, err = run.sampleToAim(ctx)
	case run.goal.Empty(), run.sampler.Independent:
		stopped, err = run.carryOut(ctx, run.options.Draws, store.Finished)
		if errors.Is(ctx.Err(), context.DeadlineExceeded) && !stopped && err == nil {
			run.notes.Note("the time limit is over")
		}
		return stopped, err
	default:
		stopped, err = run.sampleInParts(ctx)
	}
	if !stopped && err == nil { // only now: a process that is killed between two parts leaves a run that is to continue
		err = fault.Of(run.dir.SetStatus(store.Finished))
	}
	return stopped, err
}

// sampleInParts extends a run until its goal is reached.
func (run *attempt) sampleInParts(ctx context.Context) (stopped bool, err error) {
	most := run.options.Draws
	at := stopping.Standing{Draws: run.dir.Info.Draws}
	for {
		if at.Draws > 0 {
			if at, err = standing(run.dir, run.goal); err != nil {
				return false, err
			}
		}
		switch {
		case run.goal.Reached(at):
			run.notes.Note("enough: " + run.goal.Describe(at))
			return false, nil
		case at.Draws >= most && run.goal.Quality():
			run.notes.Note("the goal is not reached: " + run.goal.Describe(at) + "; --resume with more --draws goes on")
			return false, nil
		case at.Draws >= most:
			return false, nil
		}
		if stopped, err = run.extend(ctx, run.goal.Next(at, most)); run.over(ctx, &stopped, &err) {
			return stopped, err
		}
		at.Draws = run.recorder.least()
	}
}

// extend continues the run to a number of draws of each chain. The run stays open, since it may be extended again.
func (run *attempt) extend(ctx context.Context, count int) (stopped bool, err error) {
	if run.recorder != nil || run.dir.Info.Draws > 0 {
		if err := run.dir.Renew(); err != nil {
			return false, fault.Of(err)
		}
	}
	return run.carryOut(ctx, count, store.Running)
}

// over reports whether there is nothing to extend any more. A signal that comes when the draws that were asked for so
// far are there interrupts the run, too: others may be to come.
func (run *attempt) over(ctx context.Context, stopped *bool, err *error) bool {
	if *stopped || *err != nil || run.recorder.writer == nil {
		return true
	}
	switch {
	case errors.Is(ctx.Err(), context.Canceled):
		*stopped, *err = true, fault.Of(run.dir.SetStatus(store.Interrupted))
	case ctx.Err() != nil:
		run.notes.Note("the time limit is over")
	}
	return ctx.Err() != nil
}

// sampleToAim samples the usual number of draws, and continues while they are not good enough and more of them promise
// to be. Where they do not, it makes a second attempt.
func (run *attempt) sampleToAim(ctx context.Context) (stopped bool, err error) {
	aim, first := stopping.Aim(), run.options.Draws
	aim.Time, aim.Gradients = run.goal.Time, run.goal.Gradients
	most := max(first, mostByItself)
	for count := first; ; {
		if stopped, err = run.extend(ctx, count); run.over(ctx, &stopped, &err) {
			return stopped, err
		}
		at, err := standing(run.dir, aim)
		switch {
		case err != nil || aim.Reached(at):
			return false, err
		case at.Draws < most && aim.Expected(at) <= float64(most) && !run.knowsMore(at):
		case run.worthAnother(at):
			return run.tryAgain(ctx, aim, at)
		default:
			return false, nil
		}
		count = aim.Next(at, most)
		if run.options.Draws == first {
			run.notes.Note(fmt.Sprintf("%s: the run goes on, to %d draws at most (--draws %d keeps it at that)",
				aim.Describe(at), most, first))
		}
		run.options.Draws = count
	}
}
