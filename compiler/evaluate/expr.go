package evaluate

import (
	"math"
	"slices"

	"ppl/autodiff"
	"ppl/compiler/model"
	"ppl/lang/types"
	"ppl/stdlib"
)

// Expr is the value of an expression, emitted once.
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
	Bug("an expression of the kind %T has no value here", x)
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
		e.Fail("E46", x, "size `%s` is not known: give `%s = …`, `data %s`, or data with axis %s", x.Size.Name,
			x.Size.Name, x.Size.Name, x.Size.Name)
	}
	return n
}

// IndexVar is an index as a value: its range along its own bound axis.
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

// operands of an operator; the first of && and || guards the second.
func (e *Evaluator) operands(x *model.Apply) []Value {
	if x.Lazy() {
		first := e.Expr(x.Args[0])
		return []Value{first, e.guarded(decides(x.Name, first), x.Args[1])}
	}
	return e.Exprs(x.Args)
}

func (e *Evaluator) Exprs(args []model.Expr) []Value {
	vs := make([]Value, len(args))
	for i, a := range args {
		vs[i] = e.Expr(a)
	}
	return vs
}

// cond chooses a branch at once where the condition is one number known from data; else both are evaluated, and neither
// the value nor the gradient of the branch not taken is seen.
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

// build turns bound axes into own ones.
func (e *Evaluator) build(x *model.Build) Value {
	body := e.Expr(x.Body)
	return e.unbind(body, e.InRow(x.Over), nil)
}

// unbind makes the bound axes over the first own axes, in order; sets replaces their sets when given.
func (e *Evaluator) unbind(v Value, over []*model.Index, sets []*model.Set) Value {
	bound := Union(v, Value{Bound: over})
	n := e.Align(v, bound, v.Axes)
	var rest []*model.Index
	var perm []int
	for k, i := range bound {
		if !slices.Contains(over, i) {
			rest = append(rest, i)
			perm = append(perm, k)
		}
	}
	axes := sets
	for k, i := range over {
		perm = append(perm, slices.Index(bound, i))
		if len(sets) == 0 || k >= len(sets) {
			axes = append(axes, i.Set)
		}
	}
	for k := range v.Axes {
		perm = append(perm, len(bound)+k)
	}
	return Value{autodiff.Permute(n, perm...), rest, append(slices.Clone(axes), v.Axes...)}
}

// list stacks items along a new first axis.
func (e *Evaluator) list(x *model.List) Value {
	if v, ok := e.literal(x); ok {
		return v
	}
	items := make([]Value, len(x.Items))
	for i, it := range x.Items {
		items[i] = e.Expr(it)
	}
	bound := Union(items...)
	inner := e.AxesOf(x)[1:]
	at := len(bound)
	parts := make([]Node, len(items))
	for i, v := range items {
		n := e.Align(v, bound, inner)
		parts[i] = autodiff.Reshape(n, slices.Insert(slices.Clone(n.Shape()), at, 1)...)
	}
	if len(parts) == 0 {
		return Value{e.Graph.Full(0, 0), nil, x.Type.Axes}
	}
	return Value{autodiff.Concat(at, parts...), bound, e.AxesOf(x)}
}

func (e *Evaluator) concatenate(x *model.Concat) Value {
	items := make([]Value, len(x.Items))
	for i, it := range x.Items {
		items[i] = e.Expr(it)
	}
	bound := Union(items...)
	parts := make([]Node, len(items))
	for i, v := range items {
		parts[i] = e.Align(v, bound, v.Axes)
	}
	return Value{autodiff.Concat(len(bound), parts...), bound, e.AxesOf(x)}
}

// literal: a list of numbers is data.
func (e *Evaluator) literal(x *model.List) (Value, bool) {
	var values []float64
	var collect func(model.Expr) bool
	collect = func(m model.Expr) bool {
		switch m := m.(type) {
		case *model.Num:
			values = append(values, m.Value)
			return true
		case *model.Apply:
			if n, ok := m.Args[0].(*model.Num); ok && m.Name == "-" && len(m.Args) == 1 {
				values = append(values, -n.Value)
				return true
			}
		case *model.List:
			for _, it := range m.Items {
				if !collect(it) {
					return false
				}
			}
			return len(m.Items) > 0
		}
		return false
	}
	if !collect(x) {
		return Value{}, false
	}
	return Value{e.Graph.Data("list", values, e.Shape(nil, x.Type.Axes)...), nil, x.Type.Axes}, true
}

// reduce folds bound axes, or every own axis. What lies outside a ragged range is replaced by what changes nothing.
func (e *Evaluator) reduce(x *model.Reduce) Value {
	if len(x.Over) == 0 {
		v := e.Expr(x.X)
		axes := make([]int, len(v.Axes))
		for k := range axes {
			axes[k] = len(v.Bound) + k
		}
		e.notEmpty(x, v.Node, axes)
		return Value{x.Row.Build(v.Node, axes), v.Bound, nil}
	}
	ragged := slices.ContainsFunc(x.Over, func(i *model.Index) bool { return len(i.Set.Ragged) > 0 })
	if ragged {
		defer e.UnderRanges(x.Over)()
	}
	v := e.Expr(x.X)
	if ragged && x.Row.Within != nil {
		return e.reduceWithin(x, v)
	}
	if ragged {
		v = e.Masked(v, x.Over, x.Row.Empty)
	}
	bound := Union(v, Value{Bound: x.Over})
	n := e.Align(v, bound, v.Axes)
	v = Value{n, bound, v.Axes}
	return FoldBound(v, x.Over, func(n Node, axes ...int) Node {
		e.notEmpty(x, n, axes)
		return x.Row.Build(n, axes)
	})
}

// reduceWithin folds over ragged ranges what has no neutral element.
func (e *Evaluator) reduceWithin(x *model.Reduce, v Value) Value {
	inside := e.Masked(Value{e.Graph.Const(1), nil, nil}, x.Over, 0)
	e.someInside(x, inside)
	bound := Union(v, inside, Value{Bound: x.Over})
	in := e.Align(inside, bound, v.Axes)
	return FoldBound(Value{e.Align(v, bound, v.Axes), bound, v.Axes}, x.Over, func(n Node, axes ...int) Node {
		return x.Row.Within(n, in, axes)
	})
}

// someInside refuses ranges that are empty where the fold counts; the ranges' own guards are left.
func (e *Evaluator) someInside(x *model.Reduce, inside Value) {
	guards := e.Guards
	defer func() { e.Guards = guards }()
	e.Guards = slices.DeleteFunc(slices.Clone(guards), func(g Value) bool {
		return slices.ContainsFunc(g.Bound, func(i *model.Index) bool { return slices.Contains(x.Over, i) })
	})
	sizes, counts,
		ok := e.Counted(SumBound(Value{e.Align(inside, Union(inside, Value{Bound: x.Over}), nil),
		Union(inside, Value{Bound: x.Over}), nil}, x.Over...))
	for i := range sizes {
		if ok && counts[i] != 0 && sizes[i] == 0 {
			e.Fail("E45", x, "`%s` of an empty set has no value; an index runs over an empty range here", x.Row.Name)
		}
	}
}

func (e *Evaluator) notEmpty(x *model.Reduce, n Node, axes []int) {
	count := 1
	for _, k := range axes {
		count *= n.Shape()[k]
	}
	if count == 0 && math.IsNaN(x.Row.Empty) {
		e.Fail("E45", x, "`%s` of an empty set has no value", x.Row.Name)
	}
}

// Masked replaces v by neutral where an index lies outside its ragged range.
func (e *Evaluator) Masked(v Value, over []*model.Index, neutral float64) Value {
	for _, i := range over {
		if len(i.Set.Ragged) == 0 {
			continue
		}
		in := e.inRange(i)
		all := Union(v, in)
		inside := e.Align(in, all, v.Axes)
		v = Value{autodiff.Where(inside, e.Align(v, all, v.Axes), e.Graph.Const(neutral)), all, v.Axes}
	}
	return v
}

// matmul contracts the last axis of x with the first of y. Without a common index it is one matrix product over all of
// their bound axes; with one, a product and a sum.
func (e *Evaluator) matmul(m *model.MatMul) Value {
	x, y := e.Expr(m.X), e.Expr(m.Y)
	common := slices.ContainsFunc(x.Bound, func(i *model.Index) bool { return slices.Contains(y.Bound, i) })
	if common {
		return e.contract(m, x, y)
	}
	k := e.Box(x.Axes[len(x.Axes)-1]).Size()
	rows, cols := x.Node.Size()/max(k, 1), y.Node.Size()/max(k, 1)
	if k == 0 {
		return e.contract(m, x, y)
	}
	left := autodiff.Reshape(x.Node, rows, k)
	first := append([]int{len(y.Bound)}, Others(y.Rank(), len(y.Bound))...) // y's contracted axis first
	right := autodiff.Reshape(autodiff.Permute(y.Node, first...), k, cols)
	n := autodiff.MatMul(left, right, false, false)
	xs, ys := x.Axes[:len(x.Axes)-1], y.Axes[1:]
	shape := append(e.Shape(x.Bound, xs), e.Shape(y.Bound, ys)...)
	n = autodiff.Reshape(n, shape...)
	return e.ordered(n, x.Bound, xs, y.Bound, ys)
}

// ordered brings [x bound, x axes, y bound, y axes] to [bound sorted, x axes, y axes].
func (e *Evaluator) ordered(n Node, xb []*model.Index, xs []*model.Set, yb []*model.Index, ys []*model.Set) Value {
	bound := Union(Value{Bound: xb}, Value{Bound: yb})
	var perm []int
	for _, i := range bound {
		if k := slices.Index(xb, i); k >= 0 {
			perm = append(perm, k)
		} else {
			perm = append(perm, len(xb)+len(xs)+slices.Index(yb, i))
		}
	}
	for k := range xs {
		perm = append(perm, len(xb)+k)
	}
	for k := range ys {
		perm = append(perm, len(xb)+len(xs)+len(yb)+k)
	}
	return Value{autodiff.Permute(n, perm...), bound, append(slices.Clone(xs), ys...)}
}

func Others(rank, but int) (out []int) {
	for k := range rank {
		if k != but {
			out = append(out, k)
		}
	}
	return out
}

// contract is Σ_k x[…, k] y[k, …] by broadcasting.
func (e *Evaluator) contract(m *model.MatMul, x, y Value) Value {
	bound := Union(x, y)
	b, nx, ny := len(bound), len(x.Axes), len(y.Axes)
	shape := append(e.Shape(bound, x.Axes), e.Shape(nil, y.Axes[1:])...)
	to := func(v Value, own func(k int) int) []int {
		var out []int
		for _, i := range v.Bound {
			out = append(out, slices.Index(bound, i))
		}
		for k := range v.Axes {
			out = append(out, own(k))
		}
		return out
	}
	left := autodiff.Broadcast(x.Node, shape, to(x, func(k int) int { return b + k }))
	right := autodiff.Broadcast(y.Node, shape, to(y, func(k int) int { return b + nx - 1 + k }))
	n := autodiff.Sum(autodiff.Mul(left, right), b+nx-1)
	return Value{n, bound, append(slices.Clone(x.Axes[:nx-1]), y.Axes[1:ny]...)}
}

// notInStep refuses what is computed in steps of its own inside a step of a recurrence or a differential equation.
func (e *Evaluator) notInStep(x model.Expr, name string) {
	if e.parent != nil && e.parent.Graph != e.Graph && e.Graph.HasScan() { // a step has a graph of its own
		e.Fail("E99", x, "`%s` of a value that a recurrence or differential equation computes: not compiled by this "+
			"version of ppl yet", name)
	}
}

// vectorLogprob is the log density of one value, which is all that x and the arguments have for axes of their own.
func (e *Evaluator) vectorLogprob(x *model.LogProb, f func(x Node, args []Node) Node) Value {
	at, args := e.Expr(x.X), e.Exprs(x.Args)
	e.ArgumentSizes(x.Dist, x.Form, x.Args, x.X.Info().At.Text(), at, args)
	bound := Union(append([]Value{at}, args...)...)
	nodes := make([]Node, len(args))
	for i, a := range args {
		nodes[i] = e.AlignLoosely(a, bound, a.Axes)
	}
	return e.Full(f(e.AlignLoosely(at, bound, at.Axes), nodes), bound, nil)
}

func (e *Evaluator) logprob(x *model.LogProb) Value {
	f := x.Form.LogProb
	switch x.Name {
	case "logcdf":
		f = x.Form.LogCDF
	case "quantile":
		f = x.Form.Quantile
	case "cdf":
		f = func(v Node, args []Node) Node {
			if p := x.Form.LogCDF(v, args); p.Valid() {
				return autodiff.Exp(p)
			}
			return Node{}
		}
	}
	if x.OfVectors() {
		return e.vectorLogprob(x, f)
	}
	args := append(slices.Clone(x.Args), x.X)
	return e.elementwise(x, e.Exprs(args), func(n []Node) Node {
		p := f(n[len(n)-1], n[:len(n)-1])
		e.notInStep(x, x.Name)
		if !p.Valid() {
			e.Fail("E58", x, "the distribution function of %s is a sum whose length depends on a parameter here",
				x.Dist.Name)
		}
		return p
	})
}

// ArgumentSizes refuses vectors and matrices whose sizes are none of the event's, x, which is written text. Arguments
// of integers (pairs of neighbours) have sizes of their own.
func (e *Evaluator) ArgumentSizes(d *stdlib.Dist, f *stdlib.Form, exprs []model.Expr, text string, x Value,
	args []Value) {
	event := x.ShapeOfAxes()
	for i, a := range args {
		form := f.Args[i]
		if form.Rank == 0 || len(event) == 0 || form.Domain.Kind == types.IntRange {
			continue
		}
		sizes := a.ShapeOfAxes()
		if form.Columns && len(sizes) > 0 {
			sizes = sizes[:len(sizes)-1]
		}
		for _, n := range sizes {
			if !slices.Contains(event, n) {
				e.Fail("E40", exprs[i], "`%s` of %s has an axis of %d elements, but `%s` has %d", form.Name, d.Name, n,
					text, event[len(event)-1])
			}
		}
	}
}
