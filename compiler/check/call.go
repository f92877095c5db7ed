package check

import (
	"math"
	"sort"

	"ppl/autodiff"
	"ppl/compiler/model"
	"ppl/lang/ast"
	"ppl/lang/types"
	"ppl/stdlib"
)

func sorted(names []string) []string {
	sort.Strings(names)
	return names
}

// pipe: x -> f(a) is f(x, a).
func (c *checker) pipe(s *scope, e *ast.Pipe) model.Expr {
	call := &ast.Call{Place: e.Place, Fun: e.To}
	if to, ok := e.To.(*ast.Call); ok {
		call.Fun, call.Args = to.Fun, to.Args
	}
	first := &ast.Arg{Place: ast.Place{At: e.X.Span()}, Value: e.X}
	call.Args = append([]*ast.Arg{first}, call.Args...)
	return c.call(s, call)
}

func (c *checker) call(s *scope, e *ast.Call) model.Expr {
	if m, ok := e.Fun.(*ast.Member); ok {
		if ent := c.member(s, m); ent != nil && ent.fn != nil && ent.fn.stmt != nil {
			ent.used = true
			return c.inline(s, ent.fn, e)
		}
		return c.notCallable(s, m)
	}
	if x, ok := c.stateElement(s, e); ok {
		return x
	}
	n, ok := e.Fun.(*ast.Name)
	if !ok {
		c.errorf("E44", e.Fun.Span(), "`%s` is not a function", e.Fun.Span().Text())
		return poison(e)
	}
	if ent := s.lookup(n.Name); ent != nil {
		ent.used = true
		if ent.ode != nil {
			return c.stateAt(s, ent.ode, e)
		}
		if ent.fn != nil && ent.fn.draw != nil {
			c.errorf("E44", n.Span(), "`%s` is a template; it stands after `~`", n.Name).Related(ent.at, "the template")
			return poison(e)
		}
		if ent.fn != nil {
			return c.inline(s, ent.fn, e)
		}
		if ent.expr == nil || !isPoison(ent.expr) {
			c.errorf("E44", n.Span(), "`%s` is not a function (line %d)", n.Name, ent.at.Line()).Related(ent.at, "defined here")
		}
		return poison(e)
	}
	return c.library(s, e, n)
}

// stateElement is u[k](e): one element of a trajectory with plates.
func (c *checker) stateElement(s *scope, e *ast.Call) (model.Expr, bool) {
	index, ok := e.Fun.(*ast.Index)
	if !ok {
		return nil, false
	}
	n, ok := index.X.(*ast.Name)
	if !ok || s.lookup(n.Name) == nil || s.lookup(n.Name).ode == nil {
		return nil, false
	}
	x := c.stateAt(s, s.lookup(n.Name).ode, e)
	if isPoison(x) {
		return x, true
	}
	return c.subscripts(s, x, index.X, index.Subs, e), true
}

// library calls what the standard library has under a name.
func (c *checker) library(s *scope, e *ast.Call, n *ast.Name) model.Expr {
	if f, ok := specials()[n.Name]; ok {
		return f(c, s, e)
	}
	row, isReduction := stdlib.Reductions()[n.Name]
	fn, isFunc := stdlib.Funcs()[n.Name]
	scan, isScan := stdlib.Scans()[n.Name]
	matrix, isMatrix := stdlib.MatrixFuncs()[n.Name]
	switch {
	case isScan:
		return c.scan(s, e, scan)
	case isMatrix:
		return c.matrixFunc(s, e, matrix)
	case isReduction && len(e.Args) == 1:
		return c.reduce(s, e, row)
	case isFunc:
		return c.apply(s, e, fn)
	case isReduction:
		c.errorf("E50", e.Span(), "`%s` wants one array: `%s(x)` or `%s(i in N: x[i])`", n.Name, n.Name, n.Name)
	case stdlib.Dists()[n.Name] != nil:
		c.errorf("E50", n.Span(), "`%s` is a distribution; it stands after `~`, or inside `logpdf(%s(…), x)`", n.Name, n.Name)
	case notCompiled[n.Name]:
		c.notYet(n.Span(), "`"+n.Name+"`")
	case !c.lost[n.Name]:
		meant(c.errorf("E10", n.Span(), "there is no function `%s`", n.Name), n.Name, c.functionNames(s))
	}
	return poison(e)
}

// notCompiled are names of the language that this version does not compile.
var notCompiled = map[string]bool{"dense": true,
	"conv": true, "lstm": true, "gru": true, "attention": true, "embed": true}

func (c *checker) functionNames(s *scope) (names []string) {
	for ; s != nil; s = s.parent {
		for n, e := range s.names {
			if e.fn != nil {
				names = append(names, n)
			}
		}
	}
	for n := range stdlib.Funcs() {
		names = append(names, n)
	}
	for n := range stdlib.Reductions() {
		names = append(names, n)
	}
	for n := range stdlib.Scans() {
		names = append(names, n)
	}
	for n := range stdlib.MatrixFuncs() {
		names = append(names, n)
	}
	for n := range specials() {
		names = append(names, n)
	}
	return sorted(names)
}

// values elaborates positional arguments.
func (c *checker) values(s *scope, e *ast.Call) ([]model.Expr, bool) {
	var out []model.Expr
	ok := true
	for _, a := range e.Args {
		if a.Name != nil {
			c.errorf("E50", a.Name.Span(), "`%s` has no argument `%s`", e.Fun.Span().Text(), a.Name.Name)
			ok = false
			continue
		}
		x := c.expr(s, a.Value)
		ok = ok && !isPoison(x)
		out = append(out, x)
	}
	return out, ok
}

func (c *checker) apply(s *scope, e *ast.Call, fn *stdlib.Func) model.Expr {
	args, ok := c.values(s, e)
	if !ok {
		return poison(e)
	}
	if len(args) != len(fn.Args) {
		c.errorf("E50", e.Span(), "`%s` takes %s: %s", fn.Name, count(len(fn.Args), "argument", "arguments"), fn.Signature())
		return poison(e)
	}
	axes, ok := c.unify(e, fn.Name, e.Span(), args...)
	if !ok {
		return poison(e)
	}
	ranges := make([]stdlib.Range, len(args))
	for i, a := range args {
		ranges[i] = a.Info().Type.Range
	}
	t := model.Type{Axes: axes, Range: fn.Range(ranges)}
	if t.Range.Int {
		t.Elem = types.Int
	}
	return &model.Apply{Name: fn.Name, Args: args, Build: fn.Build, Fact: model.Fact{At: e.Span(), Type: t, Static: allStatic(args...)}}
}

// reduce: sum(i in N: e) folds over the binders, sum(x) over every axis of x.
func (c *checker) reduce(s *scope, e *ast.Call, row *stdlib.Reduction) model.Expr {
	var over []*model.Index
	var x model.Expr
	if comp, ok := e.Args[0].Value.(*ast.Comprehension); ok && comp.Bare {
		inner, idx := c.bind(s, comp.Binders)
		over, x = idx, c.expr(inner, comp.Body)
	} else {
		x = c.expr(s, e.Args[0].Value)
	}
	if isPoison(x) {
		return x
	}
	t := model.Type{Elem: x.Info().Type.Elem, Range: row.Range(x.Info().Type.Range, -1)}
	if len(over) > 0 {
		t.Axes = x.Info().Type.Axes
	} else if len(x.Info().Type.Axes) == 0 {
		c.errorf("E42", e.Args[0].Span(), "`%s` folds an array, but `%s` is one number", row.Name, e.Args[0].Span().Text()).
			Help("write `%s(i in N: …)`", row.Name)
		return poison(e)
	}
	if t.Elem == types.Bool || t.Range.Int {
		t.Elem = types.Int
	}
	if !t.Range.Int && t.Elem == types.Int && (row.Name == "mean" || row.Name == "sd" || row.Name == "logsumexp") {
		t.Elem = types.Real
	}
	return &model.Reduce{Row: row, X: x, Over: over, Fact: model.Fact{At: e.Span(), Type: t, Static: x.Info().Static}}
}

// ---- functions of the user ----

const maxInlineDepth = 100

// inline elaborates a function's body with its parameters bound to the arguments.
func (c *checker) inline(s *scope, fn *function, e *ast.Call) model.Expr {
	if fn.busy || c.depth > maxInlineDepth {
		c.errorf("E19", e.Fun.Span(), "function `%s` calls itself", fn.name).Related(fn.at, "the function")
		return poison(e)
	}
	inner := newScope(fn.scope)
	if !c.bindParams(s, inner, fn, e) {
		return poison(e)
	}
	fn.busy = true
	c.depth++
	defer func() { fn.busy = false; c.depth-- }()
	if fn.stmt.Block != nil {
		return c.block(inner, fn.stmt.Block)
	}
	return c.expr(inner, fn.stmt.Value)
}

func (c *checker) block(s *scope, b *ast.Block) model.Expr {
	c.collect(b.Stmts, s)
	c.elaborate(s)
	return c.expr(s, b.Return)
}

// bindParams matches arguments to parameters: by position, by name, by default.
func (c *checker) bindParams(s, inner *scope, fn *function, e *ast.Call) bool {
	params := fn.head.Params
	given := make([]*ast.Arg, len(params))
	for k, a := range e.Args {
		at := k
		if a.Name != nil {
			at = paramNamed(params, a.Name.Name)
		}
		if at < 0 || at >= len(params) || given[at] != nil {
			c.errorf("E50", a.Span(), "`%s` takes %s: %s", fn.name, count(len(params), "argument", "arguments"), fn.head.Span().Text()).
				Related(fn.at, "the function")
			return false
		}
		given[at] = a
	}
	for k, p := range params {
		if !c.bindParam(s, inner, fn, p, given[k], e) {
			return false
		}
	}
	return true
}

func paramNamed(params []*ast.Param, name string) int {
	for i, p := range params {
		if p.Name != nil && p.Name.Name == name {
			return i
		}
	}
	return -1
}

func (c *checker) bindParam(s, inner *scope, fn *function, p *ast.Param, given *ast.Arg, e *ast.Call) bool {
	if p.Name == nil {
		c.errorf("E90", p.Span(), "an initial value needs an equation: add `%s'(t) = …`, or give the function's argument a name", fn.name)
		return false
	}
	var x model.Expr
	switch {
	case given != nil:
		x = c.expr(s, given.Value)
	case p.Default != nil:
		x = c.expr(inner, p.Default)
	default:
		c.errorf("E50", e.Span(), "`%s` wants an argument for `%s`", fn.name, p.Name.Name).Related(p.Span(), "this one")
		return false
	}
	if isPoison(x) {
		return false
	}
	if len(p.Sets) > 0 && !c.bindShape(inner, fn, p, x) {
		return false
	}
	inner.add(&entity{name: p.Name.Name, at: p.Span(), expr: x, used: true})
	return true
}

// bindShape binds the sizes that a parameter list names: X[N, K].
func (c *checker) bindShape(inner *scope, fn *function, p *ast.Param, x model.Expr) bool {
	axes := x.Info().Type.Axes
	if len(axes) != len(p.Sets) {
		c.errorf("E42", x.Info().At, "`%s` of `%s` has %s, but the argument has %s", p.Name.Name, fn.name,
			count(len(p.Sets), "axis", "axes"), haveAxes(axes)).Related(p.Span(), "the parameter")
		return false
	}
	for k, set := range p.Sets {
		n, ok := set.Lo.(*ast.Name)
		if !ok || set.Hi != nil {
			continue // a literal size; checked against data when sizes are known
		}
		if old := inner.names[n.Name]; old != nil {
			if old.set != nil && !old.set.Same(axes[k]) {
				c.errorf("E40", x.Info().At, "`%s` wants axis %s to be %s, which is %s here", fn.name, n.Name, old.set.Name, axes[k].Name).
					Related(p.Span(), "the parameter")
				return false
			}
			continue
		}
		inner.add(&entity{name: n.Name, at: n.Span(), set: axes[k], used: true})
	}
	return true
}

// ---- functions with rules of their own ----

func specials() map[string]func(*checker, *scope, *ast.Call) model.Expr {
	return map[string]func(*checker, *scope, *ast.Call) model.Expr{
		"fill":        (*checker).fill,
		"concat":      (*checker).concat,
		"probability": (*checker).probability,
		"mode":        (*checker).mode,
		"logpdf":      (*checker).logprob,
		"logcdf":      (*checker).logprob,
		"cdf":         (*checker).logprob,
		"quantile":    (*checker).logprob,
	}
}

// scan maps a vector to a vector along its last axis.
func (c *checker) scan(s *scope, e *ast.Call, row *stdlib.Scan) model.Expr {
	args, ok := c.values(s, e)
	if !ok {
		return poison(e)
	}
	if len(args) != 1 || len(args[0].Info().Type.Axes) == 0 {
		c.errorf("E50", e.Span(), "`%s` takes one vector", row.Name)
		return poison(e)
	}
	build := func(x autodiff.Node) autodiff.Node { return row.Build(x, x.Rank()-1) }
	t := model.Type{Axes: args[0].Info().Type.Axes, Range: row.Range(args[0].Info().Type.Range, -1)}
	if t.Range.Int {
		t.Elem = types.Int
	}
	return &model.Vector{Name: row.Name, X: args[0], Build: build, Fact: model.Fact{At: e.Span(), Type: t, Static: args[0].Info().Static}}
}

// matrixFunc: a function of a square matrix, whose rows and columns have one index set.
func (c *checker) matrixFunc(s *scope, e *ast.Call, row *stdlib.MatrixFunc) model.Expr {
	args, ok := c.values(s, e)
	if !ok {
		return poison(e)
	}
	if len(args) != 1 || len(args[0].Info().Type.Axes) != 2 {
		c.errorf("E50", e.Span(), "`%s` takes one matrix", row.Name)
		return poison(e)
	}
	x := args[0]
	axes := x.Info().Type.Axes
	if !axes[0].Same(axes[1]) {
		c.errorf("E63", e.Args[0].Span(), "`%s` wants a square matrix, but the axes are %s", row.Name, axesText(axes))
		return poison(e)
	}
	t := model.Type{Axes: axes[:2-row.Drops], Range: anyRange}
	return &model.Vector{Name: row.Name, X: x, Build: row.Build, Fact: model.Fact{At: e.Span(), Type: t, Static: x.Info().Static}}
}

// fill: fill(v, N, M) is an array of one value.
func (c *checker) fill(s *scope, e *ast.Call) model.Expr {
	if len(e.Args) < 2 {
		c.errorf("E50", e.Span(), "`fill` wants a value and at least one size: `fill(1, K)`")
		return poison(e)
	}
	v := c.expr(s, e.Args[0].Value)
	if isPoison(v) {
		return v
	}
	t := v.Info().Type
	var axes []*model.Set
	for _, a := range e.Args[1:] {
		axes = append(axes, c.set(s, &ast.Set{Place: ast.Place{At: a.Span()}, Lo: a.Value}))
	}
	if len(t.Axes) > 0 {
		c.errorf("E42", e.Args[0].Span(), "`fill` repeats one number, but `%s` has %s", e.Args[0].Span().Text(), haveAxes(t.Axes))
		return poison(e)
	}
	t.Axes = axes
	return &model.Fill{Value: v, Fact: model.Fact{At: e.Span(), Type: t, Static: v.Info().Static}}
}

// concat: vectors one after the other, numbered from 1.
func (c *checker) concat(s *scope, e *ast.Call) model.Expr {
	items, ok := c.values(s, e)
	if !ok {
		return poison(e)
	}
	t := model.Type{Elem: types.Int, Range: stdlib.Range{Lo: math.Inf(1), Hi: math.Inf(-1), Int: true}}
	var n model.Expr
	for i, x := range items {
		axes := x.Info().Type.Axes
		if len(axes) == 0 || i > 0 && !sameAxes(axes[1:], items[0].Info().Type.Axes[1:]) {
			c.errorf("E42", e.Args[i].Span(), "`concat` joins arrays along their first axis; `%s` has %s", e.Args[i].Span().Text(), haveAxes(axes))
			return poison(e)
		}
		t.Range = stdlib.Union(t.Range, x.Info().Type.Range)
		if x.Info().Type.Elem == types.Real {
			t.Elem = types.Real
		}
		size := setSize(axes[0], e)
		if n == nil {
			n = size
		} else {
			n = c.operator(e, "+", e.Span(), n, size)
		}
	}
	if n == nil {
		c.errorf("E50", e.Span(), "`concat` wants at least one vector")
		return poison(e)
	}
	t.Axes = append([]*model.Set{newSet("1.."+linearOf(n).key(), num(1, e), n)}, items[0].Info().Type.Axes[1:]...)
	return &model.Concat{Items: items, Fact: model.Fact{At: e.Span(), Type: t, Static: allStatic(items...)}}
}

func setSize(s *model.Set, at ast.Node) model.Expr {
	return &model.SetSize{Set: s, Fact: model.Fact{At: at.Span(), Static: true,
		Type: model.Type{Elem: types.Int, Range: stdlib.Range{Lo: 0, Hi: math.Inf(1), Int: true}}}}
}

// logprob: logpdf(D(args), x), cdf, logcdf, quantile(D(args), p).
func (c *checker) logprob(s *scope, e *ast.Call) model.Expr {
	name := e.Fun.(*ast.Name).Name
	if len(e.Args) != 2 {
		c.errorf("E50", e.Span(), "`%s` wants a distribution and a value: `%s(Normal(0, 1), x)`", name, name)
		return poison(e)
	}
	dist, form, args, ok := c.distribution(s, e.Args[0].Value)
	x := c.expr(s, e.Args[1].Value)
	if !ok || isPoison(x) || dist == nil {
		return poison(e)
	}
	if dist.Event > 0 && name == "logpdf" {
		return c.vectorLogprob(e, &model.LogProb{Name: name, Dist: dist, Form: form, Args: args, X: x})
	}
	if name != "logpdf" && form.LogCDF == nil {
		c.errorf("E58", e.Args[0].Span(), "`%s` has no cumulative distribution function here", dist.Name)
		return poison(e)
	}
	axes, fits := c.unify(e, name, e.Span(), append(append([]model.Expr{}, args...), x)...)
	if !fits {
		return poison(e)
	}
	t := model.Type{Axes: axes, Range: logprobRange(name, dist)}
	if t.Range.Int {
		t.Elem = types.Int
	}
	return &model.LogProb{Name: name, Dist: dist, Form: form, Args: args, X: x,
		Fact: model.Fact{At: e.Span(), Type: t, Static: allStatic(append(args, x)...)}}
}

// vectorLogprob is the log density of one vector or matrix; arrays of them want an index.
func (c *checker) vectorLogprob(e *ast.Call, l *model.LogProb) model.Expr {
	axes := l.X.Info().Type.Axes
	if len(axes) != l.Dist.Event {
		c.errorf("E42", l.X.Info().At, "`%s` has %s; %s is a law of %s", l.X.Info().At.Text(), haveAxes(axes), l.Dist.Name, eventText(l.Dist.Event)).
			Help("take one at a time, as in `[i in N: logpdf(%s(…), x[i])]`", l.Dist.Name)
		return poison(e)
	}
	for i, a := range l.Args {
		info, rank := a.Info(), l.Form.Args[i].Rank
		if len(info.Type.Axes) == 0 && rank == len(axes) { // one number for every element
			l.Args[i] = &model.Fill{Value: a, Fact: *info}
			l.Args[i].Info().Type.Axes = axes
		} else if len(info.Type.Axes) != rank {
			c.errorf("E42", info.At, "argument `%s` of `%s` is %s, but `%s` has %s", l.Form.Args[i].Name, l.Dist.Name, eventText(rank), info.At.Text(),
				haveAxes(info.Type.Axes))
			return poison(e)
		}
	}
	l.Fact = model.Fact{At: e.Span(), Type: model.Type{Range: anyRange}, Static: allStatic(append(l.Args, l.X)...)}
	return l
}

func logprobRange(name string, dist *stdlib.Dist) stdlib.Range {
	switch name {
	case "cdf":
		return stdlib.Range{Lo: 0, Hi: 1}
	case "logcdf":
		return stdlib.Range{Lo: math.Inf(-1)}
	case "quantile":
		return stdlib.Range{Lo: dist.Lo, Hi: dist.Hi, Int: dist.Discrete()}
	}
	return anyRange
}

// probability: probability(z[i] == k), exact, for what is generated.
func (c *checker) probability(s *scope, e *ast.Call) model.Expr {
	args, ok := c.values(s, e)
	if !ok {
		return poison(e)
	}
	if len(args) != 1 {
		c.errorf("E50", e.Span(), "`probability` takes one condition: `probability(z[i] == k)`")
		return poison(e)
	}
	p := &model.Probability{If: args[0], Fact: model.Fact{At: e.Span(),
		Type: model.Type{Axes: args[0].Info().Type.Axes, Range: stdlib.Range{Lo: 0, Hi: 1}}}}
	reads := 0
	var find func(x model.Expr)
	find = func(x model.Expr) {
		if sub, isSub := x.(*model.Subscript); isSub {
			if r, isRef := sub.X.(*model.Ref); isRef && r.Array.Role == model.Latent {
				p.Latent, p.Subs, p.Read, p.Axes = r.Array, sub.Subs, x, sub.Type.Axes
				reads++
				return
			}
		}
		if r, isRef := x.(*model.Ref); isRef && r.Array.Role == model.Latent {
			p.Latent, p.Read, p.Axes = r.Array, x, r.Type.Axes
			reads++
			return
		}
		for _, y := range model.Children(x) {
			find(y)
		}
	}
	find(args[0])
	if reads != 1 {
		c.errorf("E85", e.Span(), "`probability` wants a condition that reads one element of a discrete latent once; this one reads %d", reads)
		return poison(e)
	}
	return p
}

// mode: mode(z), the jointly most probable values.
func (c *checker) mode(s *scope, e *ast.Call) model.Expr {
	args, ok := c.values(s, e)
	if !ok {
		return poison(e)
	}
	if len(args) == 1 {
		if r, isRef := args[0].(*model.Ref); isRef && r.Array.Role == model.Latent {
			return &model.Mode{Latent: r.Array, Fact: model.Fact{At: e.Span(), Type: r.Type}}
		}
	}
	c.errorf("E85", e.Span(), "`mode` wants a discrete latent of the model: `mode(z)`")
	return poison(e)
}
