package renhd

import (
	"context"
	"errors"
	"testing"

	"ppl/infer"
	"ppl/infer/dynamics/dynamicstest"
	"ppl/infer/renhd/renhdtest"
)

// TestShortWarmups checks that runs with 0 to 40 iterations of warm-up end with all draws or a Refusal, for targets
// with one and several modes, for given and guessed starts, and for each kind of warm-up.
func TestShortWarmups(t *testing.T) {
	means, _, _ := dynamicstest.Means(renhdtest.Normals(40))
	guessed := func(d dynamicstest.Density) dynamicstest.Density {
		d.Proper, d.Spread = false, 3
		return d
	}
	for name, c := range map[string]struct {
		target   infer.Target
		settings infer.Settings
	}{
		"normal":        {dynamicstest.Normal(1, 1e-3), infer.Settings{}},
		"guessed":       {guessed(dynamicstest.Normal(1, 1e-3, 1e3)), infer.Settings{}},
		"one parameter": {guessed(dynamicstest.Normal(1e-6)), infer.Settings{}},
		"modes":         {dynamicstest.FiveModes().Target(), infer.Settings{}},
		"likelihood":    {renhdtest.TwoModes(), infer.Settings{}},
		"asked ladder":  {renhdtest.TwoModes(), infer.Settings{Replicas: 3}},
		"noise":         {dynamicstest.FiveModes().Target(), infer.Settings{Noise: .25, Replicas: 3}},
		"minibatches":   {means, infer.Settings{Batch: 16}},
		"tacthmc":       {dynamicstest.Normal(1, 2), infer.Settings{Dynamics: "tacthmc"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for warmup := range 41 {
				o, m := renhdtest.Options(uint64(warmup+1)), new(memory)
				o.Warmup, o.Draws, o.Thin, o.Settings = warmup, 3, 1, c.settings
				report, err := Sample(context.Background(), c.target, o, m)
				if err != nil && !errors.As(err, new(infer.Refusal)) || err == nil && report.Draws != o.Draws {
					t.Errorf("warm-up of %d: %d draws, %v", warmup, report.Draws, err)
				}
			}
		})
	}
}

// TestTemperaturesOfAFewIterations checks that temperatures are increasing numbers if warm-up is so short that no swap
// was proposed for some neighbours.
func TestTemperaturesOfAFewIterations(t *testing.T) {
	if testing.Short() {
		t.Skip("long: skipped by -short")
	}
	target, _ := renhdtest.TwoSquares()
	o := renhdtest.Options(1)
	o.Draws, o.Warmup, o.Settings = 5, 30, infer.Settings{Replicas: 12}
	_, report := draw(t, target, o)
	for j, temperature := range report.Temperatures {
		if !(temperature >= 1) || j > 0 && !(temperature > report.Temperatures[j-1]) {
			t.Fatalf("temperatures %v", report.Temperatures)
		}
	}
}
