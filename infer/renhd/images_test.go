package renhd

import (
	"math"
	"strings"
	"testing"

	"ppl/infer/renhd/renhdtest"
	"ppl/posterior/stats"
)

// TestLabelsSwitchInDraws checks a target whose labels may be permuted: walkers agree without a ladder, and the draws
// have the moments of the mean over all six orders, within four standard errors. Planted fault: the target declares
// wrong labels.
func TestLabelsSwitchInDraws(t *testing.T) {
	if testing.Short() {
		t.Skip("long: skipped by -short")
	}
	t.Parallel()
	mean, sd := []float64{-4, 0, 0, 1, 5, -1}, []float64{.1, .3, .5, .2, 1, 1}
	target := renhdtest.NewLabelled(3, mean, sd)
	faulty := target
	faulty.Sets = [][]int{{0, 1}, {3, 2}, {4, 5}}
	for _, c := range []struct {
		target renhdtest.Labelled
		right  bool
	}{{target, true}, {faulty, false}} {
		m, report := draw(t, c.target, renhdtest.Options(3))
		off := 0.0
		for j := range 6 {
			var square [][]float64
			wantMean, wantSquare := 0.0, 0.0
			for k := range 3 {
				wantMean += mean[2*k+j%2] / 3
				wantSquare += (mean[2*k+j%2]*mean[2*k+j%2] + sd[2*k+j%2]*sd[2*k+j%2]) / 3
			}
			for _, xs := range m.chains(j) {
				square = append(square, nil)
				for _, x := range xs {
					square[len(square)-1] = append(square[len(square)-1], x*x)
				}
			}
			first, second := stats.Summarize(m.chains(j)), stats.Summarize(square)
			off = max(off, math.Abs(first.Mean-wantMean)/first.MCSEMean,
				math.Abs(second.Mean-wantSquare)/second.MCSEMean)
		}
		notes := strings.Join(report.Notes, "\n")
		if c.right && (off > 4 || len(report.Temperatures) > 1 || !strings.Contains(notes, "images of each other")) {
			t.Errorf("moments are wrong by %.1f standard errors, temperatures %v, notes:\n%s", off, report.Temperatures,
				notes)
		}
		if !c.right && off < 8 {
			t.Errorf("the planted fault is not detected: moments are wrong by %.1f standard errors", off)
		}
	}
}
