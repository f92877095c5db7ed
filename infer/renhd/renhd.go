// Package renhd samples by replica exchange: a ladder of walkers from the target to something flatter, that trade places so that
// every mode is visited with its weight (Luo, Zhang, Yang, Wang, NeurIPS 2020, with the errata of our own notes; Syed, Bouchard-Côté,
// Deligiannidis, Doucet, JRSS-B 2021).
package renhd

import (
	"context"
	"errors"

	"ppl/infer"
)

// Sample draws from t by replica exchange; it is an infer.Sampler.
func Sample(ctx context.Context, t infer.Target, o infer.Options, r infer.Recorder) (infer.Report, error) {
	return infer.Report{}, errors.New("internal error: renhd.Sample is not written yet")
}
