package lower

import (
	"slices"

	"ppl/autodiff"
	"ppl/numbers"
)

// Indices that depend only on data are known at compile time, which simplifies gathers and scatters with them:
//
//	gather(x, [2, 3, 4])                →  slice(x, 2, 5)
//	gather(broadcast(x), index)         →  gather(x, shorter index)
//	scatter(y, index that follows axis) →  sum of y over the other axes

// index returns the value of an index argument, as data if its numbers are known.
func (vs *values) index(n autodiff.Node) *value {
	if v, ok := vs.indices[n]; ok {
		return v
	}
	v := vs.of(n)
	if n.Static() && size(v.shape) > 0 {
		v = vs.constantIndex(n)
	}
	vs.indices[n] = v
	return v
}

func (vs *values) constantIndex(n autodiff.Node) *value {
	op := n.Op()
	if op.Kind == autodiff.OpBroadcast {
		return vs.broadcast(vs.index(n.Args()[0]), n.Shape(), op.Axes)
	}
	if op.Kind == autodiff.OpConst || op.Kind == autodiff.OpData {
		return vs.of(n)
	}
	return vs.numbers(autodiff.Eval(nil, n)[0], n.Shape())
}

func (vs *values) numbers(x []float64, shape []int) *value {
	return vs.data(&autodiff.Op{Kind: autodiff.OpData, Name: "index", Values: numbers.Of(x...)}, shape)
}

// axisOfIndex returns the axis along which the elements of an index are lo, lo+1, …, independently of the other
// coordinates. ok is false if there is no such axis.
func axisOfIndex(v *value) (axis, lo int, ok bool) {
	if v.kind == autodiff.OpBroadcast {
		axis, lo, ok = axisOfIndex(v.args[0])
		if ok {
			axis = v.op.Axes[axis]
		}
		return axis, lo, ok
	}
	if v.kind != autodiff.OpData {
		return 0, 0, false
	}
	for axis, n := range v.shape {
		if n > 1 && follows(v, axis) {
			return axis, int(v.op.Values.At(0)), true
		}
	}
	return 0, 0, false
}

// countedFrom recognises an index that counts start+lo, start+lo+1, … along an axis, where start is a number common to
// all lanes, as for the rows of a minibatch. Memory is then read in order, and the generated loop can use this.
func countedFrom(v *value) (start *value, axis, lo int, ok bool) {
	if v.kind != autodiff.OpAdd {
		return nil, 0, 0, false
	}
	for i, a := range v.args {
		for start = v.args[1-i]; start.kind == autodiff.OpBroadcast && start.size() > 1; {
			start = start.args[0]
		}
		axis, lo, ok = axisOfIndex(a)
		if ok && start.size() == 1 && start.common && len(a.shape) == len(v.shape) && lo >= 0 {
			return start, axis, lo, true
		}
	}
	return nil, 0, 0, false
}

func follows(v *value, axis int) bool {
	_, n, inner := around(v.shape, axis)
	first := v.op.Values.At(0)
	for i, x := range v.op.Values.All() {
		if x != first+float64(i/inner%n) {
			return false
		}
	}
	return true
}

// steps recognises a known index that is affine in its coordinates; it returns the first number and the step along each
// axis. For example, [[2, 3, 4], [4, 5, 6]] has lo = 2 and steps 2 and 1.
func steps(v *value) (lo int, by []int, ok bool) {
	if v.kind != autodiff.OpData {
		return 0, nil, false
	}
	all := v.op.Values
	lo, by = int(all.At(0)), make([]int, len(v.shape))
	for axis, n := range v.shape {
		if _, _, inner := around(v.shape, axis); n > 1 {
			by[axis] = int(all.At(inner)) - lo
		}
	}
	for i, x := range all.All() {
		at := lo
		for axis := range v.shape {
			_, n, inner := around(v.shape, axis)
			at += i / inner % n * by[axis]
		}
		if x != float64(at) {
			return 0, nil, false
		}
	}
	return lo, by, true
}

// gather returns a gather. A gather of entire slices in order becomes a slice and a broadcast.
func (vs *values) gather(op *autodiff.Op, shape []int, x *value, index []*value) *value {
	if len(index) == 1 {
		x, index[0] = vs.beforeBroadcast(x, index[0])
		s := index[0].shape
		if axis, lo, ok := axisOfIndex(index[0]); ok && lo >= 0 && lo+s[axis] <= x.shape[0] {
			from, to := make([]int, len(x.shape)), slices.Clone(x.shape)
			from[0], to[0] = lo, lo+s[axis]
			axes := append([]int{axis}, kept(len(shape), nil)[len(s):]...)
			return vs.broadcast(vs.slice(x, from, to, append([]int{s[axis]}, x.shape[1:]...)), shape, axes)
		}
		x, index[0] = vs.rearranged(x, index[0])
	}
	return vs.make(*op, shape, append([]*value{x}, index...)...)
}

// longRow is the number of elements above which rows, such as images, are read as fast in random order as in sequence.
const longRow = 64

// rearranged rewrites x[order[i]], where x and order are data, as (x[order])[i]. If i counts up, as in a minibatch of
// rows in random order, memory is then read in sequence. For long rows this would only store a second copy of the data.
func (vs *values) rearranged(x, index *value) (*value, *value) {
	order, at, ok := vs.lookedUp(index)
	if !ok || !x.static || order.size() > x.shape[0] || x.size() >= longRow*x.shape[0] {
		return x, index
	}
	shape := append([]int{order.size()}, x.shape[1:]...)
	return vs.gather(&autodiff.Op{Kind: autodiff.OpGather}, shape, x, []*value{order}), at
}

// lookedUp recognises data that are selected by an index, also inside elementwise operations with constants. It returns
// the list of numbers and the index.
func (vs *values) lookedUp(v *value) (list, at *value, ok bool) {
	if v.kind == autodiff.OpGather && len(v.args) == 2 && v.args[0].static && len(v.args[0].shape) == 1 {
		return v.args[0], v.args[1], !v.static
	}
	if v.kind.Row() == nil {
		return nil, nil, false
	}
	lists := make([]*value, len(v.args))
	for k, a := range v.args {
		if _, constant := scalarOf(a); constant {
			continue
		}
		l, i, found := vs.lookedUp(a)
		if !found || at != nil && i != at {
			return nil, nil, false
		}
		lists[k], at, list = l, i, l
	}
	if list == nil {
		return nil, nil, false
	}
	for k, a := range v.args {
		if x, constant := scalarOf(a); constant {
			lists[k] = vs.constant(x, list.shape)
		}
		if !sameShape(lists[k].shape, list.shape) {
			return nil, nil, false
		}
	}
	return vs.rewrite(&autodiff.Op{Kind: v.kind}, list.shape, lists), at, true
}

// scalarOf returns the number that all elements of a constant have in common.
func scalarOf(v *value) (x float64, ok bool) {
	for v.kind == autodiff.OpBroadcast || v.kind == autodiff.OpReshape {
		v = v.args[0]
	}
	return v.op.Value, v.kind == autodiff.OpConst
}

// scatter returns a scatter. A scatter of entire slices in order becomes a sum over the other axes of the index.
func (vs *values) scatter(op *autodiff.Op, shape []int, y *value, index []*value) *value {
	if len(index) == 1 {
		s := index[0].shape
		if axis, lo, ok := axisOfIndex(index[0]); ok && lo >= 0 && lo+s[axis] <= shape[0] {
			others := slices.DeleteFunc(kept(len(s), nil), func(k int) bool { return k == axis })
			before, after := make([]int, len(shape)), make([]int, len(shape))
			before[0], after[0] = lo, shape[0]-lo-s[axis]
			return vs.pad(vs.total(y, others), before, after)
		}
	}
	return vs.make(*op, shape, append([]*value{y}, index...)...)
}

// beforeBroadcast replaces an index into a flattened broadcast array by an index into the array before the broadcast.
func (vs *values) beforeBroadcast(x, index *value) (*value, *value) {
	wide := base(x)
	if x.kind != autodiff.OpReshape || len(x.shape) != 1 || wide.kind != autodiff.OpBroadcast {
		return x, index
	}
	to, ok := vs.moveIndex(index, wide.shape, wide.op.Axes)
	if !ok {
		return x, index
	}
	inner := wide.args[0]
	return vs.reshape(inner, []int{inner.size()}), to
}

// moveIndex converts positions in a flattened shape into positions in the flattened shape of some of its axes.
func (vs *values) moveIndex(index *value, shape, axes []int) (*value, bool) {
	numbers, ok := expand(index)
	if !ok {
		return nil, false
	}
	out := make([]float64, len(numbers))
	for i, x := range numbers {
		at := max(0, min(int(x), size(shape)-1))
		to := 0
		for _, axis := range axes {
			_, n, inner := around(shape, axis)
			to = to*n + at/inner%n
		}
		out[i] = float64(to)
	}
	return vs.numbers(out, index.shape), true
}

// expand returns all elements of a known index.
func expand(v *value) ([]float64, bool) {
	switch v.kind {
	case autodiff.OpData:
		return v.op.Values.Doubles(), true
	case autodiff.OpConst:
		return slices.Repeat([]float64{v.op.Value}, v.size()), true
	case autodiff.OpBroadcast:
		inner, ok := expand(v.args[0])
		if !ok {
			return nil, false
		}
		out := make([]float64, v.size())
		for i := range out {
			at := 0
			for _, axis := range v.op.Axes {
				_, n, step := around(v.shape, axis)
				at = at*n + i/step%n
			}
			out[i] = inner[at]
		}
		return out, true
	}
	return nil, false
}

// sumOfScatter simplifies the sum over some axes of a flattened array that was scattered into: it scatters the values
// directly into the remaining axes. It returns nil if that does not apply.
func (vs *values) sumOfScatter(x *value, axes []int) *value {
	s := base(x)
	if x.kind != autodiff.OpReshape || s.kind != autodiff.OpScatterAdd || len(s.args) != 2 || len(s.shape) != 1 {
		return nil
	}
	left := kept(len(x.shape), axes)
	index, ok := vs.moveIndex(s.args[1], x.shape, left)
	if !ok {
		return nil
	}
	shape := without(x.shape, axes)
	flat := []int{size(shape)}
	op := autodiff.Op{Kind: autodiff.OpScatterAdd, Shape: flat}
	return vs.reshape(vs.scatter(&op, flat, s.args[0], []*value{index}), shape)
}

// A Gather selects along the leading axes of its argument, and a ScatterAdd adds along those of its result. The windows
// of a convolution are selected along the second and third axis of images [row, y, x, channel]; the graph permutes
// these axes to the front before the operation and back after it. Here the axes keep their order, so that a loop over
// the windows of an image reads and writes memory in sequence: Axes of the value's op holds the first axis that the
// indices select along.

// firstChosen returns the first axis along which the indices of a Gather or ScatterAdd select.
func firstChosen(v *value) int {
	if len(v.op.Axes) == 0 {
		return 0
	}
	return v.op.Axes[0]
}

// gatherPermuted returns a gather from a permuted array as a permuted gather from the original; nil if that does not
// apply.
func (vs *values) gatherPermuted(shape []int, x *value, index []*value) *value {
	at, ok := adjacentBefore(x, len(index))
	if !ok {
		return nil
	}
	n, from := len(index[0].shape), x.args[0]
	inner := slices.Concat(from.shape[:at], index[0].shape, from.shape[at+len(index):])
	op := autodiff.Op{Kind: autodiff.OpGather, Axes: []int{at}}
	v := vs.make(op, inner, append([]*value{from}, index...)...)
	return vs.permute(replaceLeading(x.op.Axes, at, len(index), n), v)
}

// scatterPermuted returns a scatter of a permuted array as a permuted scatter of the original; nil if that does not
// apply.
func (vs *values) scatterPermuted(shape []int, y *value, index []*value) *value {
	n := len(index[0].shape)
	at, ok := adjacentBefore(y, n)
	if !ok {
		return nil
	}
	from := y.args[0]
	inner := slices.Concat(from.shape[:at], shape[:len(index)], from.shape[at+n:])
	op := autodiff.Op{Kind: autodiff.OpScatterAdd, Axes: []int{at}, Shape: inner}
	v := vs.make(op, inner, append([]*value{from}, index...)...)
	return vs.permute(replaceLeading(y.op.Axes, at, n, len(index)), v)
}
