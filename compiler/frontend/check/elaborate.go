package check

import (
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

// elaborate determines the role, type and pieces of every array of a scope.
func (c *checker) elaborate(s *scope.Scope) {
	var order []*scope.Entity
	for _, e := range s.Order {
		if e.Array == nil || e.Array.Scope == s { // skip arrays that a template observes
			order = append(order, e)
		}
	}
	for _, e := range order { // data first: their axes name the index sets
		if e.Array != nil && e.Array.Decl != nil {
			c.declare(e.Array)
		}
	}
	for _, e := range order {
		if e.Array != nil {
			c.roles(e.Array)
		}
	}
	for _, e := range order {
		if e.Array != nil {
			c.resolve(e.Array)
		}
	}
	for _, e := range order {
		if e.Array != nil {
			c.drawBodies(e.Array)
		}
	}
}

// declare determines the axes and type of a data array.
func (c *checker) declare(a *scope.Array) {
	d := a.Decl
	if a.State == scope.Done {
		return
	}
	a.State = scope.Done
	for _, set := range d.Sets {
		axis := c.raggedAxis(a, set)
		if axis == nil {
			axis = c.declaredSet(set, a.Scope)
		}
		a.Type.Axes = append(a.Type.Axes, axis)
	}
	a.Type.Range = stdlib.Range{Lo: math.Inf(-1), Hi: math.Inf(1)}
	c.declareType(a, d)
	if d.Bounds != nil {
		a.Bounds = &model.Bounds{Lo: c.staticInt(a.Scope, d.Bounds.Lo, false),
			Hi: c.staticInt(a.Scope, d.Bounds.Hi, false)}
		a.Type.Range = rangeBetween(a.Bounds)
	}
	if d.Value != nil {
		a.Value = c.expr(a.Scope, c.inOneList(a, d.Value))
		if other := readsOtherData(a.Value); other != "" {
			c.Errorf(diag.ParameterBound, d.Value.Span(), "the value of data `%s` reads data `%s`; define computed "+
				"values without `data`: `%s = …`", a.Name, other, a.Name)
		}
		if !a.Value.Info().Static {
			c.Errorf(diag.ParameterBound, d.Value.Span(), "the value of data `%[1]s` must be known before sampling; "+
				"define computed values without `data`: `%[1]s = …`", a.Name)
		}
		if !d.Span().Valid() || len(a.Type.Axes) != literalRank(d.Value) && a.Lengths == nil {
			c.wrongRank(a, d)
		}
		a.Type.Range = a.Value.Info().Type.Range
		a.Type.Elem = a.Value.Info().Type.Elem
	}
}

// wrongRank reports that the value of data is not a list that has the declared axes.
func (c *checker) wrongRank(a *scope.Array, d *ast.Decl) {
	switch rank, axes := literalRank(d.Value), a.Type.Axes; {
	case rank == 0:
		c.Errorf(diag.AxisCount, d.Value.Span(), "`%s` is declared with %s, so its value must be a list: `[…]`",
			a.Name, model.HaveAxes(axes))
	case len(axes) == 0:
		c.Errorf(diag.AxisCount, d.Value.Span(), "`%s` is declared with no axes, but the value has %d", a.Name, rank).
			Help("name the axes: `data %s[%s] = …`", a.Name,
				strings.Join([]string{"N", "D", "K", "L"}[:min(rank, 4)], ", "))
	default:
		c.Errorf(diag.AxisCount, d.Value.Span(), "`%s` is declared with %s, but the value has %d", a.Name,
			model.HaveAxes(axes), rank)
	}
}

// readsOtherData returns the name of data that a value reads, directly or through definitions, or "" if there is none.
func readsOtherData(x model.Expr) (name string) {
	seen := map[*model.Array]bool{}
	var visit func(x model.Expr)
	visit = func(x model.Expr) {
		model.Walk(x, func(y model.Expr) {
			r, ok := y.(*model.Ref)
			switch {
			case !ok || seen[r.Array]:
				return
			case r.Array.Role == model.Data:
				name = r.Array.Name
			}
			seen[r.Array] = true
			for _, p := range r.Array.Pieces {
				visit(p.Value)
			}
		})
	}
	visit(x)
	return name
}

func (c *checker) declareType(a *scope.Array, d *ast.Decl) {
	if d.Type == nil {
		a.Type.Elem = types.Real
		return
	}
	switch d.Type.Name {
	case "real":
		a.Declared = types.Real
	case "int":
		a.Declared, a.NeedInt = types.Int, true
	case "bool":
		a.Declared, a.NeedInt = types.Bool, true
		a.Type.Range = stdlib.Range{Lo: 0, Hi: 1, Int: true}
		c.positive(a, d)
	case "index":
		if d.TypeArg == nil {
			c.Errorf(diag.Syntax, d.Type.Span(), "`index` needs its set: `index(J)`")
			return
		}
		a.NeedInt = true
		a.IndexOf = c.declaredSet(d.TypeArg, a.Scope)
		a.Type.Range = stdlib.Range{Lo: a.IndexOf.Lo.Info().Type.Range.Lo, Hi: math.Inf(1), Int: true}
	default:
		e := c.Errorf(diag.Undefined, d.Type.Span(), "there is no type `%s`", d.Type.Name)
		if near, ok := diag.Nearest(d.Type.Name, []string{"real", "int", "bool", "index"}); ok {
			e.Meant("`%s`", near).Replace(near)
		} else {
			e.Help("types of data are real, int, bool and index(J)")
		}
	}
	a.Type.Elem = a.Declared
	if a.NeedInt {
		a.Type.Elem = types.Int
	}
	c.declareOrder(a, d)
}

// declareOrder records the labels of the elements of index(J) in the declared order.
func (c *checker) declareOrder(a *scope.Array, d *ast.Decl) {
	if len(d.Order) == 0 {
		return
	}
	if a.IndexOf == nil {
		c.Errorf(diag.Syntax, d.Order[0].Span(), "`order` lists the elements of an index set, but `%s` is not an index",
			d.Name.Name).
			Help("write `%s: index(K) order %s, …`", d.Name.Name, d.Order[0].Text)
		return
	}
	for _, text := range d.Order {
		if slices.Contains(a.Order, text.Value) {
			c.Errorf(diag.DefinedTwice, text.Span(), "%s is element %d already", text.Text,
				slices.Index(a.Order, text.Value)+1)
		}
		a.Order = append(a.Order, text.Value)
	}
}

// positive records the value that means true in bool("yes").
func (c *checker) positive(a *scope.Array, d *ast.Decl) {
	if d.TypeArg == nil {
		return
	}
	switch lo := d.TypeArg.Lo.(type) {
	case *ast.String:
		a.Positive = lo.Value
	case *ast.Number:
		a.Positive = model.NumberText(lo.Value)
	}
	if a.Positive == "" || d.TypeArg.Hi != nil {
		c.Errorf(diag.Syntax, d.TypeArg.Span(), "`bool` takes the text or number that means true: `bool(\"yes\")`")
	}
}

// literalRank returns the nesting depth of a list literal, and 0 for other expressions.
func literalRank(e ast.Expr) int {
	switch e := e.(type) {
	case *ast.Paren:
		return literalRank(e.X)
	case *ast.List:
		if len(e.Items) == 0 {
			return 1
		}
		return 1 + literalRank(e.Items[0])
	}
	return 0
}

// roles determines the role of an array from the statements with the array on their left-hand side.
func (c *checker) roles(a *scope.Array) {
	if a.Decl != nil {
		a.Observed = len(a.Draws) > 0
		if a.Missing {
			c.missingRole(a)
		}
		return
	}
	if len(a.Draws) == 0 {
		a.Role = model.Definition
		return
	}
	generated := 0
	for _, d := range a.Draws {
		if d.Stmt.Generate {
			generated++
		}
	}
	switch {
	case generated == len(a.Draws):
		a.Role, a.Save = model.Generated, true
	case generated > 0:
		c.Errorf(diag.AfterInference, a.At, "`%s` is drawn both in the model and after inference", a.Name).
			Help("write `generate` in all statements that draw it, or in none")
	case len(a.Defs) > 0 && c.sameRegion(a):
		a.Role, a.Observed = model.Definition, true
	default:
		a.Role, a.Save = model.Parameter, true
	}
}

// missingRole determines what missing entries of data become. If nothing else reads them they are dropped, since their
// density integrates to 1; otherwise they become parameters, or latents if they are discrete.
func (c *checker) missingRole(a *scope.Array) {
	if a.Decl.MissingCode != nil {
		a.MissingCode = c.staticInt(a.Scope, a.Decl.MissingCode, false)
	}
	switch {
	case len(a.Draws) == 0 && c.dropped[a.Name]:
	case len(a.Draws) == 0:
		c.Errorf(diag.DataUnavailable, a.At, "`%s` has missing entries, so it needs a distribution: `%s[i in N] ~ …`",
			a.Name, a.Name)
	case slices.ContainsFunc(a.Draws, c.isBoundVector):
		c.NotYet(a.At, "missing entries of vectors whose elements depend on each other, such as counts with a given "+
			"total").Help("leave out the vectors with missing entries: write `complete` instead of `missing`")
	case !c.mentioned[a.Name] && !slices.ContainsFunc(a.Draws, c.isWholeVector):
	case !slices.ContainsFunc(a.Draws, func(d scope.Draw) bool { return !c.drawsInteger(d) }):
		a.Role = model.Latent
	case !c.oneSupport(a):
		c.NotYet(a.At, "missing entries that other statements use, in an array whose statements have distributions "+
			"with different supports").
			Help("declare separate data for each distribution")
	case slices.ContainsFunc(a.Draws, isByFormula):
		c.NotYet(a.At, "missing entries of data whose distribution is given by a formula").
			Help("leave out the rows with missing entries: write `complete` instead of `missing`")
	default:
		a.Role = model.Imputed
		a.Type.Elem, a.Type.Range = types.Real, stdlib.Everything() // the observed values may be integers nevertheless
	}
}

// oneSupport reports whether the pieces of an array have the same support, so that its missing entries can be one
// parameter.
func (c *checker) oneSupport(a *scope.Array) bool {
	first := c.distRow(&a.Draws[0])
	return len(a.Draws) == 1 || !slices.ContainsFunc(a.Draws, func(d scope.Draw) bool {
		dist := c.distRow(&d)
		return first == nil || dist == nil || d.Stmt.Dist.In != nil || dist.Support != first.Support ||
			dist.Lo != first.Lo || dist.Hi != first.Hi || dist.Forms[0].Bounds != nil
	})
}

// isByFormula reports whether a draw is from `Density(…)`.
func isByFormula(d scope.Draw) bool { return d.Stmt.Dist != nil && isDensity(d.Stmt.Dist.Base) }

// isBoundVector reports whether a draw has vectors as values whose elements constrain each other's support.
func (c *checker) isBoundVector(d scope.Draw) bool {
	dist := c.distRow(&d)
	return dist != nil && dist.Event > 0 && dist.Support != types.RealLine
}

// isWholeVector reports whether a draw has vectors as values and its distribution has no formula for the density of
// some of the elements.
func (c *checker) isWholeVector(d scope.Draw) bool {
	dist := c.distRow(&d)
	return dist != nil && dist.Event > 0 && dist.Forms[0].Marginal == nil
}

func (c *checker) drawsInteger(d scope.Draw) bool {
	dist := c.distRow(&d)
	return dist != nil && dist.Discrete()
}

// sameRegion distinguishes an observed definition (total = 0; total ~ …) from an array in pieces (h[0] = 0; h[t in
// 1..T] ~ …). It reports true for the first.
func (c *checker) sameRegion(a *scope.Array) bool {
	for _, d := range a.Defs {
		for _, w := range a.Draws {
			if !piecesDiffer(d.Head, w.Head) {
				return true
			}
		}
	}
	return false
}

func piecesDiffer(a, b *ast.Head) bool {
	if len(a.Slots) != len(b.Slots) {
		return false
	}
	for i := range a.Slots {
		if a.Slots[i].Set.Span().Text() != b.Slots[i].Set.Span().Text() {
			return true
		}
	}
	return false
}

// resolve determines the axes, element type and range of an array, and for a definition also its values.
func (c *checker) resolve(a *scope.Array) {
	for _, b := range scope.Beginnings(c.cycles, a) {
		c.resolve(b)
	}
	if a.State != scope.Untouched {
		return
	}
	a.State = scope.Visiting
	c.open = append(c.open, a)
	c.statements(a)
	c.open = c.open[:len(c.open)-1]
	if a.Recurs {
		typing.Settle(c.beingDefined(), []*model.Array{a.Array})
	}
}

// statements elaborates the left-hand sides of an array's statements, and the values of definitions.
func (c *checker) statements(a *scope.Array) {
	slices.SortStableFunc(a.Defs, func(d, e scope.Define) int { // statements that do not read the array come first
		return boolInt(d.Mentions(a.Name)) - boolInt(e.Mentions(a.Name))
	})
	for _, d := range a.Defs {
		a.Heads = append(a.Heads, c.headOf(a, d))
	}
	for i := range a.Defs {
		if !c.definePiece(a, i) && a.Recurs {
			a.Pieces, a.State = nil, scope.Typed
			return
		}
	}
	// Data are observed later. They come here if they are the size of an axis of other data.
	if a.Role != model.Definition && a.Decl == nil {
		for i := range a.Draws {
			c.drawPiece(a, &a.Draws[i])
		}
	}
	if !a.Recurs {
		c.pieces().Join(a)
	}
	a.State = scope.Typed
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

// beingDefined returns the arrays that are being elaborated.
func (c *checker) beingDefined() map[*model.Array]bool {
	open := map[*model.Array]bool{}
	for _, a := range c.open {
		open[a.Array] = true
	}
	return open
}
