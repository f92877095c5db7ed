package evaluate

import (
	"ppl/autodiff"
	"ppl/compiler/model"
)

// A Dropping says that dropout drops elements, and where the noise lies by which it does: the address has a lane and a
// step, to which the number of the dropout in the model is the site, and the place of the element among those of its
// value the point.
type Dropping struct{ Lane, Step Node }

// dropout is x where nothing is dropped, as in the density of the model; else each element is 0 with probability p, and
// else over 1 − p, so that its mean is what it was. In values of a batch the elements of each row are dropped apart.
func (e *Evaluator) dropout(x *model.Dropout) Value {
	v, p := e.Expr(x.X), e.share(x)
	if e.parent != nil && e.parent.Graph != e.Graph {
		e.Fail("E99", x, "`dropout` of a value that a recurrence or differential equation computes: not compiled by "+
			"this version of ppl yet")
	}
	if e.Dropping == nil || p == 0 {
		return v
	}
	u := e.Graph.Addressed(x.Number, e.Dropping.Lane, e.Dropping.Step, places(e.Graph, v.Node.Shape()))
	zero := e.Graph.Full(0, v.Node.Shape()...)
	n := autodiff.Where(autodiff.Lt(u, e.Graph.Const(p)), zero, autodiff.Mul(v.Node, e.Graph.Const(1/(1-p))))
	return Value{n, v.Bound, v.Axes}
}

// share is which part of the elements a dropout drops.
func (e *Evaluator) share(x *model.Dropout) float64 {
	p := e.StaticValues(x.P)[0]
	if !(p >= 0 && p < 1) {
		e.Fail("E51", x.P, "`dropout` drops a share of the elements from 0 to less than 1, not %g", p)
	}
	return p
}

// places are the numbers of the elements of a shape, row-major from 0.
func places(g *autodiff.Graph, shape []int) Node {
	n, stride := g.Full(0, shape...), 1
	for k := len(shape) - 1; k >= 0; k-- {
		along := autodiff.Mul(g.Iota(shape[k]), g.Const(float64(stride)))
		n, stride = autodiff.Add(n, autodiff.Broadcast(along, shape, []int{k})), stride*shape[k]
	}
	return n
}
