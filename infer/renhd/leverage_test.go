package renhd

import (
	"math"
	"strings"
	"testing"

	"ppl/infer"
	"ppl/infer/dynamics/dynamicstest"
	"ppl/infer/renhd/renhdtest"
	"ppl/posterior/stats"
)

// TestRowsOfHighLeverage checks a regression in which four of 2,000 rows have almost all information about b, in memory
// and in files, in order and mixed. These rows must be in every batch, and standard deviations must be right within
// four standard errors of 600 draws; the standard deviation without one of these rows must be out of bounds. If no row
// has high leverage, none is in every batch.
func TestRowsOfHighLeverage(t *testing.T) {
	filed, variances := renhdtest.UnequalInFile(2000)
	o := renhdtest.Options(3)
	o.Device, o.Warmup, o.Draws, o.Thin = renhdtest.Fastest(), 200, 250, 1
	o.Settings = infer.Settings{Batch: 100, Replicas: 1}
	for name, target := range map[string]infer.Target{"memory": filed.InMemory(), "file": unmixed(filed),
		"mixed file": filed} {
		m, report := draw(t, target, o)
		if notes := strings.Join(report.Notes, "; "); !strings.Contains(notes, "4 rows are in every minibatch") {
			t.Errorf("%s: %s", name, notes)
		}
		off := func(j int, variance float64) float64 {
			return math.Abs(stats.Summarize(m.chains(j)).SD/math.Sqrt(variance) - 1)
		}
		for j, v := range variances {
			if d := off(j, v); d > 4/math.Sqrt(2*600) {
				t.Errorf("%s: the relative error of standard deviation %d is %.3f", name, j, d)
			}
		}
		if d := off(1, 1/(1/variances[1]-400)); d < 4/math.Sqrt(2*600) {
			t.Errorf("%s: the test would not detect that one of the four rows is missing: relative error %.3f", name, d)
		}
	}
	x, y := dynamicstest.SimulateLogistic(2000, 3, 1)
	_, report := draw(t, dynamicstest.Logistic(x, y, 3, 2.5), o)
	if notes := strings.Join(report.Notes, "; "); strings.Contains(notes, "rows are in every minibatch") {
		t.Errorf("without rows of high leverage: %s", notes)
	}
}

// TestSwapsKnowRowsOfHighLeverage checks on a ladder that the barrier, the sum of the rejection rates, is the same as
// with the energies of all rows. Estimated from samples of all rows, it was 4.2 instead of 5.3.
func TestSwapsKnowRowsOfHighLeverage(t *testing.T) {
	if testing.Short() {
		t.Skip("long: skipped by -short")
	}
	t.Parallel()
	filed, _ := renhdtest.UnequalInFile(2000)
	barrier := func(target infer.Target, batch int) float64 {
		o := renhdtest.Options(1)
		o.Device, o.Warmup, o.Draws, o.Thin = renhdtest.Fastest(), 300, 300, 1
		o.Settings = infer.Settings{Batch: batch, Replicas: 10}
		_, report := draw(t, target, o)
		return float64(report.Barrier)
	}
	want := barrier(filed.InMemory(), 0)
	for name, target := range map[string]infer.Target{"memory": filed.InMemory(), "mixed file": filed} {
		if got := barrier(target, 100); !(math.Abs(got-want) < .5) {
			t.Errorf("%s: barrier %.2f, with all rows %.2f", name, got, want)
		}
	}
}
