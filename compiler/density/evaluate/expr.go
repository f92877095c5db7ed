package evaluate

import (
	"ppl/autodiff"
	"ppl/compiler/frontend/model"
	"ppl/lang/diag"
)

// Expr returns the value of an expression, which is evaluated once.
func (e *Evaluator) Expr(x model.Expr) Value {
	memo := e.exprs[min(len(e.Guards), 1)]
	v, ok := memo[x]
	if !ok {
		v = e.emit(x)
		memo[x] = v
	}
	return v
}

func (e *Evaluator) emit(x model.Expr) Value {
	if v, ok := e.Source.Expr(e, x); ok {
		return v
	}
	switch x := x.(type) {
	case *model.Num:
		return Value{Node: e.Graph.Const(x.Value)}
	case *model.IndexVar:
		return e.IndexVar(x.Index)
	case *model.SizeOf:
		return Value{Node: e.Graph.Const(float64(e.sizeOf(x)))}
	case *model.Label:
		return Value{Node: e.Graph.Const(float64(e.labelled(x)))}
	case *model.SetSize:
		return Value{Node: e.Graph.Const(float64(e.Box(x.Set).Size()))}
	case *model.Ref:
		return e.ref(x)
	case *model.Apply:
		return e.elementwise(x, e.operands(x), x.Build)
	case *model.Cond:
		return e.cond(x)
	case *model.Subscript:
		return e.Subscript(x)
	case *model.Reduce:
		return e.reduce(x)
	case *model.Build:
		return e.build(x)
	case *model.List:
		return e.list(x)
	case *model.Concat:
		return e.concatenate(x)
	case *model.MatMul:
		return e.matmul(x)
	case *model.Fill:
		v := e.Expr(x.Value)
		return Value{e.Align(v, v.Bound, e.AxesOf(x)), v.Bound, e.AxesOf(x)}
	case *model.Random:
		return e.random(x)
	case *model.Vector:
		v := e.Expr(x.X)
		n := x.Build(v.Node)
		e.notInStep(x, x.Name)
		return Value{n, v.Bound, v.Axes[:len(x.Type.Axes)]}
	case *model.LogProb:
		return e.logprob(x)
	case *model.StateAt:
		return e.stateAt(x)
	case *Known:
		return x.Value
	}
	InternalErrorf("an expression of the kind %T has no value here", x)
	return Value{}
}

func (e *Evaluator) ref(x *model.Ref) Value {
	if e.Data.Arrays[x.Array].Stream != nil {
		e.NeedsAll(x.Array, x.At)
	}
	return e.Array(x.Array)
}

func (e *Evaluator) sizeOf(x *model.SizeOf) int {
	n, ok := e.Data.Sizes[x.Size]
	if !ok {
		e.Fail(diag.UnknownSize, x, "size `%s` is not known: give `%s = …`, `data %s`, or data with axis %s",
			x.Size.Name, x.Size.Name, x.Size.Name, x.Size.Name)
	}
	return n
}

// IndexVar returns the value of an index variable: its range along its own bound axis.
func (e *Evaluator) IndexVar(i *model.Index) Value {
	if e.isRow(i) {
		return e.Rows.Coordinate(i)
	}
	b := e.Box(i.Set)
	n := e.Graph.Iota(b.Size())
	if b.Lo != 0 {
		n = autodiff.Add(n, e.Graph.Const(float64(b.Lo)))
	}
	return Value{n, []*model.Index{i}, nil}
}

func (e *Evaluator) elementwise(x model.Expr, vs []Value, build func([]Node) Node) Value {
	bound, axes := Union(vs...), e.AxesOf(x)
	nodes := make([]Node, len(vs))
	for i, v := range vs {
		nodes[i] = e.AlignLoosely(v, bound, axes)
	}
	return e.Full(build(nodes), bound, axes)
}

// operands returns the operands of an operator. The first operand of && and || guards the second.
func (e *Evaluator) operands(x *model.Apply) []Value {
	if x.Lazy() {
		first := e.Expr(x.Args[0])
		return []Value{first, e.guarded(decides(x.Name, first), x.Args[1])}
	}
	return e.Exprs(x.Args)
}

// Exprs returns the values of several expressions.
func (e *Evaluator) Exprs(args []model.Expr) []Value {
	vs := make([]Value, len(args))
	for i, a := range args {
		vs[i] = e.Expr(a)
	}
	return vs
}

// cond returns only the selected branch if the condition is a single number known from data. Otherwise both branches
// are evaluated; the branch not taken affects neither the value nor the gradient.
func (e *Evaluator) cond(x *model.Cond) Value {
	q := e.Expr(x.If)
	if q.Rank() == 0 && q.Node.Static() {
		branch := x.Else
		if autodiff.Eval(nil, q.Node)[0][0] != 0 {
			branch = x.Then
		}
		v := e.Expr(branch)
		return Value{e.Align(v, v.Bound, e.AxesOf(x)), v.Bound, e.AxesOf(x)}
	}
	a, b := e.guarded(q, x.Then), e.guarded(not(q), x.Else)
	bound, axes := Union(q, a, b), e.AxesOf(x)
	n := autodiff.Where(e.AlignLoosely(q, bound, axes), e.AlignLoosely(a, bound, axes), e.AlignLoosely(b, bound, axes))
	return e.Full(n, bound, axes)
}

// notInStep reports an error for an expression that is computed by a scan inside a step of a recurrence or a
// differential equation.
func (e *Evaluator) notInStep(x model.Expr, name string) {
	if e.parent != nil && e.parent.Graph != e.Graph && e.Graph.HasScan() { // a step has a separate graph
		e.Fail(diag.NotCompiled, x, "not supported by this version of ppl yet: `%s` of a value that a recurrence or "+
			"differential equation computes", name)
	}
}
