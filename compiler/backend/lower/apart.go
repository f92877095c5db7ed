package lower

import (
	"slices"

	"ppl/autodiff"
	"ppl/compiler/backend/ir"
)

// rewriteApart applies the rewriting rules for layout Apart. In this layout, the order of a product's operands does not
// affect speed, and loops are fast along consecutive elements. It returns nil if no rule applies. The rules would not
// make programs of layout Interleaved faster.
//
//	transpose(A·B)              →  Bᵀ·Aᵀ
//	sigmoid(−x)                 →  1 − sigmoid(x)
//	x[i/n, i mod n] for all i   →  reshape of x
//	slice of joined parts       →  join of slices
//	f(transpose(x))             →  transpose(f(x)), for slices and joins, too
//	f(joined parts)             →  joined f(part)
//	sum(transpose(x))           →  transpose(sum(x))
//	x[k·i + at[i]], at[i] < k   →  reshape(x, (n, k))[i, at[i]], for scatters, too
//	transpose(x)[i, j]          →  transpose(x[:, i, j]), for scatters, too
func (vs *values) rewriteApart(op *autodiff.Op, shape []int, args []*value) *value {
	switch op.Kind {
	case autodiff.OpPermute:
		if v := vs.transposedProduct(op.Axes, shape, args[0]); v != nil {
			return v
		}
		return vs.permute(op.Axes, args[0])
	case autodiff.OpGather:
		if at, of, ok := inRow(args[1]); ok && len(args) == 2 && size(args[0].shape) == size(of.rows) {
			return vs.make(autodiff.Op{Kind: autodiff.OpGather}, shape, vs.reshape(args[0], of.rows), of.row, at)
		}
		if vs.flattens(args[0], args[1:]) {
			return vs.flattened(args[0], len(args)-1, shape)
		}
		return vs.gatherPermuted(shape, args[0], args[1:])
	case autodiff.OpScatterAdd:
		if at, of, ok := inRow(args[1]); ok && len(args) == 2 && size(shape) == size(of.rows) {
			op := autodiff.Op{Kind: autodiff.OpScatterAdd, Shape: of.rows}
			return vs.reshape(vs.make(op, of.rows, args[0], of.row, at), shape)
		}
		return vs.scatterPermuted(shape, args[0], args[1:])
	case autodiff.OpSlice:
		return vs.slicedParts(args[0], op.Lo, op.Hi, shape)
	}
	return nil
}

// transposedProduct returns the transpose of a matrix product as the product of the transposes in reverse order. The
// columns of the product may have been reshaped to several axes. It returns nil for other arguments, and for batches of
// products.
func (vs *values) transposedProduct(axes, shape []int, arg *value) *value {
	x := base(arg)
	if x.kind != autodiff.OpMatMul || len(x.shape) != 2 || len(arg.shape) < 2 || arg.shape[0] != x.shape[0] ||
		axes[len(axes)-1] != 0 {
		return nil
	}
	for k, a := range axes[:len(axes)-1] {
		if a != k+1 {
			return nil
		}
	}
	op := autodiff.Op{Kind: autodiff.OpMatMul, TransA: !x.op.TransB, TransB: !x.op.TransA}
	return vs.reshape(vs.make(op, []int{x.shape[1], x.shape[0]}, x.args[1], x.args[0]), shape)
}

// A rowOf is a view of a flat array as rows of equal length, and an index that selects rows.
type rowOf struct {
	rows []int // number of rows, number of elements of each row
	row  *value
}

// inRow splits an index that selects an element of each row of a flat array into a row number and a position in the
// row. The code then shows that an iteration over one row, such as an image, reads no element of another row.
func inRow(index *value) (at *value, of rowOf, ok bool) {
	if index.kind != autodiff.OpAdd || len(index.shape) != 1 {
		return nil, of, false
	}
	for i, a := range index.args {
		if a.kind != autodiff.OpMul {
			continue
		}
		for j, row := range a.args {
			width, constant := scalarOf(a.args[1-j])
			lo, by, even := steps(row)
			at = index.args[1-i]
			if constant && even && len(by) == 1 && lo == 0 && by[0] == 1 && within(at, width) {
				return at, rowOf{[]int{index.shape[0], int(width)}, row}, true
			}
		}
	}
	return nil, of, false
}

// within reports whether a value has been limited to 0 … n−1.
func within(v *value, n float64) bool {
	low := func(v *value) bool { return limitedBy(v, autodiff.OpMaximum, 0) }
	return limitedBy(v, autodiff.OpMinimum, n-1) && slices.ContainsFunc(v.args, low)
}

func limitedBy(v *value, k autodiff.Kind, by float64) bool {
	return v.kind == k && slices.ContainsFunc(v.args, func(a *value) bool {
		x, constant := scalarOf(a)
		return constant && x == by
	})
}

// flattens reports whether indices enumerate the leading axes of an array in row-major order.
func (vs *values) flattens(x *value, index []*value) bool {
	if len(index) < 2 {
		return false
	}
	lead := x.shape[:len(index)]
	for axis, ix := range index {
		numbers, ok := expand(ix)
		if !ok || len(numbers) != size(lead) {
			return false
		}
		_, n, inner := around(lead, axis)
		for i, v := range numbers {
			if v != float64(i/inner%n) {
				return false
			}
		}
	}
	return true
}

// flattened joins the n leading axes of x into one. If x was permuted and the axes were adjacent before, they are
// joined before the permutation.
func (vs *values) flattened(x *value, n int, shape []int) *value {
	if x.kind != autodiff.OpPermute {
		return vs.reshape(x, shape)
	}
	axes, from := x.op.Axes, x.args[0]
	for k := range n - 1 {
		if axes[k+1] != axes[k]+1 {
			return vs.reshape(x, shape)
		}
	}
	at := axes[0]
	joined := slices.Concat(from.shape[:at], []int{size(from.shape[at : at+n])}, from.shape[at+n:])
	to := []int{at}
	for _, a := range axes[n:] {
		if a > at {
			a -= n - 1
		}
		to = append(to, a)
	}
	return vs.permute(to, vs.reshape(from, joined))
}

// permute moves axes: axis k of the result is axis axes[k] of x. Two successive permutations become one.
func (vs *values) permute(axes []int, x *value) *value {
	if x.kind == autodiff.OpPermute {
		return vs.permute(pickInts(x.op.Axes, axes), x.args[0])
	}
	shape := pickInts(x.shape, axes)
	switch {
	case slices.IsSorted(axes):
		return x
	case x.kind == autodiff.OpConst:
		return vs.constant(x.op.Value, shape)
	case x.kind == autodiff.OpBroadcast:
		return vs.permutedBroadcast(axes, shape, x)
	}
	return vs.make(autodiff.Op{Kind: autodiff.OpPermute, Axes: axes}, shape, x)
}

// permutedBroadcast broadcasts along other axes instead of permuting the result of a broadcast.
func (vs *values) permutedBroadcast(axes, shape []int, x *value) *value {
	to := pickInts(inverseAxes(axes), x.op.Axes)
	order := make([]int, len(to))
	for k := range order {
		order[k] = k
	}
	slices.SortFunc(order, func(i, j int) int { return to[i] - to[j] })
	return vs.broadcast(vs.permuteAll(order, x.args[0]), shape, pickInts(to, order))
}

func pickInts(from, at []int) []int {
	out := make([]int, len(at))
	for k, a := range at {
		out[k] = from[a]
	}
	return out
}

func inverseAxes(axes []int) []int {
	out := make([]int, len(axes))
	for k, a := range axes {
		out[a] = k
	}
	return out
}

// apartElementwise applies the rewriting rules for elementwise kinds.
func (vs *values) apartElementwise(k autodiff.Kind, shape []int, args []*value) *value {
	if k == autodiff.OpSigmoid && args[0].kind == autodiff.OpNeg {
		return vs.apply(autodiff.OpSub, vs.constant(1, nil), vs.narrow(k, shape, args[0].args))
	}
	if v := vs.pullPermute(k, shape, args); v != nil {
		return v
	}
	return vs.ofParts(k, shape, args)
}

// These limits decide when an elementwise kind is applied to each part before the parts are joined. A loop over joined
// arrays must select a part at each element, which is slow; separate parts are separate loops.
const (
	maxParts = 8
	minPart  = 1 << 10
)

// ofParts applies an elementwise kind to each part of its only argument that is a concatenation. It returns nil if no
// argument or more than one is a concatenation, or if there are too many parts or they are too small.
func (vs *values) ofParts(k autodiff.Kind, shape []int, args []*value) *value {
	i := slices.IndexFunc(args, func(a *value) bool { return a.kind == autodiff.OpConcat })
	if i < 0 || len(args[i].args) > maxParts || size(shape) < minPart*len(args[i].args) {
		return nil
	}
	axis := args[i].op.Axes[0]
	var out []part
	for _, p := range concatParts(args[i]) {
		lo, hi, inner := make([]int, len(shape)), slices.Clone(shape), slices.Clone(shape)
		lo[axis], hi[axis], inner[axis] = p.lo, p.hi, p.hi-p.lo
		some := make([]*value, len(args))
		for j, a := range args {
			switch {
			case j == i && p.value == nil:
				some[j] = vs.constant(0, inner)
			case j == i:
				some[j] = p.value
			case a.kind == autodiff.OpConcat:
				return nil
			default:
				some[j] = vs.sliceArgument(a, lo, hi, inner)
			}
		}
		out = append(out, part{p.lo, p.hi, vs.narrow(k, inner, some)})
	}
	return vs.concat(axis, shape, out)
}

// sliceArgument returns a slice of an argument of an elementwise kind. It slices constants and broadcasts before they
// are repeated, and returns scalars unchanged.
func (vs *values) sliceArgument(a *value, lo, hi, shape []int) *value {
	switch {
	case len(a.shape) == 0:
		return a
	case a.kind == autodiff.OpConst:
		return vs.constant(a.op.Value, shape)
	case a.kind == autodiff.OpBroadcast:
		axes := a.op.Axes
		inner := vs.slice(a.args[0], pickInts(lo, axes), pickInts(hi, axes), pickInts(shape, axes))
		return vs.broadcast(inner, shape, axes)
	}
	return vs.slice(a, lo, hi, shape)
}

// transposedAxes recognises a permuted array that is reshaped to a matrix such that the matrix is the transpose of the
// array as stored in memory: its rows are the last stored axis, or its columns are the first, and all other axes are
// joined.
func (vs *values) transposedAxes(v *value) (arg *value, ok bool) {
	p := v.args[0]
	if p.kind != autodiff.OpPermute {
		return nil, false
	}
	axes, x, n := p.op.Axes, p.args[0], len(p.shape)
	last, first := axes[0] == n-1 && v.shape[0] == p.shape[0], axes[n-1] == 0 && v.shape[1] == p.shape[n-1]
	switch {
	case last && slices.IsSorted(axes[1:]), first && slices.IsSorted(axes[:n-1]):
		return vs.reshape(x, []int{v.shape[1], v.shape[0]}), true
	}
	return nil, false
}

// pullPermute applies an elementwise kind before a permutation of axes instead of after it. It returns nil if no
// argument is permuted, or if more arguments would need a new permutation than lose theirs.
func (vs *values) pullPermute(k autodiff.Kind, shape []int, args []*value) *value {
	i := slices.IndexFunc(args, func(a *value) bool { return a.kind == autodiff.OpPermute })
	if i < 0 {
		return nil
	}
	axes := args[i].op.Axes
	back := inverseAxes(axes)
	inner, with, against := make([]*value, len(args)), 0, 0
	for j, a := range args {
		switch {
		case len(a.shape) == 0 || a.kind == autodiff.OpConst:
			inner[j] = vs.permuteAll(back, a)
		case a.kind == autodiff.OpPermute && slices.Equal(a.op.Axes, axes):
			inner[j] = a.args[0]
			with++
		case a.kind == autodiff.OpBroadcast:
			inner[j] = vs.permute(back, a)
		default:
			inner[j] = vs.permuteAll(back, a)
			against++
		}
	}
	if against > with {
		return nil
	}
	return vs.permute(axes, vs.make(autodiff.Op{Kind: k}, pickInts(shape, back), inner...))
}

// permuteAll permutes like permute. It also accepts scalars, and it transposes matrix products, and such products times
// a constant, by swapping their operands.
func (vs *values) permuteAll(axes []int, x *value) *value {
	if len(x.shape) == 0 {
		return x
	}
	shape := pickInts(x.shape, axes)
	if v := vs.transposedProduct(axes, shape, x); v != nil {
		return v
	}
	if x.kind == autodiff.OpMul && x.args[1].kind == autodiff.OpConst {
		if v := vs.transposedProduct(axes, shape, x.args[0]); v != nil {
			return vs.apply(autodiff.OpMul, v, vs.permute(axes, x.args[1]))
		}
	}
	return vs.permute(axes, x)
}

// reduceUnmoved reduces a permuted array along its axes before the permutation, in the order of memory.
func (vs *values) reduceUnmoved(k autodiff.Kind, x *value, axes []int) *value {
	over := pickInts(x.op.Axes, axes)
	slices.Sort(over)
	from := kept(len(x.shape), over)
	to := make([]int, 0, len(from))
	for _, a := range pickInts(x.op.Axes, kept(len(x.shape), axes)) {
		to = append(to, slices.Index(from, a))
	}
	return vs.permuteAll(to, vs.reduce(k, x.args[0], over))
}

// slicedPermute slices an array before its axes are permuted.
func (vs *values) slicedPermute(x *value, lo, hi, shape []int) *value {
	back := inverseAxes(x.op.Axes)
	return vs.permute(x.op.Axes, vs.slice(x.args[0], pickInts(lo, back), pickInts(hi, back), pickInts(shape, back)))
}

// joinedPermutes joins parts before their axes are permuted, if all parts have the same permutation; otherwise it
// returns nil.
func (vs *values) joinedPermutes(op autodiff.Op, shape []int, parts []*value) *value {
	var axes []int
	inner := make([]*value, len(parts))
	for k, p := range parts {
		switch {
		case p == nil:
		case vs.layout != ir.Apart || p.kind != autodiff.OpPermute || axes != nil && !slices.Equal(axes, p.op.Axes):
			return nil
		default:
			axes, inner[k] = p.op.Axes, p.args[0]
		}
	}
	if axes == nil {
		return nil
	}
	op.Axes = []int{axes[op.Axes[0]]}
	return vs.permute(axes, vs.make(op, pickInts(shape, inverseAxes(axes)), inner...))
}

// slicedParts slices the parts of a concatenation instead of the joined array.
func (vs *values) slicedParts(x *value, lo, hi, shape []int) *value {
	if x.kind != autodiff.OpConcat {
		return nil
	}
	axis := x.op.Axes[0]
	var parts []part
	for _, p := range concatParts(x) {
		from, to := slices.Clone(lo), slices.Clone(hi)
		from[axis], to[axis] = max(lo[axis], p.lo)-p.lo, min(hi[axis], p.hi)-p.lo
		if from[axis] >= to[axis] {
			continue
		}
		q := part{lo: p.lo + from[axis] - lo[axis], hi: p.lo + to[axis] - lo[axis]}
		if p.value != nil {
			inner := slices.Clone(shape)
			inner[axis] = q.hi - q.lo
			q.value = vs.slicedParts(p.value, from, to, inner)
			if q.value == nil {
				q.value = vs.slice(p.value, from, to, inner)
			}
		}
		parts = append(parts, q)
	}
	return vs.concat(axis, shape, parts)
}

// maxKnown is the largest number of elements of an index that is evaluated at compile time.
const maxKnown = 1 << 12

// recordIndices records the values of the constant indices that the steps of a scan share.
func (vs *values) recordIndices(n autodiff.Node) {
	body := n.Op().Body
	for k, in := range body.Shared {
		if a := n.Args()[1+len(body.Xs)+k]; a.Static() && a.Size() > 0 && a.Size() <= maxKnown {
			vs.indices[in] = vs.constantIndex(a)
		}
	}
}
