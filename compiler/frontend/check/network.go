package check

import (
	"slices"

	"ppl/compiler/frontend/model"
	"ppl/compiler/frontend/typing"
	"ppl/lang/ast"
	"ppl/lang/diag"
)

// isNetwork reports whether a function's body draws.
func (c *checker) isNetwork(fn *function) bool {
	if fn.stmt.Block != nil {
		return c.blockDraws(fn.scope, fn.stmt.Block)
	}
	return c.usesLayer(fn.scope, fn.stmt.Value)
}

func (c *checker) blockDraws(s *scope, b *ast.Block) bool {
	return c.usesLayer(s, b.Return) || slices.ContainsFunc(b.Stmts, func(st ast.Stmt) bool {
		switch st := st.(type) {
		case *ast.Draw:
			return st.Block == nil && !st.Heads[0].HasParams
		case *ast.Define:
			return !st.Heads[0].HasParams && (st.Block != nil && c.blockDraws(s, st.Block) ||
				st.Value != nil && c.usesLayer(s, st.Value))
		}
		return false
	})
}

func (c *checker) usesLayer(s *scope, e ast.Expr) (found bool) {
	ast.Walk(e, func(x ast.Expr) {
		if p, ok := x.(*ast.Pipe); ok {
			found = found || c.template(s, p.To) != nil
		}
	})
	return found
}

// familyElement is f[k](x): a call of one function of a family.
func (c *checker) familyElement(s *scope, e *ast.Call) (model.Expr, bool) {
	index, ok := e.Fun.(*ast.Index)
	if !ok {
		return nil, false
	}
	n, ok := index.X.(*ast.Name)
	if !ok {
		return nil, false
	}
	ent := s.lookup(n.Name)
	if ent == nil || ent.fn == nil || ent.fn.stmt == nil || len(ent.fn.head.Slots) == 0 {
		return nil, false
	}
	ent.used = true
	return c.inline(s, ent.fn, e, index.Subs...), true
}

// ownCall calls a network, or a function of a family.
func (c *checker) ownCall(s *scope, fn *function, e *ast.Call, subs []*ast.Set) model.Expr {
	inner := newScope(fn.scope)
	slots, _, _ := c.slots(newScope(fn.scope), fn.head, 0)
	if len(subs) != len(slots) {
		c.Errorf(diag.Arguments, e.Fun.Span(), "`%s` is called with %s, but it has %s: `%s`", fn.name,
			diag.Count(len(subs), "index", "indices"), itoa(len(slots)), fn.head.Span().Text()).Related(fn.at,
			"the function")
		return typing.Poison(e)
	}
	inst := &instance{prefix: fn.name}
	for k, slot := range slots {
		at, ok := c.familyIndex(s, subs[k], slot.Set())
		if !ok {
			return typing.Poison(e)
		}
		inst.read = append(inst.read, at)
		if id := fn.head.Slots[k].Index; id != nil {
			inner.add(&entity{name: id.Name, at: id.Span(), expr: at, used: true})
		}
	}
	if c.isNetwork(fn) {
		inst.net = c.networkOf(s, fn, e)
		if inst.net.broken {
			return typing.Poison(e)
		}
		inner.inst = inst
	}
	if !c.bindParams(s, inner, fn, e) || !c.sameFixed(inst.net, inner, e) {
		return typing.Poison(e)
	}
	return c.body(inner, fn)
}

// familyIndex says which function of a family is called: one number, known from data.
func (c *checker) familyIndex(s *scope, sub *ast.Set, axis *model.Set) (model.Expr, bool) {
	m, _, ok := c.sub(s, sub, axis)
	switch {
	case !ok:
		return nil, false
	case m.At == nil || len(m.At.Info().Type.Axes) > 0:
		c.Errorf(diag.Arguments, sub.Span(), "`%s` is no single index: a call is of one function of the family",
			sub.Span().Text())
		return nil, false
	case !m.At.Info().Static:
		c.Errorf(diag.ParameterBound, sub.Span(), "which function of the family is called must depend on data only; "+
			"`%s` depends on a parameter", sub.Span().Text())
		return nil, false
	}
	return m.At, true
}

// networkOf defines a network at its first call.
func (c *checker) networkOf(s *scope, fn *function, e *ast.Call) *network {
	if net := c.networks[fn]; net != nil {
		return net
	}
	net := &network{fn: fn, args: map[string]model.Expr{}, fixed: map[string]bool{},
		drawn: map[string]*arrayInfo{}, layers: map[layerUse]string{}, names: map[string]int{}}
	c.networks[fn] = net
	if c.notOwner(fn) {
		net.broken = true
		return net
	}
	inner := newScope(fn.scope)
	slots, _, _ := c.slots(inner, fn.head, 0)
	inner.inst = &instance{prefix: fn.name, net: net, outer: model.Plates(slots), read: indexVars(model.Plates(slots),
		fn.head)}
	errors, terms, queries := c.Diags.Errors(), len(c.Model.Terms), len(c.queries)
	net.broken = !c.bindParams(s, inner, fn, e)
	if !net.broken {
		net.placeholders(inner)
		net.broken = typing.IsPoison(c.body(inner, fn))
	}
	c.queries = c.queries[:queries]
	if !net.broken {
		c.independent(net, c.Model.Terms[terms:])
	}
	net.broken = net.broken || c.Diags.Errors() > errors
	if net.plain && !net.broken {
		c.Diags.Notef(diag.LibraryPrior, fn.at, "weights of `%s` without a prior in the model have the library's, "+
			"which is Normal(0, 1) for most layers", fn.name).Help("`%s.weights ~ Normal(0, s)` gives them another",
			fn.name)
	}
	return net
}

// notOwner refuses networks that are defined inside blocks, and two of one name.
func (c *checker) notOwner(fn *function) bool {
	if fn.scope.within() != nil {
		c.NotYet(fn.at, "a network that is defined in a block").Help("define `%s` at the top of the file", fn.name)
		return true
	}
	for other := range c.networks {
		if other != fn && other.name == fn.name {
			c.NotYet(fn.at, "two networks named `"+fn.name+"`").Related(other.at, "the other")
			return true
		}
	}
	return false
}

// independent refuses weights whose prior or size depends on an argument, and notes the numbers that priors read.
func (c *checker) independent(n *network, terms []*model.Term) {
	for _, t := range terms {
		if name := n.argumentIn(t.Exprs()); name != "" {
			c.Errorf(diag.WeightsPerRow, t.Args[0].Info().At, "the distribution of `%s` depends on `%s`, an argument "+
				"of `%s`, but weights are drawn once, for all calls", t.Array.Name, name, n.fn.name).Related(n.fn.at,
				"the function")
			return
		}
	}
	for _, name := range sortedKeys(n.drawn) {
		a := n.drawn[name]
		for _, set := range a.Type.Axes {
			loose := slices.ContainsFunc(set.Ragged, func(i *model.Index) bool { return !slices.Contains(a.outer, i) })
			if arg := n.argumentIn([]model.Expr{set.Lo, set.Hi}); arg != "" || loose {
				c.Errorf(diag.WeightsSize, a.At, "the size %s of `%s` is not the same for all calls of `%s`", set.Name,
					a.Name, n.fn.name).Related(n.fn.at, "the function")
				return
			}
		}
	}
}

// sameFixed refuses a call with another number in the place of one that weights were made with.
func (c *checker) sameFixed(n *network, inner *scope, e *ast.Call) bool {
	if n == nil {
		return true
	}
	for _, name := range sortedKeys(n.fixed) {
		if x := inner.names[name].expr; n.fixed[name] && !model.SameForm(x, n.args[name]) {
			c.Errorf(diag.WeightsSize, e.Span(), "`%s` of `%s` is %s here and %s in its first call, where its weights "+
				"were made", name, n.fn.name, x.Info().At.Text(), n.args[name].Info().At.Text()).
				Related(n.args[name].Info().At, "the first call")
			return false
		}
	}
	return true
}
