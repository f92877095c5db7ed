package lower_test

import (
	"testing"

	ad "ppl/autodiff"
	"ppl/compiler/backend/ir"
	"ppl/compiler/backend/lower"
)

// recurrent returns the sum of the last outputs of a layer with long short-term memory, and its gradient, for b rows
// and h units. Units are the first axis, as in the equations of a model.
func recurrent(steps, b, h int) []ad.Node {
	g := ad.New()
	x, wx, wh := g.Input("x", steps, b, 8), g.Input("wx", 4*h, 8), g.Input("wh", 4*h, h)
	bias := g.Input("bias", 4*h)
	part := func(x ad.Node, from, n int) ad.Node { // n×b: units are numbered from 1
		at := g.Iota(n)
		if x.Graph() != g {
			at = x.Graph().Iota(n)
		}
		return ad.Gather(ad.Permute(x, 1, 0), ad.Add(at, at.Graph().Const(float64(from))))
	}
	carry := g.Full(0.1, b, 6*h)
	rows := ad.Scan(carry, []ad.Node{x}, []ad.Node{wx, wh, bias}, false, func(c ad.Node, x, s []ad.Node) ad.Node {
		last := ad.Permute(part(c, 5*h, h), 1, 0)
		gates := ad.Add(ad.MatMul(s[0], x[0], false, true), ad.MatMul(s[1], last, false, true))
		gates = ad.Permute(ad.Add(gates, ad.Broadcast(s[2], []int{4 * h, b}, []int{0})), 1, 0)
		in, forget, out := ad.Sigmoid(part(gates, 0, h)), ad.Sigmoid(part(gates, h, h)), ad.Sigmoid(part(gates, 3*h, h))
		cell := ad.Add(ad.Mul(forget, part(c, 4*h, h)), ad.Mul(in, ad.Tanh(part(gates, 2*h, h))))
		return ad.Concat(1, gates, ad.Permute(cell, 1, 0), ad.Permute(ad.Mul(out, ad.Tanh(cell)), 1, 0))
	})
	end := ad.Slice(rows, []int{steps, 0, 5 * h}, []int{steps + 1, b, 6 * h})
	loss := ad.SumAll(ad.Mul(end, end))
	return append([]ad.Node{loss}, ad.Grad(loss, wx, wh, bias, x)...)
}

// TestRecurrentNetwork checks values and gradients of a recurrence with large products in both layouts of lanes.
func TestRecurrentNetwork(t *testing.T) {
	nodes := recurrent(3, 16, 32)
	check(t, source(1), nodes...)
	e := lower.Entry{Name: "f"}
	for k, n := range nodes {
		e.Assign = append(e.Assign, lower.Assign{Name: outName(k), Value: n})
	}
	if p := program(t, e); p.Layout != ir.Apart {
		t.Errorf("lanes are %v", p.Layout)
	}
}
