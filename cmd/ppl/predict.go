package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"ppl/compiler"
	"ppl/infer"
	"ppl/lang/types"
	"ppl/posterior/store"

	"github.com/spf13/cobra"
)

// A prediction is what the flags of ppl predict say.
type prediction struct {
	from  string // a run directory or a model
	data  []string
	held  bool // the rows that the model holds out are the new data
	draws int
	seed  uint64
	out   string
	quiet bool
	thin  int
	asCSV bool
	over  existing // what to do with a run that stands in out

	asJSON bool // the scores
}

func predictCommand(c *console) *cobra.Command {
	p := &prediction{}
	cmd := &cobra.Command{
		Use:   "predict RUN|MODEL [flags]",
		Short: "Draw new data: from the posterior of a run, or from a model's prior",
		Long:  predictText,
		Args:  one("RUN or MODEL"),

		DisableFlagsInUseLine: true,
	}
	f := cmd.Flags()
	f.StringArrayVar(&p.data, "data", nil, dataUsage+" (of a run: new data)")
	f.BoolVar(&p.held, "held-out", false, "of a run: predict the rows that data statements with holdout left out")
	f.IntVar(&p.draws, "draws", 1000, "`D` draws from the prior")
	f.Uint64Var(&p.seed, "seed", 0, "seed `S` of all randomness (default: the run's; of a prior a new one)")
	f.StringVar(&p.out, "out", "", "keep draws from the prior in `DIR` (default: the model's name with .prior, here)")
	f.IntVar(&p.thin, "thin", 1, "with --data or --held-out: predict at every `K`-th draw")
	f.BoolVar(&p.asCSV, "csv", false, "with --data or --held-out: print one table")
	f.BoolVar(&p.asJSON, "json", false, "with --data that have outcomes, or --held-out: print the scores as one JSON "+
		"object")
	f.BoolVar(&p.quiet, "quiet", false, "no notes")
	replace := f.Bool("overwrite", false, "of a MODEL: replace a run that stands in the directory")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		p.from = args[0]
		given := cmd.Flags().Changed
		if info, err := os.Stat(p.from); err == nil && info.IsDir() {
			switch {
			case given("draws") || given("out") || *replace:
				return usagef("--draws, --out and --overwrite are for a MODEL; %s is a run, whose draws and directory "+
					"are taken", p.from)
			case p.thin < 1:
				return usagef("--thin %d: every draw is --thin 1", p.thin)
			case given("data") && p.held:
				return usagef("--data and --held-out are two answers to what is to be predicted; give one of them")
			case given("data") || p.held:
				return c.predictNew(cmd.Context(), p, given("seed"))
			}
			return c.predictRun(cmd.Context(), p, given("seed"))
		}
		if !exists(p.from) && filepath.Ext(p.from) != ".ppl" {
			return noRun(p.from)
		}
		if p.held {
			return usagef("--held-out is for a run; %s is a model", p.from)
		}
		if p.draws < 1 {
			return usagef("--draws %d: at least one draw is needed", p.draws)
		}
		if !given("seed") {
			p.seed = uint64(rand.Uint32())
		}
		if p.over = refuse; *replace {
			p.over = overwrite
		}
		if p.out == "" {
			p.out = strings.TrimSuffix(filepath.Base(p.from), ".ppl") + ".prior"
		}
		return c.predictPrior(cmd.Context(), p)
	}
	return cmd
}

const predictText = `Draw replicates of what a model observes.
  ppl predict RUN                 one for each draw of the posterior, into the group posterior_predictive of the run
  ppl predict RUN --data NEW      predictions at new data, into the group predictions of the run, and summarised by row;
                                  --csv prints one table, --thin 10 takes every 10th draw
  ppl predict RUN --held-out      the same at the rows that the model's data statements hold out, as holdout 0.2 does
  ppl predict MODEL               parameters from the prior and data at them, into a new directory
Where new data have outcomes too, it says how well the average over draws predicts them: of classes accuracy, log
likelihood, Brier score, calibration and entropy (--csv: the probabilities of each row); of numbers RMSE, CRPS, log
likelihood and coverage after the table of rows. --json prints the scores.
ArviZ reads the groups (plot_ppc). Where a distribution reads the observed data, replicates are drawn one step ahead.
New data need what the model reads, not what it observes,
	nor what stays as it was in the run. Groups that the run knows,
by name or number, keep their draws; others are drawn from their distribution. A Gaussian process is drawn at new points
given its values at those of the run. A series goes on beyond its end: give its new length, such as {"T": 120}, and
predictors from its beginning. What is computed from all rows of data, such as the mean of a predictor, is that of the
run.`

// replicating is the random stream of a replicate; those of what a run itself draws after inference begin with other
// bits.
func replicating(seed uint64, chain, draw int) *rand.Rand {
	return rand.New(rand.NewPCG(seed, 1<<63|uint64(chain)<<40|uint64(draw)))
}

// predictPrior draws parameters and data.
func (c *console) predictPrior(ctx context.Context, p *prediction) error {
	ctx, release := stoppable(ctx)
	defer release()
	model, err := c.loadWhole(p.from, p.data, p.quiet)
	if err != nil {
		return err
	}
	program, err := c.loadPredictive(p.from, p.data, true)
	if err != nil {
		return err
	}
	dir, err := c.takeDir(ctx, p.out, p.over)
	if err != nil {
		return err
	}
	defer dir.close(true)
	if err := dir.clear(); err != nil {
		return failed(err)
	}
	saved, first := program.Saved(), program.Replicas()
	w, err := store.Create(c.disk, p.out, store.Layout{Chains: 1, Prior: saved[:first], PriorPredictive: saved[first:],
		Observed: asObserved(model.Observed()), Constant: asObserved(model.Constants())}, store.Options{
		Overwrite: true,
		Model:     p.from,
		Source:    []byte(model.Model().Source.Text),
		Resolved: resolvedOptions{Model: p.from, Data: p.data, Sampler: "prior", Chains: 1, Draws: p.draws,
			Seed: p.seed, Made: makerOn("")},
		Sampler: "prior",
		Seed:    p.seed,
		Draws:   p.draws,
		Version: version,
	})
	if err != nil {
		return failed(err)
	}
	status := store.Finished
	for k := range p.draws {
		if ctx.Err() != nil {
			status = store.Interrupted
			break
		}
		values := make([]float64, size(saved))
		program.Complete(replicating(p.seed, 0, k), values)
		if err := w.Append(0, values, nil); err != nil {
			return failed(err)
		}
	}
	if err := w.Close(status, nil); err != nil {
		return failed(err)
	}
	if !p.quiet {
		c.notef("%s (groups prior and prior_predictive)", kept(p.out, status == store.Interrupted))
	}
	if status == store.Interrupted {
		return interrupted()
	}
	return nil
}

// loadPredictive loads a model that draws its data. There must be data with a distribution.
func (c *console) loadPredictive(model string, data []string, prior bool) (*compiler.Program, error) {
	args, err := dataArgs(data)
	if err != nil {
		return nil, err
	}
	program, ds := compiler.LoadPredictive(model, args, prior)
	if err := c.diagnose(ds); err != nil {
		return nil, err
	}
	if program.Replicas() == len(program.Saved()) {
		return nil,
			wrong(errors.New("no data of the model have a distribution to draw from: there is no `y ~ …` for data " +
				"but by Density"))
	}
	return program, nil
}

// size is how many numbers variables have together.
func size(vs []types.Variable) (n int) {
	for _, v := range vs {
		n += v.Size()
	}
	return n
}

// predictRun draws data at each draw of the posterior.
func (c *console) predictRun(ctx context.Context, p *prediction, seeded bool) error {
	ctx, release := stoppable(ctx)
	defer release()
	run, err := openRun(p.from)
	if err != nil {
		return err
	}
	program, err := c.programOf(run)
	if err != nil {
		return err
	}
	if !seeded {
		p.seed = run.Info.Seed
	}
	parameters, err := posteriorOf(run, program)
	if err != nil {
		return failed(err)
	}
	w, err := store.Extend(c.disk, p.from, program.Saved()[program.Replicas():])
	if err != nil {
		return failed(err)
	}
	values, n := make([]float64, size(program.Saved())), size(program.Saved()[:program.Replicas()])
	show, clear := c.progress(p.quiet)
	defer clear()
	for chain := range run.Layout.Chains {
		for k := range run.Info.Draws {
			if ctx.Err() != nil {
				return interrupted()
			}
			parameters.enter(values, chain, k)
			program.Complete(replicating(p.seed, chain, k), values)
			if err := w.Append(chain, values[n:], nil); err != nil {
				return failed(err)
			}
			show(infer.Progress{Phase: infer.Predicting, Done: chain*run.Info.Draws + k + 1,
				Total: run.Layout.Chains * run.Info.Draws})
		}
	}
	if err := w.Close(store.Finished, nil); err != nil {
		return failed(err)
	}
	clear()
	if !p.quiet {
		c.notef("replicates of the data are in %s (group posterior_predictive)", p.from)
	}
	return nil
}

// programOf loads the model of a run, with the data that it was sampled with, to draw replicates.
func (c *console) programOf(run *store.Run) (*compiler.Program, error) {
	_, options, err := c.sampledProgram(run)
	if err != nil {
		return nil, err
	}
	return c.loadPredictive(options.Model, options.Data, false)
}

// Parameters of a program as a run keeps them: by variable, chain, and the draws laid end to end.
type parameterDraws struct {
	variables []types.Variable
	values    [][][]float64
}

func posteriorOf(run *store.Run, program *compiler.Program) (p parameterDraws, err error) {
	p.variables = program.Saved()[:program.Replicas()]
	for _, v := range p.variables {
		if err := run.NotKept(v.Name); err != nil {
			return p, err
		}
		i := slices.IndexFunc(run.Layout.Posterior, func(w types.Variable) bool { return w.Name == v.Name })
		if i < 0 || !slices.Equal(run.Layout.Posterior[i].Shape, v.Shape) {
			return p, fmt.Errorf("the draws of %s in %s are not those of the model with its data: have the data "+
				"changed since?", v.Name, run.Dir)
		}
		xs, err := run.Draws(v.Name)
		if err != nil {
			return p, err
		}
		p.values = append(p.values, xs)
	}
	return p, nil
}

// enter lays one draw of the parameters into values.
func (p parameterDraws) enter(values []float64, chain, draw int) {
	at := 0
	for i, v := range p.variables {
		n := v.Size()
		copy(values[at:at+n], p.values[i][chain][draw*n:])
		at += n
	}
}
