package devicetest

import (
	"fmt"
	"math"
	"slices"

	"ppl/compiler/backend/ir"
	"ppl/runtime/device"
	"ppl/runtime/noise"
)

// Reference is the slowest device, and defines the meaning of ops and statements: it evaluates programs lane by lane
// and point by point as package ir describes them, with the functions of package math and gonum. It shares no code with
// the devices that it tests, except noise, which has separate tests. Scratch buffers are NaN when an entry starts, and
// tile buffers when an iteration starts, which reveals reads before the first write.
type Reference struct{}

// Name returns "reference".
func (Reference) Name() string { return "reference" }

// Load runs Setup as an entry whose only lane is the shared memory.
func (Reference) Load(p *ir.Program, o device.Options) (device.Executable, error) {
	r := &reference{p: p, seed: o.Seed, group: max(o.Group, 1), lanes: make([]memory, o.Lanes)}
	shared := make(memory, len(p.Buffers))
	for i, b := range p.Buffers {
		if b.Space == ir.Shared {
			shared[i] = make([]float64, b.Size)
			copy(shared[i], b.Init.Doubles())
			roundTo(b.Type, shared[i])
		}
	}
	r.run(p.Setup, shared, 0, 0)
	for l := range r.lanes {
		r.lanes[l] = make(memory, len(p.Buffers))
		for i, b := range p.Buffers {
			r.lanes[l][i] = shared[i]
			if b.Space != ir.Shared {
				r.lanes[l][i] = make([]float64, b.Size)
			}
		}
	}
	return r, nil
}

// memory holds all buffers that one lane accesses, by id.
type memory [][]float64

type reference struct {
	p     *ir.Program
	seed  uint64
	group int
	lanes []memory
}

func (r *reference) buffer(name string) int {
	for i, b := range r.p.Buffers {
		if b.Named() && b.Name == name {
			return i
		}
	}
	panic(fmt.Sprintf("reference: no buffer %q", name))
}

func (r *reference) Buffers() (names []string) {
	for _, b := range r.p.Buffers {
		if b.Space == ir.Lane {
			names = append(names, b.Name)
		}
	}
	slices.Sort(names)
	return names
}

func (r *reference) Size(name string) int { return r.p.Buffers[r.buffer(name)].Size }

func (r *reference) SetLane(name string, lane int, values []float64) {
	id := r.buffer(name)
	copy(r.lanes[lane][id], values)
	roundTo(r.p.Buffers[id].Type, r.lanes[lane][id])
}

func (r *reference) GetLane(name string, lane int, dst []float64) {
	copy(dst, r.lanes[lane][r.buffer(name)])
}

func (r *reference) Set(name string, values []float64) {
	n := r.Size(name)
	for l := range r.copies(name) {
		r.SetLane(name, l, values[l*n:(l+1)*n])
	}
}

func (r *reference) Get(name string, dst []float64) {
	n := r.Size(name)
	for l := range r.copies(name) {
		r.GetLane(name, l, dst[l*n:(l+1)*n])
	}
}

// copies returns the number of copies of a buffer. All lanes share the memory of given buffers.
func (r *reference) copies(name string) int {
	if r.p.Buffers[r.buffer(name)].Given {
		return 1
	}
	return len(r.lanes)
}

func (r *reference) Close() error { return nil }

func (r *reference) Run(calls []device.Call, step uint64, mask []bool) (uint64, error) {
	for _, c := range calls {
		for range c.Times {
			for l := range r.lanes {
				if mask == nil || mask[l] {
					r.forget(r.lanes[l], ir.Scratch, ir.Tile)
					r.run(r.entry(c.Entry), r.lanes[l], l, step)
				}
			}
			if !r.still(c.Entry) {
				step++
			}
		}
	}
	return step, nil
}

func (r *reference) entry(name string) []ir.Stmt {
	for _, e := range r.p.Entries {
		if e.Name == name {
			return e.Body
		}
	}
	panic(fmt.Sprintf("reference: no entry %q", name))
}

// still reports whether an entry takes no noise step.
func (r *reference) still(name string) bool {
	return slices.ContainsFunc(r.p.Entries, func(e ir.Entry) bool { return e.Name == name && e.Still })
}

func (r *reference) run(body []ir.Stmt, m memory, lane int, step uint64) {
	for _, s := range body {
		switch s := s.(type) {
		case *ir.Peer:
			r.peer(s, m, lane)
		case *ir.Loop:
			r.loop(s, m, lane, step)
		case *ir.Tiles:
			r.tiles(s, m, lane, step)
		case *ir.Kernel:
			r.kernel(s, m, lane, step)
		case *ir.MatMul:
			matMul(s, m)
		case *ir.CumSum:
			cumSum(s, m)
		case *ir.Cholesky:
			cholesky(s, m)
		case *ir.Eigen:
			eigen(s, m)
		case *ir.TriSolve:
			triSolve(s, m)
		case *ir.CholeskyPull:
			choleskyPull(s, m)
		}
		for _, id := range ir.Writes(s) {
			roundTo(r.p.Buffers[id].Type, m[id])
		}
	}
}

// forget sets the buffers of some spaces to NaN.
func (r *reference) forget(m memory, spaces ...ir.Space) {
	for i, b := range r.p.Buffers {
		if slices.Contains(spaces, b.Space) {
			for e := range m[i] {
				m[i][e] = math.NaN()
			}
		}
	}
}

// loop runs its body with the indices of each iteration.
func (r *reference) loop(l *ir.Loop, m memory, lane int, step uint64) {
	for i := range l.N {
		t := i
		if l.Reverse {
			t = l.N - 1 - i
		}
		for _, s := range l.Body {
			switch b := s.(type) {
			case *ir.Kernel:
				s = turned(b, t)
			case *ir.MatMul:
				s = turnedProduct(b, t)
			}
			r.run([]ir.Stmt{s}, m, lane, step)
		}
	}
}

// turnedProduct returns a product with the operands of iteration t.
func turnedProduct(s *ir.MatMul, t int) *ir.MatMul {
	out := *s
	for _, p := range []*ir.Part{&out.PartA, &out.PartB, &out.PartC} {
		p.First, p.Step = p.First+p.Step*t, 0
	}
	return &out
}

// tiles runs the iterations one after the other, starting with the last, and combines their results.
func (r *reference) tiles(s *ir.Tiles, m memory, lane int, step uint64) {
	left := make([][][]float64, s.Turns())
	for t := s.Turns() - 1; t >= 0; t-- {
		r.forget(m, ir.Tile)
		r.run(s.Turn(t), m, lane, step)
		for _, o := range s.Out {
			left[t] = append(left[t], slices.Clone(m[o.From]))
		}
	}
	for i, o := range s.Out {
		begin(o.Combine, m[o.To])
		for t := range left {
			for e, v := range left[t][i] {
				m[o.To][e] = combine(o.Combine, m[o.To][e], v)
			}
		}
	}
}

// begin sets a buffer to the neutral element of a combination.
func begin(c ir.Combine, x []float64) {
	for i := range x {
		switch c {
		case ir.Sum:
			x[i] = 0
		case ir.Max:
			x[i] = math.Inf(-1)
		case ir.Min:
			x[i] = math.Inf(1)
		}
	}
}

// turned returns a kernel with the indices of iteration t.
func turned(k *ir.Kernel, t int) *ir.Kernel {
	out := &ir.Kernel{Extents: k.Extents, Body: slices.Clone(k.Body), Out: slices.Clone(k.Out)}
	for i := range out.Body {
		out.Body[i].Index.Const += t * out.Body[i].Index.Step
	}
	for i := range out.Out {
		out.Out[i].Index.Const += t * out.Out[i].Index.Step
	}
	return out
}

func roundTo(t ir.Type, x []float64) {
	for i, v := range x {
		switch t {
		case ir.F32:
			x[i] = float64(float32(v))
		case ir.I32:
			x[i] = math.Trunc(v)
		}
	}
}

// kernel evaluates the points in order.
func (r *reference) kernel(k *ir.Kernel, m memory, lane int, step uint64) {
	for _, o := range k.Out {
		begin(o.Combine, m[o.Buf])
	}
	at := make([]int, len(k.Extents))
	regs := make([]float64, len(k.Body))
	for point := range k.Points() {
		rest := point
		for a := len(at) - 1; a >= 0; a-- {
			at[a] = rest % k.Extents[a]
			rest /= k.Extents[a]
		}
		for i := range k.Body {
			regs[i] = r.instr(&k.Body[i], at, regs, m, address{r.seed, uint32(lane), step, uint32(k.Body[i].Site),
				uint32(k.Body[i].Index.Const + point)})
		}
		for _, o := range k.Out {
			e := &m[o.Buf][element(o.Index, at, regs)]
			*e = combine(o.Combine, *e, regs[o.Value])
		}
	}
}

type address struct {
	seed        uint64
	lane        uint32
	step        uint64
	site, point uint32
}

func (r *reference) instr(in *ir.Instr, at []int, regs []float64, m memory, a address) float64 {
	switch in.Op {
	case ir.Const:
		return in.Imm
	case ir.Counter:
		return float64(at[in.Axis] + in.Index.Const)
	case ir.Load:
		return m[in.Buf][element(in.Index, at, regs)]
	case ir.Normal:
		if in.Type == ir.F32 {
			return noise.Single(a.seed, a.lane, a.step, a.site, a.point)
		}
		return noise.Normal(a.seed, a.lane, a.step, a.site, a.point)
	case ir.Common:
		return noise.Common(a.seed, a.step, uint32(in.Site))
	case ir.Uniform:
		return noise.Uniform(a.seed, a.lane, a.step, a.site, a.point)
	}
	if in.Op == ir.Addressed {
		return noise.Addressed(a.seed, uint32(in.Site), regs[in.Args[0]], regs[in.Args[1]], regs[in.Args[2]])
	}
	if in.Op == ir.Shuffle {
		return noise.Shuffle(a.seed, in.Rows, regs[in.Args[0]], regs[in.Args[1]])
	}
	return apply(in.Op, regs[in.Args[0]], regs[in.Args[1]], regs[in.Args[2]])
}

func element(ix ir.Index, at []int, regs []float64) int {
	e := ix.Const
	for a, s := range ix.Stride {
		e += s * at[a]
	}
	for _, d := range ix.Dyn {
		i := 0
		if v := regs[d.Reg]; v >= 1 {
			i = int(math.Min(v, float64(d.Limit-1)))
		}
		e += d.Stride * i
	}
	return e
}

func combine(c ir.Combine, old, v float64) float64 {
	switch c {
	case ir.Sum:
		return old + v
	case ir.Max:
		return propagate(math.Max, old, v)
	case ir.Min:
		return propagate(math.Min, old, v)
	}
	return v
}

func matMul(s *ir.MatMul, m memory) {
	x, y, z := m[s.A][s.PartA.First:], m[s.B][s.PartB.First:], m[s.C][s.PartC.First:]
	aBatch, bBatch := s.M*s.K, s.K*s.N
	if s.SharedA {
		aBatch = 0
	}
	if s.SharedB {
		bBatch = 0
	}
	for b := range s.Batch {
		for i := range s.M {
			for j := range s.N {
				sum := 0.0
				for k := range s.K {
					a, c := i*s.K+k, k*s.N+j
					if s.TransA {
						a = k*s.M + i
					}
					if s.TransB {
						c = j*s.K + k
					}
					sum += x[b*aBatch+a] * y[b*bBatch+c]
				}
				z[(b*s.M+i)*s.N+j] = sum
			}
		}
	}
}

func cumSum(s *ir.CumSum, m memory) {
	for o := range s.Outer {
		for i := range s.Inner {
			sum := 0.0
			for j := range s.N {
				n := j
				if s.Reverse {
					n = s.N - 1 - j
				}
				at := (o*s.N+n)*s.Inner + i
				sum += m[s.In][at]
				m[s.Out][at] = sum
			}
		}
	}
}
