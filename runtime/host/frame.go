package host

import "math"

// A frame holds the registers and steps of one kernel for one worker. For a kernel that computes
//
//	for i < N { out[i] = a·x[i] + log(b) }     // x, b: data; a: lane buffer
//
// on blocks of eight lanes, steps are divided by the time at which they run:
//
//	loadSteps   r1 = log(b)                    // depends only on data: runs once, at load
//	prologue    r0 = view of a                 // does not vary along points: once per tile
//	body        r2 = r0·x[chunk]; r3 = r2 + r1 // once per chunk, on vectors of points × lanes
//
// A step has pointers to its operand registers, so that running it is a single call of its loop. In small models an
// instruction has only eight numbers, and looking up operands would cost as much as the arithmetic.
type frame struct {
	chunk    chunk                // points being evaluated
	vec      [][]float64          // registers
	sized    [shapes][]*[]float64 // registers whose length depends on the chunk, by shape
	addr     [][]int
	partials [][]float64 // by output: [tile][element][lane]
	views    [occasions][]view

	loadSteps, prologue, body []step
}

// A view is a register that refers to consecutive elements of a buffer.
type view struct {
	reg, buf        *[]float64
	at, turn, point int // index of the first element: at + turn·(number of the iteration) + point·(number of the point)
	shape           shape
}

// Times at which views are set. Each is just before steps that read the views, after the values that they depend on may
// have changed.
const (
	atLoad  = iota // views of shared data, which never move
	atBlock        // views of lane buffers: a worker has switched to another block
	atChunk        // views that depend on the iteration or the chunk
	occasions
)

// bindViews sets the views of one of these times.
func (f *frame) bindViews(when, turn int) {
	for i := range f.views[when] {
		v := &f.views[when][i]
		at := v.at + v.turn*turn + v.point*f.chunk.start
		*v.reg = (*v.buf)[at:][:f.chunk.len[v.shape]]
	}
}

// setChunk sets the lengths of registers for the chunk.
func (f *frame) setChunk(start, points, width int) {
	f.chunk.start = start
	if f.chunk.points == points {
		return
	}
	f.chunk.points, f.chunk.len = points, [shapes]int{1, points, width, points * width}
	for s, regs := range f.sized {
		for _, r := range regs {
			*r = (*r)[:f.chunk.len[s]]
		}
	}
}

func (k *kernelCode) frame(file []float64, constants map[uint64][]float64) frame {
	f := frame{vec: make([][]float64, len(k.regs)), addr: make([][]int, k.addrs)}
	for i, r := range k.regs {
		switch {
		case r.constant:
			f.vec[i] = constantVector(constants, r.value)
			continue
		case r.own:
			f.vec[i] = make([]float64, k.points*k.width)
		case r.slot >= 0:
			f.vec[i] = file[r.slot*chunkValues:][:chunkValues:chunkValues]
		default:
			continue
		}
		f.sized[r.shape] = append(f.sized[r.shape], &f.vec[i])
	}
	for i := range f.addr {
		f.addr[i] = make([]int, min(k.points, k.chunk)*k.width)
	}
	if k.partial {
		for _, o := range k.outs {
			f.partials = append(f.partials, o.partials(k.tileCount()))
		}
	}
	f.setChunk(0, min(k.points, k.chunk), k.width)
	return f
}

// bind creates the kernel's views and steps, with pointers to the frame's registers and a worker's buffers.
func (f *frame) bind(k *kernelCode, bufs [][]float64) {
	for when, views := range k.views {
		for _, v := range views {
			b := view{reg: &f.vec[v.reg], buf: &bufs[v.buf], at: v.addr.base * v.width, turn: v.addr.step * v.width,
				shape: k.regs[v.reg].shape}
			if v.addr.kind == linear {
				b.point = v.width
			}
			f.views[when] = append(f.views[when], b)
		}
	}
	f.loadSteps, f.prologue, f.body = f.steps(k.loadSteps), f.steps(k.prologue), f.steps(k.body)
}

func (f *frame) steps(planned []*plannedStep) []step {
	steps := make([]step, len(planned))
	for i, p := range planned {
		s := &steps[i]
		s.opLoop, s.task = p.loop, p.task
		if p.task != nil {
			continue
		}
		s.d = &f.vec[p.dst]
		for j, a := range p.args {
			s.args[j] = &f.vec[a]
		}
	}
	return steps
}

// constantVector returns a full vector of v. Vectors are identified by the bits of their value instead of ==: −0
// differs from 0, and NaN equals itself.
func constantVector(known map[uint64][]float64, v float64) []float64 {
	x, ok := known[math.Float64bits(v)]
	if !ok {
		x = make([]float64, chunkValues)
		for i := range x {
			x[i] = v
		}
		known[math.Float64bits(v)] = x
	}
	return x
}
