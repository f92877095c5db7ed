package render

import (
	"slices"
	"testing"

	"ppl/compiler/backend/ir"
	"ppl/numbers"
)

// logistic returns a program with a Tiles over 100 rows of `columns` elements: the product of each row with a vector,
// a function of it, the sum of the function, and the sum of rows times its value.
func logistic(columns int) (p *ir.Program, tiles *ir.Tiles) {
	p = &ir.Program{}
	data := p.Buffer(ir.Buffer{Name: "data", Space: ir.Shared, Size: 100 * columns,
		Init: numbers.Of(make([]float64, 100*columns)...)})
	coefficients := p.Buffer(ir.Buffer{Name: "coefficients", Space: ir.Lane, Size: columns})
	total := p.Buffer(ir.Buffer{Name: "total", Space: ir.Lane, Size: 1})
	gradient := p.Buffer(ir.Buffer{Name: "gradient", Space: ir.Lane, Size: columns})
	product, value := p.Buffer(ir.Buffer{Space: ir.Tile, Size: 10}), p.Buffer(ir.Buffer{Space: ir.Tile, Size: 10})
	sum, sums := p.Buffer(ir.Buffer{Space: ir.Tile, Size: 1}), p.Buffer(ir.Buffer{Space: ir.Tile, Size: columns})
	var b ir.Body
	v := b.Do(ir.Sigmoid, b.Load(product, ir.Dense(10)))
	rows := ir.Part{Step: 10 * columns}
	tiles = &ir.Tiles{Rows: 100, Size: 10, Body: []ir.Stmt{
		&ir.MatMul{A: data, B: coefficients, C: product, Batch: 1, M: 10, K: columns, N: 1, PartA: rows, Rows: ir.DimM},
		&ir.Kernel{Extents: []int{10}, Body: b, Out: []ir.Output{{Buf: sum, Value: v, Combine: ir.Sum},
			{Buf: value, Index: ir.Dense(10), Value: v}}},
		&ir.MatMul{A: data, B: value, C: sums, Batch: 1, M: columns, K: 10, N: 1, TransA: true, PartA: rows,
			Rows: ir.DimK}},
		Out: []ir.TileOut{{From: sum, To: total, Combine: ir.Sum}, {From: sums, To: gradient, Combine: ir.Sum}}}
	p.Entries = []ir.Entry{{Name: "density", Body: []ir.Stmt{tiles}}}
	return p, tiles
}

// TestRowPass checks which statements share a loop over rows, and how many rows a block has.
func TestRowPass(t *testing.T) {
	kernel := func(s *ir.Tiles) *ir.Kernel { return s.Body[1].(*ir.Kernel) }
	for name, c := range map[string]struct {
		columns, atOnce int // atOnce is 0 if the statements need separate loops
		change          func(*ir.Program, *ir.Tiles)
	}{
		"few columns":           {3, 4, func(*ir.Program, *ir.Tiles) {}},
		"many columns":          {20, 2, func(*ir.Program, *ir.Tiles) {}},
		"too many columns":      {25, 0, func(*ir.Program, *ir.Tiles) {}},
		"the next row":          {3, 0, func(_ *ir.Program, s *ir.Tiles) { kernel(s).Body[0].Index.Const = 1 }},
		"the first row":         {3, 0, func(_ *ir.Program, s *ir.Tiles) { kernel(s).Body[0].Index = ir.Index{} }},
		"rows of whole numbers": {3, 0, func(p *ir.Program, s *ir.Tiles) { p.Buffers[5].Type = ir.I32 }},
		"a sum that is read": {3, 0, func(_ *ir.Program, s *ir.Tiles) {
			var b ir.Body
			v := b.Load(6, ir.Index{})
			s.Body = append(s.Body, &ir.Kernel{Extents: []int{10}, Body: b,
				Out: []ir.Output{{Buf: 5, Index: ir.Dense(10), Value: v}}})
		}},
		"a part of the numbers": {3, 0, func(_ *ir.Program, s *ir.Tiles) { s.Body[0].(*ir.MatMul).PartC.First = 1 }},
		"a long kernel": {3, 0, func(_ *ir.Program, s *ir.Tiles) {
			k := kernel(s)
			k.Body = append(k.Body, slices.Repeat(k.Body[:1], mostInstructions)...)
		}},
		"no product":      {3, 0, func(_ *ir.Program, s *ir.Tiles) { s.Body = s.Body[1:2] }},
		"several vectors": {3, 0, func(_ *ir.Program, s *ir.Tiles) { s.Body[0].(*ir.MatMul).N = 2 }},
		"few rows":        {3, 0, func(_ *ir.Program, s *ir.Tiles) { s.Size = 3 }},
	} {
		p, tiles := logistic(c.columns)
		if err := ir.Verify(p); err != nil {
			t.Fatal(err)
		}
		c.change(p, tiles)
		f := &file{Program: p, dialect: dialect{division: Launching{}.division(p)}}
		switch w := f.rowPass(tiles); {
		case w == nil && c.atOnce > 0:
			t.Errorf("%s: separate loops", name)
		case w != nil && w.atOnce != c.atOnce:
			t.Errorf("%s: a loop over rows, %d at once", name, w.atOnce)
		}
		if (&file{Program: p}).rowPass(tiles) != nil {
			t.Errorf("%s: the C text has a loop over rows", name)
		}
	}
}
