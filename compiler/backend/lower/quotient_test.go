package lower_test

import (
	"math"
	"testing"

	ad "ppl/autodiff"
	"ppl/compiler/backend/ir"
)

// TestQuotients checks that a repeated divisor is inverted once, and that quotients that are rounded to integers are
// exact.
func TestQuotients(t *testing.T) {
	g := ad.New()
	x, s, z := g.Input("x", 6), g.Input("s"), g.Input("z", 6)
	d := g.Data("d", []float64{3, 7, 0.1, 49, -2, 0}, 6)
	whole := ad.Mul(g.Const(49), ad.Round(ad.Mul(g.Const(100), x)))
	for _, c := range []struct {
		name      string
		node      ad.Node
		divisions int
	}{
		{"by data", ad.Div(x, d), 0},
		{"by a constant", ad.Div(x, g.Const(3)), 0},
		{"by a scalar", ad.Div(x, ad.Broadcast(ad.Exp(s), []int{6}, nil)), 1},
		{"once", ad.Div(x, z), 1},
		{"twice", ad.Add(ad.Div(x, z), ad.Div(ad.Exp(x), z)), 1},
		{"exact", ad.Floor(ad.Div(whole, g.Const(49))), 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := check(t, source(1), c.node)
			if n := divisions(p); n != c.divisions {
				t.Errorf("%d divisions, want %d:\n%v", n, c.divisions, p)
			}
		})
	}
}

func divisions(p *ir.Program) (n int) {
	for _, s := range p.Entries[0].Body {
		if k, ok := s.(*ir.Kernel); ok {
			for _, in := range k.Body {
				if in.Op == ir.Div {
					n++
				}
			}
		}
	}
	return n
}

// TestShare checks that the gradient of a LogSumExp reuses the exponentials of the sum, and that rows with infinite
// elements have the gradient of the graph.
func TestShare(t *testing.T) {
	g := ad.New()
	x := g.Input("x", 3, 8)
	lowest := math.Inf(-1)
	inf := g.Data("level", []float64{0, 1, 2, 3, 4, 5, 6, 7, 0, lowest, 0, lowest, 0, lowest, 0, lowest, lowest, lowest,
		lowest, lowest, lowest, lowest, lowest, lowest}, 3, 8)
	lse := ad.LogSumExp(ad.Add(x, inf), 1)
	p := check(t, source(1), lse, ad.Grad(ad.SumAll(ad.MulZero(ad.IsFinite(lse), lse)), x)[0])
	exps := 0
	for _, s := range p.Entries[0].Body {
		if k, ok := s.(*ir.Kernel); ok {
			for _, in := range k.Body {
				if in.Op == ir.Exp {
					exps++
				}
			}
		}
	}
	if exps != 1 {
		t.Errorf("%d exponentials for the sum and its gradient:\n%v", exps, p)
	}
}
