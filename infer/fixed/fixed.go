// Package fixed samples a target without parameters. Its posterior is a single point, so draws differ only in the
// quantities that the model generates at random (the algorithm fixed_param of Stan).
//
//	report, err := fixed.Sample(ctx, target, options, recorder)
//	report.Gradients   0
//
// Draws are independent, within and between chains.
package fixed

import (
	"context"
	"errors"

	"ppl/autodiff"
	"ppl/compiler/backend/lower"
	"ppl/infer"
	"ppl/runtime/device"
)

// Name is the name of the sampler in settings and reports.
const Name = "fixed"

const (
	point     = "point" // the entry, and the lane buffer that it writes: log prior, log likelihood, saved values
	checkEach = 100     // draws between checks of the context and the clock
)

// A checkpoint is the state of a run between two draws.
type checkpoint struct {
	Draws int
}

// Sample draws from a target of dimension 0.
func Sample(ctx context.Context, t infer.Target, o infer.Options, rec infer.Recorder) (infer.Report, error) {
	report := infer.Report{Sampler: Name, Chains: o.Chains}
	report.Thin, report.Temperatures = 1, []float64{1}
	if t.Dim() != 0 {
		return report, infer.Refusal{Cause: errors.New("the sampler fixed is for models without parameters; take " +
			"another sampler: --sampler renhd")}
	}
	height, values, err := evaluate(t, o)
	if err != nil {
		return report, err
	}
	var c checkpoint
	if _, err := infer.LoadCheckpoint(o.Checkpoints, &c); err != nil {
		return report, err
	}
	kept := infer.KeepStatistics("lp", "log_prior", "log_lik")
	if err := rec.Begin(kept.Variables()); err != nil {
		return report, err
	}
	stats := kept.Append(nil, height)
	for report.Draws = c.Draws; report.Draws < o.Draws; report.Draws++ {
		for chain := range o.Chains {
			if err := rec.Draw(chain, values, stats); err != nil {
				return report, err
			}
		}
		if report.Draws%checkEach != 0 {
			continue
		}
		rec.Progress(infer.Progress{Phase: infer.Sampling, Done: report.Draws, Total: o.Draws})
		if infer.CheckpointIsDue(ctx, o.Checkpoints, func() int { return 1 }) {
			if err := infer.SaveCheckpoint(o.Checkpoints, checkpoint{report.Draws + 1}); err != nil {
				return report, err
			}
		}
		if err := ctx.Err(); err != nil {
			report.Draws++
			return report, err
		}
	}
	return report, infer.SaveCheckpoint(o.Checkpoints, checkpoint{report.Draws})
}

// evaluate returns the log densities of the only point and its saved values.
func evaluate(t infer.Target, o infer.Options) (height infer.DrawStats, values []float64, err error) {
	theta := autodiff.New().Input("theta", 0)
	prior, lik := t.Density(theta)
	program, err := o.Device.Compile([]lower.Entry{{Name: point, Assign: []lower.Assign{{Name: point,
		Value: autodiff.Concat(0, autodiff.Reshape(prior, 1), autodiff.Reshape(lik, 1), t.Values(theta))}}}})
	if err != nil {
		return height, nil, err
	}
	exe, err := program.Load(device.Options{Lanes: 1, Seed: o.Seed, Threads: o.Threads})
	if err != nil {
		return height, nil, err
	}
	defer exe.Close()
	if _, err := exe.Run([]device.Call{{Entry: point, Times: 1}}, 0, nil); err != nil {
		return height, nil, err
	}
	all := make([]float64, exe.Size(point))
	exe.GetLane(point, 0, all)
	return infer.DrawStats{LogPrior: all[0], LogLik: all[1]}, all[2:], nil
}
