package devicetest

import (
	"fmt"
	"math"
	"testing"

	"ppl/compiler/backend/ir"
	"ppl/numbers"
	"ppl/runtime/device"
)

// A statementTest is a program of one entry with the answer computed by hand. Lane buffer "in" is set to `in` plus the
// lane's number times slope; "out" is compared with want(lane), exactly unless tol is set.
type statementTest struct {
	name  string
	build func(b *bench)
	in    []float64
	slope float64
	want  func(lane float64) []float64
	tol   float64
}

// A bench is a program under construction with an input and an output buffer.
type bench struct {
	p       *ir.Program
	in, out ir.BufID
	setup   []ir.Stmt
	body    []ir.Stmt
}

func (b *bench) output(n int) {
	b.out = b.p.Buffer(ir.Buffer{Name: "out", Space: ir.Lane, Size: n})
}

func (b *bench) scratch(n int) ir.BufID {
	return b.p.Buffer(ir.Buffer{Name: "scratch", Space: ir.Scratch, Size: n})
}

func (b *bench) data(values ...float64) ir.BufID {
	return b.p.Buffer(ir.Buffer{Name: "data", Space: ir.Shared, Size: len(values), Init: numbers.Of(values...)})
}

// kernel appends a kernel; f writes its body and returns its outputs.
func (b *bench) kernel(extents []int, f func(k *ir.Body) []ir.Output) {
	k := &ir.Kernel{Extents: extents}
	k.Out = f((*ir.Body)(&k.Body))
	b.body = append(b.body, k)
}

// loop appends a loop of one kernel.
func (b *bench) loop(n int, reverse bool, extents []int, f func(k *ir.Body) []ir.Output) {
	b.kernel(extents, f)
	last := &b.body[len(b.body)-1]
	*last = &ir.Loop{N: n, Reverse: reverse, Body: []ir.Stmt{*last}}
}

// fixed returns a want function that does not depend on the lane.
func fixed(values ...float64) func(float64) []float64 {
	return func(float64) []float64 { return values }
}

func testStatements(t *testing.T, d device.Device) {
	for _, c := range handmade() {
		for _, lanes := range []int{1, 3, 10} {
			t.Run(fmt.Sprintf("%s/%d lanes", c.name, lanes), func(t *testing.T) { c.run(t, d, lanes) })
		}
	}
	t.Run("matmul", func(t *testing.T) { testMatMul(t, d) })
	t.Run("trisolve", func(t *testing.T) { testTriSolve(t, d) })
	t.Run("choleskypull", func(t *testing.T) { testCholeskyPull(t, d) })
	t.Run("eigen", func(t *testing.T) { testEigen(t, d) })
}

func (c statementTest) run(t *testing.T, d device.Device, lanes int) {
	b := &bench{p: &ir.Program{}}
	b.in = b.p.Buffer(ir.Buffer{Name: "in", Space: ir.Lane, Size: len(c.in)})
	c.build(b)
	b.p.Setup, b.p.Entries = b.setup, []ir.Entry{{Name: "run", Body: b.body}}
	x := load(t, d, b.p, device.Options{Lanes: lanes, Threads: 2})
	for l := range lanes {
		in := make([]float64, len(c.in))
		for i := range in {
			in[i] = c.in[i] + c.slope*float64(l)
		}
		x.SetLane("in", l, in)
	}
	run(t, x, []device.Call{{Entry: "run", Times: 2}}, 0, nil) // twice: no state may remain from the first run
	got := make([]float64, x.Size("out"))
	for l := range lanes {
		x.GetLane("out", l, got)
		for i, want := range c.want(float64(l)) {
			if !near(got[i], want, c.tol) {
				t.Fatalf("out[%d] of lane %d: got %v, want %v\n%s", i, l, got[i], want, b.p)
			}
		}
	}
}

// testMatMul tests products with A and B stored plainly or transposed, one for all batches or one each, shared by lanes
// or not, in sizes that do and do not fill blocks and tiles. Several products form one program, since loading a program
// is slow on some devices.
func testMatMul(t *testing.T, d device.Device) {
	small := [][4]int{{1, 1, 1, 1}, {1, 5, 3, 7}, {3, 4, 6, 9}, {1, 2, 0, 3}, {1, 0, 3, 2}, {0, 2, 2, 2}}
	for first := range 8 {
		p := &ir.Program{Entries: []ir.Entry{{Name: "run"}}}
		for bits := first; bits < 64; bits += 8 {
			addProducts(p, small, bits)
		}
		Agree(t, d, Reference{}, p, device.Options{Lanes: 1 + first, Threads: 2}, 1e-12)
	}
	p := &ir.Program{Entries: []ir.Entry{{Name: "run"}}}
	for _, bits := range []int{0, 1, 2, 16, 17, 18, 32, 33, 34, 48} {
		addProducts(p, [][4]int{{1, 3000, 50, 1}, {1, 3, 5000, 2}, {2, 70, 60, 50}}, bits)
	}
	Agree(t, d, Reference{}, p, device.Options{Lanes: 9, Threads: 2}, 1e-12)
}

// addProducts adds a product of each size, of the kind that bits encodes.
func addProducts(p *ir.Program, sizes [][4]int, bits int) {
	bit := func(i int) bool { return bits>>i&1 == 1 }
	e := &p.Entries[0]
	for _, size := range sizes {
		m := &ir.MatMul{Batch: size[0], M: size[1], K: size[2], N: size[3], TransA: bit(0), TransB: bit(1),
			SharedA: bit(2), SharedB: bit(3)}
		m.A = matrixBuffer(p, fmt.Sprint("a", len(e.Body)), bit(4), bit(2), m.Batch, m.M*m.K)
		m.B = matrixBuffer(p, fmt.Sprint("b", len(e.Body)), bit(5), bit(3), m.Batch, m.K*m.N)
		m.C = p.Buffer(ir.Buffer{Name: fmt.Sprint("c", len(e.Body)), Space: ir.Lane, Size: m.Batch * m.M * m.N})
		e.Body = append(e.Body, m)
	}
}

func matrixBuffer(p *ir.Program, name string, shared, once bool, batch, size int) ir.BufID {
	if !once {
		size *= batch
	}
	b := ir.Buffer{Name: name, Space: ir.Lane, Size: size}
	if shared {
		b.Space, b.Init = ir.Shared, numbers.Of(wave(size)...)
	}
	return p.Buffer(b)
}

// wave returns n numbers without regularity that could hide errors in a matrix product.
func wave(n int) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = math.Sin(float64(i*i + 1))
	}
	return x
}

// testTriSolve tests shared factors and factors of each lane, with and without transposition.
func testTriSolve(t *testing.T, d device.Device) {
	for bits := range 8 {
		for _, s := range [][3]int{{1, 1, 1}, {2, 5, 3}, {1, 0, 2}, {1, 3, 0}, {1, 20, 1}} {
			p := &ir.Program{}
			solve := &ir.TriSolve{Batch: s[0], N: s[1], M: s[2], Trans: bits&1 == 1}
			solve.L = lowerBuffer(p, bits&2 == 2, s[0], s[1])
			solve.B = matrixBuffer(p, "b", bits&4 == 4, false, s[0], s[1]*s[2])
			solve.Out = p.Buffer(ir.Buffer{Name: "x", Space: ir.Lane, Size: s[0] * s[1] * s[2]})
			if l := p.Buffers[solve.L]; l.Space == ir.Scratch {
				p.Entries = []ir.Entry{{Name: "run", Body: []ir.Stmt{dominate(p, solve.L, s[0], s[1]), solve}}}
			} else {
				p.Entries = []ir.Entry{{Name: "run", Body: []ir.Stmt{solve}}}
			}
			Agree(t, d, Reference{}, p, device.Options{Lanes: 1 + bits, Threads: 1}, 1e-12)
		}
	}
}

// testCholeskyPull tests shared factors and factors of each lane.
func testCholeskyPull(t *testing.T, d device.Device) {
	for bits := range 4 {
		for _, s := range [][2]int{{1, 1}, {2, 5}, {1, 0}, {1, 8}, {3, 11}} {
			p := &ir.Program{}
			pull := &ir.CholeskyPull{Batch: s[0], N: s[1]}
			pull.L = lowerBuffer(p, bits&1 == 1, s[0], s[1])
			pull.Bar = matrixBuffer(p, "bar", bits&2 == 2, false, s[0], s[1]*s[1])
			pull.Out = p.Buffer(ir.Buffer{Name: "x", Space: ir.Lane, Size: s[0] * s[1] * s[1]})
			body := []ir.Stmt{pull}
			if p.Buffers[pull.L].Space == ir.Scratch {
				body = []ir.Stmt{dominate(p, pull.L, s[0], s[1]), pull}
			}
			p.Entries = []ir.Entry{{Name: "run", Body: body}}
			Agree(t, d, Reference{}, p, device.Options{Lanes: 1 + 3*bits, Threads: 1}, 1e-12)
		}
	}
}

// testEigen tests matrices of each lane whose eigenvalues are well separated; otherwise eigenvectors would be
// ill-determined.
func testEigen(t *testing.T, d device.Device) {
	for _, s := range [][2]int{{2, 1}, {3, 2}, {2, 5}, {1, 12}} {
		p := &ir.Program{}
		e := &ir.Eigen{Batch: s[0], N: s[1], In: lowerBuffer(p, false, s[0], s[1])}
		e.Out = p.Buffer(ir.Buffer{Name: "out", Space: ir.Lane, Size: s[0] * s[1] * (s[1] + 1)})
		p.Entries = []ir.Entry{{Name: "run", Body: []ir.Stmt{dominate(p, e.In, s[0], s[1]), e}}}
		Agree(t, d, Reference{}, p, device.Options{Lanes: 5, Threads: 1}, 1e-11)
	}
}

// lowerBuffer returns a buffer of matrices with a dominant diagonal, and NaN above it, which must not be read. A buffer
// that is not shared is filled by dominate.
func lowerBuffer(p *ir.Program, shared bool, batch, n int) ir.BufID {
	if !shared {
		return p.Buffer(ir.Buffer{Name: "l", Space: ir.Scratch, Size: batch * n * n})
	}
	x := wave(batch * n * n)
	for i := range x {
		switch r, c := i/max(n, 1)%max(n, 1), i%max(n, 1); {
		case r == c:
			x[i] += 4
		case c > r:
			x[i] = math.NaN()
		}
	}
	return p.Buffer(ir.Buffer{Name: "l", Space: ir.Shared, Size: len(x), Init: numbers.Of(x...)})
}

// dominate returns a kernel that writes such matrices for each lane, with diagonals that grow.
func dominate(p *ir.Program, l ir.BufID, batch, n int) ir.Stmt {
	source := p.Buffer(ir.Buffer{Name: "source", Space: ir.Lane, Size: batch * n * n})
	k := &ir.Kernel{Extents: []int{batch, n, n}}
	b := (*ir.Body)(&k.Body)
	i, j := b.Counter(1), b.Counter(2)
	diagonal := b.Do(ir.Mul, b.Do(ir.Add, b.Const(6), b.Do(ir.Mul, b.Const(6), i)), b.Do(ir.Eq, i, j))
	v := b.Do(ir.Add, b.Load(source, ir.Dense(batch, n, n)), diagonal)
	v = b.Do(ir.Select, b.Do(ir.Lt, i, j), b.Const(math.NaN()), v)
	k.Out = []ir.Output{{Buf: l, Index: ir.Dense(batch, n, n), Value: v}}
	return k
}
