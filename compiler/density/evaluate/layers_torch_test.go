package evaluate_test

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"ppl/compiler/compilertest"
)

// TestLayersAgreeWithPyTorch compares layers with PyTorch: log ℓ and its gradient with respect to every weight, and
// minibatches with the complete density.
func TestLayersAgreeWithPyTorch(t *testing.T) {
	t.Parallel()
	for _, l := range compilertest.TorchLayers(t) {
		t.Run(l.Name, func(t *testing.T) {
			t.Parallel()
			p := compilertest.Load(t, l.Model())
			got, err := p.LogProb(l.At())
			if err != nil {
				t.Fatal(err)
			}
			if !compilertest.Near(got.Likelihood, l.LogLik, 1e-10) {
				t.Errorf("log ℓ is %v, PyTorch's is %v", got.Likelihood, l.LogLik)
			}
			for name, w := range l.Weights {
				mean := 0.0
				if strings.HasSuffix(name, "norm1.w") {
					mean = 1
				}
				for k, v := range w.Values {
					g := got.Gradient["f."+name][k] - (mean - v) // without the prior's
					if !(math.Abs(g-w.Gradient[k]) <= 1e-9*(1+math.Abs(l.LogLik))) {
						t.Errorf("∂/∂%s[%d] is %v, PyTorch's is %v", name, k, g, w.Gradient[k])
					}
				}
			}
			if err := compilertest.SplitAgrees(p, rand.New(rand.NewPCG(1, 2))); err != nil {
				t.Error(err)
			}
		})
	}
}
