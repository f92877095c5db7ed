package lower

import (
	"ppl/autodiff"
	"ppl/compiler/backend/ir"
	"slices"
)

// inline computes v at coordinates from its arguments.
func (b *body) inline(v *value, at []ir.Index) ir.Reg {
	defer b.inType(v.typ())()
	if v.kind == autodiff.OpSingle || v.kind == autodiff.OpDouble {
		return b.value(v.args[0], at[len(at)-len(v.args[0].shape):], v)
	}
	if v.kind.Row() != nil {
		args := make([]ir.Reg, len(v.args))
		for k, a := range v.args {
			args[k] = b.value(a, at[len(at)-len(a.shape):], v)
		}
		return b.apply(ir.Of(v.kind), args...)
	}
	switch v.kind {
	case autodiff.OpConst:
		return b.constant(v.op.Value)
	case autodiff.OpNoise:
		return b.noise(v, at)
	case autodiff.OpAddressed:
		var args [3]ir.Reg
		for k := range args {
			args[k] = b.value(v.args[k], at, v)
		}
		return b.emit(ir.Instr{Op: ir.Addressed, Site: v.op.Site, Args: args})
	case autodiff.OpShuffle:
		key, position := b.value(v.args[0], at, v), b.value(v.args[1], at, v)
		return b.emit(ir.Instr{Op: ir.Shuffle, Rows: v.op.Rows, Args: [3]ir.Reg{key, position}})
	case autodiff.OpBroadcast, autodiff.OpPermute, autodiff.OpSlice:
		return b.value(v.args[0], moved(v, at), v)
	case autodiff.OpReshape:
		return b.reshape(v, at)
	case autodiff.OpConcat:
		return b.concat(v, at)
	case autodiff.OpGather:
		return b.gather(v, at)
	}
	if _, ok := reductions[v.kind]; ok {
		return b.unrolled(v, at)
	}
	return b.requireStored(v)
}

// requireStored records that v must be stored, and returns a placeholder: all code is written again once v is stored.
func (b *body) requireStored(v *value) ir.Reg {
	b.trace.demand[v] = true
	return b.constant(0)
}

// noise returns the register of a noise value. Noise depends on the kernel's point, so it must be drawn in a kernel
// over its own shape.
func (b *body) noise(v *value, at []ir.Index) ir.Reg {
	if v.op.Name == "common" {
		return b.emit(ir.Instr{Op: ir.Common, Site: v.op.Site})
	}
	if !b.atOwnPoint(v, at) {
		return b.requireStored(v)
	}
	op := ir.Normal
	if v.op.Name == "uniform" {
		op = ir.Uniform
	}
	return b.emit(ir.Instr{Op: op, Type: v.typ(), Site: v.op.Site})
}

// moved returns the coordinates at which an affine movement reads its argument.
func moved(v *value, at []ir.Index) []ir.Index {
	from := make([]ir.Index, len(v.args[0].shape))
	for k := range from {
		switch v.kind {
		case autodiff.OpBroadcast:
			from[k] = at[v.op.Axes[k]]
		case autodiff.OpPermute:
			from[v.op.Axes[k]] = at[k]
		case autodiff.OpSlice:
			from[k] = shift(at[k], v.op.Lo[k])
		}
	}
	return from
}

// reshape reads its argument at the same offset. A stored argument is read directly; otherwise the offset is converted
// to coordinates, and if these are not affine the argument must be stored.
func (b *body) reshape(v *value, at []ir.Index) ir.Reg {
	x := v.args[0]
	flat := flatten(at, v.shape)
	if from, ok := unflatten(flat, x.shape, b.extents); ok {
		return b.value(x, from, v)
	}
	h, ok := b.plan.home(x)
	switch {
	case x.kind == autodiff.OpConst:
		return b.constant(x.op.Value)
	case !ok:
		return b.requireStored(x)
	}
	if _, ok := b.plan.leaf(x); ok {
		return b.load(h, flat)
	}
	return b.loadStored(read{x, false}, h, flat)
}

// concat selects the part that contains the point.
func (b *body) concat(v *value, at []ir.Index) ir.Reg {
	axis := v.op.Axes[0]
	first, last := at[axis].Span(b.extents)
	var parts []part
	for _, p := range concatParts(v) {
		if p.lo <= last && first < p.hi {
			parts = append(parts, p)
		}
	}
	r := b.part(v, parts[len(parts)-1], at)
	for k := len(parts) - 2; k >= 0; k-- {
		r = b.apply(ir.Select, b.before(at[axis], parts[k].hi), b.part(v, parts[k], at), r)
	}
	return r
}

// before returns a register that is 1 if a coordinate is below an end, and 0 otherwise.
func (b *body) before(at ir.Index, end int) ir.Reg {
	defer b.inType(ir.F64)()
	return b.apply(ir.Lt, b.number(at), b.constant(float64(end)))
}

// part reads a part at a point that may be outside of it. The coordinate is then clamped, and concat does not select
// the result.
func (b *body) part(v *value, p part, at []ir.Index) ir.Reg {
	if p.value == nil {
		return b.constant(0)
	}
	axis := v.op.Axes[0]
	from := append([]ir.Index(nil), at...)
	from[axis] = shift(at[axis], -p.lo)
	if lo, hi := from[axis].Span(b.extents); lo < 0 || hi >= p.hi-p.lo {
		from[axis] = ir.Index{Dyn: []ir.Dyn{{Reg: b.number(from[axis]), Stride: 1, Limit: p.hi - p.lo}}}
	}
	return b.value(p.value, from, v)
}

// gather reads its argument at computed coordinates.
func (b *body) gather(v *value, at []ir.Index) ir.Reg {
	x := v.args[0]
	return b.value(x, b.chosen(v, at, x.shape), v)
}

// positions returns the coordinates that the index arguments of a gather or scatter select at the point `lead` of the
// indices; shape holds the lengths of the indexed axes.
func (b *body) positions(v *value, lead []ir.Index, shape []int) []ir.Index {
	var out []ir.Index
	for k, index := range v.args[1:] {
		if axis, lo, ok := axisOfIndex(index); ok && lo >= 0 && lo+index.shape[axis] <= shape[k] {
			out = append(out, shift(lead[axis], lo))
			continue
		}
		if to, ok := b.constantCoordinate(index, lead, shape[k]); ok {
			out = append(out, to)
			continue
		}
		if start, axis, lo, ok := countedFrom(index); ok {
			at := b.value(start, make([]ir.Index, len(start.shape)), v)
			room := shape[k] - lo - index.shape[axis] + 1
			out = append(out, plus(shift(lead[axis], lo), ir.Index{Dyn: []ir.Dyn{{Reg: at, Stride: 1, Limit: room}}}))
			continue
		}
		r := b.value(index, lead, v)
		if in := b.instrs[r]; in.Op == ir.Const && in.Imm >= 0 && in.Imm < float64(shape[k]) {
			out = append(out, fixed(int(in.Imm)))
			continue
		}
		out = append(out, ir.Index{Dyn: []ir.Dyn{{Reg: r, Stride: 1, Limit: shape[k]}}})
	}
	return out
}

// unrolled writes out a reduction over few elements.
func (b *body) unrolled(v *value, at []ir.Index) ir.Reg {
	x := v.args[0]
	op := reductions[v.kind].op
	from := make([]ir.Index, len(x.shape))
	for i, k := range kept(len(x.shape), v.op.Axes) {
		from[k] = at[i]
	}
	var r ir.Reg
	each(x.shape, v.op.Axes, func(i int, point []int) {
		for j, k := range v.op.Axes {
			from[k] = fixed(point[j])
		}
		e := b.value(x, from, v)
		if i == 0 {
			r = e
			return
		}
		r = b.apply(op, r, e)
	})
	return r
}

// each visits the points of the given axes in row-major order.
func each(shape, axes []int, visit func(i int, point []int)) {
	point := make([]int, len(axes))
	for i := 0; ; i++ {
		visit(i, point)
		k := len(axes) - 1
		for ; k >= 0; k-- {
			point[k]++
			if point[k] < shape[axes[k]] {
				break
			}
			point[k] = 0
		}
		if k < 0 {
			return
		}
	}
}

// chosen returns the coordinates, in an array of a shape, of the element that a Gather reads or a ScatterAdd writes at
// a point.
func (b *body) chosen(v *value, at []ir.Index, shape []int) []ir.Index {
	first := firstChosen(v)
	end := first + len(v.args[1].shape)
	return slices.Concat(at[:first], b.positions(v, at[first:end], shape[first:]), at[end:])
}
