package devicetest

import "ppl/compiler/backend/ir"

// A tiling is a random Tiles under construction.
type tiling struct {
	*generator
	*ir.Tiles
}

// tiles adds a Tiles over the rows of a matrix: features of a row, products with them from both sides, a number for
// each row, and combinations over all rows.
func (g *generator) tiles() {
	rows, w, n := 1+g.r.IntN(300), 1+g.r.IntN(3), 1+g.r.IntN(5)
	t := tiling{g, &ir.Tiles{Rows: rows, Size: 1 + g.r.IntN(rows)}}
	each := g.r.IntN(4)
	several := max(1, each)
	data, weights := g.filled(rows*several*w), g.filled(w*n)
	before := g.body
	features, scores := t.own(t.Size*several*w), t.own(t.Size*several*n)
	t.features(data, features, several*w)
	t.Body = append(t.Body, &ir.MatMul{A: features, B: weights, C: scores, Batch: 1, M: t.Size * several, K: w, N: n,
		Rows: ir.DimM, Each: each})
	back := t.own(w * n)
	t.Body = append(t.Body, &ir.MatMul{A: data, B: scores, C: back, Batch: 1, M: w, K: t.Size * several, N: n,
		TransA: true, PartA: ir.Part{Step: t.Size * several * w}, Rows: ir.DimK, Each: each})
	t.leave(back, ir.Sum)
	t.each(scores, several*n)
	g.body = before
	g.done(t.Tiles)
}

func (t *tiling) own(n int) ir.BufID {
	return t.p.Buffer(ir.Buffer{Name: t.name(), Space: ir.Tile, Size: n})
}

func (t *tiling) leave(from ir.BufID, c ir.Combine) {
	t.Out = append(t.Out, ir.TileOut{From: from, To: t.generator.out(t.p.Buffers[from].Size), Combine: c})
}

// features adds a kernel that computes features from the data, the number of the row, and noise.
func (t *tiling) features(data, out ir.BufID, w int) {
	k := &ir.Kernel{Extents: []int{t.Size, w}}
	body := (*ir.Body)(&k.Body)
	at := ir.Dense(k.Extents...)
	row, noise := body.Counter(0), body.Noise(ir.Normal, t.r.IntN(5))
	(*body)[row].Index.Step, (*body)[noise].Index.Step = t.Size, k.Points()
	sum := body.Do(ir.Add, body.Do(ir.Mul, body.Const(0.01), row), body.Do(ir.Mul, body.Const(0.1), noise))
	from := at
	from.Step = k.Points()
	sum = body.Do(ir.Add, body.Do(ir.Add, sum, t.tame(k, body)), body.Load(data, from))
	k.Out = []ir.Output{{Buf: out, Index: at, Value: body.Do(ir.Tanh, sum)}}
	t.Body = append(t.Body, k)
}

// each adds a kernel that stores a number for each row, and combines rows by groups.
func (t *tiling) each(scores ir.BufID, n int) {
	k := &ir.Kernel{Extents: []int{t.Size}}
	body := (*ir.Body)(&k.Body)
	v := body.Do(ir.Sin, body.Load(scores, ir.Index{Const: n - 1, Stride: []int{n}}))
	group := []ir.Dyn{{Reg: t.integer(k, body), Stride: 1, Limit: 4}}
	sums, high := t.own(4), t.own(1)
	k.Out = []ir.Output{
		{Buf: t.generator.out(t.Rows), Index: ir.Index{Step: t.Size, Stride: []int{1}}, Value: v},
		{Buf: sums, Index: ir.Index{Dyn: group}, Value: v, Combine: ir.Sum},
		{Buf: high, Index: ir.Index{Stride: []int{0}}, Value: v, Combine: ir.Max}}
	t.Body = append(t.Body, k)
	t.leave(sums, ir.Sum)
	t.leave(high, ir.Max)
}
