package lower_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	ad "ppl/autodiff"
	"ppl/compiler/backend/ir"
	"ppl/compiler/backend/lower"
)

// A recurrence builds a Scan of n steps with separate inputs.
type recurrence struct {
	name string
	rows func(g *ad.Graph, n int, reverse bool) ad.Node
}

func recurrences() []recurrence {
	wave := func(g *ad.Graph, shape ...int) ad.Node {
		return g.Data("wave", series(sizeOf(shape), func(i float64) float64 { return float64(int(i*i*7)%11)/11 - .4 }),
			shape...)
	}
	column := func(x ad.Node) ad.Node { return ad.Reshape(x, x.Size(), 1) }
	nodes := func(n ...ad.Node) []ad.Node { return n }
	return []recurrence{
		{"walk on data", func(g *ad.Graph, n int, reverse bool) ad.Node {
			return ad.Scan(g.Const(.3), nodes(wave(g, n)), nodes(g.Input("phi")), reverse,
				func(c ad.Node, x, s []ad.Node) ad.Node {
					return ad.Add(ad.Mul(c, s[0]), x[0])
				})
		}},
		{"static", func(g *ad.Graph, n int, reverse bool) ad.Node {
			rows := ad.Scan(g.Const(.3), nodes(wave(g, n)), nil, reverse, func(c ad.Node, x, _ []ad.Node) ad.Node {
				return ad.Sin(ad.Add(c, x[0]))
			})
			return ad.Mul(rows, g.Input("scale"))
		}},
		{"volatility", func(g *ad.Graph, n int, reverse bool) ad.Node {
			z := g.Input("z", n)
			return ad.Scan(ad.Mul(g.Input("s"), g.Const(2)), nodes(z),
				nodes(g.Input("mu"), g.Input("phi"), g.Input("s")), reverse,
				func(h ad.Node, z, s []ad.Node) ad.Node {
					return ad.Add(s[0], ad.Add(ad.Mul(s[1], ad.Sub(h, s[0])), ad.Mul(s[2], z[0])))
				})
		}},
		{"garch", garch},
		{"hidden states", hidden(2)},
		{"many hidden states", hidden(12)},
		{"network", func(g *ad.Graph, n int, reverse bool) ad.Node {
			w, u := g.Input("w", 9, 9), g.Input("u", 9, 4)
			return ad.Scan(g.Full(.1, 9), nodes(g.Input("x", n, 4)), nodes(w, u), reverse,
				func(c ad.Node, x, s []ad.Node) ad.Node {
					in := ad.Add(ad.MatMul(s[0], column(c), false, false), ad.MatMul(s[1], column(x[0]), false, false))
					return ad.Tanh(ad.Reshape(in, 9))
				})
		}},
		{"product", func(g *ad.Graph, n int, reverse bool) ad.Node { // a single statement computes the row
			return ad.Scan(g.Input("c", 3, 3), nodes(g.Input("x", n, 3, 3)), nil, reverse,
				func(c ad.Node, x, _ []ad.Node) ad.Node {
					return ad.MatMul(c, x[0], false, true)
				})
		}},
		{"filter", func(g *ad.Graph, n int, reverse bool) ad.Node {
			eye := g.Data("eye", []float64{1, 0, 0, 1}, 2, 2)
			return ad.Scan(g.Input("c", 2, 2), nodes(g.Input("x", n, 2, 2)), nodes(eye), reverse,
				func(c ad.Node, x, s []ad.Node) ad.Node {
					l := ad.Cholesky(ad.Add(ad.MatMul(c, c, true, false), s[0]))
					return ad.Add(ad.TriSolve(l, x[0], false), ad.CumSum(c, 1, false))
				})
		}},
		{"lags", func(g *ad.Graph, n int, reverse bool) ad.Node {
			return ad.Scan(g.Input("c", 3), nodes(ad.Exp(g.Input("x", n))), nodes(g.Input("phi", 3)), reverse,
				func(c ad.Node, x, s []ad.Node) ad.Node {
					next := ad.Add(ad.Sin(x[0]), ad.SumAll(ad.Mul(c, s[0])))
					return ad.Concat(0, ad.Slice(c, []int{1}, []int{3}), ad.Reshape(next, 1))
				})
		}},
		{"turned round", func(g *ad.Graph, n int, reverse bool) ad.Node {
			turn := g.Data("turn", []float64{2, 0, 1}, 3)
			return ad.Scan(g.Input("c", 3), nodes(ad.Slice(g.Input("x", n+2, 3), []int{1, 0}, []int{n + 1, 3})),
				nil, reverse,
				func(c ad.Node, x, _ []ad.Node) ad.Node {
					g := c.Graph()
					at := g.Data("turn", turn.Op().Values.Doubles(), 3)
					return ad.Add(ad.Gather(c, at), ad.ScatterAdd([]int{3}, ad.Sin(x[0]), at))
				})
		}},
		{"one after the other", func(g *ad.Graph, n int, reverse bool) ad.Node {
			step := func(c ad.Node, x, _ []ad.Node) ad.Node { return ad.Sin(ad.Add(c, x[0])) }
			first := ad.Scan(g.Input("c"), nodes(g.Input("x", n)), nil, reverse, step)
			return ad.Scan(g.Input("d"), nodes(first), nil, !reverse, step)
		}},
		{"known", func(g *ad.Graph, n int, reverse bool) ad.Node { // constants instead of arrays
			return ad.Scan(g.Input("c"), nodes(ad.Pad(g.Input("x", 1), []int{0}, []int{n - 1}), g.Full(2, n)),
				nodes(g.Const(.5)), reverse,
				func(c ad.Node, x, s []ad.Node) ad.Node {
					return ad.Add(ad.Mul(ad.Mul(c, s[0]), x[1]), ad.Sin(x[0]))
				})
		}},
		// reads one row per iteration and, in every iteration, the first row
		{"two of one array", func(g *ad.Graph, n int, reverse bool) ad.Node {
			x := g.Input("x", n, 2)
			return ad.Scan(g.Input("c", 2), nodes(x), nodes(x), reverse, func(c ad.Node, x, s []ad.Node) ad.Node {
				return ad.Sub(ad.Sin(ad.Add(c, x[0])), ad.Reshape(ad.Slice(s[0], []int{0, 0}, []int{1, 2}), 2))
			})
		}},
		{"two on one array", func(g *ad.Graph, n int, reverse bool) ad.Node {
			scan := func(f func(ad.Node) ad.Node) ad.Node {
				return ad.Scan(g.Input("c"), nodes(g.Input("x", n)), nil, reverse,
					func(c ad.Node, x, _ []ad.Node) ad.Node {
						return f(ad.Add(c, x[0]))
					})
			}
			return ad.Sub(scan(ad.Sin), scan(ad.Tanh))
		}},
		{"columns", func(g *ad.Graph, n int, reverse bool) ad.Node {
			x := ad.Slice(g.Input("x", n, 3), []int{0, 1}, []int{n, 3})
			return ad.Scan(g.Input("c", 2), nodes(x), nil, reverse, func(c ad.Node, x, _ []ad.Node) ad.Node {
				return ad.Sin(ad.Add(c, x[0]))
			})
		}},
		{"branches", func(g *ad.Graph, n int, reverse bool) ad.Node {
			return ad.Scan(ad.SumAll(g.Input("x", n)), nodes(g.Input("x", n)), nil, reverse,
				func(c ad.Node, x, _ []ad.Node) ad.Node {
					return ad.Where(ad.Lt(c, x[0]), ad.Add(c, x[0]), ad.Mul(c, ad.Sub(c, x[0])))
				})
		}},
	}
}

// garch returns the variance of returns y: Bollerslev, J. Econometrics 31 (1986), with the volatility as the carry.
func garch(g *ad.Graph, n int, reverse bool) ad.Node {
	y := g.Data("y", series(n, func(i float64) float64 { return float64(int(i*i*7)%11)/11 - .4 }), n)
	return ad.Scan(g.Input("h"), []ad.Node{y}, []ad.Node{g.Input("mu"), g.Input("a"), g.Input("b"), g.Input("c")},
		reverse,
		func(h ad.Node, y, s []ad.Node) ad.Node {
			away := ad.Sub(y[0], s[0])
			return ad.Sqrt(ad.Add(s[1], ad.Add(ad.Mul(s[2], ad.Mul(away, away)), ad.Mul(s[3], ad.Mul(h, h)))))
		})
}

// hidden returns the forward algorithm for k states in logarithms.
func hidden(k int) func(g *ad.Graph, n int, reverse bool) ad.Node {
	return func(g *ad.Graph, n int, reverse bool) ad.Node {
		return ad.Scan(g.Input("start", k), []ad.Node{g.Input("emit", n, k)}, []ad.Node{g.Input("move", k, k)}, reverse,
			func(c ad.Node, x, s []ad.Node) ad.Node {
				row := ad.LogSumExp(s[0], 1)
				move := ad.Sub(s[0], ad.Broadcast(row, []int{k, k}, []int{0}))
				return ad.Add(x[0], ad.LogSumExp(ad.Add(ad.Broadcast(c, []int{k, k}, []int{0}), move), 0))
			})
	}
}

func inputsOf(g *ad.Graph) []ad.Node {
	var xs []ad.Node
	for _, n := range g.Nodes() {
		if n.Op().Kind == ad.OpInput {
			xs = append(xs, n)
		}
	}
	return xs
}

// withGradients returns rows, the gradient of a scalar function of them, and the gradient of a scalar function of that
// gradient.
func withGradients(rows ad.Node) []ad.Node {
	g := rows.Graph()
	xs := inputsOf(g)
	first := ad.Grad(ad.SumAll(ad.Sin(rows)), xs...)
	total := g.Const(0)
	for _, d := range first {
		total = ad.Add(total, ad.SumAll(sq(d)))
	}
	return slices.Concat([]ad.Node{rows}, first, ad.Grad(total, xs...))
}

func TestScan(t *testing.T) {
	for k, r := range recurrences() {
		for _, n := range []int{1, 2, 9} {
			for _, reverse := range []bool{false, true} {
				t.Run(fmt.Sprintf("%s/%d steps, reverse %v", r.name, n, reverse), func(t *testing.T) {
					check(t, source(uint64(k)), withGradients(r.rows(ad.New(), n, reverse))...)
				})
			}
		}
	}
}

// TestScanWithItsStart checks that the concatenation of a Scan's first row and its later rows is read from the Scan's
// buffer without selections, and that the concatenation with another first row is not.
func TestScanWithItsStart(t *testing.T) {
	for _, c := range []struct {
		reverse, after, other bool // after: the first row of the Scan is the last part
		lo, selects           int
	}{
		{false, false, false, 1, 0}, {true, true, false, 0, 0},
		{false, false, true, 1, 1}, {true, true, true, 0, 1}, {false, false, false, 0, 1}, {true, true, false, 1, 1},
		{true, false, false, 1, 1}, {false, true, false, 0, 1},
	} {
		g := ad.New()
		init := g.Input("init", 2)
		rows := ad.Scan(init, []ad.Node{g.Input("x", 5, 2)}, nil, c.reverse, func(c ad.Node, x, _ []ad.Node) ad.Node {
			return ad.Sin(ad.Add(c, x[0]))
		})
		first := init
		if c.other {
			first = g.Input("other", 2)
		}
		parts := []ad.Node{ad.Reshape(first, 1, 2), ad.Slice(rows, []int{c.lo, 0}, []int{c.lo + 5, 2})}
		if c.after {
			slices.Reverse(parts)
		}
		p := check(t, source(3), ad.Cos(ad.Concat(0, parts...)))
		if n := strings.Count(p.String(), "select"); n != c.selects {
			t.Errorf("%+v: %d selections\n%v", c, n, p)
		}
	}
}

// TestScanOfNoSteps checks a Scan without steps, which has no loop.
func TestScanOfNoSteps(t *testing.T) {
	g := ad.New()
	rows := ad.Scan(g.Input("c", 2), []ad.Node{g.Input("x", 0)}, nil, false, func(c ad.Node, x, _ []ad.Node) ad.Node {
		return ad.Add(c, x[0])
	})
	check(t, source(1), withGradients(rows)...)
}

// TestScanInPlace assigns the rows of a Scan to the buffer that they start from.
func TestScanInPlace(t *testing.T) {
	g := ad.New()
	h := g.Input("h", 4)
	last := ad.Reshape(ad.Slice(h, []int{3}, []int{4}))
	rows := ad.Scan(last, []ad.Node{ad.Slice(h, []int{0}, []int{3})}, nil, false,
		func(c ad.Node, x, _ []ad.Node) ad.Node {
			return ad.Sin(ad.Add(c, x[0]))
		})
	entry := lower.Entry{Name: "step", Assign: []lower.Assign{{Name: "h", Value: rows}, {Name: "old", Value: h}}}
	checkSteps(t, entry, map[string][]float64{"h": {.1, .2, .3, .4}}, 3)
}

// TestScanInstructions checks that the loops of a GARCH gradient contain only instructions that depend on their carry;
// all other instructions run over all steps in separate kernels.
func TestScanInstructions(t *testing.T) {
	rows := garch(ad.New(), 50, false)
	p := program(t,
		lower.Entry{Name: "f",
			Assign: []lower.Assign{{Name: "d",
				Value: ad.Concat(0, flat(ad.Grad(ad.SumAll(ad.Log(rows)), inputsOf(rows.Graph())...))...)}}})
	loops := 0
	for _, s := range p.Entries[0].Body {
		if l, ok := s.(*ir.Loop); ok {
			loops++
			if k, ok := l.Body[0].(*ir.Kernel); len(l.Body) != 1 || !ok || len(k.Body) > 9 || k.Points() != 1 {
				t.Errorf("a loop of\n%v", p)
			}
		}
	}
	if loops != 2 {
		t.Errorf("%d loops, want one forwards and one back\n%v", loops, p)
	}
}

func flat(xs []ad.Node) []ad.Node {
	var out []ad.Node
	for _, x := range xs {
		out = append(out, ad.Reshape(x, x.Size()))
	}
	return out
}

// TestLongScan checks that the size of the program does not grow with the number of steps.
func TestLongScan(t *testing.T) {
	sizes := map[int]int{}
	for _, n := range []int{10_000, 100_000} {
		begin := time.Now()
		rows := garch(ad.New(), n, false)
		xs := inputsOf(rows.Graph())
		e := lower.Entry{Name: "f", Assign: []lower.Assign{{Name: "rows", Value: rows}}}
		for k, d := range ad.Grad(ad.SumAll(ad.Log(rows)), xs...) {
			e.Assign = append(e.Assign, lower.Assign{Name: outName(k), Value: d})
		}
		p := program(t, e)
		t.Logf("%d steps: %v", n, time.Since(begin))
		sizes[n] = codeSize(p.Entries[0].Body)
	}
	if sizes[10_000] != sizes[100_000] {
		t.Errorf("sizes %v", sizes)
	}
}

// codeSize counts statements and instructions.
func codeSize(body []ir.Stmt) (n int) {
	for _, s := range body {
		n++
		switch s := s.(type) {
		case *ir.Kernel:
			n += len(s.Body)
		case *ir.Tiles:
			n += codeSize(s.Body)
		case *ir.Loop:
			n += codeSize(s.Body)
		}
	}
	return n
}
