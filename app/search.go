package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"time"

	"ppl/app/devices"
	"ppl/app/fault"
	"ppl/app/notes"
	"ppl/app/rundir"
	"ppl/app/samplers"
	"ppl/compiler"
	"ppl/infer"
	"ppl/infer/optimize"
	"ppl/posterior/store"
	"ppl/runtime/sys/files"
)

// A Search describes how to search for the mode of a posterior. NewSearch sets defaults.
type Search struct {
	Source
	Device   string           // name of a device, see package devices
	Init     string           // file with starting values, or a run whose last draws are the starting points
	Jacobian bool             // find the mode in unconstrained coordinates instead of that of the parameters
	Options  optimize.Options // Device and Start are set by the search

	// Dir is the run directory that stores the end of each search; it may be empty. If Existing is GoOn, Model is the
	// directory of an interrupted search.
	Dir      string
	Existing rundir.Existing
	Given    []string // for a resumed search: names of options that replace those of the run

	Disk files.System // file system of the run; nil for the machine's disk
	Lost func()       // called if another process takes Dir over; if nil, the search fails
}

// NewSearch returns the search for the mode of a model with default options and a new seed.
func NewSearch(model string) Search {
	o := optimize.Defaults()
	o.Seed, o.Starts = uint64(rand.Uint32()), fewStarts+len(places())
	return Search{Source: Source{Model: model}, Device: devices.Auto, Options: o}
}

// fewStarts is the number of starts drawn from the prior before further starts at other places, and the total number
// for methods whose searches take long.
const fewStarts = 4

// places returns the places of further starts. Parameters that are scales of others are small or large there, or the
// points are far apart.
func places() []compiler.Place {
	return []compiler.Place{{Scales: -3}, {Scales: -6}, {Scales: 3}, {Apart: 5}}
}

// startWide sets the starting points to draws from the prior, some of which are moved to places.
func (s *Search) startWide(p *compiler.Program) {
	plain, at := p.Starts(s.Options.Seed), []func(k int) []float64{}
	for _, place := range places() {
		at = append(at, p.StartsAt(place, s.Options.Seed))
	}
	s.Options.Start = func(k int) []float64 {
		if i := k - fewStarts; k < s.Options.Starts && i >= 0 && i < len(at) {
			return at[i](k)
		}
		return plain(k)
	}
}

// An Optimum is the result of a search.
type Optimum struct {
	Search   Search // the search, completed from a run that is resumed
	Program  *compiler.Program
	Result   optimize.Result
	Took     time.Duration
	Stopped  bool // whether the context ended a search that is stored
	Complete bool // whether the search to be resumed had already ended; there is no Result then
}

// A ModeSearch carries out a Search.
type ModeSearch struct {
	inProgress
	search Search
	notes  notes.Notes
}

// NewModeSearch returns a search that has not started.
func NewModeSearch(s Search, n notes.Notes) *ModeSearch {
	if s.Disk == nil {
		s.Disk = files.Disk{}
	}
	return &ModeSearch{search: s, notes: n}
}

// FindMode searches for the mode of the posterior of a model.
func FindMode(ctx context.Context, s Search, n notes.Notes) (*Optimum, error) {
	return NewModeSearch(s, n).Run(ctx)
}

// Run carries out the search. It must be called only once.
func (m *ModeSearch) Run(ctx context.Context) (*Optimum, error) {
	s := &m.search
	switch resume := s.Existing == rundir.GoOn; {
	case resume && (s.Dir != "" || !rundir.IsRun(s.Model)):
		return nil, fault.Usagef("--resume continues a run that ppl optimize --out began: give its directory, and " +
			"not --out")
	case resume:
		s.Dir = s.Model
	default:
		if err := s.Check(); err != nil {
			return nil, err
		}
	}
	if s.Dir == "" {
		return m.find(ctx)
	}
	dir, err := rundir.Take(ctx, s.Disk, s.Dir, s.Existing, m.notes, func() { m.lose(s.Lost) })
	if err != nil {
		return nil, err
	}
	m.dir.Store(dir)
	useful := false
	defer func() { dir.Close(useful) }()
	if dir.Before != nil {
		if err := s.fillFrom(dir.Before); err != nil {
			return nil, err
		}
	}
	found, useful, err := m.findIn(ctx, dir)
	return found, err
}

// Check returns an error for options that are wrong for every model, and sets the number of starts if it was not given.
func (s *Search) Check() error {
	o := &s.Options
	if o.Method != "lbfgs" && !slices.Contains(s.Given, "starts") {
		o.Starts = min(o.Starts, fewStarts)
	}
	switch {
	case !slices.Contains(optimize.Methods(), o.Method):
		return fault.Usagef("--method %s is unknown; choose one of %s", o.Method, strings.Join(optimize.Methods(),
			", "))
	case !slices.Contains(infer.WeightSchemes(), o.Weights):
		return fault.Usagef("--weights %s is unknown; choose one of %s", o.Weights, strings.Join(infer.WeightSchemes(),
			", "))
	case o.Starts < 1:
		return fault.Usagef("--starts %d: at least one is needed", o.Starts)
	case o.Iterations < 1:
		return fault.Usagef("--iterations %d: at least one is needed", o.Iterations)
	case o.Batch < 0:
		return fault.Usagef("--batch %d cannot be negative", o.Batch)
	case o.Batch > 0 && o.Method == "lbfgs":
		return fault.Usagef("--batch %d: lbfgs uses all rows; minibatches need --method adam, adamw or sgd", o.Batch)
	case !(o.Decay >= 0 && o.Decay <= math.MaxFloat64):
		return fault.Usagef("--decay %v must be a finite number, 0 or more", o.Decay)
	case o.Decay != optimize.Defaults().Decay && o.Method != "adamw":
		return fault.Usagef("--decay %v: weight decay needs --method adamw", o.Decay)
	case o.StopAfter < 0:
		return fault.Usagef("--stop-after %d cannot be negative", o.StopAfter)
	case o.StopAfter > 0 && o.Batch == 0:
		return fault.Usagef("--stop-after %d: early stopping counts epochs of minibatches; give --batch too",
			o.StopAfter)
	case s.Existing == rundir.Overwrite && s.Dir == "":
		return fault.Usagef("--overwrite needs --out, and cannot be combined with --resume")
	case o.Threads < 0:
		return fault.Usagef("--threads %d cannot be negative; 0 means all cores", o.Threads)
	case !(o.Rate >= 0 && o.Rate <= math.MaxFloat64):
		return fault.Usagef("--rate %v must be a finite number, 0 or more; 0 chooses it", o.Rate)
	}
	return devices.Check(s.Device)
}

// options maps the names of the command's flags to pointers to the options that are stored: strings, integers, numbers
// and truth values.
func (s *Search) options() map[string]any {
	o := &s.Options
	return map[string]any{"method": &o.Method, "starts": &o.Starts, "init": &s.Init, "weights": &o.Weights,
		"iterations": &o.Iterations, "batch": &o.Batch, "rate": &o.Rate, "decay": &o.Decay, "stop-after": &o.StopAfter,
		"jacobian": &s.Jacobian}
}

// given returns the options that were given, as text.
func (s *Search) given() map[string]string {
	all, options := map[string]string{}, s.options()
	for _, name := range s.Given {
		switch at := options[name].(type) {
		case *string:
			all[name] = *at
		case *int:
			all[name] = strconv.Itoa(*at)
		case *float64:
			all[name] = strconv.FormatFloat(*at, 'g', -1, 64)
		case *bool:
			all[name] = strconv.FormatBool(*at)
		}
	}
	return all
}

// set sets an option from text, as given returns it.
func (s *Search) set(name, text string) (err error) {
	switch at := s.options()[name].(type) {
	case *string:
		*at = text
	case *int:
		*at, err = strconv.Atoi(text)
	case *float64:
		*at, err = strconv.ParseFloat(text, 64)
	case *bool:
		*at, err = strconv.ParseBool(text)
	default:
		err = errors.New("ppl optimize has no such option")
	}
	if err != nil {
		return fmt.Errorf("in the stored options of the run: %s: %w", name, err)
	}
	return nil
}

// fillFrom copies options that are not given from the search to resume. It returns an error if other options differ.
func (s *Search) fillFrom(from *rundir.Options) error {
	before := from.Asked.Search
	if before == nil {
		return fault.Usagef("%s is a run of ppl sample; to continue it, run ppl sample --resume %[1]s", s.Dir)
	}
	for _, name := range slices.Sorted(maps.Keys(before)) {
		if slices.Contains(s.Given, name) {
			continue
		}
		if err := s.set(name, before[name]); err != nil {
			return fault.Of(err)
		}
		s.Given = append(s.Given, name)
	}
	as := s.request()
	as.fillFrom(from, true)
	s.Source, s.Device, s.Options.Seed = as.Source, as.Device, as.Seed
	now := s.given()
	for _, name := range slices.Sorted(maps.Keys(now)) {
		if before[name] != now[name] {
			return fault.Usagef("the run in %s cannot be continued: --%s is %s, and was %s", s.Dir, name, now[name],
				cmp.Or(before[name], "not given"))
		}
	}
	return s.Check()
}

// request returns the search as a request to a sampler.
func (s *Search) request() Request {
	return Request{Source: s.Source, Device: s.Device, Chains: s.Options.Starts, Warmup: s.Options.Iterations,
		Seed: s.Options.Seed, Threads: s.Options.Threads, Given: s.Given}
}

// find searches without storing anything.
func (m *ModeSearch) find(ctx context.Context) (*Optimum, error) {
	s := &m.search
	p, err := m.prepare(ctx)
	if err != nil {
		return nil, err
	}
	began := time.Now()
	r, err := optimize.Maximize(ctx, s.target(p), s.Options)
	switch {
	case errors.Is(err, context.Canceled):
		return nil, fault.Interrupted()
	case err != nil && !errors.As(err, new(infer.Refusal)):
		if parts := p.NotFinite(s.Options.Seed); len(parts) > 0 {
			err = fault.Wrong(explain(err, parts))
		}
	}
	if err != nil {
		return nil, fault.Of(err)
	}
	return &Optimum{Search: *s, Program: p, Result: r, Took: time.Since(began)}, nil
}

// findIn searches and stores the result in a directory, as one chain with one draw for each start. useful reports
// whether the directory contains something worth keeping.
func (m *ModeSearch) findIn(ctx context.Context, dir *rundir.Dir) (found *Optimum, useful bool, err error) {
	s := &m.search
	p, err := m.prepare(ctx)
	if err != nil {
		return nil, false, err
	}
	found = &Optimum{Search: *s, Program: p}
	run, err := m.attempt(p, dir, &found.Result)
	if err != nil {
		return nil, false, err
	}
	if err := run.checkSame(); err != nil {
		return nil, false, err
	}
	if dir.Before != nil && dir.Info.Status == store.Finished {
		found.Complete = true
		return found, true, nil
	}
	if err := run.announce(); err != nil {
		return nil, false, err
	}
	began := time.Now()
	found.Stopped, err = run.carryOut(ctx, 1, store.Finished)
	found.Took = time.Since(began)
	return found, err == nil, err
}

// attempt returns the search as a run of a sampler.
func (m *ModeSearch) attempt(p *compiler.Program, dir *rundir.Dir, found *optimize.Result) (run *attempt, err error) {
	s := &m.search
	run = &attempt{Request: s.request(), dir: dir, program: p, notes: m.notes, current: &m.current,
		asked: rundir.Asked{Device: s.Device, Search: s.given()}}
	run.options = infer.Options{Chains: s.Options.Starts, Draws: 1, Warmup: s.Options.Iterations, Seed: s.Options.Seed,
		Threads: s.Options.Threads, Device: s.Options.Device, Settings: infer.Settings{LogLikelihood: "off"}}
	run.network = infer.NetworkBlocks(p, s.Options.Batch) != nil
	run.sampler = samplers.Search(s.Options.Method, optimize.Keep(s.target(p), s.Options, found))
	run.digests, err = rundir.DigestsOf(p)
	return run, fault.Of(err)
}

// prepare compiles the model. It returns an error if there is no mode to search for.
func (m *ModeSearch) prepare(ctx context.Context) (*compiler.Program, error) {
	s := &m.search
	p, err := loadSharing(ctx, s.Network.Cache(), s.Source, m.notes, s.needsAll)
	if err != nil {
		return nil, err
	}
	if p.Dim() == 0 {
		return nil, fault.Wrongf("%s has no parameters, so it has no mode", s.Source.Model)
	}
	if err := s.checkModel(p); err != nil {
		return nil, err
	}
	if s.Options.Device, err = devices.Open(ctx, s.Device, m.notes.Note); err != nil {
		return nil, err
	}
	switch {
	case s.Init != "":
		err = s.chooseStarts(p, m.notes)
	case s.Options.Method == "lbfgs":
		s.startWide(p)
	}
	return p, err
}

// needsAll returns an error if the data are too large for memory and the search does not use minibatches.
func (s *Search) needsAll(p *compiler.Program) error {
	if s.Options.Batch > 0 {
		return nil
	}
	return fault.Of(infer.NeedAll(p, "finding a mode"))
}

// checkModel returns an error for options that do not suit the model.
func (s *Search) checkModel(p *compiler.Program) error {
	if s.Options.Batch > 0 {
		n, err := p.Rows()
		if err == nil && s.Options.Batch > n {
			err = fmt.Errorf("--batch %d, but the data have %d rows; omit --batch to use all rows", s.Options.Batch, n)
		}
		if err != nil {
			return fault.Wrong(err)
		}
	} else if err := samplers.RefuseRandom(p, samplers.NoMinibatches); err != nil {
		return err
	}
	if w := s.Options.Weights; w != infer.He && (s.Init != "" || infer.NetworkBlocks(p, s.Options.Batch) == nil) {
		return fault.Usagef("--weights %s needs a network of at least 1,000 weights, --batch, and no --init", w)
	}
	return nil
}

// target returns the density to maximise.
func (s *Search) target(p *compiler.Program) infer.Target {
	if s.Jacobian {
		return p
	}
	return compiler.OwnScale{Program: p}
}

// chooseStarts sets the starting points to those that Init names, with at most one search for each distinct point.
func (s *Search) chooseStarts(p *compiler.Program, n notes.Notes) error {
	g, err := givenStarts(s.Init, p)
	if err != nil {
		return err
	}
	o := &s.Options
	o.Starts = min(o.Starts, g.count())
	points, err := g.points(o.Seed, o.Starts, "search")
	if err != nil {
		return err
	}
	o.Start = func(k int) []float64 {
		of := points[k%o.Starts]
		return of[k/o.Starts%len(of)]
	}
	n.Note("searches begin " + g.where() + g.others())
	return nil
}
