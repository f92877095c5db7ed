package emit

import (
	"math"
	"slices"

	"ppl/autodiff"
	"ppl/compiler/model"
)

// expr is the value of an expression, emitted once.
func (e *emitter) expr(x model.Expr) value {
	memo := e.exprs[min(len(e.guards), 1)]
	v, ok := memo[x]
	if !ok {
		v = e.emit(x)
		memo[x] = v
	}
	return v
}

func (e *emitter) emit(x model.Expr) value {
	if v, ok := e.source.Expr(e, x); ok {
		return v
	}
	switch x := x.(type) {
	case *model.Num:
		return value{node: e.g.Const(x.Value)}
	case *model.IndexVar:
		return e.indexVar(x.Index)
	case *model.SizeOf:
		return value{node: e.g.Const(float64(e.sizeOf(x)))}
	case *model.Label:
		return value{node: e.g.Const(float64(e.labelled(x)))}
	case *model.SetSize:
		return value{node: e.g.Const(float64(e.box(x.Set).size()))}
	case *model.Ref:
		return e.ref(x)
	case *model.Apply:
		return e.elementwise(x, e.operands(x), x.Build)
	case *model.Cond:
		return e.cond(x)
	case *model.Subscript:
		return e.subscript(x)
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
		v := e.expr(x.Value)
		return value{e.align(v, v.bound, e.axesOf(x)), v.bound, e.axesOf(x)}
	case *model.Vector:
		v := e.expr(x.X)
		n := x.Build(v.node)
		e.notInStep(x, x.Name)
		return value{n, v.bound, v.axes[:len(x.Type.Axes)]}
	case *model.LogProb:
		return e.logprob(x)
	case *model.StateAt:
		return e.stateAt(x)
	case *known:
		return x.v
	}
	bug("an expression of the kind %T has no value here", x)
	return value{}
}

func (e *emitter) ref(x *model.Ref) value {
	if e.data.Arrays[x.Array].Stream != nil {
		e.needsAll(x.Array, x.At)
	}
	return e.array(x.Array)
}

func (e *emitter) sizeOf(x *model.SizeOf) int {
	n, ok := e.data.Sizes[x.Size]
	if !ok {
		e.fail("E46", x, "size `%s` is not known: give `%s = …`, `data %s`, or data with axis %s", x.Size.Name,
			x.Size.Name, x.Size.Name, x.Size.Name)
	}
	return n
}

// indexVar is an index as a value: its range along its own bound axis.
func (e *emitter) indexVar(i *model.Index) value {
	if e.isRow(i) {
		return e.rows.Coordinate(i)
	}
	b := e.box(i.Set)
	n := e.g.Iota(b.size())
	if b.lo != 0 {
		n = autodiff.Add(n, e.g.Const(float64(b.lo)))
	}
	return value{n, []*model.Index{i}, nil}
}

func (e *emitter) elementwise(x model.Expr, vs []value, build func([]Node) Node) value {
	bound, axes := union(vs...), e.axesOf(x)
	nodes := make([]Node, len(vs))
	for i, v := range vs {
		nodes[i] = e.loose(v, bound, axes)
	}
	return e.full(build(nodes), bound, axes)
}

// operands of an operator; the first of && and || guards the second.
func (e *emitter) operands(x *model.Apply) []value {
	if x.Lazy() {
		first := e.expr(x.Args[0])
		return []value{first, e.guarded(decides(x.Name, first), x.Args[1])}
	}
	return e.values(x.Args)
}

func (e *emitter) values(args []model.Expr) []value {
	vs := make([]value, len(args))
	for i, a := range args {
		vs[i] = e.expr(a)
	}
	return vs
}

// cond chooses a branch at once where the condition is one number known from data; else both are evaluated, and neither
// the value nor the gradient of the branch not taken is seen.
func (e *emitter) cond(x *model.Cond) value {
	q := e.expr(x.If)
	if q.rank() == 0 && q.node.Static() {
		branch := x.Else
		if autodiff.Eval(nil, q.node)[0][0] != 0 {
			branch = x.Then
		}
		v := e.expr(branch)
		return value{e.align(v, v.bound, e.axesOf(x)), v.bound, e.axesOf(x)}
	}
	a, b := e.guarded(q, x.Then), e.guarded(not(q), x.Else)
	bound, axes := union(q, a, b), e.axesOf(x)
	n := autodiff.Where(e.loose(q, bound, axes), e.loose(a, bound, axes), e.loose(b, bound, axes))
	return e.full(n, bound, axes)
}

// build turns bound axes into own ones.
func (e *emitter) build(x *model.Build) value {
	body := e.expr(x.Body)
	return e.unbind(body, e.inRow(x.Over), nil)
}

// unbind makes the bound axes over the first own axes, in order; sets replaces their sets when given.
func (e *emitter) unbind(v value, over []*model.Index, sets []*model.Set) value {
	bound := union(v, value{bound: over})
	n := e.align(v, bound, v.axes)
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
	for k := range v.axes {
		perm = append(perm, len(bound)+k)
	}
	return value{autodiff.Permute(n, perm...), rest, append(slices.Clone(axes), v.axes...)}
}

// list stacks items along a new first axis.
func (e *emitter) list(x *model.List) value {
	if v, ok := e.literal(x); ok {
		return v
	}
	items := make([]value, len(x.Items))
	for i, it := range x.Items {
		items[i] = e.expr(it)
	}
	bound := union(items...)
	inner := e.axesOf(x)[1:]
	at := len(bound)
	parts := make([]Node, len(items))
	for i, v := range items {
		n := e.align(v, bound, inner)
		parts[i] = autodiff.Reshape(n, slices.Insert(slices.Clone(n.Shape()), at, 1)...)
	}
	if len(parts) == 0 {
		return value{e.g.Full(0, 0), nil, x.Type.Axes}
	}
	return value{autodiff.Concat(at, parts...), bound, e.axesOf(x)}
}

func (e *emitter) concatenate(x *model.Concat) value {
	items := make([]value, len(x.Items))
	for i, it := range x.Items {
		items[i] = e.expr(it)
	}
	bound := union(items...)
	parts := make([]Node, len(items))
	for i, v := range items {
		parts[i] = e.align(v, bound, v.axes)
	}
	return value{autodiff.Concat(len(bound), parts...), bound, e.axesOf(x)}
}

// literal: a list of numbers is data.
func (e *emitter) literal(x *model.List) (value, bool) {
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
		return value{}, false
	}
	return value{e.g.Data("list", values, e.shape(nil, x.Type.Axes)...), nil, x.Type.Axes}, true
}

// reduce folds bound axes, or every own axis. What lies outside a ragged range is replaced by what changes nothing.
func (e *emitter) reduce(x *model.Reduce) value {
	if len(x.Over) == 0 {
		v := e.expr(x.X)
		axes := make([]int, len(v.axes))
		for k := range axes {
			axes[k] = len(v.bound) + k
		}
		e.notEmpty(x, v.node, axes)
		return value{x.Row.Build(v.node, axes), v.bound, nil}
	}
	ragged := slices.ContainsFunc(x.Over, func(i *model.Index) bool { return len(i.Set.Ragged) > 0 })
	if ragged {
		defer e.underRanges(x.Over)()
	}
	v := e.expr(x.X)
	if ragged && x.Row.Within != nil {
		return e.reduceWithin(x, v)
	}
	if ragged {
		v = e.masked(v, x.Over, x.Row.Empty)
	}
	bound := union(v, value{bound: x.Over})
	n := e.align(v, bound, v.axes)
	v = value{n, bound, v.axes}
	return foldBound(v, x.Over, func(n Node, axes ...int) Node {
		e.notEmpty(x, n, axes)
		return x.Row.Build(n, axes)
	})
}

// reduceWithin folds over ragged ranges what has no neutral element.
func (e *emitter) reduceWithin(x *model.Reduce, v value) value {
	inside := e.masked(value{e.g.Const(1), nil, nil}, x.Over, 0)
	e.someInside(x, inside)
	bound := union(v, inside, value{bound: x.Over})
	in := e.align(inside, bound, v.axes)
	return foldBound(value{e.align(v, bound, v.axes), bound, v.axes}, x.Over, func(n Node, axes ...int) Node {
		return x.Row.Within(n, in, axes)
	})
}

// someInside refuses ranges that are empty where the fold counts; the ranges' own guards are left.
func (e *emitter) someInside(x *model.Reduce, inside value) {
	guards := e.guards
	defer func() { e.guards = guards }()
	e.guards = slices.DeleteFunc(slices.Clone(guards), func(g value) bool {
		return slices.ContainsFunc(g.bound, func(i *model.Index) bool { return slices.Contains(x.Over, i) })
	})
	sizes, counts,
		ok := e.counted(sumBound(value{e.align(inside, union(inside, value{bound: x.Over}), nil),
		union(inside, value{bound: x.Over}), nil}, x.Over...))
	for i := range sizes {
		if ok && counts[i] != 0 && sizes[i] == 0 {
			e.fail("E45", x, "`%s` of an empty set has no value; an index runs over an empty range here", x.Row.Name)
		}
	}
}

func (e *emitter) notEmpty(x *model.Reduce, n Node, axes []int) {
	count := 1
	for _, k := range axes {
		count *= n.Shape()[k]
	}
	if count == 0 && math.IsNaN(x.Row.Empty) {
		e.fail("E45", x, "`%s` of an empty set has no value", x.Row.Name)
	}
}

// masked replaces v by neutral where an index lies outside its ragged range.
func (e *emitter) masked(v value, over []*model.Index, neutral float64) value {
	for _, i := range over {
		if len(i.Set.Ragged) == 0 {
			continue
		}
		in := e.inRange(i)
		all := union(v, in)
		inside := e.align(in, all, v.axes)
		v = value{autodiff.Where(inside, e.align(v, all, v.axes), e.g.Const(neutral)), all, v.axes}
	}
	return v
}

// matmul contracts the last axis of x with the first of y. Without a common index it is one matrix product over all of
// their bound axes; with one, a product and a sum.
func (e *emitter) matmul(m *model.MatMul) value {
	x, y := e.expr(m.X), e.expr(m.Y)
	common := slices.ContainsFunc(x.bound, func(i *model.Index) bool { return slices.Contains(y.bound, i) })
	if common {
		return e.contract(m, x, y)
	}
	k := e.box(x.axes[len(x.axes)-1]).size()
	rows, cols := x.node.Size()/max(k, 1), y.node.Size()/max(k, 1)
	if k == 0 {
		return e.contract(m, x, y)
	}
	left := autodiff.Reshape(x.node, rows, k)
	first := append([]int{len(y.bound)}, others(y.rank(), len(y.bound))...) // y's contracted axis first
	right := autodiff.Reshape(autodiff.Permute(y.node, first...), k, cols)
	n := autodiff.MatMul(left, right, false, false)
	xs, ys := x.axes[:len(x.axes)-1], y.axes[1:]
	shape := append(e.shape(x.bound, xs), e.shape(y.bound, ys)...)
	n = autodiff.Reshape(n, shape...)
	return e.ordered(n, x.bound, xs, y.bound, ys)
}

// ordered brings [x bound, x axes, y bound, y axes] to [bound sorted, x axes, y axes].
func (e *emitter) ordered(n Node, xb []*model.Index, xs []*model.Set, yb []*model.Index, ys []*model.Set) value {
	bound := union(value{bound: xb}, value{bound: yb})
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
	return value{autodiff.Permute(n, perm...), bound, append(slices.Clone(xs), ys...)}
}

func others(rank, but int) (out []int) {
	for k := range rank {
		if k != but {
			out = append(out, k)
		}
	}
	return out
}

// contract is Σ_k x[…, k] y[k, …] by broadcasting.
func (e *emitter) contract(m *model.MatMul, x, y value) value {
	bound := union(x, y)
	b, nx, ny := len(bound), len(x.axes), len(y.axes)
	shape := append(e.shape(bound, x.axes), e.shape(nil, y.axes[1:])...)
	to := func(v value, own func(k int) int) []int {
		var out []int
		for _, i := range v.bound {
			out = append(out, slices.Index(bound, i))
		}
		for k := range v.axes {
			out = append(out, own(k))
		}
		return out
	}
	left := autodiff.Broadcast(x.node, shape, to(x, func(k int) int { return b + k }))
	right := autodiff.Broadcast(y.node, shape, to(y, func(k int) int { return b + nx - 1 + k }))
	n := autodiff.Sum(autodiff.Mul(left, right), b+nx-1)
	return value{n, bound, append(slices.Clone(x.axes[:nx-1]), y.axes[1:ny]...)}
}

// notInStep refuses what is worked out in steps of its own inside a step of a recurrence or a differential equation.
func (e *emitter) notInStep(x model.Expr, name string) {
	if e.parent != nil && e.parent.g != e.g && e.g.HasScan() { // a step has a graph of its own
		e.fail("E99", x, "`%s` of what a recurrence or differential equation is working out: not compiled by this "+
			"version of ppl yet", name)
	}
}

// vectorLogprob is the log density of one value, which is all that x and the arguments have for axes of their own.
func (e *emitter) vectorLogprob(x *model.LogProb, f func(x Node, args []Node) Node) value {
	at, args := e.expr(x.X), e.values(x.Args)
	e.argumentSizes(x.Dist, x.Form, x.Args, x.X.Info().At.Text(), at, args)
	bound := union(append([]value{at}, args...)...)
	nodes := make([]Node, len(args))
	for i, a := range args {
		nodes[i] = e.loose(a, bound, a.axes)
	}
	return e.full(f(e.loose(at, bound, at.axes), nodes), bound, nil)
}

func (e *emitter) logprob(x *model.LogProb) value {
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
	return e.elementwise(x, e.values(args), func(n []Node) Node {
		p := f(n[len(n)-1], n[:len(n)-1])
		e.notInStep(x, x.Name)
		if !p.Valid() {
			e.fail("E58", x, "the distribution function of %s is a sum whose length depends on a parameter here",
				x.Dist.Name)
		}
		return p
	})
}
