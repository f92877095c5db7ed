package autodiff

import "slices"

// lift applies an elementwise f before elements are repeated instead of after: log of a broadcast scalar is taken once.
// That can be done when every argument is the same Broadcast or Gather of something smaller, or a constant; otherwise
// lift is none.
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

// repeats reports a Broadcast, or a Gather that is larger than its argument.
func repeats(n Node) bool { return n.is(OpBroadcast) || n.is(OpGather) && n.args[0].Size() < n.Size() }

// sameMove reports that a and b take their elements from the same positions of arguments of equal shape.
func sameMove(a, b Node) bool {
	return a.op.Kind == b.op.Kind && slices.Equal(a.op.Axes, b.op.Axes) && slices.Equal(a.args[1:], b.args[1:]) &&
		slices.Equal(a.args[0].Shape(), b.args[0].Shape())
}

// move takes elements of x as n takes those of its argument.
func move(n, x Node) Node {
	if n.is(OpGather) {
		return Gather(x, n.args[1:]...)
	}
	return Broadcast(x, n.Shape(), n.op.Axes)
}

// reduceRepeated reduces a Broadcast without the repetition: a sum over n copies is n times one of them.
func reduceRepeated(k Kind, x Node, axes []int) Node {
	var inner, kept []int // axes of what x repeats
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

// reduceCopies returns a reduction of n copies of the elements of x.
func reduceCopies(k Kind, x Node, n float64) Node {
	switch k {
	case OpSum:
		return Mul(x, x.Graph().Const(n))
	case OpLogSumExp:
		return Add(x, Log(x.Graph().Const(n)))
	}
	return x
}

// below counts the axes before a.
func below(axes []int, a int) int {
	n := 0
	for _, b := range axes {
		if b < a {
			n++
		}
	}
	return n
}
