package autodiff_test

import (
	"fmt"
	"testing"

	. "ppl/autodiff"
)

// gates returns an LSTM layer with b rows and h units. Its carry concatenates gates, cells and outputs.
func gates(b, h int) recurrence {
	part := func(x Node, from, n int) Node { return Slice(x, []int{0, from}, []int{b, from + n}) }
	return recurrence{"lstm", []int{b, 6 * h}, [][]int{{b, 4 * h}}, [][]int{{4 * h, h}, {4 * h}}, -1, 1,
		func(c Node, x, s []Node) Node {
			bias := Broadcast(s[1], []int{b, 4 * h}, []int{1})
			g := Add(Add(x[0], MatMul(part(c, 5*h, h), s[0], false, true)), bias)
			in, forget, out := Sigmoid(part(g, 0, h)), Sigmoid(part(g, h, h)), Sigmoid(part(g, 3*h, h))
			cell := Add(Mul(forget, part(c, 4*h, h)), Mul(in, Tanh(part(g, 2*h, h))))
			return Concat(1, g, cell, Mul(out, Tanh(cell)))
		}}
}

// TestScanWithLargeProducts compares the values, gradients and second derivatives of scans with large products with
// those of their steps written out. One carry is not a concatenation, and one is the product itself.
func TestScanWithLargeProducts(t *testing.T) {
	plain := recurrence{"tanh", []int{32, 64}, [][]int{{32, 64}}, [][]int{{64, 64}}, -.5, .5,
		func(c Node, x, s []Node) Node { return Tanh(Add(x[0], MatMul(c, s[0], false, true))) }}
	bare := recurrence{"product", []int{32, 64}, [][]int{{32, 64}}, [][]int{{64, 64}}, -.2, .2,
		func(c Node, x, s []Node) Node { return Add(MatMul(c, s[0], false, false), Mul(x[0], c)) }}
	for _, r := range []recurrence{gates(16, 32), plain, bare} {
		for _, reverse := range []bool{false, true} {
			scan, unrolled, args, values := r.instance(3, reverse)
			got, want := derivatives(scan, args), derivatives(unrolled, args)
			g, w := Eval(values, got...), Eval(values, want...)
			for k := range g {
				if !near(g[k], w[k], 1e-10) {
					t.Errorf("%s, value %d differs", fmt.Sprintf("%s, reverse %v", r.name, reverse), k)
				}
			}
		}
	}
}
