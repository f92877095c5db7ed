package warmup

import (
	"testing"

	"ppl/infer"
	"ppl/infer/renhd/ladder"
	"ppl/infer/renhd/modesearch"
	"ppl/infer/renhd/part"
	"ppl/infer/renhd/parttest"
	"ppl/infer/renhd/subsampling"
)

// warmupAt returns the warm-up of a run whose 16 explorers are at the given positions.
func warmupAt(t *testing.T, target infer.Target, at func(lane int) []float64) *Warmup {
	t.Helper()
	return warmupOf(parttest.Explorers(t, target, at))
}

func warmupOf(c *part.Run) *Warmup {
	m := modesearch.NewKnown(c)
	rows := subsampling.New(c, m)
	return New(c, ladder.NewSwaps(ladder.Exchange{Test: ladder.Penalty()}, &c.Phase, rows.Estimator()), m, rows)
}
