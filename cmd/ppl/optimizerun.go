package main

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync/atomic"
	"time"

	"github.com/spf13/pflag"

	"ppl/infer"
	"ppl/infer/optimize"
	"ppl/posterior/store"
)

// keepSearch searches, and keeps where the starts led as a run: a chain of one draw for each.
func (c *console) keepSearch(ctx context.Context, s *search, flags *pflag.FlagSet) error {
	var taken atomic.Pointer[runDir]
	ctx, release := stoppableWith(ctx, func() { c.abandon(taken.Load()) })
	defer release()
	there := refuse
	if s.replace {
		there = overwrite
	}
	dir, err := c.takeDir(ctx, s.out, there)
	if err != nil {
		return err
	}
	taken.Store(dir)
	return c.searchIn(ctx, s, dir, s.sampling(flags))
}

// resumeSearch goes on with a run of keepSearch that was ended. What the command line leaves open is as it was.
func (c *console) resumeSearch(ctx context.Context, s *search, flags *pflag.FlagSet) error {
	if s.out != "" || !isRun(s.model) {
		return usagef("--resume goes on with a run that ppl optimize --out began: give its directory, and not --out")
	}
	var taken atomic.Pointer[runDir]
	ctx, release := stoppableWith(ctx, func() { c.abandon(taken.Load()) })
	defer release()
	s.out = s.model
	dir, err := c.takeDir(ctx, s.out, goOn)
	if err != nil {
		return err
	}
	taken.Store(dir)
	run, err := s.takeOver(dir, flags)
	if err != nil {
		dir.close(false)
		return err
	}
	return c.searchIn(ctx, s, dir, run)
}

// takeOver fills in what the command line leaves open, and refuses another search.
func (s *search) takeOver(dir *runDir, flags *pflag.FlagSet) (*sampling, error) {
	before := dir.before.Asked.Search
	if before == nil {
		return nil, usagef("%s holds draws of a sampler; ppl sample --resume %[1]s goes on with it", s.out)
	}
	for name, value := range before {
		if flags.Changed(name) {
			continue
		}
		if err := flags.Set(name, value); err != nil {
			return nil, failed(err)
		}
	}
	run := s.sampling(flags)
	run.takeOver(dir.before, flags, true)
	s.model, s.data, s.device, s.options.Seed = run.model, run.data, run.device, run.seed
	if now := run.asked.Search; !maps.Equal(before, now) {
		for _, name := range slices.Sorted(maps.Keys(now)) {
			if before[name] != now[name] {
				return nil, usagef("the run in %s cannot go on: --%s is %s, and was %s", s.out, name, now[name],
					firstOf(before[name], "not given"))
			}
		}
	}
	return run, s.check()
}

// sampling is the search as a run of a sampler has it.
func (s *search) sampling(flags *pflag.FlagSet) *sampling {
	asked := map[string]string{}
	flags.Visit(func(f *pflag.Flag) {
		switch f.Name {
		case "data", "seed", "device", "threads", "out", "resume", "overwrite", "json", "quiet":
		default:
			asked[f.Name] = f.Value.String()
		}
	})
	o := s.options
	return &sampling{model: s.model, data: s.data, sampler: o.Method, seed: o.Seed, device: s.device, out: s.out,
		quiet: s.quiet, asked: askedOptions{Device: s.device, Search: asked},
		options: infer.Options{Chains: o.Starts, Draws: 1, Warmup: o.Iterations, Seed: o.Seed, Threads: o.Threads}}
}

// searchIn searches in a directory, and gives it back in the end.
func (c *console) searchIn(ctx context.Context, s *search, dir *runDir, as *sampling) error {
	useful := false
	defer func() { dir.close(useful) }()
	p, err := c.prepareSearch(ctx, s)
	if err != nil {
		return err
	}
	as.options = infer.Options{Chains: s.options.Starts, Draws: 1, Warmup: s.options.Iterations, Seed: s.options.Seed,
		Threads: s.options.Threads, Device: s.options.Device, Settings: infer.Settings{LogLikelihood: "off"}}
	as.network = infer.NetworkBlocks(p, s.options.Batch) != nil
	var found optimize.Result
	row := samplerRow{name: s.options.Method, sample: optimize.Keep(s.target(p), s.options, &found)}
	run := &posteriorRun{sampling: as, program: p, sampler: row, dir: dir, note: s.note(c)}
	if run.digests, err = digestsOf(p); err != nil {
		return failed(err)
	}
	if err := run.checkSame(); err != nil {
		return err
	}
	if dir.before != nil && dir.info.Status == store.Finished {
		useful = true
		return c.summarise(s.out, s.asJSON)
	}
	if err := run.announce(); err != nil {
		return err
	}
	show, clear := c.progress(s.quiet)
	began := time.Now()
	stopped, err := carryOut(ctx, run, 1, store.Finished, show, clear)
	useful = err == nil
	switch {
	case err != nil:
		return err
	case stopped:
		c.notef("%s", fmt.Sprintf("stopped early; ppl optimize --resume %s goes on", s.out))
		return interrupted()
	}
	return c.conclude(s, newMode(s, p, found, time.Since(began)), found)
}
