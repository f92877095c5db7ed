package check

import (
	"slices"

	"ppl/compiler/frontend/model"
	"ppl/lang/ast"
	"ppl/lang/diag"
)

// A network is a function whose body draws weights, most often by layers:
//
//	f(x[D]) = x -> dense(8) -> tanh -> dense(1) -> first
//
// Its weights are drawn once, at the first call, which gives the shapes: the body is elaborated with placeholders for
// the arguments, so that no prior can depend on one call. Every call, the first too, then inlines the body with the
// weights that are there. A family `f[g in G](x) = …` has weights with axis g first.
type network struct {
	fn     *function
	broken bool
	args   map[string]model.Expr // the arguments of the first call
	fixed  map[string]bool       // arguments that priors read: all calls must have the same
	drawn  map[string]*arrayInfo // what the network draws, by name
	layers map[layerUse]string   // names of layers
	names  map[string]int        // layers of one name
	given  []string              // arguments of layers that are distributions, such as f.dense1.weight
	plain  bool                  // some weights have the library's prior
}

// A layerUse is a use of a template in an instance, most often the network itself.
type layerUse struct {
	prefix string
	pipe   *ast.Pipe
}

// An argument is a placeholder for an argument of a network while its weights are made.
type argument struct {
	model.Fact
	name string
}

func (*argument) Children() []model.Expr { return nil }

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
		c.errorf(diag.Arguments, e.Fun.Span(), "`%s` is called with %s, but it has %s: `%s`", fn.name,
			diag.Count(len(subs), "index", "indices"), itoa(len(slots)), fn.head.Span().Text()).Related(fn.at,
			"the function")
		return poison(e)
	}
	inst := &instance{prefix: fn.name}
	for k, slot := range slots {
		at, ok := c.familyIndex(s, subs[k], slot.Set())
		if !ok {
			return poison(e)
		}
		inst.read = append(inst.read, at)
		if id := fn.head.Slots[k].Index; id != nil {
			inner.add(&entity{name: id.Name, at: id.Span(), expr: at, used: true})
		}
	}
	if c.isNetwork(fn) {
		inst.net = c.networkOf(s, fn, e)
		if inst.net.broken {
			return poison(e)
		}
		inner.inst = inst
	}
	if !c.bindParams(s, inner, fn, e) || !c.sameFixed(inst.net, inner, e) {
		return poison(e)
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
		c.errorf(diag.Arguments, sub.Span(), "`%s` is no single index: a call is of one function of the family",
			sub.Span().Text())
		return nil, false
	case !m.At.Info().Static:
		c.errorf(diag.ParameterBound, sub.Span(), "which function of the family is called must depend on data only; "+
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
	inner.inst = &instance{prefix: fn.name, net: net, outer: plates(slots), read: indexVars(plates(slots), fn.head)}
	errors, terms, queries := c.diags.Errors(), len(c.model.Terms), len(c.queries)
	net.broken = !c.bindParams(s, inner, fn, e)
	if !net.broken {
		net.placeholders(inner)
		net.broken = isPoison(c.body(inner, fn))
	}
	c.queries = c.queries[:queries]
	if !net.broken {
		c.independent(net, c.model.Terms[terms:])
	}
	net.broken = net.broken || c.diags.Errors() > errors
	if net.plain && !net.broken {
		c.diags.Notef(diag.LibraryPrior, fn.at, "weights of `%s` without a prior in the model have the library's, "+
			"which is Normal(0, 1) for most layers", fn.name).Help("`%s.weights ~ Normal(0, s)` gives them another",
			fn.name)
	}
	return net
}

// notOwner refuses networks that are defined inside blocks, and two of one name.
func (c *checker) notOwner(fn *function) bool {
	if fn.scope.within() != nil {
		c.notYet(fn.at, "a network that is defined in a block").Help("define `%s` at the top of the file", fn.name)
		return true
	}
	for other := range c.networks {
		if other != fn && other.name == fn.name {
			c.notYet(fn.at, "two networks named `"+fn.name+"`").Related(other.at, "the other")
			return true
		}
	}
	return false
}

// placeholders replaces the arguments of the first call. Numbers and sizes stay, as copies that can be found again:
// sizes of weights may be made of them.
func (n *network) placeholders(inner *scope) {
	for _, e := range inner.order {
		if e.expr == nil {
			continue
		}
		switch x := e.expr.(type) {
		case *model.Num:
			copied := *x
			e.expr = &copied
		case *model.SizeOf:
			copied := *x
			e.expr = &copied
		case *model.SetSize:
			copied := *x
			e.expr = &copied
		default:
			e.expr = &argument{*x.Info(), e.name}
		}
		n.args[e.name] = e.expr
	}
}

// independent refuses weights whose prior or size depends on an argument, and notes the numbers that priors read.
func (c *checker) independent(n *network, terms []*model.Term) {
	for _, t := range terms {
		if name := n.argumentIn(t.Exprs()); name != "" {
			c.errorf(diag.WeightsPerRow, t.Args[0].Info().At, "the distribution of `%s` depends on `%s`, an argument "+
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
				c.errorf(diag.WeightsSize, a.At, "the size %s of `%s` is not the same for all calls of `%s`", set.Name,
					a.Name, n.fn.name).Related(n.fn.at, "the function")
				return
			}
		}
	}
}

// argumentIn is the name of a placeholder that expressions read, themselves or through definitions.
func (n *network) argumentIn(xs []model.Expr) (name string) {
	seen := map[*model.Array]bool{}
	var visit func(x model.Expr)
	visit = func(x model.Expr) {
		model.Walk(x, func(y model.Expr) {
			switch y := y.(type) {
			case *argument:
				name = y.name
			case *model.Ref:
				if !seen[y.Array] {
					seen[y.Array] = true
					for _, p := range y.Array.Pieces {
						visit(p.Value)
					}
				}
			default:
				for arg, z := range n.args {
					n.fixed[arg] = n.fixed[arg] || z == y
				}
			}
		})
	}
	for _, x := range xs {
		visit(x)
	}
	return name
}

// sameFixed refuses a call with another number in the place of one that weights were made with.
func (c *checker) sameFixed(n *network, inner *scope, e *ast.Call) bool {
	if n == nil {
		return true
	}
	for _, name := range sortedKeys(n.fixed) {
		if x := inner.names[name].expr; n.fixed[name] && !model.SameForm(x, n.args[name]) {
			c.errorf(diag.WeightsSize, e.Span(), "`%s` of `%s` is %s here and %s in its first call, where its weights "+
				"were made", name, n.fn.name, x.Info().At.Text(), n.args[name].Info().At.Text()).
				Related(n.args[name].Info().At, "the first call")
			return false
		}
	}
	return true
}
