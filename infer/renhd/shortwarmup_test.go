package renhd

import (
	"context"
	"errors"
	"reflect"
	"strings"
	"testing"

	"ppl/infer"
	"ppl/infer/dynamics/dynamicstest"
	"ppl/infer/renhd/renhdtest"
)

// TestShortWarmups checks that runs with 0 and with 50 to 69 iterations of warm-up end with all draws or a Refusal, for
// targets with one and several modes, for given and guessed starts, and for each kind of warm-up.
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
			for k := range 21 {
				o, m := renhdtest.Options(uint64(k+1)), new(memory)
				warmup := 49 + k
				if k == 0 {
					warmup = 0
				}
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

// A warm-up of 3 iterations is that of 50, with the same draws, and the report has the number that ran. No warm-up is
// none, and longer ones have their own draws.
func TestLeastWarmup(t *testing.T) {
	run := func(warmup int) ([][][]float64, infer.Report) {
		o := renhdtest.Options(2)
		o.Warmup, o.Draws = warmup, 5
		m, report := draw(t, dynamicstest.Normal(1, 10), o)
		return m.values, report
	}
	least, of50 := run(50)
	few, of3 := run(3)
	if !reflect.DeepEqual(few, least) || of3.Gradients != of50.Gradients || of3.Warmup != 50 {
		t.Errorf("a warm-up of 3: %d iterations and %d gradients, not 50 and %d", of3.Warmup, of3.Gradients,
			of50.Gradients)
	}
	if len(of50.Notes) != len(of3.Notes)-1 || !strings.Contains(of3.Notes[len(of3.Notes)-1], "50 iterations instead") {
		t.Errorf("notes %q, after 50 %q", of3.Notes, of50.Notes)
	}
	none, of0 := run(0)
	longer, _ := run(51)
	if of0.Warmup != 0 || reflect.DeepEqual(none, least) || reflect.DeepEqual(longer, least) {
		t.Errorf("a warm-up of 0 is %d iterations, or that of 0 or 51 has the draws of 50", of0.Warmup)
	}
}
