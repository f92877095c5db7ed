package renhd

import (
	"ppl/infer"
	"testing"
)

// warmupAt is the warm-up of a run whose 16 explorers are at given positions.
func warmupAt(t *testing.T, target infer.Target, at func(lane int) []float64) *warmup {
	t.Helper()
	return warmupOf(explorersOf(t, target, at))
}

func warmupOf(c *course) *warmup {
	m := newKnownModes(c)
	rows := newSubsampling(c, m)
	return newWarmup(c, newSwaps(exchange{test: penalty()}, &c.phase, rows.estimator()), m, rows)
}
