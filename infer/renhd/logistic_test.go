package renhd

import (
	"context"
	"math"
	"testing"

	"ppl/infer"
	"ppl/infer/dynamics/dynamicstest"
	"ppl/infer/nuts"
	"ppl/infer/renhd/ladder"
	"ppl/infer/renhd/population"
	"ppl/infer/renhd/renhdtest"
	"ppl/posterior/stats"
	"ppl/runtime/native"
)

// TestLogisticInMinibatches compares a logistic regression on 10⁵ rows in batches of 256 with NUTS on all rows:
// posterior means within .15 sd, and standard deviations within a few per cent. NUTS is compared with the normal
// approximation. Rules that are known to be biased must fail.
func TestLogisticInMinibatches(t *testing.T) {
	if testing.Short() {
		t.Skip("long: skipped by -short")
	}
	renhdtest.Slow(t)
	const n, d, spread = 100_000, 5, 2.5
	x, y := dynamicstest.SimulateLogistic(n, d, 1)
	device, err := native.New()
	if err != nil {
		t.Skip(err)
	}
	full, o := new(memory), renhdtest.Options(5)
	o.Device = infer.Lowered(device)
	if _, err := nuts.Sample(context.Background(), dynamicstest.Logistic(x, y, d, spread), o, full); err != nil {
		t.Fatal(err)
	}
	mean, sd, known := make([]float64, d), make([]float64, d), make([]float64, d)
	mode, curvature := dynamicstest.Laplace(x, y, d, spread)
	for j := range d {
		s := stats.Summarize(full.chains(j))
		mean[j], sd[j], known[j] = s.Mean, s.SD, s.ESSBulk
		t.Logf("NUTS: theta[%d] %.4f ± %.4f, ESS %.0f; normal approximation %.4f ± %.4f", j, s.Mean, s.SD, s.ESSBulk,
			mode[j], curvature[j])
		if math.Abs(s.Mean-mode[j]) > 0.1*s.SD || math.Abs(s.SD/curvature[j]-1) > 0.05 {
			t.Errorf("theta[%d]: NUTS does not agree with the normal approximation", j)
		}
	}
	for _, c := range []struct {
		name     string
		settings infer.Settings
		exchange ladder.Exchange
		held     bool
	}{
		{"renhd", infer.Settings{}, ladder.Exchange{Test: ladder.Penalty()}, true},
		{"ladder", infer.Settings{Replicas: 4, Ratio: 1.5, Path: "energy", Steps: 50},
			ladder.Exchange{Test: ladder.Penalty()}, true},
		{"ladder, noise ignored", infer.Settings{Replicas: 4, Ratio: 1.5, Path: "energy", Steps: 50},
			ladder.Exchange{Test: ladder.Uncorrected(), SwapRules: population.SwapRules{Plain: true}}, false},
		{"without control variates", infer.Settings{ControlVariates: "off"}, ladder.Exchange{Test: ladder.Penalty()},
			true},
		{"sgld", infer.Settings{Replicas: 1, Dynamics: "sgld", ControlVariates: "off"},
			ladder.Exchange{Test: ladder.Penalty()},
			false},
		{"sgld with control variates", infer.Settings{Replicas: 1, Dynamics: "sgld"},
			ladder.Exchange{Test: ladder.Penalty()}, true},
		{"sghmc with control variates", infer.Settings{Replicas: 1, Dynamics: "sghmc"},
			ladder.Exchange{Test: ladder.Penalty()},
			true},
	} {
		t.Run(c.name, func(t *testing.T) {
			o, m := renhdtest.Options(5), new(memory)
			o.Device, o.Settings, o.Warmup, o.Draws, o.Thin = infer.Lowered(device), c.settings, 500, 1000, 1
			o.Settings.Batch = 256
			report, err := sample(context.Background(), dynamicstest.Logistic(x, y, d, spread), o, m, c.exchange)
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("%+v", report)
			wrong := false
			for j := range d {
				s := stats.Summarize(m.chains(j))
				// 2 % of bias, and three Monte Carlo errors of two standard deviations
				bound := .02 + 3*math.Sqrt((1/s.ESSBulk+1/known[j])/2)
				off, ratio := (s.Mean-mean[j])/sd[j], s.SD/sd[j]
				t.Logf("theta[%d]: mean off by %+.3f sd, sd ratio %.3f, ESS %.0f", j, off, ratio, s.ESSBulk)
				if bad := math.Abs(off) > 0.15 || math.Abs(ratio-1) > bound; bad {
					wrong = true
					if c.held {
						t.Errorf("theta[%d]: mean off by %.3f sd, sd ratio %.3f; want .15 and ±%.3f", j, off, ratio,
							bound)
					}
				}
			}
			if !c.held && !wrong {
				t.Error("a rule that is known to be biased satisfies the bounds")
			}
		})
	}
}
