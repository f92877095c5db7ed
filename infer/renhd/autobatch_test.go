package renhd

import (
	"math"
	"reflect"
	"strings"
	"testing"

	"ppl/infer"
	"ppl/infer/dynamics/dynamicstest"
	"ppl/infer/renhd/renhdtest"
	"ppl/posterior/stats"
)

// TestBatchIsChosen checks that with batch = auto a regression on 20,000 rows uses minibatches of 64, with the same
// draws for any number of threads and with the standard deviations of the normal approximation, within four standard
// errors of 400 draws and 1 %. A regression on 600 rows must use all of them. Notes must report both choices.
func TestBatchIsChosen(t *testing.T) {
	if testing.Short() {
		t.Skip("long: skipped by -short")
	}
	const d = 3
	o := renhdtest.Options(3)
	o.Device, o.Warmup, o.Draws, o.Thin = renhdtest.Fastest(), 200, 150, 1
	o.Settings = infer.Settings{Batch: infer.AutoBatch}
	var before [][][]float64
	for _, threads := range []int{1, 2} {
		x, y := dynamicstest.SimulateLogistic(20_000, d, 1)
		_, sd := dynamicstest.Laplace(x, y, d, 2.5)
		o.Threads = threads
		m, report := draw(t, dynamicstest.Logistic(x, y, d, 2.5), o)
		if report.Batch != 64 || !strings.Contains(strings.Join(report.Notes, " "), "batch = auto: minibatches of 64") {
			t.Errorf("batches of %d: %v", report.Batch, report.Notes)
		}
		for j := range d {
			if ratio := stats.Summarize(m.chains(j)).SD / sd[j]; math.Abs(ratio-1) > 4/math.Sqrt(800)+0.01 {
				t.Errorf("the sd of theta[%d] is %.3f times the right one", j, ratio)
			}
		}
		if before != nil && !reflect.DeepEqual(before, m.values) {
			t.Error("the draws on one and two threads differ")
		}
		before = m.values
	}
	x, y := dynamicstest.SimulateLogistic(600, d, 1)
	if _, report := draw(t, dynamicstest.Logistic(x, y, d, 2.5), o); report.Batch != 0 || report.Dynamics != "hmc" ||
		!strings.Contains(strings.Join(report.Notes, " "), "batch = auto: all rows are used") {
		t.Errorf("batches of %d: %v", report.Batch, report.Notes)
	}
}

// TestAutoTakesAllRows checks that all rows are used, with a note about the reason, if the likelihood is not a sum over
// rows, if there are few rows, or if the rule needs exact gradients.
func TestAutoTakesAllRows(t *testing.T) {
	if testing.Short() {
		t.Skip("long: skipped by -short")
	}
	few, _, _ := dynamicstest.Means(renhdtest.Normals(100))
	many, _, _ := dynamicstest.Means(renhdtest.Normals(1000))
	for want, c := range map[string]struct {
		target infer.Target
		rule   string
	}{
		"the likelihood is not a sum over rows": {dynamicstest.Normal(1), ""},
		"the data have only 100 rows":           {few, ""},
		"hmc needs exact gradients":             {many, "hmc"},
	} {
		o := renhdtest.Options(1)
		o.Draws, o.Warmup, o.Settings = 5, 20, infer.Settings{Batch: infer.AutoBatch, Dynamics: c.rule}
		if _, report := draw(t, c.target, o); report.Batch != 0 ||
			!strings.HasSuffix(report.Notes[0], "because "+want) {
			t.Errorf("%v, want %q", report.Notes, want)
		}
	}
}
