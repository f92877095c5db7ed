package devicetest

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"ppl/compiler/backend/ir"
	"ppl/numbers"
	"ppl/runtime/device"
)

// Tolerances of single precision, whose unit roundoff is 6e-8; a device may be more accurate. Ops that IEEE 754 defines
// are rounded once, and others are accurate to 4 ulp. Below the smallest normal number digits may be lost.
const (
	singleExact  = 0x1p-24
	singleOp     = 0x1p-21
	singleLeast  = 0x1p-126
	singleValues = 1e-5 // for products of up to a hundred terms of about 1
	singleRandom = 1e-4 // for random programs: some hundred steps, each with a derivative of at most 1
)

// testSingle compares instructions and buffers of single precision with the reference.
func testSingle(t *testing.T, d device.Device) {
	t.Run("ops", func(t *testing.T) { testSingleOps(t, d) })
	t.Run("products", func(t *testing.T) {
		p := singleProducts()
		Agree(t, d, Reference{}, p, device.Options{Lanes: 3, Threads: 2}, singleValues)
		Invariant(t, d, p)
	})
	t.Run("random programs", func(t *testing.T) {
		for seed := range uint64(10) {
			p := RandomSingle(seed)
			Agree(t, d, Reference{}, p, device.Options{Lanes: 1 + int(seed), Seed: seed, Threads: 1 + int(seed%3)},
				singleRandom)
		}
		Invariant(t, d, RandomSingle(3))
	})
}

// testSingleOps applies every op to pairs of special values, in a single program.
func testSingleOps(t *testing.T, d device.Device) {
	n := len(specials) * len(specials)
	p := &ir.Program{}
	in := map[string]ir.BufID{}
	for _, name := range []string{"x", "y", "z"} {
		in[name] = p.Buffer(ir.Buffer{Name: name, Space: ir.Lane, Size: n})
	}
	var body []ir.Stmt
	for _, c := range opTests() {
		out := p.Buffer(ir.Buffer{Name: c.op.String(), Space: ir.Lane, Size: n})
		body = append(body, singleKernel(c.op, n, in, out))
	}
	p.Entries = []ir.Entry{{Name: "run", Body: body}}
	x := load(t, d, p, device.Options{Lanes: 1, Threads: 1})
	for name, f := range map[string]func(a, b float64) float64{
		"x": func(a, _ float64) float64 { return rounded(a) },
		"y": func(_, b float64) float64 { return rounded(b) },
		"z": func(a, b float64) float64 { return rounded(b - a) },
	} {
		x.Set(name, pairs(f))
	}
	run(t, x, once(p), 0, nil)
	got := make([]float64, n)
	for _, c := range opTests() {
		x.Get(c.op.String(), got)
		c.checkSingle(t, got)
	}
}

// singleKernel returns a kernel that applies an op in single precision to the inputs.
func singleKernel(op ir.Op, n int, in map[string]ir.BufID, out ir.BufID) *ir.Kernel {
	var b ir.Body
	var args []ir.Reg
	for _, name := range []string{"x", "y", "z"}[:op.Arity()] {
		args = append(args, b.Load(in[name], ir.Dense(n)))
	}
	r := b.Do(op, args...)
	b[r].Type = ir.F32
	return &ir.Kernel{Extents: []int{n}, Body: b, Out: []ir.Output{{Buf: out, Index: ir.Dense(n), Value: r}}}
}

func rounded(x float64) float64 { return float64(float32(x)) }

func (c opTest) checkSingle(t *testing.T, got []float64) {
	tol := singleOp
	if c.op.Row().Tolerance == 0 {
		tol = singleExact
	}
	for i, x := range specials {
		for j, y := range specials {
			a, b, z := rounded(x), rounded(y), rounded(y-x)
			if j > 0 && c.op.Arity() == 1 || !c.tests(a) {
				continue
			}
			g, want := got[i*len(specials)+j], apply(c.op, a, b, z)
			if math.Abs(want) > math.MaxFloat32 { // infinite or beyond the range of float32
				want, g = math.Copysign(math.Inf(1), want), rounded(g)
			}
			if !near(g, want, tol*math.Abs(want)+singleLeast) {
				t.Errorf("%v(%v, %v, %v) in single precision = %v, want %v", c.op, a, b, z, g, want)
			}
		}
	}
}

// singleProducts returns products of lane buffers and data in all combinations of transposes; results are copied to
// lane buffers.
func singleProducts() *ir.Program {
	p := &ir.Program{Entries: []ir.Entry{{Name: "run"}}}
	body := &p.Entries[0].Body
	for bits := range 16 {
		for _, size := range [][4]int{{2, 5, 3, 7}, {1, 300, 20, 1}, {1, 70, 60, 20}} {
			if size[1] == 70 && bits%5 != 0 {
				continue
			}
			m := &ir.MatMul{Batch: size[0], M: size[1], K: size[2], N: size[3], TransA: bits&1 == 1,
				TransB: bits&2 == 2}
			m.A = singleBuffer(p, body, bits&4 == 4, m.Batch*m.M*m.K)
			m.B = singleBuffer(p, body, bits&8 == 8, m.Batch*m.K*m.N)
			m.C = p.Buffer(ir.Buffer{Space: ir.Scratch, Type: ir.F32, Size: m.Batch * m.M * m.N})
			*body = append(*body, m)
			out := p.Buffer(ir.Buffer{Name: fmt.Sprint("out", len(*body)), Space: ir.Lane, Size: m.Batch * m.M * m.N})
			*body = append(*body, copied(m.C, out, p.Buffers[out].Size))
		}
	}
	return p
}

// singleBuffer returns a buffer of single precision with data, or with a copy of a lane buffer.
func singleBuffer(p *ir.Program, body *[]ir.Stmt, shared bool, n int) ir.BufID {
	if shared {
		return p.Buffer(ir.Buffer{Space: ir.Shared, Type: ir.F32, Size: n, Init: numbers.Of(wave(n)...)})
	}
	in := p.Buffer(ir.Buffer{Name: fmt.Sprint("in", len(p.Buffers)), Space: ir.Lane, Size: n})
	out := p.Buffer(ir.Buffer{Space: ir.Scratch, Type: ir.F32, Size: n})
	*body = append(*body, copied(in, out, n))
	return out
}

func copied(from, to ir.BufID, n int) *ir.Kernel {
	var b ir.Body
	r := b.Load(from, ir.Dense(n))
	return &ir.Kernel{Extents: []int{n}, Body: b, Out: []ir.Output{{Buf: to, Index: ir.Dense(n), Value: r}}}
}

// RandomSingle returns a program like Random in which three of four instructions, and all buffers that can be, have
// single precision.
func RandomSingle(seed uint64) *ir.Program {
	p, r := Random(seed), rand.New(rand.NewPCG(seed, 32))
	var all []ir.Stmt
	var visit func(body []ir.Stmt)
	visit = func(body []ir.Stmt) {
		for _, s := range body {
			all = append(all, s)
			switch s := s.(type) {
			case *ir.Loop:
				visit(s.Body)
			case *ir.Tiles:
				visit(s.Body)
			case *ir.Kernel:
				for i := range s.Body {
					if op := s.Body[i].Op; op != ir.Load && op != ir.Normal && op != ir.Uniform && op != ir.Shuffle &&
						r.IntN(4) > 0 {
						s.Body[i].Type = ir.F32
					}
				}
			}
		}
	}
	visit(p.Setup)
	visit(p.Entries[0].Body)
	narrow(p, all)
	return p
}

// narrow changes buffers to single precision, except lane buffers, and buffers that a statement needs in double
// precision, directly or because another of its buffers is double.
func narrow(p *ir.Program, all []ir.Stmt) {
	for i := range p.Buffers {
		if p.Buffers[i].Space != ir.Lane {
			p.Buffers[i].Type = ir.F32
		}
	}
	for range p.Buffers {
		for _, s := range all {
			switch s := s.(type) {
			case *ir.MatMul:
				alike(p, s.A, s.B, s.C)
			case *ir.Tiles:
				for _, o := range s.Out {
					alike(p, o.From, o.To)
				}
			case *ir.CumSum, *ir.Cholesky, *ir.Eigen, *ir.TriSolve, *ir.CholeskyPull:
				for _, id := range append(ir.Reads(s), ir.Writes(s)...) {
					p.Buffers[id].Type = ir.F64
				}
			}
		}
	}
}

// alike makes all buffers double if one is double.
func alike(p *ir.Program, ids ...ir.BufID) {
	for _, id := range ids {
		if p.Buffers[id].Type == ir.F64 {
			for _, other := range ids {
				p.Buffers[other].Type = ir.F64
			}
		}
	}
}
