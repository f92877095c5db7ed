package app

import (
	"context"
	"errors"
	"fmt"

	"ppl/app/fault"
	"ppl/app/rundir"
	"ppl/app/samplers"
	"ppl/infer"
	"ppl/infer/renhd"
	"ppl/posterior/stats"
	"ppl/posterior/stopping"
	"ppl/posterior/store"
)

const (
	secondSeed = 1 << 32 // task number from which the seed of the second attempt is derived
	apartRHat  = 1.05    // R-hat from which chains count as being in different places
	longer     = 4       // factor by which the second attempt's warm-up is longer
	leastAgain = 1000    // minimum warm-up of the second attempt
)

// retryOptions returns the options, changed for the second attempt if a is not nil.
func retryOptions(a *rundir.Retry, o infer.Options) infer.Options {
	if a != nil {
		o.Seed, o.Warmup = taskSeed(o.Seed, secondSeed), max(longer*o.Warmup, leastAgain)
		o.Ladder, o.Known = a.Ladder, a.Known
	}
	return o
}

// samplerOf returns the sampler of an attempt and its settings. If the second attempt replaces NUTS by another sampler,
// it keeps only the settings for precision and for the log likelihood.
func samplerOf(a *rundir.Retry, asked samplers.Row, set infer.Settings) (samplers.Row, infer.Settings) {
	if a == nil || a.Sampler == "" || asked.Exchanges {
		return asked, set
	}
	row, ok := samplers.Find(a.Sampler)
	if !ok {
		panic("internal error: a second attempt by " + a.Sampler)
	}
	return row, infer.Settings{Precision: set.Precision, LogLikelihood: set.LogLikelihood}
}

// changesOf describes how the second attempt differs from the first, besides the longer warm-up.
func changesOf(a *rundir.Retry) (text string) {
	if a.Sampler != "" {
		text += ", " + a.Sampler + " in place of nuts"
	}
	if a.Ladder {
		text += " and a ladder of temperatures"
	}
	if len(a.Known) > 0 {
		text += " and a search for modes that starts from the known ones"
	}
	return text
}

// completeReport adds the cost of the first attempt to the report of the second one.
func completeReport(a *rundir.Retry, r *infer.Report) {
	if a != nil {
		r.Gradients += a.Gradients
		first := "the first"
		if a.Sampler != "" {
			first += " by nuts"
		}
		r.Notes = append([]string{"a second attempt, after " + first + " had come to " + a.Before}, r.Notes...)
		if a.Apart != nil {
			r.Warnings = append(r.Warnings, *a.Apart)
		}
	}
}

// worthAnother reports whether a run whose draws are not good enough deserves a second attempt: its chains disagree,
// its effective sample sizes are too small, or its draws lack known modes.
func (run *attempt) worthAnother(at stopping.Standing) bool {
	return run.retry == nil && (at.RHat > apartRHat || at.ESS < stats.MinESS) || run.knowsMore(at)
}

// knowsMore reports whether a second attempt could start with modes that the draws lack. It cannot if the user set the
// number of rungs, since warm-up then does not search for modes.
func (run *attempt) knowsMore(at stopping.Standing) bool {
	return run.retry == nil && at.Lacking > store.MaxLacking && run.options.Settings.Replicas == 0
}

// tryAgain makes the second attempt, and keeps the better of the two.
func (run *attempt) tryAgain(ctx context.Context, aim stopping.Goal, at stopping.Standing) (stopped bool, err error) {
	second, err := run.second(aim, at)
	if err != nil {
		return false, err
	}
	with := changesOf(second.retry)
	run.notes.Note(fmt.Sprintf("%s, and more draws are unlikely to help: a second attempt, with a warm-up of %d "+
		"iterations%s (--draws %d disables it)", aim.Describe(at), retryOptions(second.retry,
		run.options).Warmup,
		with, run.options.Draws))
	stopped, failure := second.sampleToAim(ctx)
	if stopped {
		return true, fault.Of(run.dir.SetStatus(store.Interrupted))
	}
	said := "the draws are those of the first attempt; a second one "
	switch both, err := run.compare(second, aim, failure); {
	case err != nil:
		said += "failed: " + err.Error()
	case !both.covers:
		said += "did not reach all places where the first had chains"
	case aim.Nearer(both.now, at):
		run.notes.Note("the second attempt came closer to the goal: " + aim.Describe(both.now) + "; its draws are kept")
		if !run.knowsMore(at) { // if the first attempt lacked modes, its means must differ
			if err := second.warnIfApart(both); err != nil {
				return false, fault.Of(err)
			}
		}
		return false, fault.Of(run.dir.StartAdopting())
	default:
		said += "with a longer warm-up" + with + " came no closer to the goal"
	}
	run.notes.Note(said)
	if err := store.AddNote(run.dir.Disk, run.dir.Path, said); err != nil {
		return false, fault.Of(err)
	}
	return false, fault.Of(run.dir.RemoveSecond())
}

// A comparison compares two attempts with draws.
type comparison struct {
	first, second *store.Run
	now           stopping.Standing // standing of the second attempt
	covers        bool              // whether the second attempt reached the places of the first
}

// compare opens both attempts. The error states why the second attempt has no draws.
func (run *attempt) compare(second *attempt, aim stopping.Goal, failure error) (both comparison, err error) {
	switch {
	case failure != nil:
		return both, failure
	case !second.hasDraws():
		return both, errors.New("the time limit passed during warm-up")
	}
	if both.now, err = standing(second.dir, aim); err != nil {
		return both, err
	}
	if both.first, err = run.dir.Open(); err != nil {
		return both, err
	}
	if both.second, err = second.dir.Open(); err != nil {
		return both, err
	}
	both.covers, err = stopping.Covers(both.second, both.first)
	return both, err
}

// warnIfApart adds a warning to the second attempt if its means differ from those of the first by more than the errors
// of both. The second attempt may be consistent but wrong: the chains of the first may have disagreed because they
// found a part that the second missed.
func (second *attempt) warnIfApart(both comparison) error {
	difference, apart, err := stopping.Disagree(both.second, both.first)
	if err != nil || !apart {
		return err
	}
	w := difference.Warning()
	second.retry.Apart = &w
	return store.AddWarning(second.dir.Disk, second.dir.Path, w, second.resolved())
}

// second returns the second attempt, ready to start or to be resumed.
func (first *attempt) second(aim stopping.Goal, at stopping.Standing) (*attempt, error) {
	again := *first
	again.options.Draws = min(first.options.Draws, infer.Defaults().Draws)
	before, err := store.ReadInfoOn(first.dir.Disk, first.dir.Path)
	if err != nil {
		return nil, fault.Of(err)
	}
	again.retry = first.retryAfter(before.Report, at)
	again.retry.Before = aim.Describe(at)
	again.recorder = nil
	again.sampler, again.options.Settings = samplerOf(again.retry, first.sampler, first.options.Settings)
	if again.dir, err = first.dir.Second(); err != nil {
		return nil, fault.Of(err)
	}
	if again.dir.Created() {
		again.dir.Info.Report.Seconds = at.Seconds
	}
	return &again, again.announce()
}

// retryAfter chooses what the second attempt changes, given the report of the first.
func (run *attempt) retryAfter(r store.SamplerReport, at stopping.Standing) *rundir.Retry {
	a := &rundir.Retry{Gradients: int64(at.Gradients), Seconds: at.Seconds}
	ladder := at.RHat > apartRHat && len(r.Temperatures) < 2
	switch {
	case run.sampler.Exchanges && run.options.Settings.Replicas == 0:
		a.Ladder = ladder
	case run.sampler.Name == "nuts" && (ladder || run.knowsMore(at)) && !renhd.IsNetwork(run.program, run.options):
		a.Ladder, a.Sampler = ladder, samplers.All()[0].Name
	}
	if run.knowsMore(at) {
		a.Known = r.LackingAt
	}
	return a
}
