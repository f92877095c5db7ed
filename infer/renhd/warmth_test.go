package renhd

import (
	"context"
	"strings"
	"testing"

	"ppl/infer"
	"ppl/infer/dynamics/dynamicstest"
)

// SGLD with a step of .5 in batches of 64 out of 2,000 has (1 + ηV/2)/(1 − η/2) ≈ 3 times the variance (V = 31, η = .125) and says so; the thermostat, whose
// step follows the noise, has no reason to.
func TestTooHotIsSaid(t *testing.T) {
	target, _, _ := dynamicstest.Means(normals(2000))
	for name, s := range map[string]infer.Settings{
		"sgld":       {Replicas: 1, Dynamics: "sgld", Batch: 64, StepSize: 0.5, Steps: 10},
		"nosehoover": {Replicas: 1, Batch: 64, Steps: 10},
	} {
		o, m := options(6), new(memory)
		o.Warmup, o.Draws, o.Thin, o.Settings = 300, 10, 1, s
		report, err := Sample(context.Background(), target, o, m)
		if err != nil {
			t.Fatal(err)
		}
		if said := strings.Contains(strings.Join(report.Warnings, " "), "positions have a temperature"); said != (name == "sgld") {
			t.Errorf("%s: warnings %q", name, report.Warnings)
		}
	}
}
