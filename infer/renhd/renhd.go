// Package renhd samples by replica exchange: a ladder of walkers from the target to something flatter, that trade
// places so that every mode is visited with its weight (Luo, Zhang, Yang, Wang, NeurIPS 2020, with the paper's slips
// mended; Syed, Bouchard-Côté, Deligiannidis, Doucet, JRSS-B 2021).
//
// Walkers are the lanes of a device and move by a rule of package dynamics: Metropolis-corrected trajectories where
// gradients are exact, the Nosé-Hoover thermostat where they are noisy. The host does what is rare and small: it trades
// rungs, adapts in warm-up, and takes the draws of the cold rung.
package renhd

import (
	"context"

	"ppl/infer"
)

// Sample draws from t by replica exchange; it is an infer.Sampler.
func Sample(ctx context.Context, t infer.Target, o infer.Options, rec infer.Recorder) (infer.Report, error) {
	name := o.Settings.Exchange
	return sample(ctx, t, o, rec, exchange{test: newTest(name), shuffle: name == "paper", plain: name == "uncorrected"})
}

func sample(ctx context.Context, t infer.Target, o infer.Options, rec infer.Recorder, x exchange) (infer.Report,
	error) {
	r := &run{ctx: ctx, target: infer.InPrecision(t, o.Settings.Precision), options: o, recorder: rec,
		exchange: x, length: 1}
	if err := r.check(); err != nil {
		return r.report, infer.Refusal{Cause: err}
	}
	if err := r.split(); err != nil {
		return r.report, infer.Refusal{Cause: err}
	}
	r.choose()
	err := r.warm()
	if err == nil {
		err = r.sample()
	}
	r.conclude()
	r.close()
	return r.report, err
}
