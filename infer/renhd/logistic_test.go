package renhd

import (
	"context"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"ppl/infer"
	"ppl/infer/dynamics/dynamicstest"
	"ppl/infer/nuts"
	"ppl/infer/stats"
	"ppl/runtime/native"
)

// laplace is the mode and the standard deviations of the normal approximation of a logistic regression's posterior, by Newton's method with gonum's algebra: at
// 10⁵ rows it is the posterior to far below a per cent.
func laplace(x, y []float64, d int, spread float64) (mode, sd []float64) {
	theta, covariance := mat.NewVecDense(d, nil), mat.NewDense(d, d, nil)
	for range 30 {
		gradient, hessian := mat.NewVecDense(d, nil), mat.NewSymDense(d, nil)
		gradient.AddScaledVec(gradient, -1/(spread*spread), theta)
		for j := range d {
			hessian.SetSym(j, j, 1/(spread*spread))
		}
		for i := range y {
			row := mat.NewVecDense(d, x[i*d:(i+1)*d])
			p := 1 / (1 + math.Exp(-mat.Dot(row, theta)))
			gradient.AddScaledVec(gradient, y[i]-p, row)
			hessian.SymRankOne(hessian, p*(1-p), row)
		}
		if err := covariance.Inverse(hessian); err != nil {
			panic(err)
		}
		var step mat.VecDense
		step.MulVec(covariance, gradient)
		theta.AddVec(theta, &step)
	}
	for j := range d {
		mode, sd = append(mode, theta.AtVec(j)), append(sd, math.Sqrt(covariance.At(j, j)))
	}
	return mode, sd
}

// Bayesian logistic regression on 10⁵ rows in batches of 256, against NUTS with all of them at each step: posterior means to .15 sd and standard deviations to 5 %.
// NUTS itself is held to the normal approximation. Beside it, for the record, what SGLD and an exchange that ignores its noise make of the same.
func TestLogisticInMinibatches(t *testing.T) {
	slow(t)
	const n, d, spread = 100_000, 5, 2.5
	x, y := dynamicstest.SimulateLogistic(n, d, 1)
	device, err := native.New()
	if err != nil {
		t.Skip(err)
	}
	full, o := new(memory), options(5)
	o.Device = device
	if _, err := nuts.Sample(context.Background(), dynamicstest.Logistic(x, y, d, spread), o, full); err != nil {
		t.Fatal(err)
	}
	mean, sd := make([]float64, d), make([]float64, d)
	mode, curvature := laplace(x, y, d, spread)
	for j := range d {
		s := stats.Summarize(full.chains(j))
		mean[j], sd[j] = s.Mean, s.SD
		t.Logf("NUTS: theta[%d] %.4f ± %.4f, ESS %.0f; normal approximation %.4f ± %.4f", j, s.Mean, s.SD, s.ESSBulk, mode[j], curvature[j])
		if math.Abs(s.Mean-mode[j]) > 0.1*s.SD || math.Abs(s.SD/curvature[j]-1) > 0.05 {
			t.Errorf("NUTS is not the normal approximation")
		}
	}
	for _, c := range []struct {
		name     string
		settings infer.Settings
		exchange exchange
		held     bool
	}{
		{"renhd", infer.Settings{}, exchange{test: penalty()}, true},
		{"ladder", infer.Settings{Replicas: 4, Ratio: 1.5, Path: "energy", Steps: 50}, exchange{test: penalty()}, true},
		{"ladder, noise ignored", infer.Settings{Replicas: 4, Ratio: 1.5, Path: "energy", Steps: 50}, exchange{test: deaf(), plain: true}, false},
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
				off, ratio := (s.Mean-mean[j])/sd[j], s.SD/sd[j]
				t.Logf("theta[%d]: mean off by %+.3f sd, sd ratio %.3f, ESS %.0f", j, off, ratio, s.ESSBulk)
				if c.held && (math.Abs(off) > 0.15 || math.Abs(ratio-1) > 0.05) {
					t.Errorf("theta[%d]: mean off by %.3f sd, sd ratio %.3f; want .15 and 5 %%", j, off, ratio)
				}
			}
		})
	}
}
