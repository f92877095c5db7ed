package evaluate_test

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"ppl/compiler/compilertest"
	"ppl/compiler/data"
	"ppl/numbers"
)

// A torchLayer is a layer as PyTorch computes it: testdata/layers.py says what its numbers are.
type torchLayer struct {
	Name, Body string
	X          any
	Outputs    int
	LogLik     float64
	Weights    map[string]struct {
		Shape            []int
		Values, Gradient []float64
	}
}

// text is the layer in a model whose data have their sizes from the numbers.
func (l torchLayer) text() string {
	x := listed(l.X)
	axes := []string{"H", "W", "C"}[:strings.Count(x, "[")-strings.Count(strings.TrimLeft(x, "["), "[")-1]
	shape := strings.Join(axes, ", ")
	const block = "Block(h[H, W, C]) ~ {\n    a = h -> conv(C, 3)\n    return relu(h + a)\n}\n"
	return block + fmt.Sprintf("data x[N, %s] = %s, y[N] = [1, 1, 1]\nf(x[%s]) = %s\nv[i in N] = flatten(f(x[i]))\n"+
		"y[i in N] ~ Normal(sum(k in 1..%d: v[i, k] * sin(k)), 1)\n", shape, x, shape, l.Body, l.Outputs)
}

// Layers agree with PyTorch's: log ℓ and its gradient in every weight; and minibatches with all rows.
func TestLayersAgreeWithPyTorch(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("testdata/layers.json")
	if err != nil {
		t.Fatal(err)
	}
	var layers []torchLayer
	if err := json.Unmarshal(text, &layers); err != nil {
		t.Fatal(err)
	}
	for _, l := range layers {
		t.Run(l.Name, func(t *testing.T) {
			t.Parallel()
			p := compilertest.Load(t, l.text())
			at := map[string]*data.Array{}
			for name, w := range l.Weights {
				at["f."+name] = &data.Array{Shape: w.Shape, Values: numbers.Of(w.Values...)}
			}
			got, err := p.LogProb(at)
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
