package host

import "math"

// A frame is a worker's room for one kernel, and the kernel's steps in it; what is frozen depends on data alone and
// runs at load.
type frame struct {
	chunk    chunk                // under evaluation
	vec      [][]float64          // registers
	sized    [shapes][]*[]float64 // those that are as long as the chunk, by shape
	addr     [][]int
	partials [][]float64 // by output: [tile][element][lane]
	views    [occasions][]view

	frozen, prologue, body []step
}

// A view is a register that is elements of a buffer as they lie there.
type view struct {
	reg, buf        *[]float64
	at, turn, point int // where they begin: at first, and from turn to turn and from point to point
	shape           shape
}

// Views are set before steps run, when what they depend on may have changed.
const (
	atLoad  = iota // data lie where they lie
	atBlock        // a worker has taken a block of lanes
	atChunk        // a turn or a chunk begins
	occasions
)

// look sets the views of an occasion.
func (f *frame) look(when, turn int) {
	for i := range f.views[when] {
		v := &f.views[when][i]
		at := v.at + v.turn*turn + v.point*f.chunk.start
		*v.reg = (*v.buf)[at:][:f.chunk.len[v.shape]]
	}
}

// setChunk gives registers the length that the chunk has in their shapes.
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

// bind makes the kernel's views and steps for the frame's registers and a worker's buffers.
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
	f.frozen, f.prologue, f.body = f.steps(k.frozen), f.steps(k.prologue), f.steps(k.body)
}

func (f *frame) steps(places []*placed) []step {
	steps := make([]step, len(places))
	for i, p := range places {
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

// constantVector tells constants apart by their bits: −0 is not 0, and NaN equals itself.
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
