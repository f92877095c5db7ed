package renhd

import (
	"math"
	"slices"
	"strings"
	"testing"

	"ppl/infer/renhd/population"
	"ppl/infer/renhd/renhdtest"
	"ppl/posterior/stats"
)

// TestSearchGoesOnWhileSampling checks a run on a requested ladder, which does not search for modes in warm-up: a mode
// in which no chain started must be found from hot walkers, and the draws after that must have its share.
func TestSearchGoesOnWhileSampling(t *testing.T) {
	if testing.Short() {
		t.Skip("long: skipped by -short")
	}
	target, o := renhdtest.FarApart()
	m, report := draw(t, target, o)
	said := func(n string) bool { return strings.HasPrefix(n, "optimisers found") }
	if !slices.ContainsFunc(report.Notes, said) {
		t.Errorf("nothing was found: %q", report.Notes)
	}
	in := make([][]float64, len(m.values))
	for c, xs := range m.values {
		for _, x := range xs[o.Draws/2:] {
			in[c] = append(in[c], population.OneIf(x[0] < 0))
		}
	}
	if s := stats.Summarize(in); !(math.Abs(s.Mean-.6) < 5*s.MCSEMean && s.MCSEMean < .05) {
		t.Errorf("share %.3f ± %.3f, want .6", s.Mean, s.MCSEMean)
	}
}
