// Package renhd samples by replica exchange: a ladder of walkers at rising temperatures, from the target to something
// flatter. Neighbours on the ladder exchange temperatures, so that every mode of the target is visited with its weight
// (Luo, Zhang, Yang, Wang, "Replica-Exchange Nosé-Hoover Dynamics for Bayesian Learning on Large Datasets", NeurIPS
// 2020, with its errors corrected; Syed, Bouchard-Côté, Deligiannidis, Doucet, "Non-reversible parallel tempering",
// JRSS-B 2021). A target with one mode needs no ladder: warm-up finds that out, and one walker a chain is left.
//
// For a mixture of N(−10, 1) with weight 1/3 and N(10, 1) with weight 2/3:
//
//	report, err := renhd.Sample(ctx, target, infer.Options{Chains: 4, Draws: 1000, Warmup: 1000, Device: d}, recorder)
//	report.Temperatures    [1 1.6 3.1 7.2 16]       the ladder that warm-up settled on
//	report.SwapRates       [0.71 0.70 0.72 0.73]    accepted exchanges between neighbours
//	the recorder's draws   one third of them negative
//
// Walkers are the lanes of a device and move by a rule of package dynamics: Metropolis-corrected trajectories where
// gradients are exact, the Nosé-Hoover thermostat where they are noisy. The host does what is rare and small: it
// exchanges rungs, adapts in warm-up, and collects the draws of the coldest rung.
//
// This package is the algorithm: warm up (run.go), choose how many iterations make a draw (thin.go), move, exchange and
// collect (collector.go), several iterations in one call of the device if nothing needs the host (ahead.go), report.
// Its parts are packages, from the bottom to the top:
//
//	population     walkers on the lanes of a device, their rungs, and the phase that they move in
//	part           pieces of a run between whose iterations checkpoints are taken
//	ladder         exchanges of neighbours, the spacing of rungs, round trips
//	modesearch     modes that walkers are in, a search for others, jumps between them
//	subsampling    minibatches, anchors, the noise of gradients
//	netwarmup      warm-up of networks
//	warmup         windows, agreement of walkers, restarts, metric, coordinates, the length of the ladder
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

// runOnce warms up, then collects draws. What was counted is reported however the run ends. The reason is why all rows
// are used where batch = auto; else it is empty.
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

// resumeFrom resumes the run that has left a checkpoint, if there is one. A run that was collecting draws is put where
// it was, and the checkpoint given back; in warm-up it is replayed.
func (r *run) resumeFrom(keep infer.Checkpoints) (drawing *part.Checkpoint, err error) {
	c, err := part.LoadCheckpoint(keep)
	if err != nil || c == nil {
		return nil, err
	}
	switch reason, err := reasonForAllRows(c); {
	case err != nil:
		return nil, err
	case reason != r.state.AllRows:
		return nil, nil // of the attempt before this one
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

// reasonForAllRows is why a run uses all rows although minibatches were asked for; empty if it does not.
func reasonForAllRows(c *part.Checkpoint) (string, error) {
	var s state
	err := checkpoint.Decode(c.States["run"], &s)
	return s.AllRows, err
}

// sample warms up, then collects draws, with all rows where batch = auto comes to that.
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

// allRowsBefore is why the run that is resumed took all rows, where batch = auto came to that.
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
