package renhd

import (
	"math"
	"testing"

	"ppl/infer"
	"ppl/infer/dynamics/dynamicstest"
	"ppl/infer/renhd/part"
	"ppl/infer/renhd/population"
	"ppl/infer/renhd/renhdtest"
	"ppl/infer/renhd/subsampling"
	"ppl/posterior/stats"
)

// shareOfOrder returns the share of draws with a < b and its Monte Carlo standard error.
func shareOfOrder(values [][][]float64) (share, mcse float64) {
	var in [][]float64
	for _, chain := range values {
		var xs []float64
		for _, v := range chain {
			xs = append(xs, population.OneIf(v[0] < v[1]))
		}
		in = append(in, xs)
	}
	s := stats.Summarize(in)
	return s.Mean, stats.MCSEMean(in)
}

// TestAnchorsInTwoModes checks two narrow modes with an anchor at each: their weights, which follow from the symmetry
// of the likelihood, must be right within three Monte Carlo standard errors. Planted fault: the sum over all rows at
// one anchor is too large by 2.
func TestAnchorsInTwoModes(t *testing.T) {
	if testing.Short() {
		t.Skip("long: skipped by -short")
	}
	const n = 20_000
	want := 1 / (1 + math.Exp(-2*renhdtest.Tilt*3)) // the means are 3 apart, to a per cent
	o := renhdtest.Options(2)
	o.Device, o.Warmup, o.Draws, o.Thin = renhdtest.Fastest(), 200, 1000, 1
	o.Settings = infer.Settings{Batch: 128}
	m, report := draw(t, renhdtest.TwoGroups(n), o)
	share, mcse := shareOfOrder(m.values)
	t.Logf("share %.3f ± %.3f, want %.3f; %v", share, mcse, want, report.Notes)
	if mcse > 0.06 || math.Abs(share-want) > 3*mcse {
		t.Errorf("a mode has %.3f ± %.3f of the draws, want %.3f", share, mcse, want)
	}
	k := &dynamicstest.Killer{Every: 500, Alter: func(state any) {
		inPart(collecting, alterState("subsampling", func(s *subsampling.State) {
			high := 0
			if a := s.Anchors; a[1].At[0] < a[1].At[1] {
				high = 1
			}
			s.Anchors[1-high].Sum = s.Anchors[high].Sum + 2
		}))(state.(*part.Checkpoint))
	}}
	k.Run(t, Sample, renhdtest.TwoGroups(n), o)
	if share, mcse := shareOfOrder(k.Draws.Values); k.Kills == 0 || math.Abs(share-want) < 3*mcse {
		t.Errorf("the planted fault is not detected: a mode has %.3f ± %.3f of the draws", share, mcse)
	}
}
