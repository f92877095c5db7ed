package firstorder

import (
	"math"
	"testing"

	"ppl/autodiff"
)

// TestStepsAgreeWithPyTorch compares steps with those of PyTorch 2.15 in double precision, on
//
//	log cosh(3 x₀ − 1) + 2 (x₁ − x₂)² + (x₂ − 2)⁴/4 + x₀ x₁/10
//
// from (1, −2, 0.5): torch.optim.AdamW and Adam with lr .05, SGD with lr .01 and momentum .9.
func TestStepsAgreeWithPyTorch(t *testing.T) {
	for _, c := range []struct {
		name        string
		step        Step
		rate, decay float64
		steps       int
		want        []float64
	}{
		{"adamw", AdamW, 0.05, 0.01, 1, []float64{0.94950000018573, -1.94900000005051, 0.449750000075472}},
		{"adamw", AdamW, 0.05, 0.01, 10, []float64{0.503688991197761, -1.50001392736516, 0.0570579689688546}},
		{"adamw", AdamW, 0.05, 0.01, 100, []float64{0.325524020877308, 0.931209475684638, 1.07795581067979}},
		{"adamw", AdamW, 0.05, 0.5, 1, []float64{0.92500000018573, -1.90000000005051, 0.437500000075472}},
		{"adamw", AdamW, 0.05, 0.5, 10, []float64{0.349254207475101, -1.12032267477448, 0.0473947815067714}},
		{"adamw", AdamW, 0.05, 0.5, 100, []float64{0.314006098995393, 0.579897175821275, 0.811021664510703}},
		{"adam", Adam, 0.05, 0, 10, []float64{0.50738769895668, -1.50874703854925, 0.0575698216653178}},
		{"adam", Adam, 0.05, 0, 100, []float64{0.325801031469643, 0.936877922903505, 1.08262432974908}},
		{"sgd", Momentum, 0.01, 0, 10, []float64{0.116959976842584, 0.47509680045854, 0.448699874645742}},
		{"sgd", Momentum, 0.01, 0, 100, []float64{0.306057366295952, 2.28092870691177, 2.28312049579835}},
	} {
		got := take(c.step, c.steps, c.rate, c.decay)
		for i, x := range got {
			if math.Abs(x-c.want[i]) > 1e-12 {
				t.Errorf("%s, decay %g, %d steps: %v, want %v", c.name, c.decay, c.steps, got, c.want)
				break
			}
		}
	}
}

// take returns the point after a number of steps, and evaluates the graph of one step for each.
func take(step Step, steps int, rate, decay float64) []float64 {
	g := autodiff.New()
	m := Memory{g.Input("means", 3), g.Input("powers", 3), g.Input("steps")}
	to, next := step(g.Input("at", 3), g.Input("slope", 3), m, g.Const(rate), decay)
	in := map[string][]float64{"at": {1, -2, 0.5}, "means": make([]float64, 3), "powers": make([]float64, 3),
		"steps": {0}}
	for range steps {
		x := in["at"]
		in["slope"] = []float64{-3*math.Tanh(3*x[0]-1) - x[1]/10, -4*(x[1]-x[2]) - x[0]/10,
			4*(x[1]-x[2]) - math.Pow(x[2]-2, 3)}
		out := autodiff.Eval(in, to, next.Means, next.Powers, next.Steps)
		in["at"], in["means"], in["powers"], in["steps"] = out[0], out[1], out[2], out[3]
	}
	return in["at"]
}

// TestCosine checks the ends and the middle of the schedule, and that it is half a cosine.
func TestCosine(t *testing.T) {
	g := autodiff.New()
	rate := Cosine(g.Input("full"), g.Input("k"), 12)
	for k, want := range map[float64]float64{0: 8, 3: 4 + 4*math.Sqrt2/2, 4: 6, 6: 4, 12: 0} {
		got := autodiff.Eval(map[string][]float64{"full": {8}, "k": {k}}, rate)[0][0]
		if math.Abs(got-want) > 1e-14 {
			t.Errorf("iteration %v: %v, want %v", k, got, want)
		}
	}
}
