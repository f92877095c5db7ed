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

// TestControlVariatesInTheSampler samples a logistic regression on 20,000 rows in batches of 64, with a thermostat and
// without. Means and standard deviations must be those of the normal approximation, which is accurate to 1 % here,
// within four standard errors of 400 draws and 1 %. Planted fault: without control variates and with a long step,
// gradient noise widens the posterior.
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
			t.Errorf("%s: a mean is wrong by %.3f sd, an sd by the factor %.3f", rule, mean, spread)
		}
		t.Logf("%s: largest relative error of a mean %.3f, of an sd %.3f; %v", rule, mean, spread, report.Notes)
	}
	o.Settings = infer.Settings{Batch: 64, Replicas: 1, Dynamics: "sgld", StepSize: 0.2, ControlVariates: "off"}
	m, _ := draw(t, dynamicstest.Logistic(x, y, d, 2.5), o)
	if _, spread := off(m.values); spread < 0.5 {
		t.Errorf("the planted fault is not detected: the largest relative error of an sd is %.3f", spread)
	}
}

// TestMinibatchesOfFortyCoordinates checks that warm-up with minibatches uses a dense metric and chooses no other form,
// also above adapt.Small coordinates. The mean ratio of standard deviations to the normal approximation must be 1,
// within four standard errors of 400 draws and 3 % for skewness.
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
		t.Errorf("the mean ratio of standard deviations to the right ones is %.3f, want 1", width)
	}
	if strings.Contains(strings.Join(report.Notes, " "), "metric:") {
		t.Errorf("a form was chosen: %v", report.Notes)
	}
}
