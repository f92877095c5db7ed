package check

import (
	"math"
	"slices"

	"ppl/compiler/frontend/lint"
	"ppl/compiler/frontend/model"
	"ppl/compiler/frontend/scope"
	"ppl/compiler/frontend/typing"
	"ppl/lang/ast"
	"ppl/lang/diag"
	"ppl/stdlib"
)

func (c *checker) collectTemplate(h *ast.Head, st *ast.Draw, s *scope.Scope) {
	name := h.Path[0].Name
	if len(c.importing) == 0 && lint.RefuseLeftCall(h, st, c.quantities, c.global, &c.Diags) {
		return
	}
	if old := s.Names[name]; old != nil {
		c.Errorf(diag.DefinedTwice, h.Span(), "`%s` is defined twice", name).Related(old.At, "first defined here")
		return
	}
	s.Add(&scope.Entity{Name: name, At: h.Span(), Fn: &scope.Function{Name: name, At: h.Span(), Head: h, Draw: st,
		Scope: s}})
}

// collectInner adds a draw in the block of a template or network. Its array has the name of the instance, a dot and the
// name in the block, and the plates of the instance as its first axes.
func (c *checker) collectInner(h *ast.Head, st *ast.Draw, s *scope.Scope) {
	inst, _, bound := s.Enclosing()
	id := h.Path[0]
	if inst == nil {
		c.NotYet(h.Span(), "a draw inside a function that is defined in a block")
		return
	}
	if old := s.Names[id.Name]; old != nil {
		if old.Array == nil {
			c.Errorf(diag.DefinedTwice, h.Span(), "`%s` is defined twice", id.Name).Related(old.At,
				"first defined here")
			return
		}
		old.Array.Draws = append(old.Array.Draws, scope.Draw{Head: h, Stmt: st})
		return
	}
	if inst.Net != nil && inst.EnterDrawn(s, h, indexVars(bound, id)) {
		return
	}
	a := &scope.Array{Array: &model.Array{Name: inst.Prefix + "." + id.Name, At: id.Span()}, Scope: s,
		Outer: slices.Concat(inst.Outer, bound)}
	a.Role, a.Draws = model.Definition, []scope.Draw{{Head: h, Stmt: st}}
	c.Model.Arrays = append(c.Model.Arrays, a.Array)
	s.Add(&scope.Entity{Name: id.Name, At: id.Span(), Array: a, Outer: indexVars(a.Outer, id)})
	if inst.Net != nil {
		inst.Net.Drawn[a.Name] = a
	}
	c.global.Names[a.Name] = &scope.Entity{Name: a.Name, At: id.Span(), Array: a, Used: true}
}

// at subscripts the first axes of an array by outer, the indices of the instance to which the array belongs.
func at(x model.Expr, outer []model.Expr, e ast.Node) model.Expr {
	if len(outer) == 0 || typing.IsPoison(x) {
		return x
	}
	sub := &model.Subscript{X: x, Fact: *x.Info()}
	sub.At = e.Span()
	for _, i := range outer {
		sub.Subs = append(sub.Subs, model.Sub{At: i})
	}
	sub.Type.Axes = x.Info().Type.Axes[len(outer):]
	return sub
}

func indexVars(is []*model.Index, e ast.Node) (out []model.Expr) {
	for _, i := range is {
		out = append(out, typing.IndexVar(i, e))
	}
	return out
}

// template returns the template of the model that an expression names or calls, or nil if it names anything else.
func (c *checker) template(s *scope.Scope, base ast.Expr) *scope.Function {
	var e *scope.Entity
	switch n := calleeOf(base).(type) {
	case *ast.Name:
		e = s.Lookup(n.Name)
	case *ast.Member:
		e = c.member(s, n)
	}
	if e == nil || e.Fn == nil || e.Fn.Draw == nil {
		return nil
	}
	e.Used = true
	return e.Fn
}

func calleeOf(e ast.Expr) ast.Expr {
	if call, ok := e.(*ast.Call); ok {
		return call.Fun
	}
	return e
}

// eventOf returns the number of axes of one value of a distribution, and 0 if the distribution is unknown. It follows
// templates without a block.
func (c *checker) eventOf(s *scope.Scope, dist *ast.Distribution) int {
	for range maxInlineDepth {
		if dist == nil {
			return 0
		}
		f := c.template(s, dist.Base)
		if f == nil {
			n := scope.DistName(dist.Base)
			switch {
			case isDensity(dist.Base): // all axes without an index belong to one term
				return math.MaxInt
			case n != nil && stdlib.Dists()[n.Name] != nil:
				return stdlib.Dists()[n.Name].Event
			}
			return 0
		}
		s, dist = f.Scope, f.Draw.Dist
	}
	return 0
}

// expand replaces a template in a draw by the distribution that the template draws from. If the template has a block
// and the array is not observed, expand returns the block's value, which then defines the array; otherwise value is
// nil. ok is false after an error.
func (c *checker) expand(a *scope.Array, d *scope.Draw) (value model.Expr, ok bool) {
	var used []*scope.Function
	for {
		f := c.template(d.Scope, d.Stmt.Dist.Base)
		if f == nil {
			return nil, true
		}
		if f.Busy || slices.Contains(used, f) {
			c.Errorf(diag.UsesItself, d.Stmt.Dist.Base.Span(), "template `%s` uses itself", f.Name).Related(f.At,
				"the template")
			return nil, false
		}
		used = append(used, f)
		if !c.countBody(f, d.Stmt.Dist.Base.Span()) {
			return nil, false
		}
		inner := scope.New(f.Scope)
		inner.Inst = &scope.Instance{Prefix: a.Name, Outer: model.Plates(d.Slots)}
		if within := d.Scope.Within(); within != nil {
			inner.Inst.Net = within.Net
		}
		if !c.bindParams(d.Scope, inner, f, callOf(d.Stmt.Dist.Base)) {
			return nil, false
		}
		if hasModifiers(d.Stmt.Dist) {
			d.Uses = append(d.Uses, scope.Modified{Dist: d.Stmt.Dist, Scope: d.Scope, Bare: d.Bare})
		}
		if f.Draw.Block == nil {
			d.Stmt, d.Scope = f.Draw, inner
		} else if value, ok = c.instantiate(a, d, f, inner); !ok || !a.Observed {
			return value, ok
		}
	}
}

func hasModifiers(l *ast.Distribution) bool {
	return l.In != nil || l.Censored != nil || l.Weight != nil || l.UpTo != nil || l.Rounded != nil || l.Ordered ||
		l.ZeroSum || l.NonCentered
}

// passOn adds the modifiers of a template's use to the draws of the name that the template's block returns. If the
// block does not return the name of a draw, passOn reports an error and returns false.
func (c *checker) passOn(d *scope.Draw, f *scope.Function, inner *scope.Scope) bool {
	if len(d.Uses) == 0 {
		return true
	}
	if name, ok := f.Draw.Block.Return.(*ast.Name); ok {
		if e := inner.Names[name.Name]; e != nil && e.Array != nil && len(e.Array.Draws) > 0 && len(e.Array.Defs) == 0 {
			for i := range e.Array.Draws {
				e.Array.Draws[i].Uses = append(e.Array.Draws[i].Uses, d.Uses...)
			}
			return true
		}
	}
	code, word := modifierOf(d.Uses[0].Dist)
	c.Errorf(code, d.Uses[0].Dist.Span(), "`%s` changes a distribution, but `%s` returns `%s`, which has none",
		word, f.Name, f.Draw.Block.Return.Span().Text()).
		Related(f.Draw.Block.Return.Span(), "returned here").
		Help("write `%s` on a distribution inside `%s`, or return a name "+
			"that has `~` in the template", word, f.Name)
	return false
}

// modifierOf returns the first modifier of a distribution, in the order of the table, and the error code for its
// misuse.
func modifierOf(l *ast.Distribution) (code diag.Code, word string) {
	for _, m := range []struct {
		there bool
		code  diag.Code
		word  string
	}{{l.In != nil, diag.NoCDF, "in"}, {l.Censored != nil, diag.CensoredNotData, "censored"}, {l.UpTo != nil,
		diag.CensoredNotData, "upto"},
		{l.Rounded != nil, diag.CensoredNotData, "rounded"}, {l.Weight != nil, diag.CensoredNotData, "weight"},
		{l.Ordered, diag.BadOrder, "ordered"},
		{l.ZeroSum, diag.BadOrder, "zerosum"}} {
		if m.there {
			return m.code, m.word
		}
	}
	return diag.BadNoncentered, "noncentered"
}

func callOf(e ast.Expr) *ast.Call {
	if call, ok := e.(*ast.Call); ok {
		return call
	}
	return &ast.Call{Place: ast.Place{At: e.Span()}, Fun: e}
}

// instantiate elaborates a template's block and returns its value. If the array is observed, the draw of the name that
// the block returns becomes the observation, and the value is nil.
func (c *checker) instantiate(a *scope.Array, d *scope.Draw, f *scope.Function, inner *scope.Scope) (model.Expr, bool) {
	f.Busy = true
	defer func() { f.Busy = false }()
	stmts := f.Draw.Block.Stmts
	if a.Observed {
		var own *ast.Draw
		own, stmts = c.observedDraw(a, d, f)
		if own == nil {
			return nil, false
		}
		d.Stmt, d.Scope = own, inner
		inner.Add(&scope.Entity{Name: f.Draw.Block.Return.(*ast.Name).Name, At: d.Head.Span(), Array: a,
			Outer: indexVars(model.Plates(d.Slots), d.Head), Used: true})
	}
	c.collect(stmts, inner)
	if !a.Observed && !c.passOn(d, f, inner) {
		return nil, false
	}
	c.elaborate(inner)
	if a.Observed {
		return nil, true
	}
	x := c.expr(inner, f.Draw.Block.Return)
	if name, ok := f.Draw.Block.Return.(*ast.Name); ok && len(a.Draws) == 1 && len(a.Defs) == 0 &&
		len(model.Plates(d.Slots)) == len(d.Slots) {
		d.Returned = inner.Names[name.Name]
	}
	return x, !typing.IsPoison(x)
}

// observedDraw returns the draw of the name that the block returns, and the other statements. If there is no such draw,
// it reports an error and returns a nil draw.
func (c *checker) observedDraw(a *scope.Array, d *scope.Draw, f *scope.Function) (*ast.Draw, []ast.Stmt) {
	block := f.Draw.Block
	name, isName := block.Return.(*ast.Name)
	var found *ast.Draw
	var rest []ast.Stmt
	for _, st := range block.Stmts {
		if w, ok := st.(*ast.Draw); ok && isName && len(w.Heads) == 1 && w.Heads[0].Name() == name.Name &&
			len(w.Heads[0].Slots) == 0 && w.Dist != nil {
			found = w
			continue
		}
		rest = append(rest, st)
	}
	if found == nil {
		c.Errorf(diag.ObservedDefinition, d.Head.Span(), "`%s` is data, but `%s` returns `%s`, which is not a name "+
			"that the template draws in one statement without an index", a.Name, f.Name, block.Return.Span().Text()).
			Related(block.Return.Span(), "returned here").
			Help("write `x ~ …` and `return x` in the template")
	}
	return found, rest
}
