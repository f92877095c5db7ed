package analysis

import (
	"context"
	"fmt"

	"ppl/app"
	"ppl/app/devices"
	"ppl/app/fault"
	"ppl/app/notes"
	"ppl/app/samplers"
	"ppl/infer"
	"ppl/lang/types"
	"ppl/posterior/loo"
	"ppl/posterior/store"
)

// Refit samples the model of a run again without each row whose importance weights are not usable, and replaces the
// estimates for these rows. This is exact leave-one-out cross-validation.
func Refit(ctx context.Context, run *store.Run, l *loo.Result, n notes.Notes) error {
	bad := l.Bad()
	if len(bad) == 0 {
		return nil
	}
	from, err := drawsOf(run, n)
	if err != nil {
		return err
	}
	program, err := from.sampledProgram()
	if err != nil {
		return err
	}
	options := from.Options
	if options.Settings.Batch > 0 {
		return fault.Wrongf("%s was sampled with minibatches: rows cannot be left out one by one", run.Dir)
	}
	row, ok := samplers.Find(options.Sampler)
	if !ok {
		return fault.Wrongf("%s was sampled by %q, which this version of ppl does not have", run.Dir, options.Sampler)
	}
	o := infer.Defaults()
	o.Chains, o.Draws, o.Warmup, o.Settings = options.Chains, options.Draws, options.Warmup, options.Settings
	o.Judged = app.TotalSize(program.Saved())
	if o.Device, err = devices.Open(ctx, devices.Auto, func(string) {}); err != nil {
		return err
	}
	for k, i := range bad {
		n.Step(fmt.Sprintf("sampling without %s (%d of %d, k̂ %.2f)", l.Variable.Element(i), k+1, len(bad),
			l.PSIS.K[i]))
		o.Seed = options.Seed + uint64(i) + 1
		kept := &lastValue{chains: make([][]float64, o.Chains)}
		if _, err := row.Sample(ctx, program.LeaveOut(l.Of(), l.RowsOf(i)...), o, kept); err != nil {
			if ctx.Err() != nil {
				return fault.Interrupted()
			}
			return fault.Of(fmt.Errorf("without %s: %w", l.Variable.Element(i), err))
		}
		l.Replace(i, kept.chains)
	}
	return nil
}

// A lastValue is a recorder that keeps only the last value of each draw, by chain: the log density of the row left out.
type lastValue struct{ chains [][]float64 }

func (*lastValue) Begin([]types.Variable) error { return nil }
func (*lastValue) Progress(infer.Progress)      {}

func (l *lastValue) Draw(chain int, values, _ []float64) error {
	l.chains[chain] = append(l.chains[chain], values[len(values)-1])
	return nil
}
