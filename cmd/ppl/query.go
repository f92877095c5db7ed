package main

import (
	"context"
	"fmt"
	"math/rand/v2"

	"github.com/spf13/cobra"

	"ppl/compiler"
	"ppl/compiler/predict/query"
	"ppl/infer"
	"ppl/lang/diag"
	asked "ppl/posterior/query"
	"ppl/runtime/host"
)

func queryCommand(c *console) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "query RUN QUERY… [--json|--csv]",
		Short: "Evaluate expressions at the draws of a run",
		Long:  queryText,
		Args: func(_ *cobra.Command, args []string) error {
			switch len(args) {
			case 0:
				return usagef("RUN is missing")
			case 1:
				return usagef("QUERY is missing; write, for example, ppl query %s 'P(tau > 3)'", args[0])
			}
			return nil
		},

		DisableFlagsInUseLine: true,
	}
	asJSON := cmd.Flags().Bool("json", false, "print one JSON object, with every element")
	asCSV := cmd.Flags().Bool("csv", false, "print one table, with every element")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if *asJSON && *asCSV {
			return usagef("--json and --csv are two forms of the same; choose one")
		}
		run, err := c.openRun(args[0])
		if err != nil {
			return err
		}
		ctx, release := stoppable(cmd.Context())
		defer release()
		switch {
		case *asJSON:
			return c.queryAll(ctx, run, args[1:], newJSONAnswers(c.out, run))
		case *asCSV:
			return c.queryAll(ctx, run, args[1:], newCSVAnswers(c.out))
		}
		return c.queryAll(ctx, run, args[1:], &textAnswers{w: c.out, several: len(args) > 2})
	}
	return cmd
}

const queryText = `Evaluate expressions of the language over parameters, generated quantities, data and definitions of a
run's model, at every draw. A query is

  exp(b_arm)               an expression: mean, sd, 95% interval, effective sample size; a table for an array
  P(tau > 3)               the probability of a condition, ± its Monte Carlo standard error
  mean(y_new | tau < 3)    mean, sd or median over the draws in which a condition holds
  u[1] - u[2] | tau < 3    the summary of these draws
  rank u                   the probabilities that each element is the largest, and the smallest
  d = u[1] - u[2]          a definition, for the queries after it
  P(z[3] == 1), mode(z)    discrete unknowns, which the model sums out, drawn again as the run drew them`

// Answers print what queries found: as text, JSON or CSV.
type answers interface {
	// most is how many elements of an array are evaluated; 0 means all.
	most() int
	add(a answer) error
	close() error
}

// An answer is a query with what the draws say.
type answer struct {
	text     string
	line     *query.Query
	question *compiler.Question
	result   *asked.Result // of the first elements
	size     int           // elements that there are
}

func (c *console) queryAll(ctx context.Context, run *openedRun, lines []string, to answers) (err error) {
	failure := false
	for _, line := range lines {
		a, ds, err := run.ask(ctx, line, to.most())
		if err != nil {
			return err
		}
		if c.diagnose(ds) != nil {
			failure = true
			continue
		}
		if a == nil {
			continue
		}
		if err := to.add(*a); err != nil {
			return failed(err)
		}
	}
	if err := to.close(); err != nil {
		return failed(err)
	}
	if failure {
		return wrong(nil)
	}
	return nil
}

// ask answers a line. A definition is kept, and there is an answer if it defines a quantity.
func (o *openedRun) ask(ctx context.Context, line string, most int) (*answer, []diag.Diagnostic, error) {
	q, ds := o.inquiry.Parse(line)
	if diag.HasErrors(ds) {
		return nil, ds, nil
	}
	if q.Form == query.Definition {
		if ds := o.inquiry.Define(q); diag.HasErrors(ds) || q.X == nil {
			return nil, ds, nil
		}
	}
	question, ds := o.inquiry.Ask(q)
	if diag.HasErrors(ds) {
		return nil, ds, nil
	}
	a := &answer{text: line, line: q, question: question, size: question.Variable().Size()}
	shown := a.size
	if most > 0 && q.Form != query.Rank {
		shown = min(most, shown)
	}
	var err error
	if c := question.Completion(); c != nil {
		a.result, err = asked.Complete(ctx, c, shown, o, o.drawStream)
	} else {
		a.result, err = asked.Evaluate(ctx, question, 0, shown, o, o.deviceFor(ctx, question))
	}
	switch {
	case ctx.Err() != nil:
		return nil, nil, interrupted()
	case err != nil:
		return nil, nil, failed(fmt.Errorf("%s: %w", o.dir, err))
	}
	return a, nil, nil
}

// drawStream is the random stream of what the run generated at a draw.
func (o *openedRun) drawStream(chain, draw int) *rand.Rand {
	return generating(o.run.Info.Seed, chain, draw)
}

// compileFrom is the number of elements of draws from which compiled code is worth its compilation.
const compileFrom = 5e6

// deviceFor runs small questions on the portable device, which starts at once.
func (o *openedRun) deviceFor(ctx context.Context, q *compiler.Question) infer.Device {
	if work := float64(q.Work()) * float64(o.run.Info.Draws*o.run.Layout.Chains); work < compileFrom {
		return infer.Lowered(host.Device{})
	}
	return o.device(ctx)
}
