package optimize

import (
	"context"
	"fmt"

	"ppl/infer"
)

// Keep returns a search as a sampler, so that its results can be stored as a run: the only draw of a chain is the
// result of one start. The sampler maximises density, records the saved values of the target that it is called with,
// and sets *result to the best result.
func Keep(density infer.Target, o Options, result *Result) infer.Sampler {
	return func(ctx context.Context, t infer.Target, run infer.Options, rec infer.Recorder) (infer.Report, error) {
		o.Checkpoints, o.Progress = run.Checkpoints, rec.Progress
		report := infer.Report{Sampler: o.Method, Chains: o.Starts, Draws: 1}
		report.Warmup, report.Thin, report.Batch = o.Iterations, 1, o.Batch
		p, err := open(ctx, density, t, o)
		if err != nil {
			return report, err
		}
		defer p.close()
		ends, err := p.search(o)
		if err == nil {
			*result, err = p.conclude(ends)
		}
		if err == nil {
			err = p.keep(ends, rec)
		}
		report.Gradients, report.Notes = p.gradients, notes(ends, o)
		return report, err
	}
}

// keep records the result of each start, refined unless the search is biased.
func (p *problem) keep(ends []End, rec infer.Recorder) error {
	if err := rec.Begin(nil); err != nil {
		return err
	}
	for chain, e := range ends {
		at, err := p.concluded(e)
		if err != nil {
			return err
		}
		values, err := p.values(at.theta)
		if err != nil {
			return err
		}
		if err := rec.Draw(chain, values, nil); err != nil {
			return err
		}
	}
	return nil
}

// notes returns for each start a sentence on how it ended.
func notes(ends []End, o Options) (all []string) {
	for k, e := range ends {
		note := fmt.Sprintf("start %d: %d steps of %s, log density %.6g", k+1, e.Iterations, o.Method, e.LogDensity)
		if o.StopAfter > 0 {
			note += fmt.Sprintf("; step %d predicted the held-out rows best, with a mean log likelihood of "+
				"%.4g", e.BestAt, e.HeldOut)
		}
		all = append(all, note)
	}
	return all
}
