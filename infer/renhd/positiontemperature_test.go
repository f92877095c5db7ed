package renhd

import (
	"math"
	"testing"

	"ppl/infer"
	"ppl/infer/dynamics/dynamicstest"
	"ppl/infer/renhd/renhdtest"
	"ppl/posterior/stats"
)

// TestPositionTemperature compares the configurational temperature in the report with the variance of the draws divided
// by the known posterior variance, for a rule that samples the posterior and for SGLD and SGHMC with steps that are too
// long for their noise. Bounds are four standard errors of both numbers together.
func TestPositionTemperature(t *testing.T) {
	if testing.Short() {
		t.Skip("long: skipped by -short")
	}
	target, _, variance := dynamicstest.Means(renhdtest.Normals(2000))
	for name, c := range map[string]struct {
		s   infer.Settings
		hot bool
	}{
		"nosehoover": {infer.Settings{Batch: 64}, false},
		"sgld":       {infer.Settings{Dynamics: "sgld", StepSize: 0.5, ControlVariates: "off"}, true},
		"sghmc":      {infer.Settings{Dynamics: "sghmc", StepSize: 0.1, Friction: 0.1, ControlVariates: "off"}, true},
	} {
		o := renhdtest.Options(6)
		o.Device, o.Warmup, o.Draws, o.Thin, o.Settings = renhdtest.Fastest(), 300, 1000, 1, c.s
		o.Settings.Batch, o.Settings.Replicas = 64, 1
		m, report := draw(t, target, o)
		_, sd, ess := meanSDAndESS(m.chains(0))
		ratio, seen := sd*sd/variance, report.Positions
		se := math.Hypot(ratio*math.Sqrt(2/ess), float64(seen.Error))
		t.Logf("%s: variance %.3f of the truth, temperature %.3f ± %.3f", name, ratio, seen.Value, seen.Error)
		if math.Abs(float64(seen.Value)-ratio) > 4*se {
			t.Errorf("%s: variance %.3f of the truth, temperature %.3f ± %.3f", name, ratio, seen.Value, seen.Error)
		}
		if c.hot != (seen.Value > 1.2) {
			t.Errorf("%s: temperature %.3f", name, seen.Value)
		}
	}
}

func meanSDAndESS(chains [][]float64) (mean, sd, ess float64) {
	s := stats.Summarize(chains)
	return s.Mean, s.SD, s.ESSBulk
}

// TestBlockMeans checks for all counts of numbers that the mean of the block means is the mean of all numbers in
// complete blocks.
func TestBlockMeans(t *testing.T) {
	var b blockMeans
	sums := []float64{0}
	for i := range 1000 {
		x := math.Sin(float64(i * i))
		b.add(x)
		sums = append(sums, sums[i]+x)
		whole, mean := len(b.Means)*b.Size, 0.0
		for _, m := range b.Means {
			mean += m / float64(len(b.Means))
		}
		if whole+b.Count != i+1 || len(b.Means) >= mostBlocks ||
			whole > 0 && math.Abs(mean-sums[whole]/float64(whole)) > 1e-12 {
			t.Fatalf("after %d numbers: %d blocks of %d and %d more, mean %v", i+1, len(b.Means), b.Size, b.Count, mean)
		}
	}
}
