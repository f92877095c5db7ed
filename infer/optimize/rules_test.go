package optimize

import (
	"fmt"
	"math"
	"testing"
)

// TestStepsAgreeWithPyTorch compares steps of first-order methods with those of PyTorch 2.15 in double precision, on
//
//	log cosh(3 x₀ − 1) + 2 (x₁ − x₂)² + (x₂ − 2)⁴/4 + x₀ x₁/10
//
// from (1, −2, 0.5): torch.optim.AdamW and Adam with lr .05, SGD with lr .01 and momentum .9.
func TestStepsAgreeWithPyTorch(t *testing.T) {
	for _, c := range []struct {
		method      string
		rate, decay float64
		steps       int
		want        []float64
	}{
		{"adamw", 0.05, 0.01, 1, []float64{0.94950000018573, -1.94900000005051, 0.449750000075472}},
		{"adamw", 0.05, 0.01, 10, []float64{0.503688991197761, -1.50001392736516, 0.0570579689688546}},
		{"adamw", 0.05, 0.01, 100, []float64{0.325524020877308, 0.931209475684638, 1.07795581067979}},
		{"adamw", 0.05, 0.5, 1, []float64{0.92500000018573, -1.90000000005051, 0.437500000075472}},
		{"adamw", 0.05, 0.5, 10, []float64{0.349254207475101, -1.12032267477448, 0.0473947815067714}},
		{"adamw", 0.05, 0.5, 100, []float64{0.314006098995393, 0.579897175821275, 0.811021664510703}},
		{"adam", 0.05, 0, 10, []float64{0.50738769895668, -1.50874703854925, 0.0575698216653178}},
		{"adam", 0.05, 0, 100, []float64{0.325801031469643, 0.936877922903505, 1.08262432974908}},
		{"sgd", 0.01, 0, 10, []float64{0.116959976842584, 0.47509680045854, 0.448699874645742}},
		{"sgd", 0.01, 0, 100, []float64{0.306057366295952, 2.28092870691177, 2.28312049579835}},
	} {
		x, memory := []float64{1, -2, 0.5}, NewAdam(3)
		for range c.steps {
			g := []float64{-3*math.Tanh(3*x[0]-1) - x[1]/10, -4*(x[1]-x[2]) - x[0]/10,
				4*(x[1]-x[2]) - math.Pow(x[2]-2, 3)}
			methodNamed(c.method).step(memory, x, g, c.rate, c.decay)
		}
		near(t, fmt.Sprintf("%s, decay %g, %d steps", c.method, c.decay, c.steps), x, c.want, 1e-12)
	}
}

// TestFirstStepOfMomentum checks that the first step of sgd for a network is at most a tenth of the standard deviation
// of weights of 784 inputs (He et al. 2015), since momentum makes later steps ten times as long. With steps of .1, a
// perceptron on Fashion-MNIST had an accuracy of 18 % instead of 87 %.
func TestFirstStepOfMomentum(t *testing.T) {
	slope := []float64{1e5, -3e5, 10}
	if step := rateOfMomentum(slope, true) * 3e5; step > math.Sqrt(2./784)/10 {
		t.Errorf("the first step moves a weight by %.3g", step)
	}
	if step := rateOfMomentum(slope, false) * 3e5; math.Abs(step-.1) > 1e-12 {
		t.Errorf("for a target that is not a network, the first step moves a coordinate by %.3g, want .1", step)
	}
}
