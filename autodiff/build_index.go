package autodiff

import "slices"

// Gather indexes the leading axes of x. index has one 0-based node per indexed axis, all of one shape S; scalars are
// broadcast. The result has shape S + the remaining axes of x. Indices out of range are clamped, because a branch that
// is not taken may contain any index. An empty x reads as zeros.
func Gather(x Node, index ...Node) Node {
	index, s := indices(x.Shape(), index)
	shape := slices.Concat(s, x.Shape()[len(index):])
	if v, ok := x.IsConst(); ok {
		return x.Graph().Full(v, shape...)
	}
	if x.Size() == 0 {
		return x.Graph().Full(0, shape...)
	}
	if at, ok := position(x.Shape(), index); ok && len(s) == 0 {
		return take(x, at)
	}
	return x.Graph().add(Op{Kind: OpGather}, shape, append([]Node{x}, index...)...)
}

// ScatterAdd is the adjoint of Gather: it returns zeros of the given shape, to which the elements of y are added at the
// indices.
func ScatterAdd(shape []int, y Node, index ...Node) Node {
	index, s := indices(shape, index)
	if !slices.Equal(y.Shape(), slices.Concat(s, shape[len(index):])) {
		bug("scatter of %v into %v at %d indices of %v", y.Shape(), shape, len(index), s)
	}
	if y.isConst(0) || y.Size() == 0 {
		return y.Graph().Full(0, shape...)
	}
	return y.Graph().add(Op{Kind: OpScatterAdd, Shape: slices.Clone(shape)}, shape, append([]Node{y}, index...)...)
}

// indices broadcasts all index nodes to one shape, which it also returns.
func indices(shape []int, index []Node) ([]Node, []int) {
	if len(index) == 0 || len(index) > len(shape) {
		bug("%d indices into %v", len(index), shape)
	}
	s := common(OpGather, index...)
	filled := make([]Node, len(index))
	for i, n := range index {
		filled[i] = fill(n, s)
	}
	return filled, s
}

// position returns the position that constant indices select. ok is false if an index is not constant.
func position(shape []int, index []Node) (at []int, ok bool) {
	for k, n := range index {
		v, isConst := n.IsConst()
		if !isConst {
			return nil, false
		}
		at = append(at, clamp(v, shape[k]))
	}
	return at, true
}

// take returns x[at…] as a slice, which needs no index at run time.
func take(x Node, at []int) Node {
	lo, hi := make([]int, x.Rank()), slices.Clone(x.Shape())
	for k, i := range at {
		lo[k], hi[k] = i, i+1
	}
	return Reshape(Slice(x, lo, hi), x.Shape()[len(at):]...)
}
