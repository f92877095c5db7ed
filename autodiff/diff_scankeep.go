package autodiff

import (
	"fmt"
	"slices"
)

// Recurrences of neural networks have matrix products in their steps, and carries of thousands of elements. This file
// applies two optimisations to their gradients. It leaves small recurrences as they are:
//
//   - A step that concatenates its carry from parts may compute one part from others, as an LSTM computes its cell
//     from its gates. The pullback reads the parts from the rows of the forward scan, so that it computes no product
//     again.
//   - Cotangents that enter matrix products are needed inside the reverse scan, and again after it, where one product
//     covers all steps. They become additional parts of the reverse scan's carry, so that they are computed only once.
//     Parts of the carry whose cotangents are zero, such as gates, which no later step reads, are omitted from it.
//     Cotangents of slices of one array are concatenated instead of padded and added.

// keptWork is the number of multiplications in a product from which these optimisations are applied.
const keptWork = 1 << 16

// heavy reports whether computing a node involves a large matrix product.
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

// parts returns the nodes that next concatenates, and the axis. If next is not a concatenation, the only part is next.
func parts(next Node) (axis int, of []Node) {
	if !next.is(OpConcat) {
		return 0, []Node{next}
	}
	return next.op.Axes[0], next.args
}

// cut splits x along an axis into pieces with the widths of like.
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

// piece returns the elements lo … hi−1 of x along an axis. Of a sum it adds the pieces, and of a concatenation it reads
// only the argument that contains the elements.
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

// fromRows changes gradients so that they read parts of the carry after the step from the rows of the forward scan.
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

// again returns a replay that rebuilds nodes of the step in the same graph. Inputs are kept.
func (r *rewind) again() replay {
	again := replay{graph: r.step, done: map[Node]lifted{}}
	for _, n := range r.step.nodes {
		if n.is(OpInput) {
			again.done[n] = lifted{n, false}
		}
	}
	return again
}

// operands returns the factors of matrix products in the gradients that depend on the cotangent of the carry, if they
// can be concatenated with the carry along an axis.
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

// movedCarry reports whether a only moves elements of the cotangent of the carry.
func (r *rewind) movedCarry(a Node) bool {
	for a.op.Kind >= OpBroadcast && a.op.Kind <= OpConcat && len(a.args) == 1 {
		a = a.args[0]
	}
	return a == r.after
}

// A stretch is a part of the carry: the elements lo … hi−1 along the axis of the parts. In the carry of the reverse
// scan it begins at `at`. It is absent there if its cotangent is zero, for example that of a gate, which no later step
// reads.
type stretch struct {
	lo, hi, at int
	absent     bool
}

// of returns the part from an array that holds all parts that are not absent. An absent part is zeros.
func (s stretch) of(x Node, axis int) Node {
	if s.absent {
		shape := slices.Clone(x.Shape())
		shape[axis] = s.hi - s.lo
		return x.Graph().Full(0, shape...)
	}
	return piece(x, axis, s.at, s.at+s.hi-s.lo)
}

func isZero(n Node) bool {
	v, ok := n.IsConst()
	return ok && v == 0
}

// stretches returns the parts of the carry, and the total width of those that are not absent.
func (r *rewind) stretches(bar Node, of, toCarry []Node, axis int) (all []stretch, width int) {
	lo := 0
	for k, p := range of {
		s := stretch{lo: lo, hi: lo + p.Shape()[axis], at: width}
		s.absent = isZero(toCarry[k]) && isZero(piece(bar, axis+1, s.lo, s.hi))
		if !s.absent {
			width += s.hi - s.lo
		}
		all, lo = append(all, s), s.hi
	}
	return all, width
}

// settle maps the cotangent of the carry, and each part of it that is read separately, to nodes that read the array x
// of stretches.
func (r *rewind) settle(done map[Node]lifted, all []stretch, axis int, x lifted) {
	more := 0
	if x.stacked {
		more = 1
	}
	var joined []Node
	for _, s := range all {
		joined = append(joined, s.of(x.Node, axis+more))
	}
	done[r.after] = lifted{Concat(axis+more, joined...), x.stacked}
	for _, n := range r.step.nodes {
		if !n.is(OpSlice) || n.args[0] != r.after ||
			!slices.Equal(without(n.Shape(), axis), without(r.after.Shape(), axis)) {
			continue
		}
		lo, hi := n.op.Lo[axis], n.op.Hi[axis]
		for k, s := range all {
			if s.lo <= lo && hi <= s.hi {
				done[n] = lifted{piece(joined[k], axis+more, lo-s.lo, hi-s.lo), x.stacked}
			}
		}
	}
}

// countsUp reports whether an index is lo, lo+1, …, as results from a model's `gate[2·H + j]`.
func (r *rewind) countsUp(index Node) (lo int, ok bool) {
	if outer, ok := r.env[index]; ok && !outer.stacked {
		index = outer.Node
	}
	if !index.static || index.Rank() != 1 || index.Size() == 0 {
		return 0, false
	}
	at := Eval(nil, index)[0]
	for i, x := range at {
		if x != at[0]+float64(i) {
			return 0, false
		}
	}
	return int(at[0]), true
}

// padded splits a sum of arrays that are padded along an axis into these arrays. ok is false if n is not such a sum.
func (r *rewind) padded(n Node, axis int) (parts []segment, ok bool) {
	switch {
	case isZero(n):
		return nil, true
	case n.is(OpPermute):
		parts, ok = r.padded(n.args[0], n.op.Axes[axis])
		for k, p := range parts {
			parts[k] = segment{axis, p.lo, Permute(p.Node, n.op.Axes...)}
		}
		return parts, ok
	case n.is(OpScatterAdd) && axis == 0 && len(n.args) == 2:
		lo, ok := r.countsUp(n.args[1])
		return []segment{{axis, lo, n.args[0]}}, ok
	case n.is(OpPad) && slices.Equal(without(n.Shape(), axis), without(n.args[0].Shape(), axis)):
		return []segment{{axis, n.op.Lo[axis], n.args[0]}}, true
	case n.is(OpAdd) && n.args[0].Rank() == n.Rank() && n.args[1].Rank() == n.Rank():
		left, ok := r.padded(n.args[0], axis)
		right, ok2 := r.padded(n.args[1], axis)
		return append(left, right...), ok && ok2
	}
	return nil, false
}

// wideAdjoint returns aₜ for all t. If products need cotangents, the reverse scan also returns these operands, and done
// maps them to its result.
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
	toCarry := cut(grads[0], axis, of)
	stretches, width := r.stretches(bar, of, toCarry, axis)
	shape := slices.Clone(r.after.Shape())
	shape[axis] = width
	for _, e := range extra {
		shape[axis] += e.Shape()[axis]
	}
	wide := r.step.Input("after and operands", shape...)
	wide.finite, wide.single = false, r.after.single
	again := r.again()
	r.settle(again.done, stretches, axis, lifted{wide, false})
	value := func(n Node) Node { return again.value(n).Node }
	for _, e := range extra { // concatenate the gradients of gates that are slices of one array
		if parts, ok := r.padded(value(e), axis); ok && len(parts) > 1 {
			again.done[e] = lifted{joinedParts(parts, e.Shape()), false}
		}
	}
	var all, first []Node
	for k, s := range stretches {
		if s.absent {
			continue
		}
		outer := lifted{piece(rows(bar, reverse), axis+1, s.lo, s.hi), true}.settled()
		in := r.step.entry(fmt.Sprint("bar", k), outer)
		if in.is(OpInput) {
			r.env[in] = outer
		}
		all = append(all, Add(in, value(toCarry[k])))
		first = append(first, r.row(piece(bar, axis+1, s.lo, s.hi), !reverse))
	}
	for _, e := range extra {
		all = append(all, value(e))
		first = append(first, bar.Graph().Full(0, e.Shape()...))
	}
	whole := scan(Concat(axis, first...), r.steps(), !reverse, wide, Concat(axis, all...), r.env)
	done = map[Node]lifted{}
	r.settle(done, stretches, axis, lifted{rows(whole, !reverse), true})
	at := width
	for _, e := range extra {
		done[e] = lifted{piece(rows(whole, reverse), axis+1, at, at+e.Shape()[axis]), true}
		at += e.Shape()[axis]
	}
	var joined []Node
	for _, s := range stretches {
		joined = append(joined, s.of(whole, axis+1))
	}
	return Concat(axis+1, joined...), done
}
