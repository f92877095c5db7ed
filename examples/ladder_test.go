package examples_test

import (
	"testing"

	"ppl/infer/renhd"
)

// TestSlowStartsNeedNoLadder uses a model with one mode, a line for each of thirty rats. Walkers that start where none
// of the lines fits reach it slowly, since the scale of the errors is large until all lines fit. If they were discarded
// before they arrive, too few walkers would agree on the mode, and the sampler would use an unnecessary ladder of
// temperatures.
func TestSlowStartsNeedNoLadder(t *testing.T) {
	for seed := uint64(1); seed <= 6; seed++ {
		o := defaults(seed)
		o.Draws = 10
		_, report := sampleBy(t, renhd.Sample, load(t, "rats.ppl"), o)
		if n := len(report.Temperatures); n > 1 {
			t.Errorf("seed %d: %d temperatures; %q", seed, n, report.Notes)
		}
	}
}
