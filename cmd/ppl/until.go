package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"ppl/infer"
	"ppl/posterior/stopping"
	"ppl/posterior/store"
)

// mostUntil is how many draws a chain may have where a goal is given and no number of draws.
const mostUntil = 10_000

// mostByItself is how many draws a chain may get where nobody has said how many, while they are not good enough.
const mostByItself = 10_000

// readGoal reads what --until says. With a goal, the number of draws is a limit. Other limits belong to the goal.
func (s *sampling) readGoal(drawsGiven bool) (err error) {
	if s.goal, err = stopping.Parse(s.until); err != nil {
		return usagef("--until %w", err)
	}
	s.goesOn = s.goal.Empty() && !drawsGiven
	if !s.goal.Empty() && !drawsGiven {
		s.options.Draws = mostUntil
	}
	if s.maxTime < 0 || s.maxGradients < 0 {
		return usagef("--max-time and --max-gradients are limits above 0")
	}
	if s.maxTime > 0 {
		s.goal.Time = s.maxTime
	}
	if s.maxGradients > 0 {
		s.goal.Gradients = s.maxGradients
	}
	return nil
}

// goesOnByItself reports whether the run may get more draws than it was begun for: where chains have to agree on every
// quantity, which the weights of a network need not, and all rows are read.
func (run *posteriorRun) goesOnByItself() bool {
	return run.goesOn && !run.network && !run.sampler.independent && run.options.Settings.Batch == 0 &&
		(run.sampler.name == "renhd" || run.sampler.name == "nuts")
}

// complete reports whether the run that is there needs nothing more.
func (d *runDir) complete(s *sampling) (bool, error) {
	if d.before == nil || d.info.Status != store.Finished || d.info.Draws == 0 {
		return false, nil
	}
	if s.goal.Empty() || d.info.Draws == s.options.Draws {
		return d.info.Draws == s.options.Draws, nil
	}
	at, err := standing(d.path, s.goal)
	return s.goal.Reached(at), err
}

func standing(dir string, g stopping.Goal) (stopping.Standing, error) {
	run, err := store.Open(dir)
	if err != nil {
		return stopping.Standing{}, failed(err)
	}
	at, err := g.Standing(run)
	return at, failedIf(err)
}

// sampleToGoal samples the number of draws that was asked for, or until the goal is reached: then the run is extended
// from one look at its draws to the next, and could be extended further. It is finished when nothing more is to come.
func (run *posteriorRun) sampleToGoal(ctx context.Context, show func(infer.Progress), clear func()) (stopped bool,
	err error) {
	if run.goal.Time > 0 {
		spent := time.Duration(run.dir.info.Report.Seconds * float64(time.Second))
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, max(run.goal.Time-spent, 0))
		defer cancel()
	}
	switch {
	case run.goesOnByItself():
		stopped, err = run.sampleToAim(ctx, show, clear)
	case run.goal.Empty():
		return carryOut(ctx, run, run.options.Draws, store.Finished, show, clear)
	default:
		stopped, err = run.sampleInParts(ctx, show, clear)
	}
	if !stopped && err == nil { // only now: a process that is killed between two parts leaves a run that is to go on
		err = failedIf(store.SetStatus(run.dir.disk, run.dir.path, store.Finished, nil))
	}
	return stopped, err
}

// sampleInParts extends a run until its goal is reached.
func (run *posteriorRun) sampleInParts(ctx context.Context, show func(infer.Progress), clear func()) (stopped bool,
	err error) {
	most := run.options.Draws
	at := stopping.Standing{Draws: run.dir.info.Draws}
	for {
		if at.Draws > 0 {
			if at, err = standing(run.out, run.goal); err != nil {
				return false, err
			}
		}
		switch {
		case run.goal.Reached(at):
			run.note("enough: " + run.goal.Describe(at))
			return false, nil
		case at.Draws >= most && run.goal.Quality():
			run.note("the goal is not reached: " + run.goal.Describe(at) + "; --resume with more --draws goes on")
			return false, nil
		case at.Draws >= most:
			return false, nil
		}
		if stopped, err = run.extend(ctx, run.goal.Next(at, most), show, clear); run.over(ctx, &stopped, &err) {
			return stopped, err
		}
		at.Draws = run.recorder.least()
	}
}

// extend gives the run that number of draws, and leaves it running, since more may be to come.
func (run *posteriorRun) extend(ctx context.Context, count int, show func(infer.Progress), clear func()) (stopped bool,
	err error) {
	if run.recorder != nil || run.dir.info.Draws > 0 {
		if err := run.goOn(); err != nil {
			return false, err
		}
	}
	return carryOut(ctx, run, count, store.Running, show, clear)
}

// over reports whether there is nothing to extend any more. A signal that comes when the draws that were asked for so
// far are there interrupts the run, too: others may be to come.
func (run *posteriorRun) over(ctx context.Context, stopped *bool, err *error) bool {
	if *stopped || *err != nil || run.recorder.writer == nil {
		return true
	}
	switch {
	case errors.Is(ctx.Err(), context.Canceled):
		*stopped, *err = true, failedIf(store.SetStatus(run.dir.disk, run.dir.path, store.Interrupted, nil))
	case ctx.Err() != nil:
		run.note("the time limit is over")
	}
	return ctx.Err() != nil
}

// sampleToAim samples the usual number of draws, and goes on while they are not good enough and more of them promise to
// be. Where they do not, it makes a second attempt.
func (run *posteriorRun) sampleToAim(ctx context.Context, show func(infer.Progress), clear func()) (stopped bool,
	err error) {
	aim, first := stopping.Aim(), run.options.Draws
	aim.Time, aim.Gradients = run.goal.Time, run.goal.Gradients
	most := max(first, mostByItself)
	for count := first; ; {
		if stopped, err = run.extend(ctx, count, show, clear); run.over(ctx, &stopped, &err) {
			return stopped, err
		}
		at, err := standing(run.out, aim)
		switch {
		case err != nil || aim.Reached(at):
			return false, err
		case at.Draws < most && aim.Expected(at) <= float64(most) && !run.knowsMore(at):
		case run.worthAnother(at):
			return run.tryAgain(ctx, aim, at, show, clear)
		default:
			return false, nil
		}
		count = aim.Next(at, most)
		if run.options.Draws == first {
			run.note(fmt.Sprintf("%s: the run goes on, to %d draws at most (--draws %d keeps it at that)",
				aim.Describe(at), most, first))
		}
		run.options.Draws = count
	}
}

// goOn makes the run that has just ended the one that goes on.
func (run *posteriorRun) goOn() (err error) {
	var before resolvedOptions
	if run.dir.info, err = store.ReadOptions(run.dir.path, &before); err != nil {
		return failed(err)
	}
	run.dir.before = &before
	return failedIf(store.SetStatus(run.dir.disk, run.dir.path, store.Running, nil))
}
