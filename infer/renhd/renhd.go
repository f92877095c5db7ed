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
// What a run is made of: config is what was asked for, and does not change; phase is how walkers move now; state is
// what the run has decided and where its walkers are; statistics is what it has counted for the report. State,
// statistics and the lane buffers of the device are all that a checkpoint has to keep.
package renhd

import (
	"context"
	"errors"

	"ppl/infer"
	"ppl/infer/checkpoint"
)

// Sample draws from t by replica exchange; it is an infer.Sampler.
func Sample(ctx context.Context, t infer.Target, o infer.Options, rec infer.Recorder) (infer.Report, error) {
	name := o.Settings.Exchange
	return sample(ctx, t, o, rec, exchange{test: newTest(name), shuffle: name == "paper",
		swapRules: swapRules{program: usualTest(name), plain: name == "uncorrected"}})
}

// attempt warms up, then collects draws. What was counted is reported however the run ends. The reason is why all rows
// are used where batch = auto; else it is empty.
func attempt(ctx context.Context, t infer.Target, o infer.Options, rec infer.Recorder, x exchange,
	reason string) (infer.Report, error) {
	_, first, err := newConfig(t, o, x.swapRules)
	if err != nil {
		return infer.Report{}, infer.Refusal{Cause: err}
	}
	r := newRun(ctx, first, x, rec)
	if r.state.AllRows = reason; reason != "" {
		r.notef("%s", reason)
	}
	drawing, err := r.resumeFrom(o.Checkpoints)
	if err == nil && drawing == nil {
		err = r.warmUp()
		if at := r.warm.divergesAtEnd(); err == nil && at >= 0 {
			err = r.warm.diverges(at)
		}
	}
	if err == nil {
		err = r.collectDraws(drawing)
	}
	r.completeReport()
	r.close()
	return *r.report, err
}

// resumeFrom resumes the run that has left a checkpoint, if there is one. A run that was collecting draws is put where
// it was, and the checkpoint given back; in warm-up it is replayed.
func (r *run) resumeFrom(keep infer.Checkpoints) (drawing *savedRun, err error) {
	c, err := loadCheckpoint(keep)
	if err != nil || c == nil {
		return nil, err
	}
	switch reason, err := reasonForAllRows(c); {
	case err != nil:
		return nil, err
	case reason != r.state.AllRows:
		return nil, nil // of the attempt before this one
	case c.Part != collecting:
		r.replay(c)
		return nil, nil
	}
	if err := r.takeStates(c); err != nil {
		return nil, err
	}
	r.takeDrawingPhase()
	return c, r.reload(c.Lanes)
}

// reasonForAllRows is why a run uses all rows although minibatches were asked for; empty if it does not.
func reasonForAllRows(c *savedRun) (string, error) {
	var s state
	err := checkpoint.Decode(c.States["run"], &s)
	return s.AllRows, err
}

// sample warms up, then collects draws, with all rows where batch = auto comes to that.
func sample(ctx context.Context, t infer.Target, o infer.Options, rec infer.Recorder, x exchange) (infer.Report,
	error) {
	reason, err := allRowsBefore(o)
	if err != nil {
		return infer.Report{}, err
	}
	if reason == "" {
		report, err := attempt(ctx, t, o, rec, x, "")
		var all useAllRows
		if !errors.As(err, &all) {
			return report, err
		}
		reason = all.reason
	}
	o.Settings.Batch = 0
	return attempt(ctx, t, o, rec, x, reason)
}

// allRowsBefore is why the run that is resumed took all rows, where batch = auto came to that.
func allRowsBefore(o infer.Options) (reason string, err error) {
	if o.Settings.Batch != infer.AutoBatch || o.Checkpoints == nil {
		return "", nil
	}
	c, err := loadCheckpoint(o.Checkpoints)
	if err != nil || c == nil {
		return "", err
	}
	return reasonForAllRows(c)
}
