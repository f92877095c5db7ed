package examples_test

import (
	"testing"

	"ppl/infer/renhd"
)

// A line for each of thirty rats is one mode. Walkers that start where none of the lines fits come down to it slowly:
// the scale of the errors is large until all lines fit. None of them is to be given up on the way, which would leave
// too few witnesses of the mode, and a ladder of temperatures would be made that nobody needs.
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
