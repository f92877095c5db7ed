package renhd

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"ppl/autodiff"
	"ppl/infer"
	"ppl/infer/renhd/renhdtest"
)

// TestNetworkSamplesPosterior checks that a run of a network begins with an optimiser and samples the posterior,
// N(Σy/41, 1/41) in each coordinate. Over 1,000 coordinates, the mean squared deviation from the posterior mean,
// divided by the posterior variance, must be 1 within .05.
func TestNetworkSamplesPosterior(t *testing.T) {
	if testing.Short() {
		t.Skip("long: skipped by -short")
	}
	target := renhdtest.NewLayered(1000)
	o := renhdtest.Options(3)
	o.Chains, o.Warmup, o.Draws, o.Thin, o.Settings = 2, 400, 40, 2, infer.Settings{Batch: 20}
	got, report := draw(t, target, o)
	theta := autodiff.New().Input("theta", 1000)
	logPrior, logLik := target.Density(theta)
	slope := autodiff.Eval(map[string][]float64{"theta": make([]float64, 1000)},
		autodiff.Grad(autodiff.Add(logPrior, logLik), theta)[0])[0]
	ratio, n := 0.0, 0.0
	for _, chain := range got.values {
		for _, x := range chain {
			for j, v := range x {
				off := v - slope[j]/41
				ratio, n = ratio+off*off*41, n+1
			}
		}
	}
	if ratio /= n; math.Abs(ratio-1) > 0.05 {
		t.Errorf("the mean squared deviation is %.3f times the posterior variance, want 1 ± .05", ratio)
	}
	if notes := strings.Join(report.Notes, "\n"); !strings.Contains(notes, "epochs (2400 steps)") ||
		!strings.Contains(notes, "other parameters") {
		t.Errorf("the notes do not describe the optimiser and the noise by block:\n%s", notes)
	}
}

// TestRulesOnNetwork checks that rules without momenta, in cycles, or with one thermostat can sample networks: draws
// are finite, and there is no warning about the kinetic temperature if it cannot be measured.
func TestRulesOnNetwork(t *testing.T) {
	if testing.Short() {
		t.Skip("long: skipped by -short")
	}
	for _, rule := range []string{"sgld", "csgld", "sgnht", "tacthmc"} {
		t.Run(rule, func(t *testing.T) {
			o := renhdtest.Options(3)
			o.Chains, o.Draws, o.Thin, o.Settings = 1, 2, 1, infer.Settings{Batch: 20, Dynamics: rule}
			got, report := draw(t, renhdtest.NewLayered(1000), o)
			for _, x := range got.values[0] {
				for _, v := range x {
					if math.IsNaN(v) || math.IsInf(v, 0) {
						t.Fatalf("a draw has the value %v", v)
					}
				}
			}
			if text := fmt.Sprint(report.Warnings); strings.Contains(text, "kinetic") && rule != "sgnht" {
				t.Errorf("%s: a warning about the kinetic temperature, which cannot be measured: %s", rule, text)
			}
		})
	}
}
