package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"ppl/infer"
	"ppl/infer/renhd"
	"ppl/posterior/report"
	"ppl/posterior/stopping"
	"ppl/posterior/store"
	"ppl/runtime/sys/files"
)

// An attempt is what a run samples by that has been sampled once before, and whose draws were not good enough and did
// not promise to become so. It is made in a directory within that of the run. Its draws become those of the run if they
// are nearer to what a run aims at, and also where chains of the first attempt were; else the first ones stay.
type attempt struct {
	Before    string      `json:"before"`            // how far the first attempt had come, in words
	Ladder    bool        `json:"ladder,omitempty"`  // its chains were apart: walkers' agreement is not believed
	Sampler   string      `json:"sampler,omitempty"` // in place of nuts, which has no ladder
	Known     [][]float64 `json:"known,omitempty"`   // in modes found when there were draws, which lack them
	Gradients int64       `json:"gradients"`         // that it took
	Seconds   float64     `json:"seconds"`
}

const (
	secondSeed = 1 << 32 // the seed of the second attempt has this number among those of tasks
	apartRHat  = 1.05    // from there on chains count as being in different places
	longer     = 4       // times the warm-up of the first attempt,
	leastAgain = 1000    // and at least so long
)

// secondIn is the directory of the second attempt of a run; markIn is the file in it that says that the attempt is to
// be moved up.
func secondIn(dir string) string { return filepath.Join(dir, "second", "run") }
func markIn(dir string) string   { return filepath.Join(dir, "second", "adopted") }

// removeSecond removes it.
func (d *runDir) removeSecond() error { return d.disk.RemoveAll(filepath.Join(d.path, "second")) }

// options are those of a run, changed for the attempt.
func (a *attempt) options(o infer.Options) infer.Options {
	if a != nil {
		o.Seed, o.Warmup = taskSeed(o.Seed, secondSeed), max(longer*o.Warmup, leastAgain)
		o.Ladder, o.Known = a.Ladder, a.Known
	}
	return o
}

// inPlaceOf is the sampler of the attempt, where the one asked for is given, with its settings. Those of nuts are its
// own but for what the model's numbers are computed in and what is kept.
func (a *attempt) inPlaceOf(asked samplerRow, set infer.Settings) (samplerRow, infer.Settings) {
	if a == nil || a.Sampler == "" || asked.exchanges {
		return asked, set
	}
	row, ok := findSampler(a.Sampler)
	if !ok {
		panic("internal error: a second attempt by " + a.Sampler)
	}
	return row, infer.Settings{Precision: set.Precision, LogLikelihood: set.LogLikelihood}
}

// means is what the attempt has besides a longer warm-up, in words.
func (a *attempt) means() (text string) {
	if a.Sampler != "" {
		text += ", " + a.Sampler + " in place of nuts"
	}
	if a.Ladder {
		text += " and a ladder of temperatures"
	}
	if len(a.Known) > 0 {
		text += " and a search for modes that begins at those"
	}
	return text
}

// complete adds to the report of an attempt what the first one took.
func (a *attempt) complete(r *infer.Report) {
	if a != nil {
		r.Gradients += a.Gradients
		first := "the first"
		if a.Sampler != "" {
			first += " by nuts"
		}
		r.Notes = append([]string{"a second attempt, after " + first + " had come to " + a.Before}, r.Notes...)
	}
}

// worthAnother reports whether a run that has to give up is worth a second attempt: its chains are apart, or their
// effective sizes too small to judge anything, or its draws lack modes.
func (run *posteriorRun) worthAnother(at stopping.Standing) bool {
	return run.again == nil && (at.RHat > apartRHat || at.ESS < report.MinESS) || run.knowsMore(at)
}

// knowsMore reports whether a second attempt would know modes from its beginning that draws lack. A ladder of a length
// that was asked for is warmed up without a search for modes.
func (run *posteriorRun) knowsMore(at stopping.Standing) bool {
	return run.again == nil && at.Lacking > store.MaxLacking && run.options.Settings.Replicas == 0
}

// tryAgain makes the second attempt and keeps the better one.
func (run *posteriorRun) tryAgain(
	ctx context.Context, aim stopping.Goal, at stopping.Standing, show func(infer.Progress), clear func(),
) (stopped bool, err error) {
	second, err := run.second(aim, at)
	if err != nil {
		return false, err
	}
	means := second.again.means()
	run.note(fmt.Sprintf("%s, which more draws do not promise to mend: a second attempt, with a warm-up of %d "+
		"iterations%s (--draws %d keeps it at the first)", aim.Describe(at), second.again.options(run.options).Warmup,
		means, run.options.Draws))
	stopped, failure := second.sampleToAim(ctx, show, clear)
	if stopped {
		return true, failedIf(store.SetStatus(run.dir.disk, run.dir.path, store.Interrupted, nil))
	}
	said := "the draws are those of the first attempt; a second one "
	switch now, covers, err := run.compare(second, aim, failure); {
	case err != nil:
		said += "failed: " + err.Error()
	case !covers:
		said += "has not been where some of its chains were"
	case aim.Nearer(now, at):
		run.note("the second attempt has come nearer, to " + aim.Describe(now) + "; its draws are kept")
		return false, failedIf(run.dir.startAdopting())
	default:
		said += "with a longer warm-up" + means + " has not come nearer"
	}
	run.note(said)
	if err := store.AddNote(run.dir.disk, run.dir.path, said); err != nil {
		return false, failed(err)
	}
	return false, failedIf(run.dir.removeSecond())
}

// compare is how far the second attempt has come, and whether it has been where the first was. The error says why it
// has not come anywhere.
func (run *posteriorRun) compare(second *posteriorRun, aim stopping.Goal, failure error) (
	at stopping.Standing, covers bool,
	err error) {
	switch {
	case failure != nil:
		return at, false, failure
	case !second.hasDraws():
		return at, false, errors.New("it was ended in warm-up")
	}
	if at, err = standing(second.out, aim); err != nil {
		return at, false, err
	}
	there, err := store.Open(run.out)
	if err != nil {
		return at, false, err
	}
	here, err := store.Open(second.out)
	if err != nil {
		return at, false, err
	}
	covers, err = stopping.Covers(here, there)
	return at, covers, err
}

// second is the second attempt, as it is to begin or to go on.
func (run *posteriorRun) second(aim stopping.Goal, at stopping.Standing) (*posteriorRun, error) {
	s, again := *run.sampling, *run
	s.out, s.options.Draws = secondIn(run.out), min(run.options.Draws, infer.Defaults().Draws)
	before, err := store.ReadInfo(run.out)
	if err != nil {
		return nil, failed(err)
	}
	s.again = run.attemptAfter(before.Report, at)
	s.again.Before = aim.Describe(at)
	again.sampling, again.recorder = &s, nil
	again.sampler, s.options.Settings = s.again.inPlaceOf(run.sampler, s.options.Settings)
	again.dir = &runDir{disk: run.dir.disk, path: s.out, recorder: run.dir.recorder}
	if err := run.dir.disk.MkdirAll(s.out, 0o777); err != nil {
		return nil, failed(err)
	}
	if err := again.dir.look(goOn); err != nil {
		return nil, failed(err)
	}
	if again.dir.created {
		again.dir.info.Report.Seconds = at.Seconds
	}
	return &again, again.announce()
}

// attemptAfter is what a second attempt is to have, after a first one with that report.
func (run *posteriorRun) attemptAfter(r store.SamplerReport, at stopping.Standing) *attempt {
	a := &attempt{Gradients: int64(at.Gradients), Seconds: at.Seconds}
	ladder := at.RHat > apartRHat && len(r.Temperatures) < 2
	switch {
	case run.sampler.exchanges && run.options.Settings.Replicas == 0:
		a.Ladder = ladder
	case run.sampler.name == "nuts" && (ladder || run.knowsMore(at)) && !renhd.IsNetwork(run.program, run.options):
		a.Ladder, a.Sampler = ladder, samplers()[0].name
	}
	if run.knowsMore(at) {
		a.Known = r.LackingAt
	}
	return a
}

// startAdopting puts the second attempt in the place of the first.
func (d *runDir) startAdopting() error {
	if err := files.Replace(d.disk, markIn(d.path)); err != nil {
		return err
	}
	return d.adopt()
}

// adopting reports whether a second attempt was on its way up when a process ended.
func adopting(path string) bool { return exists(markIn(path)) }

// adopt moves the second attempt up. It can be broken off anywhere and goes on from there: first all of the first
// attempt goes, run.json last, then all of the second comes, run.json last.
func (d *runDir) adopt() error {
	from := secondIn(d.path)
	if isRun(from) {
		if isRun(d.path) {
			if err := d.remove(); err != nil {
				return err
			}
		}
		if err := d.moveUp(from); err != nil {
			return err
		}
	}
	return d.removeSecond()
}

// moveUp moves all of a run to its new place.
func (d *runDir) moveUp(from string) error {
	entries, err := os.ReadDir(from)
	if err != nil {
		return err
	}
	last := func(e fs.DirEntry) int { return map[bool]int{e.Name() == runFile: 1}[true] }
	slices.SortStableFunc(entries, func(a, b fs.DirEntry) int { return last(a) - last(b) })
	for _, e := range entries {
		if err := d.disk.Rename(filepath.Join(from, e.Name()), filepath.Join(d.path, e.Name())); err != nil {
			return err
		}
	}
	return d.disk.Sync(d.path)
}
