package runs

import (
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"ppl/app"
	"ppl/app/analysis"
	"ppl/app/fault"
	"ppl/app/rundir"
	"ppl/cmd/ppl/answers"
	"ppl/cmd/ppl/models"
	"ppl/cmd/ppl/repl"
	"ppl/cmd/ppl/results"
	"ppl/cmd/ppl/terminal"
	asked "ppl/posterior/query"
	"ppl/posterior/score"
	"ppl/posterior/store"
	"ppl/runtime/sys/process"

	"github.com/spf13/cobra"
)

// A prediction holds the arguments of `ppl predict`.
type prediction struct {
	analysis.NewData
	from  string // run directory or model
	draws int
	seed  uint64
	out   string
	over  rundir.Existing // what to do with an existing run in out
	quiet bool
	asCSV bool

	asJSON bool // print scores as JSON
}

func predictCommand(c *terminal.Console) *cobra.Command {
	p := &prediction{}
	cmd := &cobra.Command{
		Use:   "predict RUN|MODEL [flags]",
		Short: "Draw new data: from the posterior of a run, or from a model's prior",
		Long:  predictText,
		Args:  terminal.OneArg("RUN or MODEL"),

		DisableFlagsInUseLine: true,
	}
	f := cmd.Flags()
	f.StringArrayVar(&p.Data, "data", nil, terminal.DataUsage+" (of a run: new data)")
	f.BoolVar(&p.HeldOut, "held-out", false, "of a run: predict the rows that data statements with holdout left out")
	f.BoolVar(&p.Censored, "censored", false, "with --data or --held-out: draw censored outcomes as they are "+
		"recorded, limited to their bounds")
	f.BoolVar(&p.Expected, "expected", false, "of a run: the expected value of each outcome at the parameters of each "+
		"draw, instead of a random outcome")
	newLevels := f.String("new-levels", "sample", "with --data or --held-out: `WHAT` to do with groups that the run "+
		"does not have: sample draws their parameters, zero takes the mean, refuse is an error")
	f.IntVar(&p.draws, "draws", 1000, "`D` draws from the prior")
	f.Uint64Var(&p.seed, "seed", 0, "seed `S` of all randomness (default: the run's; of a prior a new one)")
	f.StringVar(&p.out, "out", "", "keep draws from the prior in `DIR` (default: the model's name with .prior, here)")
	f.IntVar(&p.Thin, "thin", 1, "with --data or --held-out: predict at every `K`-th draw")
	f.BoolVar(&p.asCSV, "csv", false, "with --data or --held-out: print one table")
	f.BoolVar(&p.asJSON, "json", false, "with --data that have outcomes, or --held-out: print the scores as one JSON "+
		"object")
	f.BoolVar(&p.quiet, "quiet", false, "no notes")
	replace := f.Bool("overwrite", false, "of a MODEL: replace the run in the directory")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		p.from = args[0]
		given := cmd.Flags().Changed
		if info, err := os.Stat(p.from); err == nil && info.IsDir() {
			if given("seed") {
				p.Seed = &p.seed
			}
			groups, ok := results.NewGroups()[*newLevels]
			p.Groups = groups
			switch {
			case !ok:
				return fault.Usagef("--new-levels %q: it is sample, zero or refuse", *newLevels)
			case given("draws") || given("out") || *replace:
				return fault.Usagef("--draws, --out and --overwrite are for a MODEL; %s is a run, and ppl predict "+
					"uses its draws and its directory", p.from)
			case p.Thin < 1:
				return fault.Usagef("--thin %d: at least 1 is needed", p.Thin)
			case p.Expected && p.asJSON:
				return fault.Usagef("--json prints scores, which expected values do not have; use --csv")
			case given("data") && p.HeldOut:
				return fault.Usagef("--data and --held-out cannot be combined")
			case given("data") || p.HeldOut || p.Expected:
				return predictNew(cmd.Context(), c, p)
			}
			if name, ok := firstOf(given, ofNewRows()); ok {
				return fault.Usagef("--%s needs --data NEW, or --held-out", name)
			}
			return replicate(cmd.Context(), c, p)
		}
		if err := models.TranslateStan(c, &p.from, &p.Data, p.out, *replace); err != nil {
			return err
		}
		if !rundir.Exists(p.from) && filepath.Ext(p.from) != ".ppl" {
			return rundir.NoRun(p.from)
		}
		if name, ok := firstOf(given, append(ofNewRows(), "held-out")); ok {
			return fault.Usagef("--%s is for a run; %s is a model: ppl sample %[2]s makes a run", name, p.from)
		}
		if p.draws < 1 {
			return fault.Usagef("--draws %d: at least one draw is needed", p.draws)
		}
		if !given("seed") {
			p.seed = uint64(rand.Uint32())
		}
		if *replace {
			p.over = rundir.Overwrite
		}
		if p.out == "" {
			p.out = strings.TrimSuffix(filepath.Base(p.from), ".ppl") + ".prior"
		}
		return predictPrior(cmd.Context(), c, p)
	}
	return cmd
}

// ofNewRows lists the flags that apply to predictions of rows that the run has not observed.
func ofNewRows() []string {
	return []string{"expected", "censored", "new-levels", "thin", "csv", "json"}
}

// firstOf returns the first of the names whose flag was given.
func firstOf(given func(name string) bool, names []string) (name string, ok bool) {
	if i := slices.IndexFunc(names, given); i >= 0 {
		return names[i], true
	}
	return "", false
}

const predictText = `Draw replicates of what a model observes.
  ppl predict RUN                 one for each draw of the posterior, into the group posterior_predictive of the run
  ppl predict RUN --data NEW      predictions at new data, into the group predictions of the run, and summarised by row;
                                  --csv prints one table, --thin 10 takes every 10th draw
  ppl predict RUN --held-out      the same at the rows that the model's data statements hold out, as holdout 0.2 does
  ppl predict MODEL               parameters from the prior and data at them, into a new directory
If new data contain outcomes, it prints how well the average over draws predicts them: for classes accuracy, log
likelihood, Brier score, calibration and entropy (--csv: the probabilities of each row); for numbers RMSE, CRPS, log
likelihood and coverage, after the table of rows. --json prints the scores.
ArviZ reads the groups (plot_ppc). If a distribution reads the observed data, replicates are drawn one step ahead.
Discrete unknowns of rows, persons, sites or states in the run are drawn given the data of the run, as generate draws
them. Censored outcomes are predicted as they are before censoring; --censored predicts them as they are recorded.
New data need what the model reads, but not what it observes, nor what is the same as in the run. Groups of the run, by
name or number, keep their draws; the effects of new groups are drawn from their distribution, as are missing predictors
of new rows. A Gaussian process is drawn at new points given its values at those of the run. A series continues beyond
its end: give its new length, such as {"T": 120}, and predictors from its beginning. Quantities that are computed from
all rows of data, such as the mean of a predictor, are those of the run. --expected gives the expected value of each
outcome at each draw, without the outcome's own variation; without --data, at the data of the run. --new-levels zero
leaves out the variation between new groups.`

// predictPrior draws parameters from the prior, and data given them.
func predictPrior(ctx context.Context, c *terminal.Console, p *prediction) error {
	ctx, release := process.Stoppable(ctx)
	defer release()
	from := app.Source{Model: p.from, Data: p.Data, Network: c.Network}
	stopped, err := analysis.DrawPrior(ctx, analysis.Prior{Source: from,
		Draws: p.draws, Seed: p.seed, Dir: p.out, Existing: p.over, Disk: c.Disk,
		Lost: func() { endLost(c, p.out) }}, c.Notes(p.quiet))
	if err != nil {
		return err
	}
	if !p.quiet {
		c.Notef("%s (groups prior and prior_predictive)", repl.Kept(p.out, stopped))
	}
	if stopped {
		return fault.Interrupted()
	}
	return nil
}

// replicate draws replicates of the data at each draw of the posterior.
func replicate(ctx context.Context, c *terminal.Console, p *prediction) error {
	ctx, release := process.Stoppable(ctx)
	defer release()
	run, err := rundir.Open(p.from)
	if err != nil {
		return err
	}
	if err := analysis.Replicate(ctx, run, p.Seed, c.Notes(p.quiet)); err != nil {
		return err
	}
	if !p.quiet {
		c.Notef("replicates of the data are in %s (group posterior_predictive)", p.from)
	}
	return nil
}

// predictNew predicts at new data, prints the predictions by row, and compares them with outcomes if there are any.
func predictNew(ctx context.Context, c *terminal.Console, p *prediction) error {
	ctx, release := process.Stoppable(ctx)
	defer release()
	run, err := rundir.Open(p.from)
	if err != nil {
		return err
	}
	of, err := analysis.Predict(ctx, run, p.NewData, c.Notes(p.quiet))
	switch {
	case err != nil:
		return err
	case of != nil && of.Classes != nil:
		return scoreClasses(c, p, of)
	case !p.quiet:
		c.Notef("the predictions are in %s (groups predictions and predictions_constant_data)", p.from)
	}
	if !p.asJSON {
		if err := printPredictions(c, p); err != nil || of == nil || p.asCSV {
			return err
		}
	}
	if of == nil {
		return fault.Wrongf("the new data have no outcomes to compare predictions with, but --json prints only " +
			"scores; use --csv to print the predictions")
	}
	if of.Unrecorded {
		name := of.Forecast.Outcome.Name
		c.Notef("the outcomes %s are censored but the predictions are not, so the only score is the mean log "+
			"density of the outcomes; --censored censors predictions, too", name)
		return scoreDensities(c, p, of)
	}
	return scoreNumbers(c, p, of)
}

// printPredictions prints the predictions of a run by row, some rows at a time.
func printPredictions(c *terminal.Console, p *prediction) error {
	run, err := store.Open(p.from)
	if err != nil {
		return fault.Of(err)
	}
	to := answers.NewCSV(c.Out)
	for k, v := range run.Layout.Predictions {
		if k > 0 && !p.asCSV {
			fmt.Fprintln(c.Out)
		}
		at := max(1, analysis.PredictedAtOnce/max(1, run.Info.Draws*run.Layout.Chains))
		for from := 0; from < v.Size(); from += at {
			values, err := run.Predictions(v.Name, from, min(from+at, v.Size()))
			if err != nil {
				return fault.Of(err)
			}
			part := &asked.Result{Values: values}
			if p.asCSV {
				err = to.Table(v.Name, v, from, part)
			} else {
				err = asked.Table(c.Out, v, from, asked.Estimates(part), -1, 1, false)
			}
			if err != nil {
				return fault.Of(err)
			}
		}
	}
	if p.asCSV {
		return fault.Of(to.Close())
	}
	return nil
}

// scoreClasses prints scores for categorical outcomes.
func scoreClasses(c *terminal.Console, p *prediction, of *analysis.Outcomes) error {
	scores := of.Classes.Score(of.Forecast.Came)
	if p.asCSV {
		return fault.Of(classTable(c.Out, of))
	}
	if p.asJSON {
		return fault.Of(json.NewEncoder(c.Out).Encode(scores))
	}
	scores.Text(c.Out, of.Forecast.Outcome.Name)
	return nil
}

// scoreNumbers prints scores for numeric outcomes, from the predictions in the run.
func scoreNumbers(c *terminal.Console, p *prediction, of *analysis.Outcomes) error {
	scores, ok, err := of.NumberScores()
	if err != nil || !ok {
		return err
	}
	if p.asJSON {
		return fault.Of(json.NewEncoder(c.Out).Encode(scores))
	}
	scores.Text(c.Out, of.Forecast.Outcome.Name)
	return nil
}

// scoreDensities prints the mean log density of the outcomes.
func scoreDensities(c *terminal.Console, p *prediction, of *analysis.Outcomes) error {
	var scores struct{ LogScore, LogScoreError float64 }
	scores.LogScore, scores.LogScoreError = of.Logs.Mean()
	if p.asJSON {
		return fault.Of(json.NewEncoder(c.Out).Encode(scores))
	}
	fmt.Fprintf(c.Out, "\n%s: %d rows\n\n", of.Forecast.Outcome.Name, len(of.Forecast.Values))
	score.LogLine(c.Out, scores.LogScore, scores.LogScoreError)
	return nil
}

// classTable writes a table with the predictive probabilities of each row.
func classTable(w io.Writer, of *analysis.Outcomes) error {
	f, table := of.Forecast, csv.NewWriter(w)
	head := []string{"element", f.Outcome.Name}
	for _, name := range f.Names {
		head = append(head, "p_"+name)
	}
	_ = table.Write(head) // table.Error returns the error
	for row, came := range f.Came {
		line := []string{f.Outcome.Element(row), f.Names[came]}
		for _, x := range of.Classes.Probabilities(row) {
			line = append(line, strconv.FormatFloat(x, 'g', 6, 64))
		}
		_ = table.Write(line)
	}
	table.Flush()
	return table.Error()
}
