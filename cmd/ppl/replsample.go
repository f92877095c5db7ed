package main

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"ppl/compiler"
	"ppl/infer"
	"ppl/posterior/store"
)

// A background is a run that is being sampled while the session goes on.
type background struct {
	dir    string
	cancel context.CancelFunc
	done   chan struct{} // closed at its end
	run    *openedRun    // once it has draws

	mu       sync.Mutex
	progress infer.Progress
	notes    bytes.Buffer // what the sampler would have printed
	stopped  bool
	err      error
}

func (b *background) show(p infer.Progress) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.progress = p
}

// Write takes the notes of the sampler.
func (b *background) Write(text []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.notes.Write(text)
}

// prompt shows how far the run is.
func (b *background) prompt() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	if p := b.progress; p.Total > 0 {
		return fmt.Sprintf("%s %.0f %%> ", p.Phase, 100*float64(p.Done)/float64(p.Total))
	}
	return "compiling> "
}

// sample begins to sample the draft. A script waits for the end, so that its answers do not depend on time.
func (s *session) sample(ctx context.Context, args []string) error {
	if s.sampling != nil {
		return usagef("a run is being sampled already; .stop ends it")
	}
	run, err := s.newRun(ctx, args)
	if err != nil {
		return err
	}
	b := &background{dir: run.out, done: make(chan struct{})}
	if run.dir.before != nil {
		b.run = s.run
	}
	s.sampling = b
	sampling, cancel := context.WithCancel(context.Background())
	b.cancel = cancel
	go func() {
		defer close(b.done)
		stopped, err := carryOut(sampling, run, run.options.Draws, store.Finished, b.show, func() {})
		run.dir.close(run.recorder.writer != nil)
		b.mu.Lock()
		b.stopped, b.err = stopped, err
		b.mu.Unlock()
	}()
	if !s.typed {
		select {
		case <-b.done:
		case <-ctx.Done():
		}
		return s.endSampling()
	}
	s.c.notef("sampling into %s; questions go on meanwhile", run.out)
	return nil
}

// newRun prepares a run of the draft, with the flags of ppl sample. +N takes the options of the run that is open, with
// N draws more of each chain.
func (s *session) newRun(ctx context.Context, args []string) (*posteriorRun, error) {
	o := &sampling{options: infer.Defaults(), data: s.data, device: "auto", quiet: true, model: s.draft.Path,
		seed: uint64(rand.Uint32())}
	if s.run != nil {
		o.fromRun(s.run.options)
	}
	if len(args) > 0 && strings.HasPrefix(args[0], "+") {
		more, err := strconv.Atoi(args[0][1:])
		if err != nil || more < 1 || s.run == nil {
			return nil, usagef(".sample +N: N more draws of each chain than the run that is open has")
		}
		if !s.changed {
			return s.longerRun(ctx, more, args[1:])
		}
		o.options.Draws, args = s.run.run.Info.Draws+more, args[1:]
	}
	flags := &cobra.Command{}
	o.addFlags(flags)
	if err := flags.Flags().Parse(args); err != nil {
		return nil, usagef("%w", err)
	}
	if err := o.resolve(); err != nil {
		return nil, err
	}
	o.out = freeDir(o.out)
	return s.draftRun(ctx, o, func(*runDir) {})
}

// longerRun goes on with the run that is open, for some draws more of each chain.
func (s *session) longerRun(ctx context.Context, more int, args []string) (*posteriorRun, error) {
	o := &sampling{options: infer.Defaults(), device: "auto", quiet: true, resume: true}
	flags := &cobra.Command{}
	o.addFlags(flags)
	if err := flags.Flags().Parse(args); err != nil {
		return nil, usagef("%w", err)
	}
	for _, v := range s.run.added {
		s.c.notef("%s is of the draws so far: predict again after sampling", v.Name)
	}
	o.out = s.run.dir
	if err := o.resolve(); err != nil {
		return nil, err
	}
	return s.draftRun(ctx, o, func(dir *runDir) {
		o.takeOver(dir.before, flags.Flags(), true)
		o.options.Draws = s.run.run.Info.Draws + more
	})
}

// draftRun prepares a run of the draft in its directory; with is called when that is known.
func (s *session) draftRun(ctx context.Context, o *sampling, with func(*runDir)) (run *posteriorRun, err error) {
	dir, err := s.c.takeDir(ctx, o.out, o.existing())
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			dir.close(dir.before != nil)
		}
	}()
	with(dir)
	o.asked = o.asAsked()
	given, err := dataArgs(o.data)
	if err != nil {
		return nil, err
	}
	p, ds := compiler.LoadText(s.draft.Path, s.draft.Text, given, compiler.DefaultRowCache())
	if err := s.c.diagnose(errorsOf(ds)); err != nil {
		return nil, err
	}
	if p.Dim() == 0 {
		return nil, noParameters()
	}
	if o.options.Device, err = openDevice(context.Background(), o.device, func(string) {}); err != nil {
		return nil, err
	}
	sampler, err := s.c.chooseSampler(p, o)
	if err != nil {
		return nil, err
	}
	run, err = newPosteriorRun(o, p, sampler, dir, func(string) {})
	if err == nil {
		err = run.checkSame()
	}
	if err == nil {
		err = run.announce()
	}
	return run, err
}

// fromRun takes the options of a run.
func (o *sampling) fromRun(r resolvedOptions) {
	o.sampler, o.seed = r.Sampler, r.Seed
	o.options.Chains, o.options.Draws, o.options.Warmup = r.Chains, r.Draws, r.Warmup
}

// freeDir is a directory that is not there yet: NAME.run, NAME.2.run, ….
func freeDir(dir string) string {
	base := strings.TrimSuffix(dir, ".run")
	for k := 2; ; k++ {
		if _, err := os.Stat(dir); err != nil {
			return dir
		}
		dir = fmt.Sprintf("%s.%d.run", base, k)
	}
}

// collectSampling opens the run once it has draws, and says when it ended.
func (s *session) collectSampling() error {
	b := s.sampling
	if b.run == nil {
		if run, err := s.c.openGrowing(b.dir); err == nil {
			b.run = run
			s.enter(run, strings.TrimSuffix(filepath.Base(b.dir), ".run"))
			s.changed = false
		}
	}
	select {
	case <-b.done:
	default:
		return nil
	}
	s.sampling = nil
	switch {
	case b.err != nil:
		return b.err
	case b.run == nil:
		s.c.notef("stopped in warm-up: there are no draws")
	default:
		_ = b.run.refresh() // what is wrong with it, the next question says
		s.c.notef("%s: %s", kept(b.dir, b.stopped), b.run.heading())
	}
	return nil
}

// openGrowing opens a run that may have no draws yet, in silence.
func (c *console) openGrowing(dir string) (*openedRun, error) {
	quiet := *c
	quiet.err = new(bytes.Buffer)
	return quiet.openRun(dir)
}

// stop ends sampling and waits for it.
func (s *session) stop(context.Context, []string) error {
	if s.sampling == nil {
		return usagef("nothing is being sampled")
	}
	return s.endSampling()
}

// endSampling ends sampling, if it goes on, with the draws so far. The error is that of a run that failed.
func (s *session) endSampling() error {
	if s.sampling == nil {
		return nil
	}
	b := s.sampling
	b.cancel()
	<-b.done
	return s.collectSampling()
}
