package autodiff

import (
	"fmt"
	"slices"
)

// Recurrences of networks have products in their steps, and carries of thousands of elements. Two things then decide
// the time of a gradient, and are left alone in small recurrences:
//
//   - A step that joins its carry from parts computes each part from others, as an LSTM computes its cell from its
//     gates. The pullback takes the parts from the rows that the scan left, and so computes no product again.
//   - Cotangents that enter products are computed in the scan back, and again after it, where products of all steps
//     are one. They become further parts of the carry of the scan back, which nothing in it reads, so that they are
//     computed once.

// keptWork is the number of multiplications of a product from which this is done.
const keptWork = 1 << 16

// heavy reports whether the computation of a node has a large product.
func heavy(n Node) bool {
	return slices.ContainsFunc(n.Graph().ancestors([]Node{n}), func(a Node) bool {
		if !a.is(OpMatMul) || a.static {
			return false
		}
		inner := a.args[0].Shape()[a.args[0].Rank()-1]
		if a.op.TransA {
			inner = a.args[0].Shape()[a.args[0].Rank()-2]
		}
		return a.Size()*inner >= keptWork
	})
}

// parts are the nodes that next joins, and the axis.
func parts(next Node) (axis int, of []Node) {
	if !next.is(OpConcat) {
		return 0, []Node{next}
	}
	return next.op.Axes[0], next.args
}

// cut are the parts of x as wide as others along an axis; sums and joined nodes are taken apart.
func cut(x Node, axis int, like []Node) []Node {
	var out []Node
	lo := 0
	for _, p := range like {
		hi := lo + p.Shape()[axis]
		out = append(out, piece(x, axis, lo, hi))
		lo = hi
	}
	return out
}

// piece is the elements lo … hi−1 of x along an axis.
func piece(x Node, axis, lo, hi int) Node {
	switch {
	case x.is(OpAdd) && x.args[0].Rank() == x.Rank() && x.args[1].Rank() == x.Rank():
		return Add(piece(x.args[0], axis, lo, hi), piece(x.args[1], axis, lo, hi))
	case x.is(OpConcat) && x.op.Axes[0] == axis:
		at := 0
		for _, p := range x.args {
			if n := p.Shape()[axis]; at <= lo && hi <= at+n {
				return piece(p, axis, lo-at, hi-at)
			} else {
				at += n
			}
		}
	}
	from, to := make([]int, x.Rank()), slices.Clone(x.Shape())
	from[axis], to[axis] = lo, hi
	return Slice(x, from, to)
}

// fromRows replaces, in gradients, the parts of the carry after the step by slices of the rows that the scan left.
func (r *rewind) fromRows(next Node, grads []Node) []Node {
	axis, of := parts(next)
	in := r.step.Input("kept", next.Shape()...)
	in.finite, in.single = next.finite, next.single
	r.env[in] = lifted{rows(r.scan, !r.scan.op.Reverse), true}
	again := r.again()
	again.done[next] = lifted{in, false}
	for k, p := range cut(in, axis, of) {
		if !of[k].is(OpInput) && !of[k].is(OpConst) {
			again.done[of[k]] = lifted{p, false}
		}
	}
	out := make([]Node, len(grads))
	for k, g := range grads {
		out[k] = again.value(g).Node
	}
	return out
}

// again writes nodes of the step again in its graph; Inputs are themselves.
func (r *rewind) again() replay {
	again := replay{graph: r.step, done: map[Node]lifted{}}
	for _, n := range r.step.nodes {
		if n.is(OpInput) {
			again.done[n] = lifted{n, false}
		}
	}
	return again
}

// operands are the nodes in products of the gradients that depend on the cotangent of the carry, if they can lie next
// to the carry along an axis.
func (r *rewind) operands(grads []Node, axis int) (out []Node) {
	like := r.after.Shape()
	depends := dependents(r.step, len(r.step.nodes)-1, []Node{r.after})
	for _, n := range r.step.ancestors(grads) {
		if !n.is(OpMatMul) {
			continue
		}
		for _, a := range n.args {
			for a.is(OpPermute) || a.is(OpReshape) {
				a = a.args[0]
			}
			fits := depends[a.id] && a != r.after && a.Rank() == len(like) && a.Rank() > axis && !a.is(OpMatMul) &&
				slices.Equal(without(a.Shape(), axis), without(like, axis))
			if fits && !slices.Contains(out, a) && !r.movedCarry(a) {
				out = append(out, a)
			}
		}
	}
	return out
}

// movedCarry reports a node that only takes elements of the cotangent of the carry.
func (r *rewind) movedCarry(a Node) bool {
	for a.op.Kind >= OpBroadcast && a.op.Kind <= OpConcat && len(a.args) == 1 {
		a = a.args[0]
	}
	return a == r.after
}

// wideAdjoint is aₜ for all t, where the scan back also leaves operands of products; these it adds to env.
func (r *rewind) wideAdjoint(bar Node, next Node, grads []Node) (adjoint Node, done map[Node]lifted) {
	reverse := r.scan.op.Reverse
	axis, of := parts(next)
	if !next.is(OpConcat) {
		axis = max(0, next.Rank()-1)
	}
	extra := r.operands(grads, axis)
	if len(extra) == 0 {
		return r.adjoint(bar, grads[0]), nil
	}
	shape := slices.Clone(r.after.Shape())
	for _, e := range extra {
		shape[axis] += e.Shape()[axis]
	}
	wide := r.step.Input("after and operands", shape...)
	wide.finite, wide.single = false, r.after.single
	again := r.again()
	again.done[r.after] = lifted{piece(wide, axis, 0, r.after.Shape()[axis]), false}
	value := func(n Node) Node { return again.value(n).Node }
	var all []Node
	at := 0
	for k, toCarry := range cut(grads[0], axis, of) {
		width := of[k].Shape()[axis]
		outer := lifted{piece(rows(bar, reverse), axis+1, at, at+width), true}.settled()
		in := r.step.entry(fmt.Sprint("bar", k), outer)
		if in.is(OpInput) {
			r.env[in] = outer
		}
		all, at = append(all, Add(in, value(toCarry))), at+width
	}
	first := []Node{r.row(bar, !reverse)}
	for _, e := range extra {
		all = append(all, value(e))
		first = append(first, bar.Graph().Full(0, e.Shape()...))
	}
	whole := scan(Concat(axis, first...), r.steps(), !reverse, wide, Concat(axis, all...), r.env)
	done, at = map[Node]lifted{}, r.after.Shape()[axis]
	for _, e := range extra {
		width := e.Shape()[axis]
		done[e] = lifted{piece(rows(whole, reverse), axis+1, at, at+width), true}
		at += width
	}
	return piece(whole, axis+1, 0, r.after.Shape()[axis]), done
}
