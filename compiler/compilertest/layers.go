package compilertest

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"ppl/compiler/datasets/datafile/content"
	"ppl/numbers"
)

// A TorchLayer is a layer evaluated by PyTorch in double precision; testdata/layers.py explains the fields.
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

// TorchLayers returns at least one example of each layer that the language has.
func TorchLayers(t testing.TB) (all []TorchLayer) {
	t.Helper()
	if err := json.Unmarshal(torchLayers, &all); err != nil {
		t.Fatal(err)
	}
	return all
}

// Model returns a model with the layer; the axes of its data get their sizes from the values.
func (l TorchLayer) Model() string {
	x := Listed(l.X)
	axes := []string{"H", "W", "C"}[:strings.Count(x, "[")-strings.Count(strings.TrimLeft(x, "["), "[")-1]
	shape := strings.Join(axes, ", ")
	const block = "Block(h[H, W, C]) ~ {\n    a = h -> conv(C, 3)\n    return relu(h + a)\n}\n"
	return block + fmt.Sprintf("data x[N, %s] = %s, y[N] = [1, 1, 1]\nf(x[%s]) = %s\nv[i in N] = flatten(f(x[i]))\n"+
		"y[i in N] ~ Normal(sum(k in 1..%d: v[i, k] * sin(k)), 1)\n", shape, x, shape, l.Body, l.Outputs)
}

// At returns the weights of the layer, by their names in the model.
func (l TorchLayer) At() map[string]*content.Array {
	at := map[string]*content.Array{}
	for name, w := range l.Weights {
		at["f."+name] = &content.Array{Shape: w.Shape, Values: numbers.Of(w.Values...)}
	}
	return at
}

// Listed writes an array in the syntax of models.
func Listed(x any) string { return strings.ReplaceAll(fmt.Sprint(x), " ", ", ") }
