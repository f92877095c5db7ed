package autodiff

import (
	"fmt"
	"maps"
	"slices"
)

// A rewind builds the reverse pass through a Scan. With aₜ the gradient with respect to row t,
//
//	aₜ = barₜ + (∂step/∂carry)ᵀ aₜ₊₁.
//
// This is a Scan in the opposite direction. The gradients with respect to xs and shared follow from all aₜ at once
// (backpropagation through time: Werbos, Proc. IEEE 78, 1990).
type rewind struct {
	scan   Node
	step   *Graph          // graph of one step and its pullback
	inputs []Node          // the step's inputs, one for each argument of the Scan
	after  Node            // Input for the gradient with respect to the carry after the step
	env    map[Node]lifted // maps the other Inputs to arrays outside the step
}

// scanPullback returns the gradients of the wanted arguments.
func scanPullback(n, bar Node, wanted func(k int) bool) []Node {
	r := &rewind{scan: n, step: New(), env: map[Node]lifted{}}
	next := r.enter()
	grads := pullAll(next, r.after, r.inputs)
	if n.args[0].Size() == 1 { // the derivative is one number, which can be computed outside the loop
		grads[0] = alone(pullAll(next, r.step.Full(1, next.Shape()...), r.inputs[:1])[0], r.after)
	}
	var adjoint Node
	var kept map[Node]lifted
	if heavy(next) {
		grads = r.fromRows(next, grads)
		adjoint, kept = r.wideAdjoint(bar, next, grads)
	} else {
		adjoint = r.adjoint(bar, grads[0])
	}
	outside := replay{n.Graph(), r.steps(), r.env}
	outside.done[r.after] = lifted{rows(adjoint, !n.op.Reverse), true}
	maps.Copy(outside.done, kept)
	out := make([]Node, len(n.args))
	for k := range out {
		switch {
		case !wanted(k):
		case k == 0:
			out[k] = r.row(adjoint, n.op.Reverse)
		default:
			out[k] = outside.raise(outside.value(grads[k]), r.inputs[k].Shape())
		}
		if wanted(k) && k > len(n.op.Body.Xs) {
			out[k] = Sum(out[k], 0)
		}
	}
	return out
}

// alone returns slope·bar, which is 0 if either factor is 0. A zero slope may come from a branch that is not taken.
func alone(slope, bar Node) Node {
	if slope.finite {
		return chain(slope, bar)
	}
	zero := bar.Graph().Const(0)
	return Where(Eq(slope, zero), zero, chain(bar, slope))
}

func (r *rewind) steps() int { return r.scan.Shape()[0] - 1 }

// enter rebuilds the step with Inputs for its arguments, and returns the carry after it.
func (r *rewind) enter() Node {
	body, again := r.scan.op.Body, replay{graph: r.step, done: map[Node]lifted{}}
	ins := slices.Concat([]Node{body.Carry}, body.Xs, body.Shared)
	for k, a := range r.scan.args {
		arg := lifted{a, k <= len(body.Xs)}
		if k == 0 {
			arg.Node = rows(r.scan, r.scan.op.Reverse)
		}
		in := r.step.entry(fmt.Sprint("arg", k), arg)
		r.inputs, r.env[in], again.done[ins[k]] = append(r.inputs, in), arg, lifted{in, false}
	}
	r.after = r.step.Input("after", body.Carry.Shape()...)
	r.after.finite, r.after.single = false, r.scan.single
	next := again.value(body.Next).Node
	// Reuse the carries of the forward scan instead of computing them again.
	r.env[next] = lifted{rows(r.scan, !r.scan.op.Reverse), true}
	return next
}

// adjoint returns aₜ for all t.
func (r *rewind) adjoint(bar, toCarry Node) Node {
	reverse := r.scan.op.Reverse
	outer := lifted{rows(bar, reverse), true}.settled()
	in := r.step.entry("bar", outer)
	if in.is(OpInput) {
		r.env[in] = outer
	}
	return scan(r.row(bar, !reverse), r.steps(), !reverse, r.after, Add(in, toCarry), r.env)
}

// rows returns all rows but the first if late, else all rows but the last.
func rows(x Node, late bool) Node {
	lo, hi := make([]int, x.Rank()), slices.Clone(x.Shape())
	if late {
		lo[0] = 1
	} else {
		hi[0]--
	}
	return Slice(x, lo, hi)
}

// row returns the last row if last, else the first.
func (r *rewind) row(x Node, last bool) Node {
	lo, hi := make([]int, x.Rank()), slices.Clone(x.Shape())
	if last {
		lo[0] = hi[0] - 1
	}
	hi[0] = lo[0] + 1
	return Reshape(Slice(x, lo, hi), x.Shape()[1:]...)
}
