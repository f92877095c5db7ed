package main

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"ppl/compiler"
	"ppl/infer"
	"ppl/lang/diag"
	"ppl/lang/types"
	asked "ppl/posterior/query"
	"ppl/posterior/store"
)

// predictNew draws what a run's model observes at new data into the group predictions of the run, and summarises it by
// row.
func (c *console) predictNew(ctx context.Context, p *prediction, seeded bool) error {
	ctx, release := stoppable(ctx)
	defer release()
	o, _, err := c.readRun(p.from)
	if err != nil {
		return err
	}
	if err := o.run.NeedParameters(); err != nil { // else it would be drawn from its prior, as a new group is
		return failed(err)
	}
	if !seeded {
		p.seed = o.run.Info.Seed
	}
	of, err := c.loadOutcomes(p, o)
	if err != nil {
		return err
	}
	var seen *scored
	if of != nil {
		if seen, err = c.follow(ctx, p, o, of); err != nil {
			return err
		}
		if seen.classes != nil {
			return c.scoreClasses(p, of, seen)
		}
	}
	program, err := c.loadNew(p, o)
	if err != nil {
		return err
	}
	w, err := store.ExtendPredictions(c.disk, p.from, variablesOf(program.Predicted), asObserved(program.Given()))
	if err != nil {
		return failed(err)
	}
	if err := c.drawNew(ctx, p, o, program, func(chain int, values []float64) error {
		return w.Append(chain, values, nil)
	}); err != nil {
		return err
	}
	if err := w.Close(store.Finished, nil); err != nil {
		return failed(err)
	}
	if !p.quiet {
		c.notef("the predictions are in %s (groups predictions and predictions_constant_data)", p.from)
	}
	if !p.asJSON {
		if err := c.printPredictions(p); err != nil || of == nil || p.asCSV {
			return err
		}
	}
	return c.scoreNumbers(p, of, seen)
}

func variablesOf(parts []compiler.PredictedPart) (all []types.Variable) {
	for _, part := range parts {
		all = append(all, part.Variable)
	}
	return all
}

// predictedAtOnce is how many numbers are read to be summarised together.
const predictedAtOnce = 1 << 23

// printPredictions prints the predictions of a run by row, some rows at a time.
func (c *console) printPredictions(p *prediction) error {
	run, err := store.Open(p.from)
	if err != nil {
		return failed(err)
	}
	to := newCSVAnswers(c.out)
	for k, v := range run.Layout.Predictions {
		if k > 0 && !p.asCSV {
			fmt.Fprintln(c.out)
		}
		at := max(1, predictedAtOnce/max(1, run.Info.Draws*run.Layout.Chains))
		for from := 0; from < v.Size(); from += at {
			values, err := run.Predictions(v.Name, from, min(from+at, v.Size()))
			if err != nil {
				return failed(err)
			}
			part := &asked.Result{Values: values}
			if p.asCSV {
				err = to.table(v.Name, v, from, part)
			} else {
				err = asked.Table(c.out, v, from, asked.Estimates(part), -1, 1, false)
			}
			if err != nil {
				return failed(err)
			}
		}
	}
	if p.asCSV {
		return failedIf(to.close())
	}
	return nil
}

// loadNew loads the model of a run with new data.
func (c *console) loadNew(p *prediction, o *openedRun) (*compiler.Prediction, error) {
	text, err := o.read()
	if err != nil {
		return nil, err
	}
	args, err := o.newData(p)
	if err != nil {
		return nil, err
	}
	program, ds := compiler.LoadNew(within(o.base(), o.options.Model), text, args, o.sampled(p.held))
	if p.quiet {
		ds = slices.DeleteFunc(ds, func(d diag.Diagnostic) bool { return d.Severity == diag.Note })
	}
	if err := c.diagnose(ds); err != nil {
		return nil, err
	}
	if program.Replicas() == len(program.Saved()) {
		return nil, wrong(errors.New("the model observes nothing that has a distribution to draw from"))
	}
	return program, nil
}

// newData are the files of new data: for rows that were held out, those of the run.
func (o *openedRun) newData(p *prediction) ([]compiler.DataArg, error) {
	if p.held {
		return o.dataArgs()
	}
	return dataArgs(p.data)
}

// sampled is what predictions need to know of the run.
func (o *openedRun) sampled(heldOut bool) compiler.SampledRun {
	run := compiler.SampledRun{Saved: o.run.Layout.Posterior, HeldOut: heldOut}
	observed := map[string]bool{}
	for _, d := range o.run.Layout.Observed {
		run.Data, observed[d.Name] = append(run.Data, d.Variable), true
	}
	for _, d := range o.run.Layout.Constant {
		run.Data = append(run.Data, d.Variable)
	}
	run.Values = func(name string) ([]float64, error) {
		if observed[name] {
			return o.run.ObservedData(name)
		}
		return o.run.ConstantData(name)
	}
	return run
}

// drawNew draws what is predicted at every thin-th draw of the posterior.
func (c *console) drawNew(ctx context.Context, p *prediction, o *openedRun, program *compiler.Prediction,
	to func(chain int, values []float64) error) error {
	saved, first := program.Saved(), program.Replicas()
	values := make([]float64, size(saved))
	var predicted []float64
	show, clear := c.progress(p.quiet)
	defer clear()
	done, total := 0, o.run.Layout.Chains*((o.run.Info.Draws+p.thin-1)/p.thin)
	for chain := range o.run.Layout.Chains {
		for draw := 0; draw < o.run.Info.Draws; draw += p.thin {
			if ctx.Err() != nil {
				return interrupted()
			}
			at := 0
			for i, v := range saved[:first] {
				if err := o.enter(values[at:at+v.Size()], v.Name, program.Element[i], chain, draw); err != nil {
					return failed(err)
				}
				at += v.Size()
			}
			program.Complete(replicating(p.seed, chain, draw), values)
			predicted = predicted[:0]
			for _, part := range program.Predicted {
				for _, k := range part.At {
					predicted = append(predicted, values[k])
				}
			}
			if err := to(chain, predicted); err != nil {
				return failed(err)
			}
			done++
			show(infer.Progress{Phase: infer.Predicting, Done: done, Total: total})
		}
	}
	return nil
}

// enter lays elements of a draw of a variable into values; those that the run does not have are 0.
func (o *openedRun) enter(values []float64, name string, elements []int, chain, draw int) error {
	xs, err := o.Draws(name)
	if err != nil {
		return err
	}
	n := len(xs[chain]) / o.run.Info.Draws
	for i, k := range elements {
		values[i] = 0
		if k >= 0 {
			values[i] = xs[chain][draw*n+k]
		}
	}
	return nil
}
