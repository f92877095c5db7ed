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

// mostUntil is the maximum number of draws of each chain if there is a goal but no number of draws.
const mostUntil = 10_000

// mostByItself is the maximum number of draws of each chain of an automatically extended run, unless it starts with
// more.
const mostByItself = 10_000

// extendsItself reports whether the run may be extended automatically. This requires a sampler whose chains can be
// compared, and excludes networks, whose weights need not agree, and minibatches.
func (run *attempt) extendsItself() bool {
	return run.autoExtend && !run.network && !run.sampler.Independent && run.options.Settings.Batch == 0 &&
		(run.sampler.Name == "renhd" || run.sampler.Name == "nuts")
}

// complete reports whether the existing run needs no more draws.
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

// sampleToGoal samples the requested number of draws, or extends the run until the goal is reached. After an
// interruption, such a run can be extended further; it becomes finished when the goal or the maximum is reached.
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
			run.notes.Note("the time limit has passed")
		}
		return stopped, err
	default:
		stopped, err = run.sampleInParts(ctx)
	}
	// The status is set last: if the process is killed between two parts, the run can be resumed.
	if !stopped && err == nil {
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
			run.notes.Note("the goal is not reached: " + run.goal.Describe(at) +
				"; to continue, use --resume with more --draws")
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

// extend continues the run until each chain has count draws. The status remains running, since the run may be extended
// again.
func (run *attempt) extend(ctx context.Context, count int) (stopped bool, err error) {
	if run.recorder != nil || run.dir.Info.Draws > 0 {
		if err := run.dir.Renew(); err != nil {
			return false, fault.Of(err)
		}
	}
	return run.carryOut(ctx, count, store.Running)
}

// over reports whether extending must stop: after an interruption or an error, or at the time limit. A signal between
// two parts interrupts the run as well.
func (run *attempt) over(ctx context.Context, stopped *bool, err *error) bool {
	if *stopped || *err != nil || run.recorder.writer == nil {
		return true
	}
	switch {
	case errors.Is(ctx.Err(), context.Canceled):
		*stopped, *err = true, fault.Of(run.dir.SetStatus(store.Interrupted))
	case ctx.Err() != nil:
		run.notes.Note("the time limit has passed")
	}
	return ctx.Err() != nil
}

// sampleToAim samples the default number of draws, and extends the run while the draws are not good enough and more
// draws are likely to help. If they are not, it makes a second attempt.
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
			run.notes.Note(fmt.Sprintf("%s: the run continues, to %d draws at most (--draws %d disables this)",
				aim.Describe(at), most, first))
		}
		run.options.Draws = count
	}
}
