package main

import (
	"context"
	"time"

	"ppl/infer"
	"ppl/infer/draws"
	"ppl/infer/goal"
)

// mostUntil is how many draws a chain may have where a goal is given and no number of draws.
const mostUntil = 10_000

// readGoal reads what --until says. With a goal, the number of draws is a limit.
func (s *sampling) readGoal(drawsGiven bool) (err error) {
	if s.goal, err = goal.Parse(s.until); err != nil {
		return usagef("--until %w", err)
	}
	if !s.goal.Empty() && !drawsGiven {
		s.options.Draws = mostUntil
	}
	return nil
}

// complete reports whether the run that is there needs nothing more.
func (d *runDir) complete(s *sampling) (bool, error) {
	if d.before == nil || d.info.Status != draws.Finished || d.info.Draws == 0 {
		return false, nil
	}
	if s.goal.Empty() || d.info.Draws == s.options.Draws {
		return d.info.Draws == s.options.Draws, nil
	}
	at, err := standing(d.path)
	return s.goal.Reached(at), err
}

func standing(dir string) (goal.Standing, error) {
	run, err := draws.Open(dir)
	if err != nil {
		return goal.Standing{}, failed(err)
	}
	at, err := goal.StandingOf(run)
	return at, failedIf(err)
}

// sampleToGoal samples the number of draws that was asked for, or until the goal is reached: then the run is extended
// from one look at its draws to the next, and could be extended further.
func (run *posteriorRun) sampleToGoal(ctx context.Context, show func(infer.Progress), clear func()) (stopped bool,
	err error) {
	most := run.options.Draws
	if run.goal.Empty() {
		return carryOut(ctx, run, most, show, clear)
	}
	if run.goal.Time > 0 {
		spent := time.Duration(run.dir.info.Report.Seconds * float64(time.Second))
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, max(run.goal.Time-spent, 0))
		defer cancel()
	}
	at := goal.Standing{Draws: run.dir.info.Draws}
	for {
		if at.Draws > 0 {
			if at, err = standing(run.out); err != nil {
				return false, err
			}
		}
		if run.goal.Reached(at) || at.Draws >= most {
			run.note(run.conclusion(at))
			return false, nil
		}
		if at.Draws > 0 {
			if err := run.goOn(); err != nil {
				return false, err
			}
		}
		stopped, err = carryOut(ctx, run, run.goal.Next(at, most), show, clear)
		switch {
		case stopped || err != nil || run.recorder.writer == nil:
			return stopped, err
		case ctx.Err() != nil:
			run.note("the time of --until is over")
			return false, nil
		}
		at.Draws = run.recorder.least()
	}
}

func (run *posteriorRun) conclusion(at goal.Standing) string {
	if run.goal.Reached(at) {
		return "enough: " + run.goal.Describe(at)
	}
	return "the goal is not reached: " + run.goal.Describe(at) + "; --resume with more --draws goes on"
}

// goOn makes the run that has just ended the one that goes on.
func (run *posteriorRun) goOn() (err error) {
	var before resolvedOptions
	if run.dir.info, err = draws.ReadOptions(run.dir.path, &before); err != nil {
		return failed(err)
	}
	run.dir.before = &before
	return failedIf(draws.SetStatus(run.dir.path, draws.Running, nil))
}
