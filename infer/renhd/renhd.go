// Package renhd samples by replica exchange: walkers on a ladder of increasing temperatures, from the target to flatter
// distributions. Neighbours on the ladder exchange temperatures, so every mode of the target is visited with its weight
// (Luo, Zhang, Yang, Wang, "Replica-Exchange Nosé-Hoover Dynamics for Bayesian Learning on Large Datasets", NeurIPS
// 2020, with its errors corrected; Syed, Bouchard-Côté, Deligiannidis, Doucet, "Non-reversible parallel tempering",
// JRSS-B 2021). A target with one mode needs no ladder: warm-up detects this, and each chain then has one walker.
//
// For a mixture of N(−10, 1) with weight 1/3 and N(10, 1) with weight 2/3:
//
//	report, err := renhd.Sample(ctx, target, infer.Options{Chains: 4, Draws: 1000, Warmup: 1000, Device: d}, recorder)
//	report.Temperatures      [1 1.6 3.1 7.2 16]       the ladder that warm-up chose
//	report.SwapRates         [0.71 0.70 0.72 0.73]    acceptance rates of exchanges between neighbours
//	the recorder's draws     one third of them negative
//
// Walkers are lanes of a device and move by a rule of package dynamics: by Metropolis-corrected trajectories if
// gradients are exact, by the Nosé-Hoover thermostat if they are noisy. The host does the rare and cheap work: it
// exchanges rungs, adapts during warm-up, and collects the draws of the coldest rung.
//
// This package is the algorithm: warm up (run.go); choose the number of iterations per draw (thin.go); move, exchange
// and collect (collector.go), several iterations in one call of the device if possible (ahead.go); report. Its parts
// are packages, from the lowest layer to the highest:
//
//	population    walkers on the lanes of a device, their rungs, and the phase in which they move
//	part          parts of a run; checkpoints are taken between their iterations
//	ladder        exchanges of neighbours, the spacing of rungs, round trips
//	modesearch    modes that walkers are in, the search for other modes, jumps between modes
//	subsampling   minibatches, anchors, the noise of gradients
//	netwarmup     warm-up of networks
//	warmup        windows, agreement of walkers, restarts, metric, coordinates, the length of the ladder
package renhd

import (
	"context"
	"errors"

	"ppl/infer"
	"ppl/infer/checkpoint"
	"ppl/infer/renhd/ladder"
	"ppl/infer/renhd/part"
	"ppl/infer/renhd/population"
)

// Sample draws from t by replica exchange; it is an infer.Sampler.
func Sample(ctx context.Context, t infer.Target, o infer.Options, rec infer.Recorder) (infer.Report, error) {
	name := o.Settings.Exchange
	return sample(ctx, t, o, rec, ladder.Exchange{Test: ladder.NewTest(name), Shuffle: name == "paper",
		SwapRules: population.SwapRules{Program: ladder.UsualTest(name), Plain: name == "uncorrected"}})
}

// runOnce warms up, then collects draws. The report is complete even if the run ends with an error. reason says why all
// rows are used although batch = auto, or is empty.
func runOnce(ctx context.Context, t infer.Target, o infer.Options, rec infer.Recorder, x ladder.Exchange,
	reason string) (infer.Report, error) {
	_, first, err := population.NewConfig(t, o, x.SwapRules)
	if err != nil {
		return infer.Report{}, infer.Refusal{Cause: err}
	}
	r := newRun(ctx, first, x, rec)
	r.state.AllRows = reason
	if reason != "" {
		r.Notef("%s", reason)
	}
	drawing, err := r.resumeFrom(o.Checkpoints)
	if err == nil && drawing == nil {
		err = r.warmUp()
		if at := r.warm.DivergesAtEnd(); err == nil && at >= 0 {
			err = r.warm.Diverges(at)
		}
	}
	if err == nil {
		err = r.collectDraws(drawing)
	}
	r.completeReport()
	r.Close()
	return *r.Report, err
}

// resumeFrom resumes the run of the latest checkpoint, if there is one. If that run was collecting draws, its state is
// restored and the checkpoint returned. If it was in warm-up, the run will replay warm-up, and drawing is nil.
func (r *run) resumeFrom(keep infer.Checkpoints) (drawing *part.Checkpoint, err error) {
	c, err := part.LoadCheckpoint(keep)
	if err != nil || c == nil {
		return nil, err
	}
	switch reason, err := reasonForAllRows(c); {
	case err != nil:
		return nil, err
	case reason != r.state.AllRows:
		return nil, nil // from an attempt before this one
	case c.Part != collecting:
		r.Replay(c)
		return nil, nil
	}
	if err := r.TakeStates(c); err != nil {
		return nil, err
	}
	r.TakeDrawingPhase()
	return c, r.Reload(c.Lanes)
}

// reasonForAllRows returns why the run of a checkpoint uses all rows although minibatches were requested, or "".
func reasonForAllRows(c *part.Checkpoint) (string, error) {
	var s state
	err := checkpoint.Decode(c.States["run"], &s)
	return s.AllRows, err
}

// sample warms up, then collects draws. If warm-up with batch = auto decides for all rows, it starts again with all.
func sample(ctx context.Context, t infer.Target, o infer.Options, rec infer.Recorder, x ladder.Exchange) (infer.Report,
	error) {
	reason, err := allRowsBefore(o)
	if err != nil {
		return infer.Report{}, err
	}
	if reason == "" {
		report, err := runOnce(ctx, t, o, rec, x, "")
		var all population.UseAllRows
		if !errors.As(err, &all) {
			return report, err
		}
		reason = all.Reason
	}
	o.Settings.Batch = 0
	return runOnce(ctx, t, o, rec, x, reason)
}

// allRowsBefore returns why the run to be resumed uses all rows although batch = auto, or "".
func allRowsBefore(o infer.Options) (reason string, err error) {
	if o.Settings.Batch != infer.AutoBatch || o.Checkpoints == nil {
		return "", nil
	}
	c, err := part.LoadCheckpoint(o.Checkpoints)
	if err != nil || c == nil {
		return "", err
	}
	return reasonForAllRows(c)
}
