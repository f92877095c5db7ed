package lower

import (
	"testing"

	"ppl/autodiff"
	"ppl/compiler/backend/ir"
	"ppl/runtime/device"
	"ppl/runtime/device/devicetest"
	"ppl/runtime/host"
)

// perceptron returns the squared error of a layer of `units` tanh and its gradient, for rows that each lane draws or,
// if shared is set, for all rows, which all lanes share.
func perceptron(rows, inputs, units int, shared bool) []Entry {
	g := autodiff.New()
	data := make([]float64, 3*rows*inputs)
	for i := range data {
		data[i] = float64(i%17)/8 - 1
	}
	x := g.Data("x", data[:rows*inputs], rows, inputs)
	if !shared {
		at := g.Shuffle(3*rows, g.Input("lane"), g.Iota(rows))
		x = autodiff.Gather(g.Data("x", data, 3*rows, inputs), at)
	}
	w := g.Input("w", inputs, units)
	y := autodiff.Tanh(autodiff.MatMul(x, w, false, false))
	loss := autodiff.SumAll(autodiff.Mul(y, y))
	return []Entry{{Name: "run", Assign: []Assign{{Name: "loss", Value: loss},
		{Name: "grad", Value: autodiff.Grad(loss, w)[0]}}}}
}

// TestLayout checks that a program gets layout Apart if large products of matrices that differ by lane are most of its
// work.
func TestLayout(t *testing.T) {
	for _, c := range []struct {
		name string
		of   []Entry
		want ir.Layout
	}{
		{"large", perceptron(64, 80, 32, false), ir.Apart},
		{"small", perceptron(16, 8, 4, false), ir.Interleaved},
		{"shared data", perceptron(64, 80, 32, true), ir.Interleaved},
	} {
		p, err := Program(c.of)
		if err != nil {
			t.Fatal(err)
		}
		if p.Layout != c.want {
			t.Errorf("%s: lanes are %v", c.name, p.Layout)
		}
		for _, l := range []ir.Layout{ir.Interleaved, ir.Apart} {
			devicetest.Agree(t, devicetest.InLayout(host.Device{}, l), devicetest.Reference{}, p,
				device.Options{Lanes: 3, Threads: 2}, 1e-12)
		}
	}
}
