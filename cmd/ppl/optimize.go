package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"ppl/compiler"
	"ppl/infer"
	"ppl/infer/optimize"
	"ppl/posterior/store"
)

// A search is what the flags of ppl optimize say.
type search struct {
	model    string
	data     []string
	device   string
	init     string // values, or a run, to begin at
	out      string // where the ends are kept as a run; "": nowhere
	resume   bool   // a run that was ended goes on
	replace  bool
	jacobian bool
	asJSON   bool
	quiet    bool
	options  optimize.Options
}

func optimizeCommand(c *console) *cobra.Command {
	s := &search{options: optimize.Defaults()}
	cmd := &cobra.Command{
		Use:   "optimize MODEL [--data F|NAME=F]… [--init FILE|RUN] [flags]",
		Short: "Find the mode of the posterior",
		Long: "Find where the posterior density is greatest, and how sharp the peak is: standard deviations by " +
			"Laplace's normal approximation.\n" +
			"The mode is that of the density of the parameters on their own scale; --jacobian gives that of the " +
			"coordinates a sampler moves in. --init begins at values of parameters, such as {\"mu\": 2, \"theta\": " +
			"[1, 0]}, or at the last draws of a run.\n" +
			"adamw is Adam with decoupled weight decay (--decay), which keeps it from the mode. With --stop-after " +
			"rows are held out\n(a tenth, 5,000 at most), and a start ends where it predicts them best. With --out " +
			"the ends are kept as a run, a chain with\none draw for each start, that ppl predict reads; one that was " +
			"ended goes on with ppl optimize --resume RUN. What the model changes at random, " +
			"`x -> dropout(0.2)` and `x -> random_crop(4)`,\nis changed in minibatches alone.",
		Args: one("MODEL"),

		DisableFlagsInUseLine: true,
	}
	s.addFlags(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		s.model = args[0]
		if !cmd.Flags().Changed("seed") {
			s.options.Seed = uint64(rand.Uint32())
		}
		if s.resume {
			return c.resumeSearch(cmd.Context(), s, cmd.Flags())
		}
		if err := s.check(); err != nil {
			return err
		}
		if s.out != "" {
			return c.keepSearch(cmd.Context(), s, cmd.Flags())
		}
		return c.optimize(cmd.Context(), s)
	}
	return cmd
}

func (s *search) addFlags(cmd *cobra.Command) {
	f, o := cmd.Flags(), &s.options
	f.StringArrayVar(&s.data, "data", nil, dataUsage)
	f.StringVar(&o.Method, "method", o.Method, "`M`: "+strings.Join(optimize.Methods(), ", "))
	f.IntVar(&o.Starts, "starts", o.Starts, "begin at `K` points, drawn from the prior where it is proper")
	f.StringVar(&s.init, "init", "", "begin at the parameter values in a JSON `FILE`, or at the last draws of a RUN")
	f.StringVar(&o.Weights, "weights", o.Weights, "of a network trained with --batch: begin at weights by `SCHEME`: "+
		strings.Join(infer.WeightSchemes(), ", "))
	f.IntVar(&o.Iterations, "iterations", o.Iterations, "`N` iterations from each start at most")
	f.IntVar(&o.Batch, "batch", 0, "estimate the gradients of adam, adamw and sgd from `B` rows at a time (default: "+
		"all)")
	f.Float64Var(&o.Rate, "rate", 0, "`R`ate of adam, adamw and sgd at first (default: chosen); it falls to 0 along a "+
		"half cosine")
	f.Float64Var(&o.Decay, "decay", o.Decay, "weight decay `D` of adamw: a step takes away that share of each "+
		"coordinate, times the rate")
	f.IntVar(&o.StopAfter, "stop-after", 0, "hold out rows, and stop a start after `E` epochs in which it has not "+
		"predicted them better; needs --batch")
	f.StringVar(&s.out, "out", "", "keep where the starts led as a run in `DIR`")
	f.BoolVar(&s.resume, "resume", false, "go on with a search whose run, which --out named, was ended")
	f.BoolVar(&s.replace, "overwrite", false, "replace a run that stands in the directory")
	f.BoolVar(&s.jacobian, "jacobian", false, "the mode of the unconstrained coordinates, with the log-Jacobian in "+
		"the density")
	f.Uint64Var(&o.Seed, "seed", 0, "seed `S` of the starts (default: a new one)")
	f.IntVar(&o.Threads, "threads", 0, "use `T` threads; 0 means all cores; results do not depend on it")
	addDeviceFlag(f, &s.device)
	f.BoolVar(&s.asJSON, "json", false, "print one JSON object")
	f.BoolVar(&s.quiet, "quiet", false, "no notes")
}

// check refuses what can be refused before the model is read.
func (s *search) check() error {
	o := s.options
	switch {
	case !slices.Contains(optimize.Methods(), o.Method):
		return usagef("--method %s: there are %s", o.Method, strings.Join(optimize.Methods(), ", "))
	case !slices.Contains(infer.WeightSchemes(), o.Weights):
		return usagef("--weights %s: there are %s", o.Weights, strings.Join(infer.WeightSchemes(), ", "))
	case o.Starts < 1:
		return usagef("--starts %d: at least one is needed", o.Starts)
	case o.Iterations < 1:
		return usagef("--iterations %d: at least one is needed", o.Iterations)
	case o.Batch < 0 || o.Batch > 0 && o.Method == "lbfgs":
		return usagef("--batch %d: minibatches, of at least one row, go with --method adam, adamw or sgd", o.Batch)
	case !(o.Decay >= 0 && o.Decay <= math.MaxFloat64):
		return usagef("--decay %v: a number from 0 on is needed", o.Decay)
	case o.Decay != optimize.Defaults().Decay && o.Method != "adamw":
		return usagef("--decay %v: weight decay goes with --method adamw", o.Decay)
	case o.StopAfter < 0 || o.StopAfter > 0 && o.Batch == 0:
		return usagef("--stop-after %d: early stopping counts epochs of minibatches; give --batch too", o.StopAfter)
	case s.replace && (s.out == "" || s.resume):
		return usagef("--overwrite goes with --out, and not with --resume")
	case o.Threads < 0:
		return usagef("--threads %d cannot be negative; 0 means all cores", o.Threads)
	case !(o.Rate >= 0 && o.Rate <= math.MaxFloat64):
		return usagef("--rate %v: a number above 0 is needed", o.Rate)
	}
	return checkDevice(s.device)
}

// optimize compiles, searches and prints. A search that finds no maximum is a failure, reported after the results.
func (c *console) optimize(ctx context.Context, s *search) error {
	ctx, release := stoppable(ctx)
	defer release()
	p, err := c.prepareSearch(ctx, s)
	if err != nil {
		return err
	}
	began := time.Now()
	r, err := optimize.Maximize(ctx, s.target(p), s.options)
	switch {
	case errors.Is(err, context.Canceled):
		return interrupted()
	case errors.As(err, new(infer.Refusal)):
		return wrong(err)
	case err != nil:
		if parts := p.NotFinite(s.options.Seed); len(parts) > 0 {
			return wrong(explain(err, parts))
		}
		return failed(err)
	}
	return c.conclude(s, newMode(s, p, r, time.Since(began)), r)
}

// prepareSearch compiles the model, and refuses what cannot be searched.
func (c *console) prepareSearch(ctx context.Context, s *search) (*compiler.Program, error) {
	p, err := c.loadFrom(compiler.DefaultRowCache(), s.model, s.data, s.quiet)
	if err != nil {
		return nil, err
	}
	if p.Dim() == 0 {
		return nil, noParameters()
	}
	if s.options.Batch > 0 {
		n, err := p.Rows()
		if err == nil && s.options.Batch > n {
			err = fmt.Errorf("--batch %d, but the data have %d rows; leave it out to use them all", s.options.Batch, n)
		}
		if err != nil {
			return nil, wrong(err)
		}
	}
	if s.options.Batch == 0 {
		if err := c.refuseRandom(p, noMinibatches); err != nil {
			return nil, err
		}
	}
	if w := s.options.Weights; w != infer.He {
		if s.init != "" || infer.NetworkBlocks(p, s.options.Batch) == nil {
			return nil, usagef("--weights %s: it is for a network, of 1,000 weights or more, that begins nowhere else "+
				"and is trained with --batch", w)
		}
	}
	if s.options.Device, err = openDevice(ctx, s.device, s.note(c)); err != nil {
		return nil, err
	}
	if s.init != "" {
		err = s.chooseStarts(p, s.note(c))
	}
	return p, err
}

// note writes a line unless the search is to be quiet.
func (s *search) note(c *console) func(string) {
	return func(line string) {
		if !s.quiet {
			c.notef("note: %s", line)
		}
	}
}

// target is the density whose mode is looked for.
func (s *search) target(p *compiler.Program) infer.Target {
	if s.jacobian {
		return p
	}
	return compiler.OwnScale{Program: p}
}

// conclude prints what was found.
func (c *console) conclude(s *search, m mode, r optimize.Result) error {
	if s.asJSON {
		if err := m.json(c); err != nil {
			return err
		}
	} else {
		m.table(c)
	}
	if !r.Converged && !r.Biased {
		return exit{codeFailed, nil}
	}
	return nil
}

// chooseStarts begins the searches at what --init names: as many as there are different points, at most.
func (s *search) chooseStarts(p *compiler.Program, note func(string)) error {
	g, err := givenStarts(s.init, p)
	if err != nil {
		return err
	}
	o := &s.options
	o.Starts = min(o.Starts, g.count())
	points, err := g.points(o.Seed, o.Starts, "search")
	if err != nil {
		return err
	}
	o.Start = func(k int) []float64 {
		of := points[k%o.Starts]
		return of[k/o.Starts%len(of)]
	}
	note("searches begin " + g.where() + g.others())
	return nil
}

// A mode is a result as it is printed.
type mode struct {
	Model      string       `json:"model"`
	Method     string       `json:"method"`
	Jacobian   bool         `json:"jacobian"`
	Seed       uint64       `json:"seed"`
	Converged  bool         `json:"converged"`
	Message    string       `json:"message"`
	LogDensity number       `json:"log_density"`
	LogPrior   number       `json:"log_prior"`
	LogLik     number       `json:"log_likelihood"`
	Starts     []number     `json:"starts"`             // the log density that each came to
	HeldOut    []number     `json:"held_out,omitempty"` // mean log likelihood of a row held out, of each
	Run        string       `json:"run,omitempty"`      // where the ends are kept
	Gradients  int64        `json:"gradients"`
	Seconds    float64      `json:"seconds"`
	Parameters []coordinate `json:"parameters,omitempty"` // unless they are kept

	biased bool
}

type coordinate struct {
	Name string       `json:"name"`
	Mode number       `json:"mode"`
	SD   store.Number `json:"sd"` // null where there is none
}

func newMode(s *search, p *compiler.Program, r optimize.Result, took time.Duration) mode {
	m := mode{Model: s.model, Method: s.options.Method, Jacobian: s.jacobian, Seed: s.options.Seed,
		Converged: r.Converged, Message: r.Message,
		LogDensity: number(r.LogPrior + r.LogLik), LogPrior: number(r.LogPrior), LogLik: number(r.LogLik),
		Gradients: r.Gradients, Seconds: took.Seconds(), Run: s.out, biased: r.Biased}
	for _, e := range r.Ends {
		m.Starts = append(m.Starts, number(e.LogDensity))
		if s.options.StopAfter > 0 {
			m.HeldOut = append(m.HeldOut, number(e.HeldOut))
		}
	}
	if s.out != "" {
		return m
	}
	at, settled := 0, p.Deterministic()
	for k, v := range p.Saved() {
		for i := range v.Size() {
			x := coordinate{v.Element(i), number(r.Values[at+i]), store.Number(math.NaN())}
			if r.SD != nil && r.Converged {
				x.SD = store.Number(r.SD[at+i])
			}
			if settled[k] {
				m.Parameters = append(m.Parameters, x)
			}
		}
		at += v.Size()
	}
	return m
}

func (m mode) json(c *console) error {
	e := json.NewEncoder(c.out)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(m)
}

func (m mode) table(c *console) {
	where := "of the parameters on their own scale"
	if m.Jacobian {
		where = "of the unconstrained coordinates, log-Jacobian included"
	}
	point := "at the mode "
	if m.biased {
		point = ""
	}
	fmt.Fprintf(c.out, "%s: log density %s %s%s, by %s (%d gradients, seed %d)\n%s\n", m.Model,
		digits(float64(m.LogDensity)), point, where, m.Method, m.Gradients, m.Seed, m.Message)
	if m.Run != "" {
		fmt.Fprintf(c.out, "where each of %d starts led is a chain of %s\n", len(m.Starts), m.Run)
		return
	}
	if same := m.reached(); len(m.Starts) > 1 && !m.biased {
		fmt.Fprintf(c.out, "%d of %d starts came to it\n", same, len(m.Starts))
	}
	width := len("mode")
	for _, p := range m.Parameters {
		width = max(width, len([]rune(p.Name)))
	}
	fmt.Fprintf(c.out, "\n%-*s  %12s  %12s\n", width, "", "mode", "sd (Laplace)")
	for _, p := range m.Parameters {
		fmt.Fprintf(c.out, "%-*s  %12.6g  %12s\n", width, p.Name, float64(p.Mode), deviation(float64(p.SD)))
	}
	if !m.Converged && !m.Jacobian && !m.biased {
		c.notef("note: --jacobian finds the mode of the unconstrained coordinates, which may exist where this " +
			"one does not")
	}
}

// reached counts the starts that came within a hundredth of the mode's log density.
func (m mode) reached() (n int) {
	for _, u := range m.Starts {
		if float64(m.LogDensity-u) < 0.01 {
			n++
		}
	}
	return n
}

func deviation(sd float64) string {
	if math.IsNaN(sd) {
		return "-"
	}
	return fmt.Sprintf("%.3g", sd)
}
