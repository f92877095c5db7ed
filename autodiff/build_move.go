package autodiff

import "slices"

// Broadcast repeats x over new axes: axis k of x becomes axis axes[k] of the result, which has the given shape.
func Broadcast(x Node, shape []int, axes []int) Node {
	if len(axes) != x.Rank() || len(axes) > len(shape) {
		bug("broadcast of %v to %v along %v", x.Shape(), shape, axes)
	}
	checkAxes(axes, len(shape))
	for k, a := range axes {
		if shape[a] != x.Shape()[k] {
			bug("broadcast of %v to %v along %v", x.Shape(), shape, axes)
		}
	}
	if !slices.IsSorted(axes) {
		return broadcastSorted(x, shape, axes)
	}
	switch v, ok := x.IsConst(); {
	case ok:
		return x.Graph().Full(v, shape...)
	case len(axes) == len(shape):
		return x
	case x.is(OpBroadcast):
		return Broadcast(x.args[0], shape, pick(axes, x.op.Axes))
	}
	return x.Graph().add(Op{Kind: OpBroadcast, Shape: slices.Clone(shape), Axes: slices.Clone(axes)}, shape, x)
}

// broadcastSorted is Broadcast for axes in any order. It permutes x first, so that the axes of every Broadcast node
// increase.
func broadcastSorted(x Node, shape []int, axes []int) Node {
	perm := iota0(len(axes))
	slices.SortFunc(perm, func(a, b int) int { return axes[a] - axes[b] })
	return Broadcast(Permute(x, perm...), shape, pick(axes, perm))
}

// Permute reorders axes: axis k of the result is axis perm[k] of x.
func Permute(x Node, perm ...int) Node {
	if len(perm) != x.Rank() {
		bug("permutation %v of %v", perm, x.Shape())
	}
	checkAxes(perm, x.Rank())
	shape := pick(x.Shape(), perm)
	switch v, ok := x.IsConst(); {
	case ok:
		return x.Graph().Full(v, shape...)
	case slices.IsSorted(perm):
		return x
	case x.is(OpPermute):
		return Permute(x.args[0], pick(x.op.Axes, perm)...)
	}
	return x.Graph().add(Op{Kind: OpPermute, Axes: slices.Clone(perm)}, shape, x)
}

// Reshape changes the shape and keeps the elements in row-major order.
func Reshape(x Node, shape ...int) Node {
	if size(shape) != x.Size() {
		bug("reshape of %v to %v", x.Shape(), shape)
	}
	switch v, ok := x.IsConst(); {
	case ok:
		return x.Graph().Full(v, shape...)
	case slices.Equal(shape, x.Shape()):
		return x
	case x.is(OpReshape):
		return Reshape(x.args[0], shape...)
	}
	return x.Graph().add(Op{Kind: OpReshape, Shape: slices.Clone(shape)}, shape, x)
}

// Slice returns the elements [lo[k], hi[k]) of each axis k.
func Slice(x Node, lo, hi []int) Node {
	if len(lo) != x.Rank() || len(hi) != x.Rank() {
		bug("slice [%v, %v) of %v", lo, hi, x.Shape())
	}
	shape := make([]int, x.Rank())
	for k := range shape {
		if lo[k] < 0 || hi[k] < lo[k] || hi[k] > x.Shape()[k] {
			bug("slice [%v, %v) of %v", lo, hi, x.Shape())
		}
		shape[k] = hi[k] - lo[k]
	}
	switch v, ok := x.IsConst(); {
	case ok:
		return x.Graph().Full(v, shape...)
	case slices.Equal(shape, x.Shape()):
		return x
	case x.is(OpSlice):
		return Slice(x.args[0], plus(lo, x.op.Lo), plus(hi, x.op.Lo))
	case x.is(OpPermute):
		to := inverse(x.op.Axes)
		return Permute(Slice(x.args[0], pick(lo, to), pick(hi, to)), x.op.Axes...)
	case x.is(OpBroadcast): // slice the argument of the broadcast instead of its result
		axes := x.op.Axes
		return Broadcast(Slice(x.args[0], pick(lo, axes), pick(hi, axes)), shape, axes)
	case x.is(OpPad):
		if n := slicePad(x, lo, hi, shape); n.Valid() {
			return n
		}
	}
	return x.Graph().add(Op{Kind: OpSlice, Lo: slices.Clone(lo), Hi: slices.Clone(hi)}, shape, x)
}

// slicePad simplifies a slice of a Pad that lies within the padded array, or contains only zeros. It is invalid for
// other slices.
func slicePad(x Node, lo, hi, shape []int) Node {
	inside, from, to := true, make([]int, len(lo)), make([]int, len(hi))
	for k, n := range x.args[0].Shape() {
		from[k], to[k] = lo[k]-x.op.Lo[k], hi[k]-x.op.Lo[k]
		if to[k] <= 0 || from[k] >= n {
			return x.Graph().Full(0, shape...)
		}
		inside = inside && from[k] >= 0 && to[k] <= n
	}
	if inside {
		return Slice(x.args[0], from, to)
	}
	return Node{}
}

// Pad adds zeros before and after the elements of each axis.
func Pad(x Node, before, after []int) Node {
	if len(before) != x.Rank() || len(after) != x.Rank() {
		bug("pad of %v by %v and %v", x.Shape(), before, after)
	}
	shape := make([]int, x.Rank())
	for k := range shape {
		if before[k] < 0 || after[k] < 0 {
			bug("pad of %v by %v and %v", x.Shape(), before, after)
		}
		shape[k] = before[k] + x.Shape()[k] + after[k]
	}
	switch {
	case slices.Equal(shape, x.Shape()):
		return x
	case x.isConst(0) || x.Size() == 0:
		return x.Graph().Full(0, shape...)
	}
	return x.Graph().add(Op{Kind: OpPad, Lo: slices.Clone(before), Hi: slices.Clone(after)}, shape, x)
}

// Concat joins arrays along an axis. Their other axes must have equal sizes.
func Concat(axis int, xs ...Node) Node {
	shape := slices.Clone(xs[0].Shape())
	checkAxes([]int{axis}, len(shape))
	shape[axis] = 0
	var parts []Node
	for _, x := range xs {
		if x.Rank() != len(shape) || !slices.Equal(without(x.Shape(), axis), without(shape, axis)) {
			bug("concat of %v and %v along %d", xs[0].Shape(), x.Shape(), axis)
		}
		if x.Shape()[axis] > 0 {
			parts = append(parts, x)
		}
		shape[axis] += x.Shape()[axis]
	}
	if len(parts) == 1 {
		return parts[0]
	}
	if v, ok := allConst(parts); ok || len(parts) == 0 {
		return xs[0].Graph().Full(v, shape...)
	}
	if scan := rowsOfScan(axis, parts); scan.Valid() {
		return Reshape(scan, shape...)
	}
	return xs[0].Graph().add(Op{Kind: OpConcat, Axes: []int{axis}}, shape, parts...)
}

// allConst reports whether all nodes are the same constant, and returns it.
func allConst(xs []Node) (float64, bool) {
	for _, x := range xs {
		if !x.is(OpConst) || bits(x.op.Value) != bits(xs[0].op.Value) {
			return 0, false
		}
	}
	if len(xs) == 0 {
		return 0, false
	}
	return xs[0].op.Value, true
}

// checkAxes panics unless axes are distinct axes of a value with the given rank.
func checkAxes(axes []int, rank int) {
	for i, a := range axes {
		if a < 0 || a >= rank || slices.Contains(axes[:i], a) {
			bug("axes %v of a value of rank %d", axes, rank)
		}
	}
}

// pick returns xs[at[0]], xs[at[1]], ….
func pick(xs, at []int) []int {
	out := make([]int, len(at))
	for k, a := range at {
		out[k] = xs[a]
	}
	return out
}

// without returns shape without the given axes.
func without(shape []int, axes ...int) []int {
	var out []int
	for k, d := range shape {
		if !slices.Contains(axes, k) {
			out = append(out, d)
		}
	}
	return out
}

// iota0 returns 0, 1, …, n-1.
func iota0(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}
