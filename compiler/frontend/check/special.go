package check

import (
	"math"
	"strconv"
	"strings"
	"unicode"

	"ppl/autodiff"
	"ppl/compiler/frontend/model"
	"ppl/lang/ast"
	"ppl/lang/diag"
	"ppl/lang/types"
	"ppl/stdlib"
)

func specials() map[string]func(*checker, *scope, *ast.Call) model.Expr {
	return map[string]func(*checker, *scope, *ast.Call) model.Expr{
		"dropout":     (*checker).random,
		"fill":        (*checker).fill,
		"random_crop": (*checker).random,
		"random_flip": (*checker).random,
		"first":       (*checker).end,
		"integrate":   (*checker).integrate,
		"last":        (*checker).end,
		"flatten":     (*checker).flatten,
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
		c.errorf(diag.Arguments, e.Span(), "`%s` takes one vector", row.Name)
		return poison(e)
	}
	build := func(x autodiff.Node) autodiff.Node { return row.Build(x, x.Rank()-1) }
	t := model.Type{Axes: args[0].Info().Type.Axes, Range: row.Range(args[0].Info().Type.Range, -1)}
	if t.Range.Int {
		t.Elem = types.Int
	}
	return &model.Vector{Name: row.Name, X: args[0], Build: build,
		Fact: model.Fact{At: e.Span(), Type: t, Static: args[0].Info().Static}}
}

// matrixFunc elaborates a function of a square matrix, whose rows and columns have one index set.
func (c *checker) matrixFunc(s *scope, e *ast.Call, row *stdlib.MatrixFunc) model.Expr {
	args, ok := c.values(s, e)
	if !ok {
		return poison(e)
	}
	if len(args) != 1 || len(args[0].Info().Type.Axes) != 2 {
		c.errorf(diag.Arguments, e.Span(), "`%s` takes one matrix", row.Name)
		return poison(e)
	}
	x := args[0]
	axes := x.Info().Type.Axes
	if !axes[0].Same(axes[1]) {
		c.errorf(diag.NotSquare, e.Args[0].Span(), "`%s` wants a square matrix, but the axes are %s", row.Name,
			model.AxesText(axes))
		return poison(e)
	}
	t := model.Type{Axes: axes[:2-row.Drops], Range: anyRange}
	return &model.Vector{Name: row.Name, X: x, Build: row.Build,
		Fact: model.Fact{At: e.Span(), Type: t, Static: x.Info().Static}}
}

// fill elaborates fill(v, N, M), an array of one value.
func (c *checker) fill(s *scope, e *ast.Call) model.Expr {
	if len(e.Args) < 2 {
		c.errorf(diag.Arguments, e.Span(), "`fill` wants a value and at least one size: `fill(1, K)`")
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
		c.errorf(diag.AxisCount, e.Args[0].Span(), "`fill` repeats one number, but `%s` has %s",
			e.Args[0].Span().Text(), model.HaveAxes(t.Axes))
		return poison(e)
	}
	t.Axes = axes
	return &model.Fill{Value: v, Fact: model.Fact{At: e.Span(), Type: t, Static: v.Info().Static}}
}

// concat joins vectors one after the other; the elements are numbered from 1.
func (c *checker) concat(s *scope, e *ast.Call) model.Expr {
	items, ok := c.values(s, e)
	if !ok {
		return poison(e)
	}
	t := model.Type{Elem: types.Int, Range: stdlib.Range{Lo: math.Inf(1), Hi: math.Inf(-1), Int: true}}
	var n model.Expr
	var sizes []string
	for i, x := range items {
		axes := x.Info().Type.Axes
		if len(axes) == 0 || i > 0 && !model.SameSets(axes[1:], items[0].Info().Type.Axes[1:]) {
			c.errorf(diag.AxisCount, e.Args[i].Span(), "`concat` joins arrays along their first axis; `%s` has %s",
				e.Args[i].Span().Text(), model.HaveAxes(axes))
			return poison(e)
		}
		t.Range = stdlib.Union(t.Range, x.Info().Type.Range)
		if x.Info().Type.Elem == types.Real {
			t.Elem = types.Real
		}
		size := setSize(axes[0], e)
		sizes = append(sizes, sizeText(axes[0]))
		if n == nil {
			n = size
		} else {
			n = c.operator(e, "+", e.Span(), n, size)
		}
	}
	if n == nil {
		c.errorf(diag.Arguments, e.Span(), "`concat` wants at least one vector")
		return poison(e)
	}
	joined := model.NewSet("1.."+strings.Join(sizes, " + "), num(1, e), n)
	t.Axes = append([]*model.Set{joined}, items[0].Info().Type.Axes[1:]...)
	return &model.Concat{Items: items, Fact: model.Fact{At: e.Span(), Type: t, Static: allStatic(items...)}}
}

// sizeText writes the number of elements of a set: N, or (T - 2 + 1) for 2..T.
func sizeText(s *model.Set) string {
	n := model.AffineOf(s.Hi).Minus(model.AffineOf(s.Lo)).Plus(model.Affine{Const: 1})
	switch lo := model.AffineOf(s.Lo); {
	case n.IsConst():
		return strconv.FormatFloat(n.Const, 'g', -1, 64)
	case lo.IsConst() && lo.Const == 1:
		return s.Hi.Info().At.Text()
	}
	return "(" + s.Hi.Info().At.Text() + " - " + s.Lo.Info().At.Text() + " + 1)"
}

// setSize is how many elements a set has; of a group x[i], that is m[i].
func setSize(s *model.Set, at ast.Node) model.Expr {
	if lo, number := s.Lo.(*model.Num); number && lo.Value == 1 && isRagged(s) {
		return model.Copy(s.Hi)
	}
	return &model.SetSize{Set: s, Fact: model.Fact{At: at.Span(), Static: true,
		Type: model.Type{Elem: types.Int, Range: stdlib.Range{Lo: 0, Hi: math.Inf(1), Int: true}}}}
}

// logprob elaborates logpdf(D(args), x), cdf, logcdf, and quantile(D(args), p).
func (c *checker) logprob(s *scope, e *ast.Call) model.Expr {
	name := e.Fun.(*ast.Name).Name
	if len(e.Args) != 2 {
		c.errorf(diag.Arguments, e.Span(), "`%s` wants a distribution and a value: `%s(Normal(0, 1), x)`", name, name)
		return poison(e)
	}
	if name == "quantile" && !c.looksLikeDist(s, e.Args[0].Value) {
		return c.inline(s, s.lookup("sample_quantile").fn, e)
	}
	dist, form, args, ok := c.distribution(s, e.Args[0].Value)
	x := c.expr(s, e.Args[1].Value)
	if !ok || isPoison(x) || dist == nil {
		return poison(e)
	}
	if name != "logpdf" && form.LogCDF == nil {
		c.errorf(diag.NoCDF, e.Args[0].Span(), "`%s` has no cumulative distribution function here", dist.Name)
		return poison(e)
	}
	l := &model.LogProb{Name: name, Dist: dist, Form: form, Args: args, X: x}
	if l.OfVectors() {
		return c.vectorLogprob(e, l)
	}
	axes, fits := c.unify(e, name, e.Span(), append(append([]model.Expr{}, args...), x)...)
	if !fits {
		return poison(e)
	}
	t := model.Type{Axes: axes, Range: logprobRange(name, dist)}
	if t.Range.Int {
		t.Elem = types.Int
	}
	l.Fact = model.Fact{At: e.Span(), Type: t, Static: allStatic(append(args, x)...)}
	return l
}

// looksLikeDist reports whether an expression names a distribution, or calls a capitalised name that is unknown, which
// then is a misspelled distribution.
func (c *checker) looksLikeDist(s *scope, e ast.Expr) bool {
	call, ok := e.(*ast.Call)
	if !ok || c.isDist(s, e) {
		return c.isDist(s, e)
	}
	n, ok := call.Fun.(*ast.Name)
	return ok && s.lookup(n.Name) == nil && unicode.IsUpper([]rune(n.Name)[0])
}

// vectorLogprob is the log density of one vector or matrix, or of one number where an argument is a vector; arrays of
// them want an index.
func (c *checker) vectorLogprob(e *ast.Call, l *model.LogProb) model.Expr {
	axes := l.X.Info().Type.Axes
	if len(axes) != l.Dist.Event {
		c.errorf(diag.AxisCount, l.X.Info().At, "`%s` has %s; %s is a distribution of %s", l.X.Info().At.Text(),
			model.HaveAxes(axes), l.Dist.Name, eventText(l.Dist.Event)).
			Help("take one at a time, as in `[i in N: logpdf(%s(…), x[i])]`", l.Dist.Name)
		return poison(e)
	}
	for i, a := range l.Args {
		info, rank := a.Info(), l.Form.Args[i].Rank
		if len(info.Type.Axes) == 0 && rank == len(axes) && rank > 0 { // one number for every element
			l.Args[i] = &model.Fill{Value: a, Fact: *info}
			l.Args[i].Info().Type.Axes = axes
		} else if len(info.Type.Axes) != rank {
			c.errorf(diag.AxisCount, info.At, "argument `%s` of `%s` is %s, but `%s` has %s", l.Form.Args[i].Name,
				l.Dist.Name, eventText(rank), info.At.Text(), model.HaveAxes(info.Type.Axes))
			return poison(e)
		}
	}
	l.Fact = model.Fact{At: e.Span(), Type: model.Type{Range: logprobRange(l.Name, l.Dist)},
		Static: allStatic(append(l.Args, l.X)...)}
	return c.fromFirstValue(e, l)
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

// probability elaborates probability(z[i] == k), which is exact, in generate statements.
func (c *checker) probability(s *scope, e *ast.Call) model.Expr {
	args, ok := c.values(s, e)
	if !ok {
		return poison(e)
	}
	if len(args) != 1 {
		c.errorf(diag.Arguments, e.Span(), "`probability` takes one condition: `probability(z[i] == k)`")
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
		for _, y := range x.Children() {
			find(y)
		}
	}
	find(args[0])
	if reads != 1 {
		c.errorf(diag.NotDiscreteUnknown, e.Span(), "`probability` wants a condition that reads one element of a "+
			"discrete latent once; this one reads %d", reads)
		return poison(e)
	}
	if !model.SameSets(p.Axes, p.Type.Axes) { // (z + 1)[i] reads all of z
		c.errorf(diag.NotDiscreteUnknown, e.Span(), "the condition reads `%s` with %s and has %s itself; "+
			"`probability` wants one condition for each element that it reads", p.Latent.Name, model.HaveAxes(p.Axes),
			model.HaveAxes(p.Type.Axes)).
			Help("subscript the latent, not what is computed from it: `probability(%s[i] == k)`", p.Latent.Name)
		return poison(e)
	}
	return p
}

// mode elaborates mode(z), the jointly most probable values.
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
	c.errorf(diag.NotDiscreteUnknown, e.Span(), "`mode` wants a discrete latent of the model: `mode(z)`")
	return poison(e)
}
