package autodiff

import "fmt"

// Grad returns the gradient of the scalar y with respect to each of xs, in the shape of that node. The gradient is zero
// if y does not depend on the node. Grad can be applied to gradients, too.
//
// The gradient of a branch that a Select does not take is exactly zero, even if that branch is not finite. Tied maxima
// and minima share the gradient equally.
func Grad(y Node, xs ...Node) []Node {
	if y.Rank() != 0 {
		bug("gradient of shape %v", y.Shape())
	}
	return pullAll(y, y.Graph().Const(1), xs)
}

// pullAll returns the gradient of Σ seed·y for y of any shape.
func pullAll(y, seed Node, xs []Node) []Node {
	g := y.Graph()
	active := dependents(g, y.id, xs)
	many := manyOf(g, y.id, active)
	bar := make([]Node, y.id+1) // bar[i] is the gradient with respect to node i
	bar[y.id] = seed
	for i := y.id; i >= 0; i-- {
		contribute(&bar[i], many.joined(g.nodes[i]))
		if active[i] && bar[i].Valid() && !bar[i].isConst(0) && !many.keep(g.nodes[i], bar[i]) {
			backward(g.nodes[i], bar, active)
		}
	}
	return gradients(g, bar, xs)
}

// dependents marks the nodes with ids up to last that depend on xs through differentiable ops.
func dependents(g *Graph, last int, xs []Node) []bool {
	active := make([]bool, last+1)
	for _, x := range xs {
		if x.id <= last {
			active[x.id] = true
		}
	}
	for i := range active {
		n := g.nodes[i]
		for k, a := range n.args {
			active[i] = active[i] || active[a.id] && Differentiable(n.op.Kind, k)
		}
	}
	return active
}

// backward adds the contributions of n to the gradients of its active arguments.
func backward(n Node, bar []Node, active []bool) {
	wanted := func(k int) bool { return active[n.args[k].id] && Differentiable(n.op.Kind, k) }
	for k, d := range pullback(n, bar[n.id], wanted) {
		contribute(&bar[n.args[k].id], d)
	}
}

// contribute adds d to a gradient if d is valid.
func contribute(bar *Node, d Node) {
	switch {
	case !d.Valid():
	case bar.Valid():
		*bar = Add(*bar, d)
	default:
		*bar = d
	}
}

func gradients(g *Graph, bar, xs []Node) []Node {
	out := make([]Node, len(xs))
	for i, x := range xs {
		if x.id < len(bar) && bar[x.id].Valid() {
			out[i] = bar[x.id]
		} else {
			out[i] = g.Full(0, x.Shape()...)
		}
	}
	return out
}

// Differentiable reports whether ops of a kind pass a gradient to argument k. Step functions do not, because their
// slope is 0. Conditions, indices, and arguments of noise do not either.
func Differentiable(kind Kind, k int) bool {
	switch kind {
	case OpShuffle, OpAddressed:
		return false
	case OpSelect:
		return k > 0
	case OpGather, OpScatterAdd:
		return k == 0
	}
	row := kind.Row()
	return row == nil || row.pull != nil
}

// chain returns bar·slope elementwise. An element is 0 if bar is 0, even if slope is not finite.
func chain(bar, slope Node) Node {
	if slope.finite {
		return Mul(bar, slope)
	}
	return MulZero(bar, slope)
}

// pullback returns, given bar = ∂y/∂n, the part of ∂y/∂arg that passes through n for each wanted argument, and invalid
// nodes for the others.
func pullback(n, bar Node, wanted func(k int) bool) []Node {
	if n.is(OpScan) {
		return scanPullback(n, bar, wanted)
	}
	out := make([]Node, len(n.args))
	for k := range n.args {
		if wanted(k) {
			out[k] = toArg(n, bar, k)
		}
	}
	return out
}

// toArg returns the pullback to argument k.
func toArg(n, bar Node, k int) Node {
	row := n.op.Kind.Row()
	switch {
	case row != nil:
		return row.pull(n, bar, k)
	case n.op.Kind >= OpMatMul:
		return linearToArg(n, bar, k)
	case n.op.Kind >= OpSum:
		return reductionToArg(n, bar)
	}
	return movementToArg(n, bar, k)
}

// Pullback returns the gradient through n as a separate graph. Its Inputs are args, for n's arguments, and bar, for
// ∂y/∂n. gradients has for each argument the part of ∂y/∂arg that passes through n; it is invalid if nothing does.
func Pullback(n Node) (args []Node, bar Node, gradients []Node) {
	g := New()
	for k, a := range n.args {
		in := g.Input(fmt.Sprint("arg", k), a.Shape()...)
		in.finite, in.single = a.finite, a.single
		args = append(args, in)
	}
	bar = g.Input("bar", n.Shape()...)
	again := g.add(*n.op, n.Shape(), args...)
	return args, bar, pullback(again, bar, func(k int) bool { return Differentiable(n.op.Kind, k) })
}
