package compilertest

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"ppl/compiler/datasets/datafile"
	"ppl/numbers"
)

// A TorchLayer is a layer as PyTorch computes it in double precision: testdata/layers.py says what its numbers are.
type TorchLayer struct {
	Name, Body string
	X          any
	Outputs    int
	LogLik     float64
	Weights    map[string]struct {
		Shape            []int
		Values, Gradient []float64
	}
}

//go:embed testdata/layers.json
var torchLayers []byte

// TorchLayers returns one or more of each layer that the language has.
func TorchLayers(t testing.TB) (all []TorchLayer) {
	t.Helper()
	if err := json.Unmarshal(torchLayers, &all); err != nil {
		t.Fatal(err)
	}
	return all
}

// Model returns the layer in a model whose data have their sizes from the numbers.
func (l TorchLayer) Model() string {
	x := Listed(l.X)
	axes := []string{"H", "W", "C"}[:strings.Count(x, "[")-strings.Count(strings.TrimLeft(x, "["), "[")-1]
	shape := strings.Join(axes, ", ")
	const block = "Block(h[H, W, C]) ~ {\n    a = h -> conv(C, 3)\n    return relu(h + a)\n}\n"
	return block + fmt.Sprintf("data x[N, %s] = %s, y[N] = [1, 1, 1]\nf(x[%s]) = %s\nv[i in N] = flatten(f(x[i]))\n"+
		"y[i in N] ~ Normal(sum(k in 1..%d: v[i, k] * sin(k)), 1)\n", shape, x, shape, l.Body, l.Outputs)
}

// At returns the weights of the layer by the names that they have in its model.
func (l TorchLayer) At() map[string]*datafile.Array {
	at := map[string]*datafile.Array{}
	for name, w := range l.Weights {
		at["f."+name] = &datafile.Array{Shape: w.Shape, Values: numbers.Of(w.Values...)}
	}
	return at
}

// Listed returns an array as a model has it.
func Listed(x any) string { return strings.ReplaceAll(fmt.Sprint(x), " ", ", ") }
