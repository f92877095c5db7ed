package autodiff

import "slices"

// lift applies an elementwise f before elements are repeated, not after: for example, it computes the log of a
// broadcast scalar once. This is possible if every argument is a constant or the same Broadcast or Gather of something
// smaller; otherwise the result is invalid.
func lift(args []Node, f func(args []Node) Node) Node {
	i := slices.IndexFunc(args, repeats)
	if i < 0 {
		return Node{}
	}
	inner := make([]Node, len(args))
	for k, a := range args {
		switch v, ok := a.IsConst(); {
		case ok:
			inner[k] = a.Graph().Const(v)
		case sameMove(a, args[i]):
			inner[k] = a.args[0]
		default:
			return Node{}
		}
	}
	return move(args[i], f(inner))
}

// repeats reports whether n is a Broadcast, or a Gather that is larger than its argument.
func repeats(n Node) bool { return n.is(OpBroadcast) || n.is(OpGather) && n.args[0].Size() < n.Size() }

// sameMove reports whether a and b take elements from the same positions of equally shaped arguments.
func sameMove(a, b Node) bool {
	return a.op.Kind == b.op.Kind && slices.Equal(a.op.Axes, b.op.Axes) && slices.Equal(a.args[1:], b.args[1:]) &&
		slices.Equal(a.args[0].Shape(), b.args[0].Shape())
}

// move applies the Broadcast or Gather of n to x.
func move(n, x Node) Node {
	if n.is(OpGather) {
		return Gather(x, n.args[1:]...)
	}
	return Broadcast(x, n.Shape(), n.op.Axes)
}

// reduceRepeated reduces the argument of a Broadcast instead of its result: a sum over n copies is n times one copy.
func reduceRepeated(k Kind, x Node, axes []int) Node {
	// inner lists the axes of x's argument that are reduced; kept has, for each other axis, its place in the result
	var inner, kept []int
	copies := 1
	for a, d := range x.Shape() {
		at, reduced := slices.Index(x.op.Axes, a), slices.Contains(axes, a)
		switch {
		case at >= 0 && reduced:
			inner = append(inner, at)
		case at >= 0:
			kept = append(kept, a-below(axes, a))
		case reduced:
			copies *= d
		}
	}
	once := reduceCopies(k, reduce(k, x.args[0], inner), float64(copies))
	return Broadcast(once, without(x.Shape(), axes...), kept)
}

// reduceCopies returns the reduction of n copies of each element of x.
func reduceCopies(k Kind, x Node, n float64) Node {
	switch k {
	case OpSum:
		return Mul(x, x.Graph().Const(n))
	case OpLogSumExp:
		return Add(x, Log(x.Graph().Const(n)))
	}
	return x
}

// below returns the number of axes before a.
func below(axes []int, a int) int {
	n := 0
	for _, b := range axes {
		if b < a {
			n++
		}
	}
	return n
}
