package lower_test

import (
	"fmt"
	"math"
	"testing"

	ad "ppl/autodiff"
	"ppl/compiler/backend/ir"
	"ppl/compiler/backend/lower"
)

// inSingle returns a density in single precision.
func inSingle(d density) density {
	logp := d.logp
	d.logp = func(g *ad.Graph, theta ad.Node) ad.Node { return ad.Double(logp(g, ad.Single(theta))) }
	return d
}

// TestSingle compares densities and gradients in single precision with double precision, to a few rounding errors of
// the largest element.
func TestSingle(t *testing.T) {
	for k, d := range append(append(densities(), tiledDensities()...), density{"garch", 5, garchDensity(40)},
		density{"hidden states", 6, hmmDensity(40)}) {
		t.Run(d.name, func(t *testing.T) {
			at := normals(source(uint64(k)), d.dim)
			want, got := valueAndSlope(t, d, at), valueAndSlope(t, inSingle(d), at)
			scale := 1.0
			for _, w := range want {
				scale = max(scale, math.Abs(w))
			}
			same := true
			for i := range want {
				if !(math.Abs(got[i]-want[i]) <= 1e-5*scale) {
					t.Fatalf("number %d: %v, in double precision %v", i, got[i], want[i])
				}
				same = same && math.Abs(got[i]-want[i]) <= 1e-12*scale
			}
			if same {
				t.Error("nothing is in single precision")
			}
		})
	}
}

// valueAndSlope returns the log density and its gradient, computed on the host.
func valueAndSlope(t *testing.T, d density, at []float64) []float64 {
	g := ad.New()
	theta := g.Input("theta", d.dim)
	lp := d.logp(g, theta)
	p := program(t,
		lower.Entry{Name: "f", Assign: []lower.Assign{{Name: "value", Value: lp},
			{Name: "slope", Value: ad.Grad(lp, theta)[0]}}})
	x := load(t, p, 1)
	x.SetLane("theta", 0, at)
	run(t, x, "f")
	out := make([]float64, 1+d.dim)
	x.GetLane("value", 0, out[:1])
	x.GetLane("slope", 0, out[1:])
	return out
}

// TestSingleProgram checks that computations over many rows are in single precision, except sums over all rows.
func TestSingleProgram(t *testing.T) {
	g := ad.New()
	theta := g.Input("theta", 44)
	lp := inSingle(density{logp: twoLayers(5_003, 10, 4)}).logp(g, theta)
	p := program(t,
		lower.Entry{Name: "f", Assign: []lower.Assign{{Name: "value", Value: lp},
			{Name: "slope", Value: ad.Grad(lp, theta)[0]}}})
	for _, s := range p.Entries[0].Body {
		tiles, ok := s.(*ir.Tiles)
		if !ok {
			continue
		}
		left := map[ir.BufID]bool{}
		for _, o := range tiles.Out {
			left[o.From] = true
		}
		for _, id := range append(ir.Reads(tiles), ir.Writes(tiles)...) {
			if b := p.Buffers[id]; b.Type != ir.F32 && b.Size > 1 && b.Space != ir.Lane && !left[id] {
				t.Errorf("b%d is %v\n%v", id, b.Type, p)
			}
		}
		return
	}
	t.Errorf("no tiles\n%v", p)
}

// TestSingleIndex checks that indices beyond 2²⁴ are exact, both data and computed positions.
func TestSingleIndex(t *testing.T) {
	const n = 1<<24 + 9
	values := make([]float64, n)
	for i := range values {
		values[i] = float64(i % 1024)
	}
	g := ad.New()
	x := ad.Single(g.Input("x"))
	at := []float64{1<<24 + 1, 1<<24 + 3, 5}
	y := ad.Mul(ad.Gather(g.Data("table", values, n), ad.Add(g.Data("at", at, 3), g.Input("shift", 3))), x)
	p := program(t, lower.Entry{Name: "f", Assign: []lower.Assign{{Name: "y", Value: ad.Double(y)}}})
	e := load(t, p, 1)
	e.SetLane("x", 0, []float64{2})
	e.SetLane("shift", 0, []float64{2, 4, 0})
	run(t, e, "f")
	got := make([]float64, 3)
	e.GetLane("y", 0, got)
	if want := "[6 14 10]"; fmt.Sprint(got) != want {
		t.Errorf("%v, want %v\n%v", got, want, p)
	}
	for _, b := range p.Buffers {
		if b.Name == "at" && b.Type != ir.F64 {
			t.Error("an index in single precision")
		}
	}
}
