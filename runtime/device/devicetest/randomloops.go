package devicetest

import "ppl/compiler/backend/ir"

// loop adds a series in which each row depends on the previous row, sometimes with a sum or a product in the loop, and
// with kernels over its rows before and after.
func (g *generator) loop() {
	before, n, reverse := g.body, 1+g.r.IntN(9), g.coin()
	turns := 1 + g.r.IntN(6)
	series := g.out(n * (turns + 1))
	from, to, first := 0, n, 0
	if reverse {
		from, to, first = n, 0, n*turns
	}
	row := func(step, at int) ir.Index { return ir.Index{Const: at, Step: step, Stride: []int{1}} }
	start := &ir.Kernel{Extents: []int{n}}
	value := g.tame(start, (*ir.Body)(&start.Body))
	start.Out = []ir.Output{{Buf: series, Index: row(0, first), Value: value}}
	g.body = append(before, start)
	around := &around{turns: turns, n: n, near: []ir.BufID{g.nearby((turns + 2) * n), g.nearby((turns + 2) * n)}}
	for range g.r.IntN(3) {
		g.rows(around)
	}
	before = g.body

	g.body, g.turns = nil, turns
	if g.coin() {
		g.kernel()
	}
	if g.coin() {
		g.matMul()
	}
	k := &ir.Kernel{Extents: []int{n}}
	body := (*ir.Body)(&k.Body)
	next := body.Do(ir.Sub, g.tame(k, body), body.Do(ir.Mul, body.Const(0.5), body.Load(series, row(n, from))))
	next = body.Do(ir.Add, next, body.Do(ir.Tanh, body.Load(around.near[0], row(n, n*g.r.IntN(3)))))
	k.Out = []ir.Output{{Buf: series, Index: row(n, to), Value: next}}
	if g.coin() {
		k.Out = append(k.Out, ir.Output{Buf: around.near[1], Index: row(n, n*g.r.IntN(3)), Value: next})
	}
	g.body = append(before, &ir.Loop{N: turns, Reverse: reverse, Body: append(g.body, k)})
	g.turns = 0
	around.near = append(around.near, series)
	for range g.r.IntN(3) {
		g.rows(around)
	}
	g.readable = append(g.readable, around.near...)
}

// around holds the properties that kernels around a loop share: the number of rows, the number of elements of a row,
// and the buffers that they read and write, which have more rows.
type around struct {
	turns, n int
	near     []ir.BufID
}

// nearby returns a buffer of n elements that only kernels around a loop may read for now.
func (g *generator) nearby(n int) ir.BufID {
	k := &ir.Kernel{Extents: []int{n}}
	value := g.tame(k, (*ir.Body)(&k.Body))
	out := g.out(n)
	k.Out = []ir.Output{{Buf: out, Index: ir.Dense(n), Value: value}}
	g.body = append(g.body, k)
	return out
}

// rows adds a kernel over the rows of a loop or one more, which reads and writes rows at some offset, and perhaps sums
// the values that it writes.
func (g *generator) rows(a *around) {
	rows := a.turns + g.r.IntN(2)
	k := &ir.Kernel{Extents: []int{rows, a.n}}
	body := (*ir.Body)(&k.Body)
	pick := func() (ir.BufID, ir.Index) {
		id := a.near[g.r.IntN(len(a.near))]
		spare := g.p.Buffers[id].Size/a.n - rows
		return id, ir.Index{Const: a.n * g.r.IntN(spare+1), Stride: []int{a.n, 1}}
	}
	from, at := pick()
	to, out := pick()
	if from == to {
		at = out // a kernel that writes a buffer may read only the element that it replaces
	}
	value := body.Do(ir.Add, g.tame(k, body), body.Do(ir.Tanh, body.Load(from, at)))
	k.Out = []ir.Output{{Buf: to, Index: out, Value: value}}
	if g.coin() {
		stride, n := g.permuted(k.Extents, true)
		k.Out = append(k.Out, ir.Output{Buf: g.out(n), Index: ir.Index{Stride: stride}, Value: value, Combine: ir.Sum})
	}
	g.body = append(g.body, k)
}
