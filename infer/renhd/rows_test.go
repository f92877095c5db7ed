package renhd

import (
	"context"
	"math"
	"testing"

	"ppl/infer"
	"ppl/infer/dynamics/dynamicstest"
	"ppl/infer/renhd/ladder"
	"ppl/infer/renhd/population"
	"ppl/infer/renhd/renhdtest"
	"ppl/runtime/host"
	"ppl/runtime/native"
)

// conjugate samples the mean of n normals in minibatches, with four replicas and a ratio of temperatures of 1.5. It
// returns the variance of the draws divided by the posterior variance.
func conjugate(t *testing.T, n, batch, draws int, d infer.Device, x ladder.Exchange) (ratio float64,
	report infer.Report) {
	t.Helper()
	target, mean, variance := dynamicstest.Means(renhdtest.Normals(n))
	o, m := renhdtest.Options(4), new(memory)
	o.Draws, o.Thin, o.Warmup, o.Device = draws/o.Chains, 1, 400, d
	o.Settings = infer.Settings{Replicas: 4, Ratio: 1.5, Path: "energy", Batch: batch, Steps: 15}
	if x.Test.MaxVariance > 1 {
		o.Settings.Steps = 5 // few steps, so that errors of swaps are not hidden by the dynamics
	}
	report, err := sample(context.Background(), target, o, m, x)
	if err != nil {
		t.Fatal(err)
	}
	sum, kept := 0.0, 0.0
	for _, chain := range m.values {
		for _, v := range chain {
			sum, kept = sum+(v[0]-mean)*(v[0]-mean), kept+1
		}
	}
	t.Logf("variance ratio %.4f; %+v", sum/kept/variance, report)
	return sum / kept / variance, report
}

// TestConjugateInMinibatches checks that with batches of 64 of 2,000 rows, and swaps that read as many rows as they
// need, the variance is that of the posterior, within four standard errors of 4,000 draws. Planted fault: swaps that
// ignore their noise, for which the variance is 1.19 times as large.
func TestConjugateInMinibatches(t *testing.T) {
	if testing.Short() {
		t.Skip("long: skipped by -short")
	}
	got, report := conjugate(t, 2000, 64, 4000, infer.Lowered(host.Device{}), ladder.Exchange{Test: ladder.Penalty()})
	if math.Abs(got-1) > 0.11 {
		t.Errorf("the variance is %.3f times that of the posterior, want 1 ± .11", got)
	}
	wrong := ladder.Exchange{Test: ladder.Uncorrected(), SwapRules: population.SwapRules{Plain: true}}
	if got, _ := conjugate(t, 2000, 64, 8000, renhdtest.Fastest(), wrong); got < 1.12 {
		t.Errorf("the planted fault is not detected: the variance is %.3f times that of the posterior", got)
	}
	if s := report.Rungs.Thermostat[0]; math.Abs(s/report.Rungs.Injected[0]-1) > 0.3 {
		t.Errorf("thermostat %.3f, want %.3f from friction and noise, the latter measured to 20 %%", s,
			report.Rungs.Injected[0])
	}
}

// TestConjugateReference checks the variance with N = 10⁴, batches of 256 and 2·10⁵ draws. Both swap tests, with as
// many rows as they request, must be right within .03, about four standard errors. Planted fault ("deaf"): a test that
// reads one chunk of rows, without control variates, and treats its estimate as exact.
func TestConjugateReference(t *testing.T) {
	if testing.Short() {
		t.Skip("long: skipped by -short")
	}
	renhdtest.Slow(t)
	d, err := native.New()
	if err != nil {
		t.Skip(err)
	}
	for name, x := range map[string]ladder.Test{"penalty": ladder.Penalty(), "barker": ladder.NewTest("barker"),
		"deaf": ladder.Uncorrected()} {
		t.Run(name, func(t *testing.T) {
			how := ladder.Exchange{Test: x, SwapRules: population.SwapRules{Plain: name == "deaf"}}
			got, _ := conjugate(t, 10_000, 256, 200_000, infer.Lowered(d), how)
			if name == "deaf" && got < 1.2 || name != "deaf" && math.Abs(got-1) > 0.03 {
				t.Errorf("%s: the variance is %.3f times that of the posterior", name, got)
			}
		})
	}
}

// TestBatchesRefused checks the errors for settings and targets that minibatches do not allow.
func TestBatchesRefused(t *testing.T) {
	target, _, _ := dynamicstest.Means(renhdtest.Normals(100))
	for want, c := range map[string]struct {
		target infer.Target
		s      infer.Settings
	}{
		"batch = 200, but the data have 100 rows; leave out batch to use all rows": {target,
			infer.Settings{Batch: 200}},
		"minibatches make gradients noisy, which hmc cannot correct; leave out dynamics or batch": {target,
			infer.Settings{Batch: 10, Dynamics: "hmc"}},
		"exchange_batch is for minibatches: set batch too": {target,
			infer.Settings{ExchangeBatch: 10}},
		"minibatches need a likelihood that is a sum over rows; leave out batch": {dynamicstest.Normal(1),
			infer.Settings{Batch: 10}},
		"tacthmc has a temperature of its own and takes no ladder; leave out replicas, or take other dynamics": {target,
			infer.Settings{Dynamics: "tacthmc", Replicas: 3}},
	} {
		o := renhdtest.Options(1)
		o.Settings = c.s
		if _, err := Sample(context.Background(), c.target, o, new(memory)); err == nil || err.Error() != want {
			t.Errorf("%+v: error %v, want %s", c.s, err, want)
		}
	}
}
