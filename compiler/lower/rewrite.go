package lower

import (
	"fmt"
	"math"
	"slices"

	"ppl/autodiff"
)

// of is the value of a node. On the way LogSumExp becomes Max, exp, Sum and log; Pad becomes Concat with zeros; a sum of Pads to
// different places becomes one Concat; what is broadcast is computed before and not after; a transposed operand of a product
// becomes a flag; empty arrays become constants.
func (vs *values) of(n autodiff.Node) *value {
	if v, ok := vs.nodes[n]; ok {
		return v
	}
	args := make([]*value, len(n.Args()))
	for k, a := range n.Args() {
		args[k] = vs.of(a)
	}
	v := vs.rewrite(n.Op(), n.Shape(), args)
	if !sameShape(v.shape, n.Shape()) {
		internal("rewrite of kind %d changed shape %v to %v", n.Op().Kind, n.Shape(), v.shape)
	}
	vs.nodes[n] = v
	return v
}

func (vs *values) rewrite(op *autodiff.Op, shape []int, args []*value) *value {
	leaf := op.Kind <= autodiff.OpNoise
	if size(shape) == 0 && op.Kind != autodiff.OpInput {
		return vs.constant(0, shape)
	}
	if !leaf && len(args) > 0 && args[0].size() == 0 {
		return vs.ofEmpty(op, shape, args)
	}
	switch op.Kind {
	case autodiff.OpConst:
		return vs.constant(op.Value, shape)
	case autodiff.OpData:
		return vs.data(op, shape)
	case autodiff.OpInput, autodiff.OpNoise:
		return vs.make(autodiff.Op{Kind: op.Kind, Name: op.Name, Site: op.Site}, shape)
	case autodiff.OpReshape:
		return vs.reshape(args[0], shape)
	case autodiff.OpSlice:
		return vs.slice(args[0], op.Lo, op.Hi, shape)
	case autodiff.OpAdd:
		if v := vs.gatherConcats(args[0], args[1]); v != nil {
			return v
		}
	case autodiff.OpPad:
		return vs.pad(args[0], op.Lo, op.Hi)
	case autodiff.OpConcat:
		return vs.concat(op.Axes[0], shape, vs.parts(op.Axes[0], args))
	case autodiff.OpLogSumExp:
		return vs.logSumExp(args[0], op.Axes)
	case autodiff.OpSum, autodiff.OpMax, autodiff.OpMin:
		if len(shape) == 0 && args[0].kind == autodiff.OpReshape {
			return vs.reduceAll(op.Kind, base(args[0]))
		}
		if vs.splits(args[0].shape, op.Axes) {
			return vs.split(op.Kind, shape, args[0], op.Axes)
		}
	case autodiff.OpMatMul:
		return vs.matMul(*op, shape, args[0], args[1])
	}
	if _, ok := elementwise(op.Kind); ok {
		return vs.narrow(op.Kind, shape, args)
	}
	return vs.make(*op, shape, args...)
}

// narrow is an elementwise kind over the axes along which its arguments vary, broadcast to the rest.
func (vs *values) narrow(k autodiff.Kind, shape []int, args []*value) *value {
	varies := map[int]bool{}
	for _, a := range args {
		for _, axis := range variesAlong(a) {
			varies[axis] = true
		}
	}
	if len(varies) == len(shape) {
		return vs.make(autodiff.Op{Kind: k}, shape, args...)
	}
	var axes, inner []int
	for axis, n := range shape {
		if varies[axis] {
			axes, inner = append(axes, axis), append(inner, n)
		}
	}
	small := make([]*value, len(args))
	for i, a := range args {
		small[i] = vs.narrowed(a, inner, axes)
	}
	return vs.broadcast(vs.make(autodiff.Op{Kind: k}, inner, small...), shape, axes)
}

// variesAlong are the axes along which a value's elements may differ.
func variesAlong(v *value) []int {
	switch v.kind {
	case autodiff.OpConst:
		return nil
	case autodiff.OpBroadcast:
		return v.op.Axes
	}
	return kept(len(v.shape), nil)
}

// narrowed is v along some axes that include all it varies along.
func (vs *values) narrowed(v *value, shape, axes []int) *value {
	switch {
	case v.kind == autodiff.OpConst:
		return vs.constant(v.op.Value, nil)
	case len(v.shape) == 0:
		return v
	}
	to := make([]int, len(v.op.Axes))
	for k, a := range v.op.Axes {
		to[k] = slices.Index(axes, a)
	}
	return vs.broadcast(v.args[0], shape, to)
}

// data of one element is a constant.
func (vs *values) data(op *autodiff.Op, shape []int) *value {
	if len(op.Values) == 1 {
		return vs.constant(op.Values[0], shape)
	}
	return vs.make(autodiff.Op{Kind: autodiff.OpData, Name: op.Name, Values: op.Values}, shape)
}

// ofEmpty is a result that is not empty though its first argument is.
func (vs *values) ofEmpty(op *autodiff.Op, shape []int, args []*value) *value {
	switch op.Kind {
	case autodiff.OpMax, autodiff.OpLogSumExp:
		return vs.constant(math.Inf(-1), shape)
	case autodiff.OpMin:
		return vs.constant(math.Inf(1), shape)
	case autodiff.OpConcat:
		return vs.concat(op.Axes[0], shape, vs.parts(op.Axes[0], args))
	}
	return vs.constant(0, shape) // sums, scatters, products and paddings of nothing
}

func (vs *values) reduceAll(k autodiff.Kind, x *value) *value {
	axes := make([]int, len(x.shape))
	for i := range axes {
		axes[i] = i
	}
	return vs.reduce(k, x, axes)
}

// short notes a reduction over a short last axis of a long array. It is written out inside the loops over the other axes, and then
// so is every reduction of such an array that keeps the last axis: a mixture's rows are visited once, for the sum over
// components and for the gradient of each.
func (vs *values) short(n autodiff.Node) {
	switch n.Op().Kind {
	case autodiff.OpSum, autodiff.OpMax, autodiff.OpMin, autodiff.OpLogSumExp:
		x := n.Args()[0].Shape()
		last := len(x) - 1
		if slices.Equal(n.Op().Axes, []int{last}) && x[last] <= maxUnrolled && size(x[:last]) > maxUnrolled {
			vs.shorts[fmt.Sprint(x)] = true
		}
	}
}

func (vs *values) splits(shape, axes []int) bool {
	return vs.shorts[fmt.Sprint(shape)] && !slices.Contains(axes, len(shape)-1)
}

// split reduces each slice along the last axis apart.
func (vs *values) split(k autodiff.Kind, shape []int, x *value, axes []int) *value {
	last := len(x.shape) - 1
	lo, hi := make([]int, last+1), slices.Clone(x.shape)
	var parts []part
	for i := range x.shape[last] {
		lo, hi = slices.Clone(lo), slices.Clone(hi)
		lo[last], hi[last] = i, i+1
		slice := vs.slice(x, lo, hi, append(slices.Clone(x.shape[:last]), 1))
		parts = append(parts, part{i, i + 1, vs.reduce(k, slice, axes)})
	}
	return vs.concat(len(shape)-1, shape, parts)
}

// logSumExp is m + log Σ exp(x − m) with m the largest element, or 0 where that is infinite: all -inf then gives log 0 = -inf,
// and a +inf gives +inf.
func (vs *values) logSumExp(x *value, axes []int) *value {
	top := vs.reduce(autodiff.OpMax, x, axes)
	m := vs.apply(autodiff.OpSelect, vs.apply(autodiff.OpIsFinite, top), top, vs.constant(0, nil))
	away := vs.apply(autodiff.OpSub, x, vs.broadcast(m, x.shape, kept(len(x.shape), axes)))
	total := vs.reduce(autodiff.OpSum, vs.apply(autodiff.OpExp, away), axes)
	return vs.apply(autodiff.OpAdd, m, vs.apply(autodiff.OpLog, total))
}

// matMul takes the transposition of its operands' last two axes into its flags.
func (vs *values) matMul(op autodiff.Op, shape []int, a, b *value) *value {
	if x, ok := transposed(a); ok {
		a, op.TransA = x, !op.TransA
	}
	if x, ok := transposed(b); ok {
		b, op.TransB = x, !op.TransB
	}
	return vs.make(op, shape, a, b)
}

func transposed(v *value) (arg *value, ok bool) {
	n := len(v.shape)
	if v.kind != autodiff.OpPermute || n < 2 {
		return nil, false
	}
	for k := range n - 2 {
		if v.op.Axes[k] != k {
			return nil, false
		}
	}
	return v.args[0], v.op.Axes[n-2] == n-1
}

// A part of a concatenation along an axis: [lo, hi) of it, and what is there.
type part struct {
	lo, hi int
	value  *value // nil: zeros
}

func (vs *values) parts(axis int, args []*value) []part {
	var out []part
	lo := 0
	for _, a := range args {
		hi := lo + a.shape[axis]
		out = append(out, part{lo, hi, a})
		lo = hi
	}
	return out
}

// concatParts reads back what concat made. Op.Lo and Op.Hi of a Concat are the ends of its parts.
func concatParts(v *value) []part {
	out := make([]part, len(v.args))
	for k, a := range v.args {
		out[k] = part{v.op.Lo[k], v.op.Hi[k], a}
	}
	return out
}

// concat joins parts, which follow each other and fill the axis; concatenations along the same axis inside are opened.
func (vs *values) concat(axis int, shape []int, parts []part) *value {
	op := autodiff.Op{Kind: autodiff.OpConcat, Axes: []int{axis}}
	var args []*value
	for _, p := range flatParts(axis, parts) {
		last := len(args) - 1
		if p.value == nil && last >= 0 && args[last] == nil {
			op.Hi[last] = p.hi
			continue
		}
		args = append(args, p.value)
		op.Lo, op.Hi = append(op.Lo, p.lo), append(op.Hi, p.hi)
	}
	switch {
	case len(args) == 1 && args[0] != nil:
		return args[0]
	case len(args) == 1:
		return vs.constant(0, shape)
	}
	return vs.make(op, shape, args...)
}

func flatParts(axis int, parts []part) []part {
	var out []part
	for _, p := range parts {
		switch v := p.value; {
		case p.lo == p.hi:
		case v != nil && v.kind == autodiff.OpConst && v.op.Value == 0:
			out = append(out, part{p.lo, p.hi, nil})
		case v != nil && v.kind == autodiff.OpConcat && v.op.Axes[0] == axis:
			for _, q := range concatParts(v) {
				out = append(out, part{p.lo + q.lo, p.lo + q.hi, q.value})
			}
		default:
			out = append(out, p)
		}
	}
	return out
}

// pad pads axis by axis.
func (vs *values) pad(x *value, before, after []int) *value {
	for k := range x.shape {
		if before[k] == 0 && after[k] == 0 {
			continue
		}
		shape := slices.Clone(x.shape)
		end := before[k] + shape[k]
		shape[k] = end + after[k]
		x = vs.concat(k, shape, []part{{0, before[k], nil}, {before[k], end, x}, {end, shape[k], nil}})
	}
	return x
}

// gatherConcats adds where both terms are concatenations, or one is and the other ends in one: x + p + q is x + (p + q).
func (vs *values) gatherConcats(a, b *value) *value {
	if v := vs.addConcats(a, b); v != nil {
		return v
	}
	for _, t := range [][2]*value{{a, b}, {b, a}} {
		sum, p := t[0], t[1]
		if sum.kind != autodiff.OpAdd {
			continue
		}
		for k, q := range sum.args {
			if v := vs.addConcats(q, p); v != nil {
				return vs.apply(autodiff.OpAdd, sum.args[1-k], v)
			}
		}
	}
	return nil
}

// addConcats adds two concatenations along one axis part by part where the parts that are not zero coincide or keep clear of each
// other; nil where they do not. Gradients of slices meet this way.
func (vs *values) addConcats(a, b *value) *value {
	if a.kind != autodiff.OpConcat || b.kind != autodiff.OpConcat || a.op.Axes[0] != b.op.Axes[0] {
		return nil
	}
	all := append(nonzero(concatParts(a)), nonzero(concatParts(b))...)
	slices.SortStableFunc(all, func(p, q part) int { return p.lo - q.lo })
	axis := a.op.Axes[0]
	var parts []part
	end := 0
	for _, p := range all {
		last := len(parts) - 1
		switch {
		case last >= 0 && parts[last].lo == p.lo && parts[last].hi == p.hi:
			parts[last].value = vs.apply(autodiff.OpAdd, parts[last].value, p.value)
			continue
		case p.lo < end:
			return nil
		case p.lo > end:
			parts = append(parts, part{end, p.lo, nil})
		}
		parts = append(parts, p)
		end = p.hi
	}
	if n := a.shape[axis]; end < n {
		parts = append(parts, part{end, n, nil})
	}
	return vs.concat(axis, a.shape, parts)
}

func nonzero(parts []part) []part {
	return slices.DeleteFunc(parts, func(p part) bool { return p.value == nil })
}

// slice of a concatenation that lies within one part is a slice of that part.
func (vs *values) slice(x *value, lo, hi, shape []int) *value {
	if x.kind == autodiff.OpConcat {
		axis := x.op.Axes[0]
		for _, p := range concatParts(x) {
			if lo[axis] < p.lo || hi[axis] > p.hi {
				continue
			}
			if p.value == nil {
				return vs.constant(0, shape)
			}
			lo, hi = slices.Clone(lo), slices.Clone(hi)
			lo[axis], hi[axis] = lo[axis]-p.lo, hi[axis]-p.lo
			return vs.slice(p.value, lo, hi, shape)
		}
	}
	if sameShape(x.shape, shape) {
		return x
	}
	return vs.make(autodiff.Op{Kind: autodiff.OpSlice, Lo: lo, Hi: hi}, shape, x)
}
