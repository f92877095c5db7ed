package main

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"ppl/compiler"
	"ppl/infer"
	asked "ppl/infer/query"
	"ppl/lang/diag"
)

// predictNew draws what a run's model observes at new data, and summarises it by row.
func (c *console) predictNew(ctx context.Context, p *prediction, seeded bool) error {
	o, _, err := c.readRun(p.from)
	if err != nil {
		return err
	}
	if !seeded {
		p.seed = o.run.Info.Seed
	}
	program, err := c.loadNew(p, o)
	if err != nil {
		return err
	}
	ctx, release := stoppable(ctx)
	defer release()
	result, err := c.drawNew(ctx, p, o, program)
	if err != nil {
		return err
	}
	at, to := 0, newCSVAnswers(c.out)
	for k, v := range program.Saved()[program.Replicas():] {
		part := &asked.Result{Values: result[at : at+v.Size()]}
		at += v.Size()
		if p.asCSV {
			err = to.table(v.Name, v, part)
		} else {
			if k > 0 {
				fmt.Fprintln(c.out)
			}
			err = asked.Table(c.out, v, 0, asked.Estimates(part), -1, 1, false)
		}
		if err != nil {
			return failed(err)
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
	args, err := dataArgs(p.data)
	if err != nil {
		return nil, err
	}
	program, ds := compiler.LoadNew(within(o.base(), o.options.Model), text, args, o.run.Layout.Posterior)
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

// drawNew draws replicates at every thin-th draw of the posterior: by element, chain and draw.
func (c *console) drawNew(ctx context.Context, p *prediction, o *openedRun, program *compiler.Prediction) (
	[][][]float64, error) {
	saved, first := program.Saved(), program.Replicas()
	values, offset := make([]float64, size(saved)), size(saved[:first])
	result := make([][][]float64, len(values)-offset)
	for k := range result {
		result[k] = make([][]float64, o.run.Layout.Chains)
	}
	show, clear := c.progress(p.quiet)
	defer clear()
	done, total := 0, o.run.Layout.Chains*((o.run.Info.Draws+p.thin-1)/p.thin)
	for chain := range o.run.Layout.Chains {
		for draw := 0; draw < o.run.Info.Draws; draw += p.thin {
			if ctx.Err() != nil {
				return nil, interrupted()
			}
			at := 0
			for i, v := range saved[:first] {
				if err := o.enter(values[at:at+v.Size()], v.Name, program.Element[i], chain, draw); err != nil {
					return nil, failed(err)
				}
				at += v.Size()
			}
			program.Complete(replicating(p.seed, chain, draw), values)
			for k, x := range values[offset:] {
				result[k][chain] = append(result[k][chain], x)
			}
			done++
			show(infer.Progress{Phase: infer.Sampling, Done: done, Total: total})
		}
	}
	return result, nil
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
