package renhd

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"ppl/infer"
	"ppl/infer/dynamics/dynamicstest"
	"ppl/infer/renhd/population"
	"ppl/infer/renhd/renhdtest"
	"ppl/posterior/stats"
)

// A logistic regression on 20,000 rows in batches of 64 has the moments of the normal approximation, which at this
// number of rows is the posterior to a per cent, with a thermostat and without; the bounds are four standard errors of
// 400 draws and that per cent. Planted: without control variates, noise at the same step widens the posterior.
func TestControlVariatesInTheSampler(t *testing.T) {
	if testing.Short() {
		t.Skip("long: skipped by -short")
	}
	const n, d = 20_000, 3
	x, y := dynamicstest.SimulateLogistic(n, d, 1)
	mode, sd := dynamicstest.Laplace(x, y, d, 2.5)
	o := renhdtest.Options(3)
	o.Device, o.Warmup, o.Draws, o.Thin = renhdtest.Fastest(), 200, 250, 1
	off := func(values [][][]float64) (mean, spread float64) {
		for j := range d {
			var chains [][]float64
			for _, c := range values {
				var xs []float64
				for _, v := range c {
					xs = append(xs, v[j])
				}
				chains = append(chains, xs)
			}
			s := stats.Summarize(chains)
			mean = math.Max(mean, math.Abs(s.Mean-mode[j])/sd[j])
			spread = math.Max(spread, math.Abs(s.SD/sd[j]-1))
		}
		return mean, spread
	}
	for _, rule := range []string{"nosehoover", "sgld"} {
		o.Settings = infer.Settings{Batch: 64, Replicas: 1, Dynamics: rule}
		m, report := draw(t, dynamicstest.Logistic(x, y, d, 2.5), o)
		mean, spread := off(m.values)
		if mean > 4/math.Sqrt(400) || spread > 4/math.Sqrt(800)+0.01 {
			t.Errorf("%s: a mean is off by %.3f sd, an sd by %.3f", rule, mean, spread)
		}
		t.Logf("%s: a mean is off by %.3f sd, an sd by %.3f; %v", rule, mean, spread, report.Notes)
	}
	o.Settings = infer.Settings{Batch: 64, Replicas: 1, Dynamics: "sgld", StepSize: 0.2, ControlVariates: "off"}
	m, _ := draw(t, dynamicstest.Logistic(x, y, d, 2.5), o)
	if _, spread := off(m.values); spread < 0.5 {
		t.Errorf("without control variates an sd is off by %.3f: the test could not fail", spread)
	}
}

// Above Small coordinates warm-up chooses the form of the metric where all rows are used, but not in minibatches, which
// have a dense one: the widths of a regression with 40 coefficients are those of the normal approximation, to four
// standard errors of 400 draws and three per cent for its skew.
func TestMinibatchesOfFortyCoordinates(t *testing.T) {
	if testing.Short() {
		t.Skip("long: skipped by -short")
	}
	const n, d = 6000, 40
	r := rand.New(rand.NewPCG(1, 2))
	x, y := make([]float64, n*d), make([]float64, n)
	for i := range y {
		x[i*d] = 1
		for j := 1; j < d; j++ {
			x[i*d+j] = r.NormFloat64()
		}
		y[i] = population.OneIf(r.Float64() < 1/(1+math.Exp(-x[i*d+1])))
	}
	_, sd := dynamicstest.Laplace(x, y, d, 2.5)
	o := renhdtest.Options(3)
	o.Device, o.Warmup, o.Draws, o.Thin = renhdtest.Fastest(), 200, 100, 1
	o.Settings = infer.Settings{Batch: 256, Replicas: 1}
	m, report := draw(t, dynamicstest.Logistic(x, y, d, 2.5), o)
	width := 0.0
	for j := range d {
		width += stats.Summarize(m.chains(j)).SD / sd[j] / d
	}
	if math.Abs(width-1) > 4/math.Sqrt(800*d)+0.03 {
		t.Errorf("standard deviations are %.3f of the truth on average", width)
	}
	if strings.Contains(strings.Join(report.Notes, " "), "metric:") {
		t.Errorf("a form was chosen: %v", report.Notes)
	}
}
