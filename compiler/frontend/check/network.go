package check

import (
	"slices"

	"ppl/compiler/frontend/model"
	"ppl/compiler/frontend/scope"
	"ppl/compiler/frontend/typing"
	"ppl/lang/ast"
	"ppl/lang/diag"
)

// isNetwork reports whether a function's body contains draws or layers.
func (c *checker) isNetwork(fn *scope.Function) bool {
	if fn.Stmt.Block != nil {
		return c.blockDraws(fn.Scope, fn.Stmt.Block)
	}
	return c.usesLayer(fn.Scope, fn.Stmt.Value)
}

func (c *checker) blockDraws(s *scope.Scope, b *ast.Block) bool {
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

func (c *checker) usesLayer(s *scope.Scope, e ast.Expr) (found bool) {
	ast.Walk(e, func(x ast.Expr) {
		if p, ok := x.(*ast.Pipe); ok {
			found = found || c.template(s, p.To) != nil
		}
	})
	return found
}

// familyElement elaborates f[k](x), a call of one function of a family. ok is false for other expressions.
func (c *checker) familyElement(s *scope.Scope, e *ast.Call) (model.Expr, bool) {
	index, ok := e.Fun.(*ast.Index)
	if !ok {
		return nil, false
	}
	n, ok := index.X.(*ast.Name)
	if !ok {
		return nil, false
	}
	ent := s.Lookup(n.Name)
	if ent == nil || ent.Fn == nil || ent.Fn.Stmt == nil || len(ent.Fn.Head.Slots) == 0 {
		return nil, false
	}
	ent.Used = true
	return c.inline(s, ent.Fn, e, index.Subs...), true
}

// instanceCall elaborates a call of a network or of a function of a family.
func (c *checker) instanceCall(s *scope.Scope, fn *scope.Function, e *ast.Call, subs []*ast.Set) model.Expr {
	inner := scope.New(fn.Scope)
	slots, _, _ := c.slots(scope.New(fn.Scope), fn.Head, 0)
	if len(subs) != len(slots) {
		c.Errorf(diag.Arguments, e.Fun.Span(), "`%s` is called with %s, but it has %s: `%s`", fn.Name,
			diag.Count(len(subs), "index", "indices"), itoa(len(slots)), fn.Head.Span().Text()).Related(fn.At,
			"the function")
		return typing.Poison(e)
	}
	inst := &scope.Instance{Prefix: fn.Name}
	for k, slot := range slots {
		at, ok := c.familyIndex(s, subs[k], slot.Set())
		if !ok {
			return typing.Poison(e)
		}
		inst.Read = append(inst.Read, at)
		if id := fn.Head.Slots[k].Index; id != nil {
			inner.Add(&scope.Entity{Name: id.Name, At: id.Span(), Expr: at, Used: true})
		}
	}
	if c.isNetwork(fn) {
		inst.Net = c.networkOf(s, fn, e)
		if inst.Net.Broken {
			return typing.Poison(e)
		}
		inner.Inst = inst
	}
	if !c.bindParams(s, inner, fn, e) || !c.sameFixed(inst.Net, inner, e) {
		return typing.Poison(e)
	}
	return c.body(inner, fn)
}

// familyIndex elaborates a subscript that selects a function of a family. It must be one number that depends on data
// only.
func (c *checker) familyIndex(s *scope.Scope, sub *ast.Set, axis *model.Set) (model.Expr, bool) {
	m, _, ok := c.sub(s, sub, axis)
	switch {
	case !ok:
		return nil, false
	case m.At == nil || len(m.At.Info().Type.Axes) > 0:
		c.Errorf(diag.Arguments, sub.Span(), "`%s` is not one number: a call selects one function of the family",
			sub.Span().Text())
		return nil, false
	case !m.At.Info().Static:
		c.Errorf(diag.ParameterBound, sub.Span(), "the index of a function must depend on data only; "+
			"`%s` depends on a parameter", sub.Span().Text())
		return nil, false
	}
	return m.At, true
}

// networkOf returns the network of a function, and defines it at the first call.
func (c *checker) networkOf(s *scope.Scope, fn *scope.Function, e *ast.Call) *scope.Network {
	if net := c.networks[fn]; net != nil {
		return net
	}
	net := &scope.Network{Fn: fn, Args: map[string]model.Expr{}, Fixed: map[string]bool{},
		Drawn: map[string]*scope.Array{}, Layers: map[scope.LayerUse]string{}, Names: map[string]int{}}
	c.networks[fn] = net
	if c.refuseNetwork(fn) {
		net.Broken = true
		return net
	}
	inner := scope.New(fn.Scope)
	slots, _, _ := c.slots(inner, fn.Head, 0)
	inner.Inst = &scope.Instance{Prefix: fn.Name, Net: net, Outer: model.Plates(slots),
		Read: indexVars(model.Plates(slots), fn.Head)}
	errors, terms, queries := c.Diags.Errors(), len(c.Model.Terms), len(c.equations.Queries)
	net.Broken = !c.bindParams(s, inner, fn, e)
	if !net.Broken {
		net.Placeholders(inner)
		net.Broken = typing.IsPoison(c.body(inner, fn))
	}
	c.equations.Queries = c.equations.Queries[:queries]
	if !net.Broken {
		c.independent(net, c.Model.Terms[terms:])
	}
	net.Broken = net.Broken || c.Diags.Errors() > errors
	if net.Plain && !net.Broken {
		c.Diags.Notef(diag.LibraryPrior, fn.At, "weights of `%s` without a prior in the model have the prior of "+
			"the library: Normal(0, 1) for most layers", fn.Name).Help("for another prior write `%s.weights ~ "+
			"Normal(0, s)`",
			fn.Name)
	}
	return net
}

// refuseNetwork reports an error and returns true for a network that is defined inside a block, and for the second of
// two networks with the same name.
func (c *checker) refuseNetwork(fn *scope.Function) bool {
	if fn.Scope.Within() != nil {
		c.NotYet(fn.At, "a network that is defined in a block").Help("define `%s` at the top of the file", fn.Name)
		return true
	}
	for other := range c.networks {
		if other != fn && other.Name == fn.Name {
			c.NotYet(fn.At, "two networks named `"+fn.Name+"`").Related(other.At, "the other")
			return true
		}
	}
	return false
}

// independent reports an error for weights whose prior or size depends on an argument of the network that is not a
// constant. It also records the constant arguments that determine the weights (Network.Fixed).
func (c *checker) independent(n *scope.Network, terms []*model.Term) {
	for _, t := range terms {
		if name := n.ArgumentIn(t.Exprs()); name != "" {
			c.Errorf(diag.WeightsPerRow, t.Args[0].Info().At, "the distribution of `%s` depends on `%s`, an argument "+
				"of `%s`, but weights are drawn once, for all calls", t.Array.Name, name, n.Fn.Name).Related(n.Fn.At,
				"the function")
			return
		}
	}
	for _, name := range sortedKeys(n.Drawn) {
		a := n.Drawn[name]
		for _, set := range a.Type.Axes {
			loose := slices.ContainsFunc(set.Ragged, func(i *model.Index) bool { return !slices.Contains(a.Outer, i) })
			if arg := n.ArgumentIn([]model.Expr{set.Lo, set.Hi}); arg != "" || loose {
				c.Errorf(diag.WeightsSize, a.At, "the size %s of `%s` is not the same for all calls of `%s`", set.Name,
					a.Name, n.Fn.Name).Related(n.Fn.At, "the function")
				return
			}
		}
	}
}

// sameFixed reports an error and returns false if a call differs from the first in a number that determines the
// weights.
func (c *checker) sameFixed(n *scope.Network, inner *scope.Scope, e *ast.Call) bool {
	if n == nil {
		return true
	}
	for _, name := range sortedKeys(n.Fixed) {
		if x := inner.Names[name].Expr; n.Fixed[name] && !model.SameForm(x, n.Args[name]) {
			c.Errorf(diag.WeightsSize, e.Span(), "argument `%s` of `%s` is %s here, but %s in the first call, and the "+
				"weights depend on it", name, n.Fn.Name, x.Info().At.Text(), n.Args[name].Info().At.Text()).
				Related(n.Args[name].Info().At, "the first call")
			return false
		}
	}
	return true
}
