package lower_test

import (
	"testing"

	ad "ppl/autodiff"
	"ppl/compiler/backend/ir"
)

// images returns an input [row, y, x, channel], and the same input permuted so that its axes y and x are first.
func images(g *ad.Graph, rows, height, width, channels int) (x, turned ad.Node) {
	x = g.Input("x", rows, height, width, channels)
	return x, ad.Permute(x, 1, 2, 3, 0)
}

// window returns the index along axis 0 or 1 of windows [y, x, p, q]: `by` times the window's position plus the
// position in the window.
func window(g *ad.Graph, by, axis int, shape ...int) ad.Node {
	values := make([]float64, 0, 64)
	for y := range shape[0] {
		for x := range shape[1] {
			for p := range shape[2] {
				for q := range shape[3] {
					at := [][2]int{{y, p}, {x, q}}[axis]
					values = append(values, float64(by*at[0]+at[1]))
				}
			}
		}
	}
	return g.Data("index", values, shape...)
}

// TestInside compares gathers and scatters along axes in the middle of an array with Eval, in both layouts: windows of
// a convolution with steps 1 and 2, and unordered indices, some of them outside the array.
func TestInside(t *testing.T) {
	g := ad.New()
	_, x := images(g, 3, 5, 6, 2)
	one := []ad.Node{window(g, 1, 0, 4, 5, 2, 2), window(g, 1, 1, 4, 5, 2, 2)}
	two := []ad.Node{window(g, 2, 0, 2, 3, 2, 2), window(g, 2, 1, 2, 3, 2, 2)}
	any := []ad.Node{g.Data("any", []float64{4, 0, 0, 9, -3, 2}, 2, 3),
		g.Data("other", []float64{5, 5, 1, 0, 2, 7}, 2, 3)}
	var out []ad.Node
	for k, index := range [][]ad.Node{one, two, any} {
		windows := ad.Gather(x, index...)
		back := ad.Permute(windows, append([]int{windows.Rank() - 1}, counting(windows.Rank()-1)...)...)
		y := g.Input(string(rune('a'+k)), back.Shape()...)
		turned := ad.Permute(y, append(shifted(back.Rank()-1), 0)...)
		added := ad.ScatterAdd([]int{5, 6, 2, 3}, turned, index...)
		out = append(out, back, ad.Permute(added, 3, 0, 1, 2), ad.Sum(added, 0, 3), ad.Sum(ad.Tanh(windows), 0, 1))
	}
	check(t, source(1), out...)
}

// counting returns 0, 1, …, n − 1.
func counting(n int) []int {
	out := make([]int, n)
	for k := range out {
		out[k] = k
	}
	return out
}

// shifted returns 1, 2, …, n.
func shifted(n int) []int {
	out := make([]int, n)
	for k := range out {
		out[k] = k + 1
	}
	return out
}

// TestWindowsNeedNoIndex checks that in layout Apart windows are read and written in the order of memory, without an
// index in memory, and that unordered indices remain data.
func TestWindowsNeedNoIndex(t *testing.T) {
	g := ad.New()
	_, x := images(g, 3, 5, 6, 2)
	of := func(index ...ad.Node) *ir.Program {
		windows := ad.Permute(ad.Gather(x, index...), 5, 0, 1, 2, 3, 4)
		return checkIn(t, ir.Apart, source(2), windows)
	}
	p := of(window(g, 1, 0, 4, 5, 2, 2), window(g, 1, 1, 4, 5, 2, 2))
	for _, b := range p.Buffers {
		if b.Space == ir.Shared {
			t.Errorf("an index is kept:\n%v", p)
		}
	}
	k := p.Entries[0].Body[0].(*ir.Kernel)
	for _, in := range k.Body {
		if n := len(in.Index.Stride); in.Op == ir.Load && (n == 0 || in.Index.Stride[n-1] != 1) {
			t.Errorf("the innermost loop does not run along memory:\n%v", p)
		}
	}
	scattered := make([]float64, 4*5*2*2) // planted fault: an index with unequal steps
	scattered[7] = 3
	shared := 0
	for _, b := range of(g.Data("uneven", scattered, 4, 5, 2, 2), window(g, 1, 1, 4, 5, 2, 2)).Buffers {
		if b.Space == ir.Shared {
			shared++
		}
	}
	if shared != 1 {
		t.Errorf("%d indices are kept, want the uneven one", shared)
	}
}
