package renhd

import (
	"context"
	"math"
	"testing"

	"ppl/infer"
	"ppl/infer/dynamics/dynamicstest"
	"ppl/infer/stats"
	"ppl/runtime/native"
)

// Bayesian logistic regression on 10⁵ rows in batches of 256: posterior means to .15 sd and standard deviations to 5 %. Beside it, for the record, what SGLD and an
// exchange that ignores its noise make of the same.
func TestLogisticInMinibatches(t *testing.T) {
	slow(t)
	const n, d, spread = 100_000, 5, 2.5
	x, y := dynamicstest.SimulateLogistic(n, d, 1)
	mode, sd := dynamicstest.Laplace(x, y, d, spread)
	device, err := native.New()
	if err != nil {
		t.Skip(err)
	}
	deaf := exchange{plain: true, test: uncorrected()}
	for _, c := range []struct {
		name     string
		settings infer.Settings
		exchange exchange
		held     bool
	}{
		{"renhd", infer.Settings{}, exchange{test: penalty()}, true},
		{"ladder", infer.Settings{Replicas: 4, Ratio: 1.5, Path: "energy", Steps: 50}, exchange{test: penalty()}, true},
		{"ladder, noise ignored", infer.Settings{Replicas: 4, Ratio: 1.5, Path: "energy", Steps: 50}, deaf, false},
		{"sgld", infer.Settings{Replicas: 1, Dynamics: "sgld"}, exchange{test: penalty()}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			o, m := options(5), new(memory)
			o.Device, o.Settings, o.Warmup, o.Draws, o.Thin = device, c.settings, 500, 1000, 1
			o.Settings.Batch = 256
			report, err := sample(context.Background(), dynamicstest.Logistic(x, y, d, spread), o, m, c.exchange)
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("%+v", report)
			for j := range d {
				s := stats.Summarize(m.chains(j))
				off, ratio := (s.Mean-mode[j])/sd[j], s.SD/sd[j]
				t.Logf("theta[%d]: mean off by %+.3f sd, sd ratio %.3f, ESS %.0f", j, off, ratio, s.ESSBulk)
				if c.held && (math.Abs(off) > 0.15 || math.Abs(ratio-1) > 0.05) {
					t.Errorf("theta[%d]: mean off by %.3f sd, sd ratio %.3f; want .15 and 5 %%", j, off, ratio)
				}
			}
		})
	}
}
