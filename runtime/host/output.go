package host

import (
	"math"

	"ppl/compiler/ir"
	"ppl/runtime/special"
)

// An output stores or combines a register into a buffer; its values have the kernel's widest shape.
type output struct {
	buf     ir.BufID
	typ     ir.Type
	value   int
	addr    addressRef
	combine ir.Combine
	width   int
	len     int // of the buffer, all lanes
	both    shape
}

func (o *output) reads() []int { return []int{o.value} }

// partials is room for each tile's result, if tiles combine.
func (o *output) partials(tiles int) []float64 {
	if o.combine == ir.Store {
		return nil
	}
	return make([]float64, tiles*o.len)
}

// reset starts a combination from its neutral element.
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

// put writes a chunk's values.
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

// run is an output as a step of a whole kernel.
func (o *output) run(w *worker, f *frame, c *chunk) {
	target := w.bufs[o.buf]
	o.reset(target)
	o.put(w, f, c, target)
	o.finish(target)
}

// finish makes what was combined what the buffer can hold.
func (o *output) finish(target []float64) {
	if o.combine != ir.Store {
		round(target, o.typ)
	}
}

// inOrder reports whether values lie in the buffer as they do in the register.
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

// sumLanes adds each point's lanes to t, point by point; the widths of blocks have loops in registers.
func sumLanes(t, v []float64) {
	switch len(t) {
	case 8:
		sum8((*[8]float64)(t), v)
	case 4:
		sum4((*[4]float64)(t), v)
	case 1:
		s := t[0]
		for _, x := range v {
			s += x
		}
		t[0] = s
	}
}

func sum8(t *[8]float64, v []float64) {
	a, b, c, d, e, f, g, h := t[0], t[1], t[2], t[3], t[4], t[5], t[6], t[7]
	for len(v) >= 8 {
		x := (*[8]float64)(v)
		a += x[0]
		b += x[1]
		c += x[2]
		d += x[3]
		e += x[4]
		f += x[5]
		g += x[6]
		h += x[7]
		v = v[8:]
	}
	*t = [8]float64{a, b, c, d, e, f, g, h}
}

func sum4(t *[4]float64, v []float64) {
	a, b, c, d := t[0], t[1], t[2], t[3]
	for len(v) >= 4 {
		x := (*[4]float64)(v)
		a += x[0]
		b += x[1]
		c += x[2]
		d += x[3]
		v = v[4:]
	}
	*t = [4]float64{a, b, c, d}
}

// scatterLanes writes to elements that differ from lane to lane; at has one entry for each value, or for each lane.
func (o *output) scatterLanes(target, v []float64, at []int, merge func(d, v []float64)) {
	for i := range v {
		t := at[i%len(at)]*o.width + i%o.width
		merge(target[t:t+1], v[i:i+1])
	}
}

// combineLoops meet d with v, element by element.
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
