package host

import (
	"math"
	"slices"

	"ppl/autodiff/special"
	"ppl/compiler/backend/ir"
)

// total is an op that the IR does not have: the sum over points, lane by lane.
const total = ir.Op(ir.Ops)

// An output stores a register to a buffer, or combines it into one. Its values have the kernel's widest shape.
type output struct {
	buf     ir.BufID
	typ     ir.Type
	value   int
	addr    addressRef
	combine ir.Combine
	width   int
	len     int // elements of the buffer times lanes
	both    shape
}

func (o *output) reads() []int { return []int{o.value} }

// partials allocates the results of tiles, unless the output is stored.
func (o *output) partials(tiles int) []float64 {
	if o.combine == ir.Store {
		return nil
	}
	return make([]float64, tiles*o.len)
}

// reset sets the target to the neutral element of the combination.
func (o *output) reset(target []float64) {
	switch o.combine {
	case ir.Sum:
		clear(target)
	case ir.Max:
		fill(target, math.Inf(-1))
	case ir.Min:
		fill(target, math.Inf(1))
	}
}

// put stores or combines the values of a chunk.
func (o *output) put(w *worker, f *frame, c *chunk, target []float64) {
	v := f.vec[o.value][:c.len[o.both]]
	merge := combineLoops[o.combine]
	switch {
	case o.addr.kind == linear:
		merge(target[(o.addr.first(w)+c.start)*o.width:][:len(v)], v)
	case o.addr.kind == fixed:
		o.fold(target[o.addr.first(w)*o.width:][:o.width], v)
	case o.addr.shape == 0:
		o.fold(target[f.addr[o.addr.id][0]*o.width:][:o.width], v)
	case o.addr.shape&perLane != 0:
		o.scatterLanes(target, v, f.addr[o.addr.id][:c.len[o.addr.shape]], merge)
	default:
		at := f.addr[o.addr.id][:c.len[o.addr.shape]]
		for i, e := range at {
			merge(target[e*o.width:][:o.width], v[i*o.width:][:o.width])
		}
	}
}

// run executes the output as a step of a kernel with one chunk.
func (o *output) run(w *worker, f *frame, c *chunk) {
	target := w.bufs[o.buf]
	o.reset(target)
	o.put(w, f, c, target)
	o.finish(target)
}

// finish rounds the combined result to the type of the buffer.
func (o *output) finish(target []float64) {
	if o.combine != ir.Store {
		round(target, o.typ)
	}
}

// inOrder reports whether values have the same order in the buffer as in the register.
func (o *output) inOrder(points int) bool {
	return o.addr.kind == linear || o.addr.kind == fixed && points == 1
}

// fold combines all points into one element per lane.
func (o *output) fold(target, v []float64) {
	switch {
	case o.combine == ir.Store:
		copy(target, v[len(v)-o.width:])
	case o.combine == ir.Sum:
		sumLanes(target, v)
	default:
		merge := combineLoops[o.combine]
		for i := 0; i < len(v); i += o.width {
			merge(target, v[i:][:o.width])
		}
	}
}

// scatterLanes writes to elements that differ from lane to lane; `at` has one entry per value or per lane.
func (o *output) scatterLanes(target, v []float64, at []int, merge func(d, v []float64)) {
	for i := range v {
		t := at[i%len(at)]*o.width + i%o.width
		merge(target[t:t+1], v[i:i+1])
	}
}

// combineLoops holds, for each combination, the loop that combines d with v element by element.
var combineLoops = [...]func(d, v []float64){
	ir.Store: copyLoop,
	ir.Sum: func(d, v []float64) {
		v = v[:len(d)]
		for i := range d {
			d[i] += v[i]
		}
	},
	ir.Max: func(d, v []float64) {
		for i := range d {
			d[i] = special.Maximum(d[i], v[i])
		}
	},
	ir.Min: func(d, v []float64) {
		for i := range d {
			d[i] = special.Minimum(d[i], v[i])
		}
	},
}

// outputs adds the steps of all values and addresses, then those of the outputs. In a kernel with one chunk (`whole`)
// outputs are steps; otherwise they run after each chunk.
func (k *kernelCode) outputs() {
	outs := make([]output, len(k.in.Out))
	for i, o := range k.in.Out {
		b := k.c.program.Buffers[o.Buf]
		value := k.widen(k.value(o.Value), k.both)
		// values are rounded before the store, since other iterations may be writing the rest of the buffer
		if b.Type != ir.F64 && o.Combine == ir.Store {
			value = k.rounded(value, b.Type)
		}
		outs[i] = output{buf: o.Buf, typ: b.Type, value: value, addr: k.address(o.Index), combine: o.Combine,
			width: k.width, len: b.Size * k.width, both: k.both}
	}
	for i := range outs {
		switch o := &outs[i]; {
		case !k.whole:
			k.outs = append(k.outs, *o)
		case o.combine == ir.Store && o.inOrder(k.points):
			k.store(o)
		case k.totals(o):
			sum := k.register(k.both&perLane, false)
			k.addStep(&plannedStep{op: total, loop: opLoop{unary: totalLoop}, dst: sum, args: o.reads()})
			k.view(o.buf, o.addr, k.width, sum)
		default:
			k.planned = append(k.planned, &plannedStep{task: o, dst: -1, args: o.reads()})
		}
	}
}

// totals reports whether an output is a buffer's only element and the sum of a register of the chunk's length. The
// register of a constant is longer.
func (k *kernelCode) totals(o *output) bool {
	return o.combine == ir.Sum && o.addr.kind == fixed && o.len == k.width && o.typ == ir.F64 &&
		!k.regs[o.value].constant
}

// store computes a value directly in the buffer if possible, and otherwise copies it there.
func (k *kernelCode) store(o *output) {
	dst := o.value
	if !k.movable(dst, o.buf) {
		dst = k.register(k.both, false)
		k.addStep(&plannedStep{loop: opLoop{unary: copyLoop}, dst: dst, args: o.reads()})
	}
	k.view(o.buf, o.addr, k.width, dst)
}

// movable reports whether a register can be replaced by a view of a buffer: it has a slot, and nothing reads the
// buffer's old values.
func (k *kernelCode) movable(r int, buf ir.BufID) bool {
	reg := k.regs[r]
	return !reg.constant && !reg.alias && !(reg.dataOnly && k.runsAtLoad()) &&
		!slices.ContainsFunc(k.in.Body, func(in ir.Instr) bool {
			return in.Op == ir.Load && in.Buf == buf && k.overwrites(&in)
		})
}

// rounded returns a register that is rounded to the type t of a buffer.
func (k *kernelCode) rounded(r int, t ir.Type) int {
	from := k.regs[r]
	dst := k.register(k.both, from.dataOnly)
	f := func(d, a []float64) {
		copy(d, a)
		round(d, t)
	}
	return k.addStep(&plannedStep{loop: opLoop{unary: f}, dst: dst, args: []int{r}})
}
