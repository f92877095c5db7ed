package lower

import (
	"slices"

	"ppl/autodiff"
	"ppl/compiler/backend/ir"
)

// Limits of code that is written out inside a kernel.
const (
	maxUnrolled    = 6   // elements of a reduction
	maxInlineParts = 2   // parts of a concatenation that are not zeros
	maxInlineCost  = 500 // cost of an element of a reduction or concatenation, in additions

	// Coordinates at which a kernel computes one value. If sums over neighbours are nested, their number is exponential
	// in the depth of nesting.
	maxWritten = 100
)

// of returns the value of a node. It rewrites nodes into fewer kinds and cheaper forms:
//
//	LogSumExp                       →  Max, exp, Sum and log
//	Pad                             →  Concat with zeros
//	sum of Pads at different places →  one Concat
//	f(broadcast(x))                 →  broadcast(f(x))
//	matmul(transpose(A), B)         →  matmul with a flag
//	matmul(rows of data, vector)    →  Sum of products
//	x/d, y/d                        →  x·(1/d), y·(1/d)
//	empty array                     →  constant
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
	v := vs.inContext(n, args)
	if v == nil {
		v = vs.rewrite(n.Op(), n.Shape(), args)
	}
	if !sameShape(v.shape, n.Shape()) {
		internal("rewrite of kind %d changed shape %v to %v", n.Op().Kind, n.Shape(), v.shape)
	}
	vs.nodes[n] = v
	return v
}

// inContext applies rewriting rules that need more than the op and arguments of a node; it returns nil if no rule
// applies.
func (vs *values) inContext(n autodiff.Node, args []*value) *value {
	switch n.Op().Kind {
	case autodiff.OpDiv:
		return vs.quotient(n, args)
	case autodiff.OpExp:
		return vs.softmax(n)
	case autodiff.OpScan:
		if vs.layout == ir.Apart {
			vs.recordIndices(n)
		}
	}
	return nil
}

func (vs *values) rewrite(op *autodiff.Op, shape []int, args []*value) *value {
	if size(shape) == 0 && op.Kind != autodiff.OpInput {
		// no value depends on its elements: the graph builder has replaced such values by constants
		return vs.constant(0, shape)
	}
	if vs.layout == ir.Apart {
		if v := vs.rewriteApart(op, shape, args); v != nil {
			return v
		}
	}
	switch op.Kind {
	case autodiff.OpConst:
		return vs.constant(op.Value, shape)
	case autodiff.OpData:
		return vs.data(op, shape)
	case autodiff.OpInput:
		if vs.singles[op.Name] {
			return vs.typed(autodiff.Op{Kind: op.Kind, Name: op.Name, Given: op.Given}, shape, single)
		}
		return vs.make(autodiff.Op{Kind: op.Kind, Name: op.Name, Given: op.Given, Site: op.Site}, shape)
	case autodiff.OpNoise:
		if vs.state && op.Name != "uniform" && size(shape) >= minState {
			return vs.typed(autodiff.Op{Kind: op.Kind, Name: op.Name, Site: op.Site}, shape, single)
		}
		return vs.make(autodiff.Op{Kind: op.Kind, Name: op.Name, Site: op.Site}, shape)
	case autodiff.OpSingle:
		return vs.inPrecision(single, args[0])
	case autodiff.OpDouble:
		return vs.inPrecision(double, args[0])
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
	case autodiff.OpCumSum:
		if axis := op.Axes[0]; shape[axis] <= maxUnrolled {
			return vs.partialSums(args[0], axis, op.Reverse)
		}
	case autodiff.OpGather:
		return vs.gather(op, shape, args[0], args[1:])
	case autodiff.OpScatterAdd:
		return vs.scatter(op, shape, args[0], args[1:])
	case autodiff.OpMatMul:
		return vs.matMul(*op, shape, args[0], args[1])
	}
	if op.Kind.Row() != nil {
		return vs.narrow(op.Kind, shape, args)
	}
	return vs.make(*op, shape, args...)
}

// narrow applies an elementwise kind over the axes along which its arguments vary, and broadcasts the result.
func (vs *values) narrow(k autodiff.Kind, shape []int, args []*value) *value {
	varies := map[int]bool{}
	for _, a := range args {
		for _, axis := range variesAlong(a) {
			varies[axis] = true
		}
	}
	if len(varies) == len(shape) {
		if vs.layout == ir.Apart {
			if v := vs.apartElementwise(k, shape, args); v != nil {
				return v
			}
		}
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
	if len(inner) == 0 {
		return vs.broadcast(vs.make(autodiff.Op{Kind: k}, inner, small...), shape, axes)
	}
	return vs.broadcast(vs.narrow(k, inner, small), shape, axes)
}

// variesAlong returns the axes along which a value's elements may differ.
func variesAlong(v *value) []int {
	switch v.kind {
	case autodiff.OpConst:
		return nil
	case autodiff.OpBroadcast:
		return v.op.Axes
	}
	return kept(len(v.shape), nil)
}

// narrowed returns v restricted to the given axes, which include all axes along which it varies.
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

// data returns a value for data; data with one element become a constant.
func (vs *values) data(op *autodiff.Op, shape []int) *value {
	if op.Values.Len() == 1 {
		return vs.constant(op.Values.At(0), shape)
	}
	return vs.make(autodiff.Op{Kind: autodiff.OpData, Name: op.Name, Values: op.Values}, shape)
}

// matMul replaces a transposition of its operands' last two axes by a flag.
func (vs *values) matMul(op autodiff.Op, shape []int, a, b *value) *value {
	if x, ok := vs.transposed(a); ok {
		a, op.TransA = x, !op.TransA
	}
	if x, ok := vs.transposed(b); ok {
		b, op.TransB = x, !op.TransB
	}
	if len(shape) == 2 && shape[1] == 1 && len(a.shape) == 2 && a.common && !a.static &&
		a.kind != autodiff.OpInput {
		return vs.commonProduct(a, b, op.TransA)
	}
	return vs.make(op, shape, a, b)
}

// commonProduct returns a matrix times a vector as a sum of products. A matrix that all lanes have in common, such as
// the rows of a minibatch, is then read in place; a MatMul would need a copy of it for each lane, unless the matrix is
// a given buffer.
func (vs *values) commonProduct(a, b *value, trans bool) *value {
	along := 1
	if trans {
		along = 0
	}
	n := a.shape[along]
	x := vs.broadcast(vs.reshape(b, []int{n}), a.shape, []int{along})
	sum := vs.reduce(autodiff.OpSum, vs.apply(autodiff.OpMul, a, x), []int{along})
	return vs.reshape(sum, []int{size(a.shape) / n, 1})
}

func (vs *values) transposed(v *value) (arg *value, ok bool) {
	if vs.layout == ir.Apart && v.kind == autodiff.OpReshape && len(v.shape) == 2 {
		return vs.transposedAxes(v)
	}
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

// quotient computes x/d as x·(1/d) if 1/d is needed less often than x/d or is needed anyway: if d is data, is the same
// along an axis, or divides several quotients. A division takes as long as about a dozen multiplications. The result
// may have one more rounding error, so quotients that must be exact remain divisions. It returns nil for these and if
// nothing is gained.
func (vs *values) quotient(n autodiff.Node, args []*value) *value {
	if n.Static() || vs.exact[n] {
		return nil
	}
	x, d := args[0], args[1]
	repeats := d.static || len(variesAlong(d)) < len(variesAlong(x)) || vs.divided[narrowest(n.Args()[1])] > 1
	if x.kind == autodiff.OpConst || !repeats {
		return nil
	}
	inverse := vs.narrow(autodiff.OpDiv, n.Shape(), []*value{vs.constant(1, nil), d})
	if d.kind == autodiff.OpConst {
		inverse = vs.constant(1/d.op.Value, n.Shape())
	}
	return vs.narrow(autodiff.OpMul, n.Shape(), []*value{x, inverse})
}
