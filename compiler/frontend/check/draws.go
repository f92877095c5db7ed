package check

import (
	"maps"
	"math"
	"slices"
	"strings"

	"ppl/compiler/frontend/model"
	"ppl/compiler/frontend/scope"
	"ppl/compiler/frontend/typing"
	"ppl/lang/ast"
	"ppl/lang/diag"
	"ppl/lang/types"
	"ppl/stdlib"
)

// drawPiece adds the piece of an array that a draw statement defines, with its axes and its range; drawBodies adds the
// term later. If the distribution is a template with a block, the array becomes a definition.
func (c *checker) drawPiece(a *scope.Array, d *scope.Draw) {
	d.Scope = scope.New(a.Scope)
	slots := d.Scope
	passed := c.takePassedDist(d)
	d.Slots, d.Bare, d.Event = c.slots(slots, d.Head, c.eventOf(d.Scope, d.Stmt.Dist))
	d.Slots = append(outerSlots(a.Outer), d.Slots...)
	if passed {
		d.Bare = append(slices.Clone(a.Outer), d.Bare...)
	}
	if typing.HasPoison(d.Slots) {
		return
	}
	if x, ok := c.expand(a, d); !ok || x != nil {
		c.drawnByBlock(a, d, x)
		return
	}
	dist := c.distRow(d)
	t := model.Type{Range: stdlib.Everything()}
	if of := d.Stmt.Dist.Base; dist == nil && scope.DistName(of) != nil && !isDensity(of) && len(d.Head.Slots) == 0 {
		c.drawnFrom(d) // reports the unknown distribution; its axes are not known
		return
	}
	if dist != nil {
		t.Range = stdlib.Range{Lo: dist.Lo, Hi: dist.Hi, Int: dist.Discrete()}
		if dist.Discrete() {
			t.Elem = types.Int
		}
		if len(d.Event) < dist.Event && !c.inferEvent(a, d, dist) {
			return
		}
		switch dist.Support {
		case types.Simplex:
			t.Range = stdlib.Range{Lo: 0, Hi: 1}
		case types.Correlation, types.CholeskyCorr:
			t.Range = stdlib.Range{Lo: -1, Hi: 1}
		case types.Covariance, types.CholeskyCov:
			t.Range = stdlib.Everything()
		}
		c.rangeFromArgs(a, d, &t)
	}
	for _, m := range d.Modifiers() {
		if m.Dist.In != nil {
			t.Range = c.narrowed(a, m.Scope, m.Dist.In, t.Range)
		}
	}
	if a.Role == model.Parameter && dist != nil && dist.Discrete() {
		a.Role, a.Save = model.Latent, false
	}
	c.pieces().Add(a, &model.Piece{At: d.Head.Span(), Slots: d.Slots, Plates: model.Plates(d.Slots)}, d.Event, t)
}

func outerSlots(outer []*model.Index) (slots []model.Slot) {
	for _, i := range outer {
		slots = append(slots, model.Slot{Index: i})
	}
	return slots
}

// drawnByBlock defines an array by the value that a template's block returns; the draws in the block are parameters.
func (c *checker) drawnByBlock(a *scope.Array, d *scope.Draw, x model.Expr) {
	if x == nil || typing.IsPoison(x) {
		return
	}
	a.Role, a.Save = model.Definition, true
	if r := d.Returned; r != nil && r.Array != nil && r.Array.Role == model.Parameter {
		a.Save, r.Array.Name = false, a.Name // the array and the returned parameter are the same
	}
	own := len(x.Info().Type.Axes) // number of axes after those of the arguments, which are plates without an index
	for _, s := range x.Info().Type.Axes {
		if indexOver(s, d.Bare) == nil {
			break
		}
		own--
	}
	x, ok := c.absorb(x, own, d.Bare, a.Name)
	if !ok {
		return
	}
	c.pieces().Add(a, &model.Piece{At: d.Head.Span(), Slots: d.Slots, Plates: model.Plates(d.Slots), Value: x},
		x.Info().Type.Axes, x.Info().Type)
}

// narrowed returns the intersection of a range with a..b. It ignores a bound that reads the array itself, such as
// x[t-1].
func (c *checker) narrowed(a *scope.Array, s *scope.Scope, in *ast.Range, r stdlib.Range) stdlib.Range {
	if !c.leadsTo(s, in.Lo, a) {
		if lo := c.expr(s, in.Lo); !typing.IsPoison(lo) {
			r.Lo = math.Max(r.Lo, lo.Info().Type.Range.Lo)
		}
	}
	if !c.leadsTo(s, in.Hi, a) {
		if hi := c.expr(s, in.Hi); !typing.IsPoison(hi) {
			r.Hi = math.Min(r.Hi, hi.Info().Type.Range.Hi)
		}
	}
	return r
}

// leadsTo reports whether an expression names an array, or a name whose statements do, directly or indirectly.
func (c *checker) leadsTo(s *scope.Scope, e ast.Expr, a *scope.Array) bool {
	seen := map[*scope.Entity]bool{}
	var todo []string
	ast.Names(e, func(n *ast.Name) { todo = append(todo, n.Name) })
	for ; len(todo) > 0; todo = todo[1:] {
		x := s.Lookup(todo[0])
		switch {
		case x == nil || seen[x] || x.Array == nil:
			continue
		case x.Array == a:
			return true
		}
		seen[x] = true
		var stmts []ast.Stmt
		for _, d := range x.Array.Defs {
			stmts = append(stmts, d.Stmt)
		}
		for _, d := range x.Array.Draws {
			stmts = append(stmts, d.Stmt)
		}
		todo = append(todo, sorted(slices.Collect(maps.Keys(ast.Mentioned(stmts))))...)
	}
	return false
}

// rangeFromArgs narrows the range of a uniform draw to its arguments, such as 0..5 for Uniform(0, 5), unless they read
// the array itself.
func (c *checker) rangeFromArgs(a *scope.Array, d *scope.Draw, t *model.Type) {
	if d.Stmt.Dist == nil || mentions(d.Stmt.Dist.Base, a.Name) || !math.IsInf(t.Range.Lo, 0) &&
		!math.IsInf(t.Range.Hi, 0) {
		return
	}
	if dist := c.distRow(d); dist.Name != "Uniform" && dist.Name != "DiscreteUniform" {
		return
	}
	l := c.drawnFrom(d)
	if l.Ok && len(l.Args) == 2 {
		t.Range.Lo, t.Range.Hi = l.Args[0].Info().Type.Range.Lo, l.Args[1].Info().Type.Range.Hi
	}
}

// inferEvent sets the event axis of a draw of vectors to that of a vector argument, because the statement does not give
// it. If no argument has the axis, inferEvent reports an error and returns false.
func (c *checker) inferEvent(a *scope.Array, d *scope.Draw, dist *stdlib.Dist) bool {
	l := c.drawnFrom(d)
	if !l.Ok {
		return false
	}
	for i, arg := range l.Form.Args {
		axes := l.Args[i].Info().Type.Axes
		if arg.Rank >= 1 && len(axes) >= 1 && dist.Event == 1 {
			d.Event = []*model.Set{axes[len(axes)-1]}
			return true
		}
	}
	if n := len(d.Head.Slots); dist.Event == 2 && n > 0 && d.Head.Slots[n-1].Index != nil {
		set := d.Head.Slots[n-1].Set.Span().Text()
		c.Errorf(diag.UnknownSize, d.Head.Span(), "%s draws an entire matrix, but an index on the left "+
			"declares one matrix for each value of the index", dist.Name).
			Help("write both axes of one matrix as sets: `%s[%s, %s]`", a.Name, set, set)
		return false
	}
	c.unknownSize(a, d, dist)
	return false
}

// unknownSize reports that the length of the vectors, or the size of the matrices, of a draw is not known.
func (c *checker) unknownSize(a *scope.Array, d *scope.Draw, dist *stdlib.Dist) {
	said := c.Errorf(diag.UnknownSize, d.Head.Span(), "the size of `%s` is not known from the arguments of %s; write "+
		"it as a set on the left: `%s[K%s]`", a.Name, dist.Name, a.Name, strings.Repeat(", K", max(0, dist.Event-1)))
	n := len(d.Head.Slots)
	if n != dist.Event || d.Head.Slots[n-1].Set.Hi != nil {
		return
	}
	if size, ok := d.Head.Slots[n-1].Set.Lo.(*ast.Number); ok {
		axis := "1.." + size.Text
		said.Help("for a size of %s write `%s[%s%s]`", size.Text, a.Name, axis, strings.Repeat(", "+axis, n-1))
	}
}

// mentions reports whether a name occurs in an expression.
func mentions(e ast.Expr, name string) bool {
	found := false
	ast.Names(e, func(n *ast.Name) { found = found || n.Name == name })
	return found
}

// distRow returns the library's entry for a draw's distribution, or builds one for a compound. It returns nil for
// Density and for unknown distributions.
func (c *checker) distRow(d *scope.Draw) *stdlib.Dist {
	if d.Stmt.Dist == nil {
		return nil
	}
	n := scope.DistName(d.Stmt.Dist.Base)
	switch {
	case n == nil:
		return nil
	case compounds[n.Name] != nil && !c.dropped[n.Name]: // depends on its arguments
		return c.drawnFrom(d).Dist
	}
	return stdlib.Dists()[n.Name]
}

// isDensity reports whether a distribution is `Density(…)`.
func isDensity(e ast.Expr) bool {
	n := scope.DistName(e)
	return n != nil && n.Name == "Density"
}

// drawnFrom elaborates the distribution of a draw on the first call, and then returns the same result.
func (c *checker) drawnFrom(d *scope.Draw) *scope.Drawn {
	if d.Drawn != nil {
		return d.Drawn
	}
	d.Drawn = &scope.Drawn{}
	e := d.Stmt.Dist.Base
	if isDensity(e) {
		if d.Stmt.Generate {
			c.generatedByFormula(d, e)
			return d.Drawn
		}
		d.Drawn.Density, d.Drawn.Ok = c.densityArg(d.Scope, e)
		return d.Drawn
	}
	d.Drawn.Dist, d.Drawn.Form, d.Drawn.Args, d.Drawn.Ok = c.distribution(d.Scope, e)
	return d.Drawn
}

// generatedByFormula reports an error for `generate … ~ Density(…)`.
func (c *checker) generatedByFormula(d *scope.Draw, e ast.Expr) {
	c.NotYet(e.Span(), "`generate "+d.Head.Span().Text()+" ~ Density(…)`, a draw from a log density by formula").
		Help("integers from 0 to 20 are drawn by `~ Categorical(logits = [k in 0..20: f(k)])`, where f is the " +
			"formula; for a real number apply the inverse of its distribution function to `generate u ~ Uniform(0, 1)`")
}

func (c *checker) densityArg(s *scope.Scope, e ast.Expr) (model.Expr, bool) {
	call, ok := e.(*ast.Call)
	if !ok || len(call.Args) != 1 || call.Args[0].Name != nil {
		c.Errorf(diag.Arguments, e.Span(), "`Density` takes one argument, the log density: `x ~ Density(-x^2 / 2)`")
		return nil, false
	}
	x := c.expr(s, call.Args[0].Value)
	return x, !typing.IsPoison(x)
}
