package devicetest

import (
	"math/rand/v2"
	"testing"

	"ppl/compiler/backend/ir"
	"ppl/numbers"
	"ppl/runtime/device"
)

// testRandom compares the device with the reference on random programs. A different order of summation changes sums of
// up to some thousand terms below 1 by less than 1e-11 of the largest number.
func testRandom(t *testing.T, d device.Device) {
	programs := uint64(40)
	if testing.Short() {
		programs = 10
	}
	for seed := range programs {
		Agree(t, d, Reference{}, Random(seed), device.Options{Lanes: 1 + int(seed%11), Seed: seed,
			Threads: 1 + int(seed%3)}, 1e-11)
	}
}

// Random returns a valid program with an entry "run" that contains every kind of statement, for tests and fuzzing of
// devices against each other. Its values are bounded, and continuous functions of inexact inputs, so that rounding
// errors do not grow.
func Random(seed uint64) *ir.Program {
	g := &generator{p: &ir.Program{}, r: rand.New(rand.NewPCG(seed, 77))}
	g.buffers()
	g.p.Setup = g.collect(g.setup)
	g.p.Entries = []ir.Entry{{Name: "run", Body: g.collect(func() {
		for range 3 + g.r.IntN(8) {
			g.statement()
		}
	})}}
	return g.p
}

type generator struct {
	p        *ir.Program
	r        *rand.Rand
	body     []ir.Stmt
	readable []ir.BufID
	integers ir.BufID // shared buffer of integers below 7
	turns    int      // number of iterations of the loop under construction, otherwise 0
}

// collect runs f and returns the statements that it added.
func (g *generator) collect(f func()) []ir.Stmt {
	g.body = nil
	f()
	return g.body
}

func (g *generator) buffers() {
	g.integers = g.shared(30, func() float64 { return float64(g.r.IntN(7)) })
	g.readable = append(g.readable, g.shared(12, g.r.NormFloat64), g.shared(50, g.r.NormFloat64))
}

func (g *generator) shared(n int, f func() float64) ir.BufID {
	values := make([]float64, n)
	for i := range values {
		values[i] = f()
	}
	return g.p.Buffer(ir.Buffer{Name: "data", Space: ir.Shared, Size: n, Init: numbers.Of(values...)})
}

// setup computes a shared buffer from the data. Then it adds lane buffers, which setup must not read.
func (g *generator) setup() {
	out := g.p.Buffer(ir.Buffer{Name: "derived", Space: ir.Shared, Size: 20})
	k := &ir.Kernel{Extents: []int{4, 5}}
	body := (*ir.Body)(&k.Body)
	k.Out = []ir.Output{{Buf: out, Index: ir.Index{Stride: []int{1, 4}}, Value: g.tame(k, body)}}
	g.body = append(g.body, k)
	g.readable = append(g.readable, out)
	for _, n := range []int{1, 8, 40} {
		g.readable = append(g.readable, g.p.Buffer(ir.Buffer{Name: g.name(), Space: ir.Lane, Size: n}))
	}
}

func (g *generator) name() string { return string([]rune{'b', rune('A' + len(g.p.Buffers))}) }

// out returns a new buffer for a result, in a random space.
func (g *generator) out(n int) ir.BufID {
	b := ir.Buffer{Name: g.name(), Space: ir.Lane, Size: n}
	if g.r.IntN(3) == 0 {
		b.Space = ir.Scratch
	}
	return g.p.Buffer(b)
}

func (g *generator) done(s ir.Stmt) {
	g.body = append(g.body, s)
	for _, id := range ir.Writes(s) {
		if g.p.Buffers[id].Space != ir.Tile {
			g.readable = append(g.readable, id)
		}
	}
}

func (g *generator) statement() {
	switch g.r.IntN(11) {
	case 10:
		g.tiles()
	case 9:
		g.loop()
	case 0:
		g.matMul()
	case 1:
		g.cumSum()
	case 2:
		g.linalg()
	case 3:
		g.inPlace()
	default:
		g.kernel()
	}
}

func (g *generator) extents() []int {
	switch g.r.IntN(8) {
	case 0:
		return nil
	case 1:
		return []int{70, 71}
	case 2:
		return []int{3, 1, 2001}
	case 3:
		return []int{9001}
	}
	var e []int
	for range 1 + g.r.IntN(3) {
		e = append(e, 1+g.r.IntN(9))
	}
	return e
}

func (g *generator) kernel() {
	k := &ir.Kernel{Extents: g.extents()}
	body := (*ir.Body)(&k.Body)
	for range 1 + g.r.IntN(2) {
		value := g.tame(k, body)
		k.Out = append(k.Out, g.output(k, body, value))
	}
	g.done(k)
}

// output stores by a permutation of the loops, or combines over some of them, perhaps with a scattered index.
func (g *generator) output(k *ir.Kernel, body *ir.Body, value ir.Reg) ir.Output {
	o := ir.Output{Value: value, Combine: ir.Combine(g.r.IntN(4))}
	stride, n := g.permuted(k.Extents, o.Combine != ir.Store)
	o.Index.Stride = stride
	if o.Combine != ir.Store && g.r.IntN(2) == 0 {
		o.Index.Dyn = []ir.Dyn{{Reg: g.integer(k, body), Stride: n, Limit: 5}}
		n *= 5
	}
	o.Buf = g.out(n)
	return o
}

// permuted assigns dense strides to the loops in random order and returns them with their total size. If reduce, it
// skips some loops.
func (g *generator) permuted(extents []int, reduce bool) (stride []int, size int) {
	stride, size = make([]int, len(extents)), 1
	for _, k := range g.r.Perm(len(extents)) {
		if reduce && g.r.IntN(2) == 0 {
			continue
		}
		stride[k] = size
		size *= extents[k]
	}
	return stride, size
}

// integer returns an exact integer: data, or the result of a comparison, sum or maximum with a counter.
func (g *generator) integer(k *ir.Kernel, body *ir.Body) ir.Reg {
	r := body.Load(g.integers, g.index(k, body, 30, 0))
	if len(k.Extents) > 0 && g.r.IntN(2) == 0 {
		c := body.Counter(g.r.IntN(len(k.Extents)))
		r = body.Do([]ir.Op{ir.Lt, ir.Add, ir.Maximum}[g.r.IntN(3)], c, r)
	}
	return r
}

// index returns a random index into a buffer of n elements, with up to dyn dynamic parts.
func (g *generator) index(k *ir.Kernel, body *ir.Body, n, dyn int) ir.Index {
	ix := ir.Index{Stride: make([]int, len(k.Extents))}
	room := n - 1
	for _, a := range g.r.Perm(len(k.Extents)) {
		if span := k.Extents[a] - 1; span > 0 && room >= span {
			ix.Stride[a] = g.r.IntN(min(3, room/span) + 1)
			room -= ix.Stride[a] * span
		}
	}
	if g.turns > 1 && room >= g.turns-1 && g.coin() {
		ix.Step = 1 + g.r.IntN(min(3, room/(g.turns-1)))
		room -= ix.Step * (g.turns - 1)
	}
	for range dyn {
		if room >= 2 {
			limit := 2 + g.r.IntN(min(4, room-1))
			ix.Dyn = append(ix.Dyn, ir.Dyn{Reg: g.integer(k, body), Stride: 1, Limit: limit})
			room -= limit - 1
		}
	}
	ix.Const = g.r.IntN(room + 1)
	return ix
}

// tame returns a random expression in (−1, 1).
func (g *generator) tame(k *ir.Kernel, body *ir.Body) ir.Reg {
	pool := []ir.Reg{body.Const(g.r.NormFloat64()), g.load(k, body), g.load(k, body)}
	if g.r.IntN(4) == 0 && len(g.p.Setup) > 0 && g.turns == 0 {
		pool = append(pool, body.Do(ir.Mul, body.Const(0.1), body.Noise([]ir.Op{ir.Normal, ir.Uniform}[g.r.IntN(2)],
			g.r.IntN(5))))
	}
	if g.r.IntN(6) == 0 && len(g.p.Setup) > 0 {
		row := body.Shuffled(1+g.r.IntN(9), g.integer(k, body), g.integer(k, body))
		pool = append(pool, body.Do(ir.Mul, body.Const(0.1), row))
	}
	for range 2 + g.r.IntN(10) {
		pool = append(pool, g.step(k, body, pool))
	}
	sum := pool[0]
	for _, r := range pool[1:] {
		sum = body.Do(ir.Add, sum, r)
	}
	return body.Do(ir.Tanh, sum)
}

func (g *generator) load(k *ir.Kernel, body *ir.Body) ir.Reg {
	id := g.readable[g.r.IntN(len(g.readable))]
	return body.Load(id, g.index(k, body, g.p.Buffers[id].Size, g.r.IntN(3)))
}

// step applies an op with derivative at most 1 to bounded arguments.
func (g *generator) step(k *ir.Kernel, body *ir.Body, pool []ir.Reg) ir.Reg {
	pick := func() ir.Reg { return pool[g.r.IntN(len(pool))] }
	smooth := []ir.Op{ir.Tanh, ir.Sin, ir.Cos, ir.Atan, ir.Sigmoid, ir.Erf, ir.Abs, ir.Neg}
	bounded := func() ir.Reg { return body.Do(smooth[g.r.IntN(6)], pick()) }
	switch g.r.IntN(8) {
	case 0:
		return body.Do(ir.Select, g.integer(k, body), pick(), pick())
	case 1:
		return body.Do(ir.MulZero, g.integer(k, body), bounded())
	case 2:
		return body.Do(ir.Mul, bounded(), bounded())
	case 3:
		return body.Do([]ir.Op{ir.Exp, ir.Softplus, ir.Lgamma, ir.LogNormCDF}[g.r.IntN(4)],
			body.Do(ir.Add, body.Const(2), bounded()))
	case 4:
		return body.Do([]ir.Op{ir.Add, ir.Sub, ir.Maximum, ir.Minimum}[g.r.IntN(4)], bounded(), pick())
	}
	return body.Do(smooth[g.r.IntN(len(smooth))], pick())
}

// inPlace updates a lane buffer element by element.
func (g *generator) inPlace() {
	for _, id := range g.r.Perm(len(g.p.Buffers)) {
		if b := g.p.Buffers[id]; b.Space == ir.Lane && b.Size > 0 {
			k := &ir.Kernel{Extents: []int{b.Size}}
			body := (*ir.Body)(&k.Body)
			half := body.Do(ir.Mul, body.Const(0.5), body.Load(ir.BufID(id), ir.Dense(b.Size)))
			k.Out = []ir.Output{{Buf: ir.BufID(id), Index: ir.Dense(b.Size), Value: half}}
			g.body = append(g.body, k)
			return
		}
	}
}

// filled returns a readable buffer of n elements in a random space.
func (g *generator) filled(n int) ir.BufID {
	if g.r.IntN(3) == 0 {
		return g.shared(n, func() float64 { return g.r.Float64() - 0.5 })
	}
	k := &ir.Kernel{Extents: []int{n}}
	value := g.tame(k, (*ir.Body)(&k.Body))
	out := g.out(n)
	k.Out = []ir.Output{{Buf: out, Index: ir.Dense(n), Value: value}}
	g.done(k)
	return out
}

func (g *generator) coin() bool { return g.r.IntN(2) == 0 }

func (g *generator) matMul() {
	m := &ir.MatMul{Batch: 1 + g.r.IntN(3), M: 1 + g.r.IntN(12), K: 1 + g.r.IntN(12), N: 1 + g.r.IntN(12),
		TransA: g.coin(), TransB: g.coin(), SharedA: g.coin(), SharedB: g.coin()}
	aBatch, bBatch := m.Batch, m.Batch
	if m.SharedA {
		aBatch = 1
	}
	if m.SharedB {
		bBatch = 1
	}
	m.A, m.B = g.filled(aBatch*m.M*m.K), g.filled(bBatch*m.K*m.N)
	m.C = g.out(m.Batch * m.M * m.N)
	g.done(m)
}

func (g *generator) cumSum() {
	c := &ir.CumSum{Outer: 1 + g.r.IntN(3), N: 1 + g.r.IntN(9), Inner: 1 + g.r.IntN(4), Reverse: g.coin()}
	n := c.Outer * c.N * c.Inner
	c.In, c.Out = g.filled(n), g.out(n)
	g.done(c)
}

// linalg factorises 3n·I + X·Xᵀ and solves with the factor.
func (g *generator) linalg() {
	n, batch, cols := 1+g.r.IntN(6), 1+g.r.IntN(2), 1+g.r.IntN(3)
	x := g.filled(batch * n * n)
	gram := &ir.MatMul{A: x, B: x, C: g.out(batch * n * n), Batch: batch, M: n, K: n, N: n, TransB: true}
	g.done(gram)
	spd := g.addDiagonal(gram.C, batch, n, 3*float64(n))
	c := &ir.Cholesky{In: spd, Out: g.out(batch * n * n), Batch: batch, N: n}
	g.done(c)
	s := &ir.TriSolve{L: c.Out, B: g.filled(batch * n * cols), Batch: batch, N: n, M: cols, Trans: g.coin()}
	s.Out = g.out(batch * n * cols)
	g.done(s)
	p := &ir.CholeskyPull{L: c.Out, Bar: g.filled(batch * n * n), Batch: batch, N: n}
	p.Out = g.out(batch * n * n)
	g.done(p)
}

func (g *generator) addDiagonal(id ir.BufID, batch, n int, v float64) ir.BufID {
	k := &ir.Kernel{Extents: []int{batch, n, n}}
	body := (*ir.Body)(&k.Body)
	eye := body.Do(ir.Mul, body.Const(v), body.Do(ir.Eq, body.Counter(1), body.Counter(2)))
	sum := body.Do(ir.Add, eye, body.Load(id, ir.Dense(batch, n, n)))
	out := g.out(batch * n * n)
	k.Out = []ir.Output{{Buf: out, Index: ir.Dense(batch, n, n), Value: sum}}
	g.done(k)
	return out
}
