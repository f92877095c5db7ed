package ir

import (
	"strings"
	"testing"

	"ppl/numbers"
)

// tiled returns a program with Tiles over 7 rows of 2 elements, 3 rows per tile; each test below breaks one rule in it.
func tiled() *Program {
	p := &Program{Buffers: []Buffer{
		{Name: "data", Space: Shared, Size: 14, Init: numbers.Of(make([]float64, 14)...)},
		{Name: "x", Space: Lane, Size: 2},
		{Name: "fit", Space: Lane, Size: 7},
		{Name: "total", Space: Lane, Size: 2},
		{Name: "eta", Space: Tile, Size: 3},
		{Name: "left", Space: Tile, Size: 2},
	}}
	var b Body
	row := b.Counter(0)
	b[row].Index.Step = 3
	v := b.Do(Add, row, b.Load(4, Dense(3)))
	p.Entries = []Entry{{Name: "run", Body: []Stmt{&Tiles{Rows: 7, Size: 3, Body: []Stmt{
		&MatMul{A: 0, B: 1, C: 4, Batch: 1, M: 3, K: 2, N: 1, PartA: Part{Step: 6}, Rows: DimM},
		&Kernel{Extents: []int{3}, Body: b, Out: []Output{{Buf: 2, Index: Index{Step: 3, Stride: []int{1}}, Value: v}}},
		&MatMul{A: 0, B: 4, C: 5, Batch: 1, M: 2, K: 3, N: 1, TransA: true, PartA: Part{Step: 6}, Rows: DimK},
	}, Out: []TileOut{{From: 5, To: 3, Combine: Sum}}}}}}
	return p
}

func TestVerifyAcceptsTiles(t *testing.T) {
	if err := Verify(tiled()); err != nil {
		t.Fatal(err)
	}
}

func TestVerifyRefusesTiles(t *testing.T) {
	tiles := func(p *Program) *Tiles { return p.Entries[0].Body[0].(*Tiles) }
	kernel := func(p *Program) *Kernel { return tiles(p).Body[1].(*Kernel) }
	product := func(p *Program) *MatMul { return tiles(p).Body[0].(*MatMul) }
	for name, c := range map[string]struct {
		want   string
		damage func(p *Program)
	}{
		"no rows":        {"0 rows cannot be divided", func(p *Program) { tiles(p).Rows = 0 }},
		"tiles in setup": {"in setup", func(p *Program) { p.Setup = p.Entries[0].Body }},
		"tiles in a loop": {"in setup, a loop", func(p *Program) {
			p.Entries[0].Body = []Stmt{&Loop{N: 1, Body: p.Entries[0].Body}}
		}},
		"other extents":           {"do not begin with 3 rows", func(p *Program) { kernel(p).Extents[0] = 2 }},
		"a product of other rows": {"does not run over the 3 rows", func(p *Program) { product(p).Rows = DimK }},
		"another statement": {"of type *ir.CumSum", func(p *Program) {
			tiles(p).Body = append(tiles(p).Body, &CumSum{})
		}},
		"more rows than data":     {"elements", func(p *Program) { tiles(p).Rows = 8 }},
		"a tile buffer unwritten": {"before it is written", func(p *Program) { tiles(p).Body = tiles(p).Body[1:] }},
		"a tile buffer outside": {"outside tiles", func(p *Program) {
			p.Entries[0].Body = append(p.Entries[0].Body, &CumSum{In: 4, Out: 3, Outer: 1, N: 3, Inner: 1})
		}},
		"turns that meet": {"two iterations use the same elements of b2", func(p *Program) {
			kernel(p).Out[0].Index.Step = 2
		}},
		"turns that read others'": {"two iterations use the same elements of b2", func(p *Program) {
			kernel(p).Body[1].Buf = 2
		}},
		"rows combined in place": {"two iterations use the same elements of b2", func(p *Program) {
			kernel(p).Out[0].Combine = Sum
		}},
		"what is left is no tile's": {"sum from lane buffer", func(p *Program) { tiles(p).Out[0].From = 1 }},
		"left to another size":      {"sum from tile buffer", func(p *Program) { tiles(p).Out[0].To = 2 }},
		"a part beyond its buffer": {"but the statement uses elements", func(p *Program) {
			p.Entries[0].Body = []Stmt{&MatMul{A: 0, B: 1, C: 3, Batch: 1, M: 2, K: 2, N: 1,
				PartA: Part{First: 1 << 20}}}
		}},
		"a part that moves outside loops": {"not in a loop or tiles", func(p *Program) {
			p.Entries[0].Body = []Stmt{&MatMul{A: 0, B: 1, C: 3, Batch: 1, M: 2, K: 2, N: 1, PartA: Part{Step: 1}}}
		}},
	} {
		t.Run(name, func(t *testing.T) {
			p := tiled()
			c.damage(p)
			if err := Verify(p); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want an error with %q", err, c.want)
			}
		})
	}
}
