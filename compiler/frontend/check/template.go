package check

import (
	"math"
	"slices"

	"ppl/compiler/frontend/model"
	"ppl/compiler/frontend/typing"
	"ppl/lang/ast"
	"ppl/lang/diag"
	"ppl/stdlib"
)

func (c *checker) collectTemplate(h *ast.Head, st *ast.Draw, s *scope) {
	name := h.Path[0].Name
	if c.refuseLeftCall(h, st) {
		return
	}
	if old := s.names[name]; old != nil {
		c.Errorf(diag.DefinedTwice, h.Span(), "`%s` is defined twice", name).Related(old.at, "first defined here")
		return
	}
	s.add(&entity{name: name, at: h.Span(), fn: &function{name: name, at: h.Span(), head: h, draw: st, scope: s}})
}

// collectInner enters a draw of a template's block.
func (c *checker) collectInner(h *ast.Head, st *ast.Draw, s *scope) {
	inst, _, bound := s.enclosing()
	id := h.Path[0]
	if inst == nil {
		c.NotYet(h.Span(), "a draw inside a function that is defined in a block")
		return
	}
	if old := s.names[id.Name]; old != nil {
		if old.array == nil {
			c.Errorf(diag.DefinedTwice, h.Span(), "`%s` is defined twice", id.Name).Related(old.at,
				"first defined here")
			return
		}
		old.array.draws = append(old.array.draws, draw{head: h, stmt: st})
		return
	}
	if inst.net != nil && inst.again(s, h, indexVars(bound, id)) {
		return
	}
	a := &arrayInfo{Array: &model.Array{Name: inst.prefix + "." + id.Name, At: id.Span()}, scope: s,
		outer: slices.Concat(inst.outer, bound)}
	a.Role, a.draws = model.Definition, []draw{{head: h, stmt: st}}
	c.Model.Arrays = append(c.Model.Arrays, a.Array)
	s.add(&entity{name: id.Name, at: id.Span(), array: a, outer: indexVars(a.outer, id)})
	if inst.net != nil {
		inst.net.drawn[a.Name] = a
	}
	c.global.names[a.Name] = &entity{name: a.Name, at: id.Span(), array: a, used: true}
}

// at subscripts an array by the plates of the instance that it belongs to.
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

// template is the user's template that a statement names, nil when it names a distribution.
func (c *checker) template(s *scope, base ast.Expr) *function {
	var e *entity
	switch n := calleeOf(base).(type) {
	case *ast.Name:
		e = s.lookup(n.Name)
	case *ast.Member:
		e = c.member(s, n)
	}
	if e == nil || e.fn == nil || e.fn.draw == nil {
		return nil
	}
	e.used = true
	return e.fn
}

func calleeOf(e ast.Expr) ast.Expr {
	if call, ok := e.(*ast.Call); ok {
		return call.Fun
	}
	return e
}

// eventOf is the rank of what a statement draws, through templates that are another name for a distribution.
func (c *checker) eventOf(s *scope, dist *ast.Distribution) int {
	for range maxInlineDepth {
		if dist == nil {
			return 0
		}
		f := c.template(s, dist.Base)
		if f == nil {
			n := distName(dist.Base)
			switch {
			case isDensity(dist.Base): // one term for every axis without an index
				return math.MaxInt
			case n != nil && stdlib.Dists()[n.Name] != nil:
				return stdlib.Dists()[n.Name].Event
			}
			return 0
		}
		s, dist = f.scope, f.draw.Dist
	}
	return 0
}

// expand replaces a template that a statement draws from by what the template draws. It returns the block's value when
// there is one: the array is then defined by it.
func (c *checker) expand(a *arrayInfo, d *draw) (value model.Expr, ok bool) {
	var used []*function
	for {
		f := c.template(d.scope, d.stmt.Dist.Base)
		if f == nil {
			return nil, true
		}
		if f.busy || slices.Contains(used, f) {
			c.Errorf(diag.UsesItself, d.stmt.Dist.Base.Span(), "template `%s` uses itself", f.name).Related(f.at,
				"the template")
			return nil, false
		}
		used = append(used, f)
		if !c.writesOut(f, d.stmt.Dist.Base.Span()) {
			return nil, false
		}
		inner := newScope(f.scope)
		inner.inst = &instance{prefix: a.Name, outer: model.Plates(d.slots)}
		if within := d.scope.within(); within != nil {
			inner.inst.net = within.net
		}
		if !c.bindParams(d.scope, inner, f, callOf(d.stmt.Dist.Base)) {
			return nil, false
		}
		if hasModifiers(d.stmt.Dist) {
			d.uses = append(d.uses, modified{d.stmt.Dist, d.scope, d.bare})
		}
		if f.draw.Block == nil {
			d.stmt, d.scope = f.draw, inner
		} else if value, ok = c.instantiate(a, d, f, inner); !ok || !a.observed {
			return value, ok
		}
	}
}

func hasModifiers(l *ast.Distribution) bool {
	return l.In != nil || l.Censored != nil || l.Weight != nil || l.UpTo != nil || l.Rounded != nil || l.Ordered ||
		l.ZeroSum || l.NonCentered
}

// passOn gives the modifiers of a template's use to the distribution of the name that the template's block returns.
func (c *checker) passOn(d *draw, f *function, inner *scope) bool {
	if len(d.uses) == 0 {
		return true
	}
	if name, ok := f.draw.Block.Return.(*ast.Name); ok {
		if e := inner.names[name.Name]; e != nil && e.array != nil && len(e.array.draws) > 0 && len(e.array.defs) == 0 {
			for i := range e.array.draws {
				e.array.draws[i].uses = append(e.array.draws[i].uses, d.uses...)
			}
			return true
		}
	}
	code, word := modifierOf(d.uses[0].dist)
	c.Errorf(code, d.uses[0].dist.Span(), "`%s` has no distribution to change: `%s` returns `%s`, which it defines",
		word,
		f.name, f.draw.Block.Return.Span().Text()).
		Related(f.draw.Block.Return.Span(), "returned here").
		Help("write `%s` on a distribution inside `%s`, or return what "+
			"has `~` there", word, f.name)
	return false
}

// modifierOf is a modifier of a distribution, and the code of what is wrong with it.
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

// instantiate elaborates a template's block. Of an observation, the draw of the returned name is the observation's own.
func (c *checker) instantiate(a *arrayInfo, d *draw, f *function, inner *scope) (model.Expr, bool) {
	f.busy = true
	defer func() { f.busy = false }()
	stmts := f.draw.Block.Stmts
	if a.observed {
		var own *ast.Draw
		own, stmts = c.observedDraw(a, d, f)
		if own == nil {
			return nil, false
		}
		d.stmt, d.scope = own, inner
		inner.add(&entity{name: f.draw.Block.Return.(*ast.Name).Name, at: d.head.Span(), array: a,
			outer: indexVars(model.Plates(d.slots), d.head), used: true})
	}
	c.collect(stmts, inner)
	if !a.observed && !c.passOn(d, f, inner) {
		return nil, false
	}
	c.elaborate(inner)
	if a.observed {
		return nil, true
	}
	x := c.expr(inner, f.draw.Block.Return)
	if name, ok := f.draw.Block.Return.(*ast.Name); ok && len(a.draws) == 1 && len(a.defs) == 0 &&
		len(model.Plates(d.slots)) == len(d.slots) {
		d.returned = inner.names[name.Name]
	}
	return x, !typing.IsPoison(x)
}

// observedDraw finds the draw of the name that the block returns, and the other statements.
func (c *checker) observedDraw(a *arrayInfo, d *draw, f *function) (*ast.Draw, []ast.Stmt) {
	block := f.draw.Block
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
		c.Errorf(diag.ObservedDefinition, d.head.Span(), "`%s` is data, but `%s` returns `%s`, which it does not draw "+
			"by a distribution of its own", a.Name, f.name, block.Return.Span().Text()).
			Related(block.Return.Span(), "returned here").
			Help("for data a template returns a name that has `~` in its block")
	}
	return found, rest
}
