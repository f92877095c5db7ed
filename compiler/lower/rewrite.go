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
		if k > 0 && (n.Op().Kind == autodiff.OpGather || n.Op().Kind == autodiff.OpScatterAdd) {
			args[k] = vs.index(a)
		}
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
	case autodiff.OpSum:
		return vs.total(args[0], op.Axes)
	case autodiff.OpMax, autodiff.OpMin:
		return vs.reduce(op.Kind, args[0], op.Axes)
	case autodiff.OpGather:
		return vs.gather(op, shape, args[0], args[1:])
	case autodiff.OpScatterAdd:
		return vs.scatter(op, shape, args[0], args[1:])
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

// total is a sum.
func (vs *values) total(x *value, axes []int) *value {
	if v := vs.sumOfScatter(x, axes); v != nil {
		return v
	}
	return vs.reduce(autodiff.OpSum, x, axes)
}

// reduce is a reduction; reshapes do not matter to one over all axes.
func (vs *values) reduce(k autodiff.Kind, x *value, axes []int) *value {
	if len(axes) == len(x.shape) {
		x = base(x)
		axes = kept(len(x.shape), nil)
	}
	switch axis, ok := vs.shorts[fmt.Sprint(x.shape)]; {
	case len(axes) == 0:
		return x
	case ok && !slices.Contains(axes, axis):
		return vs.split(k, x, axes, axis)
	case ok && len(axes) > 1:
		inner := vs.reduce(k, x, []int{axis})
		return vs.reduce(k, inner, remaining(axes, axis))
	}
	return vs.make(autodiff.Op{Kind: k, Axes: axes}, without(x.shape, axes), x)
}

// remaining are the axes still to reduce when one has gone.
func remaining(axes []int, gone int) []int {
	var out []int
	for _, k := range axes {
		switch {
		case k > gone:
			out = append(out, k-1)
		case k < gone:
			out = append(out, k)
		}
	}
	return out
}

// short notes a reduction over one short axis of a long array. It is written out inside the loops over the other axes, and then
// so is every reduction of such an array that keeps the axis: a mixture's rows are visited once, for the sum over
// components and for the gradient of each.
func (vs *values) short(n autodiff.Node) {
	switch axes := n.Op().Axes; n.Op().Kind {
	case autodiff.OpSum, autodiff.OpMax, autodiff.OpMin, autodiff.OpLogSumExp:
		x := n.Args()[0].Shape()
		if len(axes) == 1 && x[axes[0]] <= maxUnrolled && size(without(x, axes)) > maxUnrolled {
			vs.shorts[fmt.Sprint(x)] = axes[0]
		}
	}
}

// split reduces each slice along the short axis apart.
func (vs *values) split(k autodiff.Kind, x *value, axes []int, axis int) *value {
	lo, hi := make([]int, len(x.shape)), slices.Clone(x.shape)
	slice := slices.Clone(x.shape)
	slice[axis] = 1
	var parts []part
	for i := range x.shape[axis] {
		lo, hi = slices.Clone(lo), slices.Clone(hi)
		lo[axis], hi[axis] = i, i+1
		one := vs.slice(x, lo, hi, slice)
		parts = append(parts, part{i, i + 1, vs.make(autodiff.Op{Kind: k, Axes: axes}, without(slice, axes), one)})
	}
	return vs.concat(slices.Index(kept(len(x.shape), axes), axis), without(x.shape, axes), parts)
}

// logSumExp is m + log Σ exp(x − m) with m the largest element, or 0 where that is infinite: all -inf then gives log 0 = -inf,
// and a +inf gives +inf.
func (vs *values) logSumExp(x *value, axes []int) *value {
	top := vs.reduce(autodiff.OpMax, x, axes)
	m := vs.apply(autodiff.OpSelect, vs.apply(autodiff.OpIsFinite, top), top, vs.constant(0, nil))
	away := vs.apply(autodiff.OpSub, x, vs.broadcast(m, x.shape, kept(len(x.shape), axes)))
	total := vs.total(vs.apply(autodiff.OpExp, away), axes)
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
