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

// A background is a run that is sampled while the session continues. It stores the run's progress and ignores notes.
type background struct {
	notes.None
	fit    *app.Fit
	cancel context.CancelFunc
	done   chan struct{} // closed when sampling ends
	run    *analysis.Run // nil until it has draws

	mu       sync.Mutex
	progress infer.Progress
	stopped  bool
	err      error
}

// Progress stores the progress of the run.
func (b *background) Progress(p infer.Progress) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.progress = p
}

// prompt returns a prompt with the progress of the run.
func (b *background) prompt() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	if p := b.progress; p.Total > 0 {
		return fmt.Sprintf("%s %.0f %%> ", p.Phase, 100*float64(p.Done)/float64(p.Total))
	}
	return "compiling> "
}

// sample starts sampling the draft. A script waits until sampling ends, so that its output does not depend on timing.
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
	s.host.Notef("sampling into %s; you can ask questions meanwhile", b.fit.Dir())
	return nil
}

// request returns the request for .sample: to sample the draft, with flags of `ppl sample`. +N extends the open run by
// N draws of each chain.
func (s *session) request(args []string) (*app.Request, error) {
	more := 0
	if len(args) > 0 && strings.HasPrefix(args[0], "+") {
		var err error
		if more, err = strconv.Atoi(args[0][1:]); err != nil || more < 1 || s.run == nil {
			return nil, fault.Usagef(".sample +N adds N draws to each chain of the open run; open a run, and give N " +
				"of at least 1")
		}
		args = args[1:]
	}
	if s.draft.Text == "" {
		return nil, fault.Wrong(errors.New("the model is empty; declare a parameter with a distribution: `mu ~ " +
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
		return &r, s.extendOpen(&r)
	}
	if r.Dir == "" {
		r.Dir = app.DefaultDir(s.draft.Path)
	}
	r.Dir = freeDir(r.Dir)
	return &r, nil
}

// extendOpen makes a request resume the open run.
func (s *session) extendOpen(r *app.Request) error {
	for _, v := range s.run.Added() {
		s.host.Notef("%s was computed for the draws so far; predict again after sampling", v.Name)
	}
	r.Dir, r.Existing = s.run.Dir, rundir.GoOn
	return nil
}

// onlyErrors removes warnings from an error, since an unfinished model causes many.
func onlyErrors(err error) error {
	if e := (*fault.Error)(nil); errors.As(err, &e) && len(e.Diagnostics) > 0 {
		return fault.Diagnosed(errorsOf(e.Diagnostics))
	}
	return err
}

// Kept returns a sentence that states where the draws of a run are.
func Kept(dir string, stopped bool) string {
	if stopped {
		return fmt.Sprintf("stopped early; the draws so far are in %s", dir)
	}
	return fmt.Sprintf("draws are in %s", dir)
}

// freeDir returns a directory that does not exist yet: NAME.run, NAME.2.run, ….
func freeDir(dir string) string {
	base := strings.TrimSuffix(dir, ".run")
	for k := 2; ; k++ {
		if _, err := os.Stat(dir); err != nil {
			return dir
		}
		dir = fmt.Sprintf("%s.%d.run", base, k)
	}
}

// collectSampling opens the run once it has draws, and writes a note when sampling has ended.
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
		_ = b.run.Refresh() // the next query reports errors
		s.host.Notef("%s: %s", Kept(b.fit.Dir(), b.stopped), heading(b.run))
	}
	return nil
}

// stop stops sampling, and waits until it has ended.
func (s *session) stop(context.Context, []string) error {
	if s.sampling == nil {
		return fault.Usagef("nothing is being sampled")
	}
	return s.endSampling()
}

// endSampling stops sampling if it is in progress, keeping the draws so far. It returns the error of a failed run.
func (s *session) endSampling() error {
	if s.sampling == nil {
		return nil
	}
	b := s.sampling
	b.cancel()
	<-b.done
	return s.collectSampling()
}
