package runs

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"ppl/app"
	"ppl/app/fault"
	"ppl/app/imports"
	"ppl/app/rundir"
	"ppl/cmd/ppl/models"
	"ppl/cmd/ppl/results"
	"ppl/cmd/ppl/terminal"
	"ppl/compiler"
	"ppl/infer"
	"ppl/infer/optimize"
	"ppl/posterior/store"
	"ppl/runtime/sys/process"
)

// A search holds the arguments of `ppl optimize`.
type search struct {
	app.Search
	asJSON bool
	quiet  bool
}

func optimizeCommand(c *terminal.Console) *cobra.Command {
	s := &search{Search: app.NewSearch("")}
	cmd := &cobra.Command{
		Use:   "optimize MODEL [--data F|NAME=F]… [--init FILE|RUN] [flags]",
		Short: "Find the mode of the posterior",
		Long: "Find where the posterior density is greatest, and how sharp the peak is: standard deviations by " +
			"Laplace's normal approximation.\n" +
			"The mode is that of the density of the parameters on their own scale; --jacobian gives that of the " +
			"unconstrained coordinates. --init starts from values of parameters, such as {\"mu\": 2, \"theta\": " +
			"[1, 0]}, or from the last draws of a run.\n" +
			"adamw is Adam with decoupled weight decay (--decay), which moves its result away from the mode. " +
			"--stop-after holds out rows\n(a tenth, 5,000 at most), and ends each search at the point that predicts " +
			"them best. --out keeps the end points as a run that\nppl predict reads, with a chain of one draw for " +
			"each start; ppl optimize --resume RUN continues an interrupted search. Random changes in the model, " +
			"`x -> dropout(0.2)` and\n`x -> random_crop(4)`, apply to minibatches only.",
		Args: terminal.OneArg("MODEL"),

		DisableFlagsInUseLine: true,
	}
	f := cmd.Flags()
	s.addFlags(f)
	resume := f.Bool("resume", false, "continue an interrupted search, in the run that --out named")
	replace := f.Bool("overwrite", false, "replace the run in the directory")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		s.Model = args[0]
		if err := takeProgram(c, s, *replace); err != nil {
			return err
		}
		f.Visit(func(f *pflag.Flag) { s.Given = append(s.Given, f.Name) })
		switch {
		case *resume && *replace:
			return fault.Usagef("--overwrite needs --out, and cannot be combined with --resume")
		case *resume:
			s.Existing = rundir.GoOn
		case *replace:
			s.Existing = rundir.Overwrite
		}
		return findMode(cmd.Context(), c, s)
	}
	return cmd
}

func (s *search) addFlags(f *pflag.FlagSet) {
	o := &s.Options
	seed := o.Seed
	f.StringArrayVar(&s.Data, "data", nil, terminal.DataUsage)
	f.StringVar(&o.Method, "method", o.Method, "`M`: "+strings.Join(optimize.Methods(), ", "))
	starts := o.Starts
	f.IntVar(&o.Starts, "starts", 0, "begin at `K` points (default: 8 with lbfgs, 4 with others): four drawn from the "+
		"prior where it is proper, two where scales of other parameters are small, one where they are large, one far "+
		"out, and from the prior again")
	o.Starts = starts
	f.StringVar(&s.Init, "init", "", "begin at the parameter values in a JSON `FILE`, or at the last draws of a RUN")
	f.StringVar(&o.Weights, "weights", o.Weights, "of a network trained with --batch: `SCHEME` of the first weights: "+
		strings.Join(infer.WeightSchemes(), ", "))
	f.IntVar(&o.Iterations, "iterations", o.Iterations, "`N` iterations from each start at most")
	f.IntVar(&o.Batch, "batch", 0, "estimate the gradients of adam, adamw and sgd from `B` rows at a time (default: "+
		"all)")
	f.Float64Var(&o.Rate, "rate", 0, "`R`ate of adam, adamw and sgd at first (default: chosen); it falls to 0 along a "+
		"half cosine")
	f.Float64Var(&o.Decay, "decay", o.Decay, "weight decay `D` of adamw: each step reduces each coordinate by D "+
		"times the rate, as a share of it")
	f.IntVar(&o.StopAfter, "stop-after", 0, "hold out rows, and stop a start after `E` epochs in which it has not "+
		"predicted them better; needs --batch")
	f.StringVar(&s.Dir, "out", "", "keep the end points as a run in `DIR`")
	f.BoolVar(&s.Jacobian, "jacobian", false, "the mode of the unconstrained coordinates, with the log-Jacobian in "+
		"the density")
	f.Uint64Var(&o.Seed, "seed", 0, "seed `S` of the starts (default: a new one)")
	o.Seed = seed
	f.IntVar(&o.Threads, "threads", 0, "use `T` threads; 0 means all cores; results do not depend on it")
	terminal.AddDeviceFlag(f, &s.Device)
	f.BoolVar(&s.asJSON, "json", false, "print one JSON object")
	f.BoolVar(&s.quiet, "quiet", false, "no notes")
}

// findMode searches and prints the result. Without convergence, it returns an error after printing.
func findMode(ctx context.Context, c *terminal.Console, s *search) error {
	s.Disk, s.Lost = c.Disk, func() { endLost(c, s.Dir) }
	m := app.NewModeSearch(s.Search, c.Notes(s.quiet))
	ctx, release := process.StoppableWith(ctx, func() { abandon(c, m.Abandon) })
	defer release()
	found, err := m.Run(ctx)
	switch {
	case err != nil:
		return err
	case found.Complete:
		return results.Summarise(c, found.Search.Dir, s.asJSON)
	case found.Stopped:
		c.Notef("stopped early; ppl optimize --resume %s continues the search", found.Search.Dir)
		return fault.Interrupted()
	}
	return printMode(c, newMode(found), s.asJSON)
}

// printMode prints the result of a search.
func printMode(c *terminal.Console, m mode, asJSON bool) error {
	if asJSON {
		if err := m.json(c); err != nil {
			return err
		}
	} else {
		m.table(c)
	}
	if !m.Converged && !m.biased {
		return fault.Silent()
	}
	return nil
}

// takeProgram replaces a Stan program by its translation. It writes the translation to a file only if there is a run
// directory.
func takeProgram(c *terminal.Console, s *search, replace bool) (err error) {
	s.Network = c.Network
	if s.Dir == "" {
		s.Source, err = imports.Source(s.Model, s.Data, c.Notes(false))
		s.Network = c.Network
		return err
	}
	return models.TranslateStan(c, &s.Model, &s.Data, s.Dir, replace)
}

// A mode holds the result of a search as it is printed.
type mode struct {
	Model      string            `json:"model"`
	Method     string            `json:"method"`
	Jacobian   bool              `json:"jacobian"`
	Seed       uint64            `json:"seed"`
	Converged  bool              `json:"converged"`
	Message    string            `json:"message"`
	LogDensity terminal.Number   `json:"log_density"`
	LogPrior   terminal.Number   `json:"log_prior"`
	LogLik     terminal.Number   `json:"log_likelihood"`
	Starts     []terminal.Number `json:"starts"`             // final log density of each start
	HeldOut    []terminal.Number `json:"held_out,omitempty"` // mean log likelihood of held-out rows, by start
	Run        string            `json:"run,omitempty"`      // directory that stores the end points
	Gradients  int64             `json:"gradients"`
	Seconds    float64           `json:"seconds"`
	Parameters []coordinate      `json:"parameters,omitempty"` // omitted if they are stored in Run

	biased bool
	orders []compiler.Order
}

type coordinate struct {
	Name string          `json:"name"`
	Mode terminal.Number `json:"mode"`
	SD   store.Number    `json:"sd"` // null if unknown
}

func newMode(found *app.Optimum) mode {
	s, p, r := found.Search, found.Program, found.Result
	m := mode{Model: s.Model, Method: s.Options.Method, Jacobian: s.Jacobian, Seed: s.Options.Seed,
		Converged: r.Converged, Message: r.Message,
		LogDensity: terminal.Number(r.LogPrior + r.LogLik),
		LogPrior:   terminal.Number(r.LogPrior), LogLik: terminal.Number(r.LogLik),
		Gradients: r.Gradients, Seconds: found.Took.Seconds(), Run: s.Dir, biased: r.Biased, orders: p.Orders()}
	for _, e := range r.Ends {
		m.Starts = append(m.Starts, terminal.Number(e.LogDensity))
		if s.Options.StopAfter > 0 {
			m.HeldOut = append(m.HeldOut, terminal.Number(e.HeldOut))
		}
	}
	if s.Dir != "" {
		return m
	}
	at, settled := 0, p.Deterministic()
	for k, v := range p.Saved() {
		for i := range v.Size() {
			x := coordinate{v.Element(i), terminal.Number(r.Values[at+i]), store.Number(math.NaN())}
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

func (m mode) json(c *terminal.Console) error {
	e := json.NewEncoder(c.Out)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(m)
}

func (m mode) table(c *terminal.Console) {
	where := "of the parameters on their own scale"
	if m.Jacobian {
		where = "of the unconstrained coordinates, log-Jacobian included"
	}
	point := "at the mode "
	if m.biased {
		point = ""
	}
	fmt.Fprintf(c.Out, "%s: log density %s %s%s, by %s (%d gradients, seed %d)\n%s\n", m.Model,
		terminal.Digits(float64(m.LogDensity)), point, where, m.Method, m.Gradients, m.Seed, m.Message)
	models.OrdersText(c.Out, m.orders)
	if m.Run != "" {
		fmt.Fprintf(c.Out, "the end point of each of %d starts is a chain of %s\n", len(m.Starts), m.Run)
		return
	}
	if same := m.reached(); len(m.Starts) > 1 && !m.biased {
		fmt.Fprintf(c.Out, "the best of %d starts, %d of which ended here; there may be modes that none reached\n",
			len(m.Starts), same)
	}
	width := len("mode")
	for _, p := range m.Parameters {
		width = max(width, len([]rune(p.Name)))
	}
	fmt.Fprintf(c.Out, "\n%-*s  %12s  %12s\n", width, "", "mode", "sd (Laplace)")
	for _, p := range m.Parameters {
		fmt.Fprintf(c.Out, "%-*s  %12.6g  %12s\n", width, p.Name, float64(p.Mode), deviation(float64(p.SD)))
	}
	if !m.Converged && !m.Jacobian && !m.biased {
		c.Notef("note: the density may have no mode; --jacobian finds the mode of the density of the unconstrained " +
			"coordinates, which may have one")
	}
}

// reached counts the starts whose final log density is within 0.01 of the mode's.
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
