package repl

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"

	"ppl/app"
	"ppl/app/analysis"
	"ppl/app/fault"
	"ppl/app/notes"
	"ppl/app/rundir"
	"ppl/infer"
	"ppl/posterior/store"
)

// A background is a run that is being sampled while the session continues. It collects the progress of the run; notes
// are dropped.
type background struct {
	notes.None
	fit    *app.Fit
	cancel context.CancelFunc
	done   chan struct{} // closed at its end
	run    *analysis.Run // once it has draws

	mu       sync.Mutex
	progress infer.Progress
	stopped  bool
	err      error
}

// Progress keeps how far the run is.
func (b *background) Progress(p infer.Progress) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.progress = p
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
		return fault.Usagef("a run is being sampled already; .stop ends it")
	}
	request, err := s.request(args)
	if err != nil {
		return err
	}
	b := &background{done: make(chan struct{})}
	b.fit = app.NewFit(*request, b)
	sampling, cancel := context.WithCancel(context.Background())
	b.cancel = cancel
	release := context.AfterFunc(ctx, cancel)
	if err := b.fit.Prepare(sampling); err != nil {
		cancel()
		return onlyErrors(err)
	}
	release()
	if request.Existing == rundir.GoOn {
		b.run = s.run
	}
	s.sampling = b
	go func() {
		defer close(b.done)
		stopped, err := b.fit.Sample(sampling)
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
	s.host.Notef("sampling into %s; questions go on meanwhile", b.fit.Dir())
	return nil
}

// request is what .sample asks for: a run of the draft, with the flags of ppl sample. +N takes the options of the run
// that is open, with N draws more of each chain.
func (s *session) request(args []string) (*app.Request, error) {
	more := 0
	if len(args) > 0 && strings.HasPrefix(args[0], "+") {
		var err error
		if more, err = strconv.Atoi(args[0][1:]); err != nil || more < 1 || s.run == nil {
			return nil, fault.Usagef(".sample +N: N more draws of each chain than the run that is open has")
		}
		args = args[1:]
	}
	if s.draft.Text == "" {
		return nil, fault.Wrong(errors.New("the model has no parameters; declare one with a distribution: `mu ~ " +
			"Normal(0, 1)`"))
	}
	r := app.NewRequest(s.draft.Path)
	r.Text, r.Data, r.Draws = s.draft.Text, s.data, infer.Defaults().Draws
	longer := more > 0 && !s.changed
	if s.run != nil && !longer {
		was := s.run.Options
		r.Sampler, r.Seed, r.Chains, r.Warmup, r.Draws = was.Asked.Sampler, was.Seed, was.Chains, was.Warmup, was.Draws
	}
	if err := s.host.ReadFlags(&r, args); err != nil {
		return nil, err
	}
	if more > 0 {
		r.Draws = s.run.Stored.Info.Draws + more
	}
	if longer {
		return &r, s.goOn(&r)
	}
	if r.Dir == "" {
		r.Dir = app.DefaultDir(s.draft.Path)
	}
	r.Dir = freeDir(r.Dir)
	return &r, nil
}

// goOn makes the request continue with the run that is open.
func (s *session) goOn(r *app.Request) error {
	for _, v := range s.run.Added() {
		s.host.Notef("%s is of the draws so far: predict again after sampling", v.Name)
	}
	r.Dir, r.Existing = s.run.Dir, rundir.GoOn
	return nil
}

// onlyErrors leaves warnings out of an error: a model that is being written is not complete yet.
func onlyErrors(err error) error {
	if e := (*fault.Error)(nil); errors.As(err, &e) && len(e.Diagnostics) > 0 {
		return fault.Diagnosed(errorsOf(e.Diagnostics))
	}
	return err
}

// Kept says where the draws of a run that has ended are.
func Kept(dir string, stopped bool) string {
	if stopped {
		return fmt.Sprintf("stopped early; the draws so far are in %s", dir)
	}
	return fmt.Sprintf("draws are in %s", dir)
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
	if info, err := store.ReadInfo(b.fit.Dir()); b.run == nil && err == nil && info.Draws > 0 {
		if run, err := analysis.Open(b.fit.Dir(), sessionNotes{s.host.Notes(), s}); err == nil {
			b.run = run
			s.enter(run, strings.TrimSuffix(filepath.Base(b.fit.Dir()), ".run"))
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
		s.host.Notef("stopped in warm-up: there are no draws")
	default:
		_ = b.run.Refresh() // what is wrong with it, the next question says
		s.host.Notef("%s: %s", Kept(b.fit.Dir(), b.stopped), heading(b.run))
	}
	return nil
}

// stop ends sampling and waits for it.
func (s *session) stop(context.Context, []string) error {
	if s.sampling == nil {
		return fault.Usagef("nothing is being sampled")
	}
	return s.endSampling()
}

// endSampling ends sampling, if it continues, with the draws so far. The error is that of a run that failed.
func (s *session) endSampling() error {
	if s.sampling == nil {
		return nil
	}
	b := s.sampling
	b.cancel()
	<-b.done
	return s.collectSampling()
}
