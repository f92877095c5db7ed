package main

import (
	"context"
	"fmt"

	"ppl/infer"
	"ppl/lang/types"
	"ppl/posterior/report"
	"ppl/posterior/store"
)

const refitUsage = "sample again without each row whose Pareto k̂ is too high"

// refit samples the model of a run again without each row whose importance weights cannot be used, and puts the log
// predictive density of the row under that posterior in their place: exact leave-one-out cross-validation.
func (c *console) refit(ctx context.Context, run *store.Run, l *report.LOO) error {
	bad := l.Bad()
	if len(bad) == 0 {
		return nil
	}
	program, options, err := c.sampledProgram(run)
	if err != nil {
		return err
	}
	if options.Settings.Batch > 0 {
		return wrong(fmt.Errorf("%s was sampled with minibatches: rows cannot be left out one by one", run.Dir))
	}
	row, ok := findSampler(options.Sampler)
	if !ok {
		return wrong(fmt.Errorf("%s was sampled by %q, which there is no more", run.Dir, options.Sampler))
	}
	o := infer.Defaults()
	o.Chains, o.Draws, o.Warmup, o.Settings = options.Chains, options.Draws, options.Warmup, options.Settings
	o.Judged = size(program.Saved())
	if o.Device, err = openDevice(ctx, auto, func(string) {}); err != nil {
		return err
	}
	for k, i := range bad {
		c.notef("sampling without %s (%d of %d, k̂ %.2f)", l.Variable.Element(i), k+1, len(bad), l.PSIS.K[i])
		o.Seed = options.Seed + uint64(i) + 1
		kept := &lastValue{chains: make([][]float64, o.Chains)}
		if _, err := row.sample(ctx, program.LeaveOut(l.Variable.Name, i), o, kept); err != nil {
			if ctx.Err() != nil {
				return interrupted()
			}
			return failed(fmt.Errorf("without %s: %w", l.Variable.Element(i), err))
		}
		l.Replace(i, kept.chains)
	}
	return nil
}

// A lastValue keeps the last of the values of each draw, by chain.
type lastValue struct{ chains [][]float64 }

func (*lastValue) Begin([]types.Variable) error { return nil }
func (*lastValue) Progress(infer.Progress)      {}

func (l *lastValue) Draw(chain int, values, _ []float64) error {
	l.chains[chain] = append(l.chains[chain], values[len(values)-1])
	return nil
}
