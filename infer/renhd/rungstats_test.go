package renhd

import (
	"math"
	"testing"

	"ppl/infer"
	"ppl/infer/renhd/ladder"
)

// TestRungStatistics checks the report by rung: the share of walkers that move upward falls from 1 at the coldest rung
// to 0 at the hottest, thermostats have the values that balance friction and noise, and the barrier of each half is
// about that of the entire run.
func TestRungStatistics(t *testing.T) {
	s := infer.Settings{Replicas: 7, Ratio: 1.5, Path: "energy", Noise: 0.25, Metric: "identity", StepSize: 0.1,
		Steps: 50, Friction: 0.1}
	_, report := fiveModes(t, s, 500, ladder.Exchange{Test: ladder.Penalty()})
	up := report.Rungs.Upward
	if len(up) != 7 || up[0] != 1 || up[6] != 0 {
		t.Fatalf("upward: %.3v", up)
	}
	for j := 1; j < len(up); j++ {
		if up[j] > up[j-1]+0.05 {
			t.Errorf("upward does not fall: %.3v", up)
		}
	}
	for j, got := range report.Rungs.Thermostat {
		// want is c/T + ε T V β²/2 with ε = .01, c = .1 and V = .25 (the step of a rung is √(εT)). The bound is a fifth
		// of the standard deviation √(εT/(Mass·d)) of s, since its 2,000 values are not independent.
		temperature := math.Pow(1.5, float64(j))
		want := 0.1/temperature + 0.01*0.25/temperature/2
		if math.Abs(report.Rungs.Injected[j]/want-1) > 1e-9 || math.Abs(got-want) > math.Sqrt(0.01*temperature/20)/5 {
			t.Errorf("rung %d: thermostat %.4f, injected %.4f, want %.4f", j, got, report.Rungs.Injected[j], want)
		}
	}
	for _, h := range report.Halves {
		if math.Abs(h/float64(report.Barrier)-1) > .1 {
			t.Errorf("barrier %.3f, its halves %.3f", report.Barrier, report.Halves)
		}
	}
	if len(report.Halves) != 2 || len(report.EBFMI) != 4 || len(report.Rungs.Acceptance) != 7 {
		t.Errorf("report: %+v", report)
	}
}
