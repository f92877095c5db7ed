package optimize

import (
	"math"
	"testing"

	"ppl/autodiff"
)

// TestFirstStepOfMomentum checks that the first step of sgd for a network is at most a tenth of the standard deviation
// of weights of 784 inputs (He et al. 2015), since momentum makes later steps ten times as long. With steps of .1, a
// perceptron on Fashion-MNIST had an accuracy of 18 % instead of 87 %.
func TestFirstStepOfMomentum(t *testing.T) {
	first := func(network bool) float64 {
		slope := autodiff.New().Data("slope", []float64{1e5, -3e5, 10}, 3)
		return autodiff.Eval(nil, rateOfMomentum(slope, network))[0][0] * 3e5
	}
	if step := first(true); step > math.Sqrt(2./784)/10 {
		t.Errorf("the first step moves a weight by %.3g", step)
	}
	if step := first(false); math.Abs(step-.1) > 1e-12 {
		t.Errorf("for a target that is not a network, the first step moves a coordinate by %.3g, want .1", step)
	}
}
