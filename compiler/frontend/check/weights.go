package check

import (
	"maps"
	"slices"

	"ppl/compiler/frontend/scope"
	"ppl/lang/ast"
	"ppl/lang/diag"
	"ppl/stdlib"
)

// A weightPrior is a statement such as `f.weights ~ Normal(0, s)` or `f.dense1.weight ~ Normal(0, s)`.
type weightPrior struct {
	head *ast.Head
	stmt *ast.Draw
	used bool
}

// collectPrior records a prior of a network's weights.
func (c *checker) collectPrior(h *ast.Head, st *ast.Draw, s *scope.Scope) {
	switch old := c.priorNamed(h.Name()); {
	case s != c.global:
		c.Errorf(diag.Syntax, h.Span(), "a prior of weights must be outside of blocks")
	case len(h.Slots) > 0:
		c.Errorf(diag.Syntax, h.Span(), "a prior of weights has no index: `%s ~ Normal(0, 1)`", h.Name())
	case hasModifiers(st.Dist):
		c.Errorf(diag.Syntax, h.Span(), "a prior of weights has no modifier: `%s ~ Normal(0, 1)`", h.Name())
	case st.Generate:
		c.Errorf(diag.Syntax, h.Span(), "a prior of weights has no `generate`: `%s ~ Normal(0, 1)`", h.Name())
	case old != nil:
		c.Errorf(diag.TwoWeightPriors, h.Span(), "`%s` has two priors", h.Name()).Related(old.head.Span(), "the other")
	default:
		c.priors = append(c.priors, &weightPrior{head: h, stmt: st})
	}
}

func (c *checker) priorNamed(name string) *weightPrior {
	if i := slices.IndexFunc(c.priors, func(p *weightPrior) bool { return p.head.Name() == name }); i >= 0 {
		return c.priors[i]
	}
	return nil
}

// passDist returns the distribution that is passed to a parameter of a template, or its default. ok is false if the
// parameter is a value. If a value is passed for a distribution, passDist reports an error and returns nil and true.
func (c *checker) passDist(s, inner *scope.Scope, fn *scope.Function, p *ast.Param,
	given *ast.Arg) (dist *scope.PassedDist, ok bool) {
	if fn.Draw == nil {
		return nil, false
	}
	byDefault := p.Default != nil && c.isDist(inner, p.Default)
	if given == nil {
		return &scope.PassedDist{Name: p.Name.Name, Expr: p.Default, Scope: inner, ByDefault: true}, byDefault
	}
	if n, isName := given.Value.(*ast.Name); isName {
		if e := s.Lookup(n.Name); e != nil && e.Dist != nil { // a parameter of the enclosing template
			return &scope.PassedDist{Name: p.Name.Name, Expr: e.Dist.Expr, Scope: e.Dist.Scope,
				ByDefault: e.Dist.ByDefault}, true
		}
	}
	switch {
	case c.isDist(s, given.Value):
		return &scope.PassedDist{Name: p.Name.Name, Expr: given.Value, Scope: s, ByDefault: false}, true
	case byDefault:
		c.Errorf(diag.Arguments, given.Span(), "argument `%s` of `%s` must be a distribution, such as `%[1]s = "+
			"%[3]s`", p.Name.Name, fn.Name,
			p.Default.Span().Text()).Related(p.Span(), "the parameter")
		return nil, true
	}
	return nil, false
}

// isDist reports whether an expression names or calls a distribution or a template.
func (c *checker) isDist(s *scope.Scope, e ast.Expr) bool {
	if c.template(s, e) != nil {
		return true
	}
	n, ok := calleeOf(e).(*ast.Name)
	return ok && s.Lookup(n.Name) == nil && stdlib.Dists()[n.Name] != nil
}

// takePassedDist replaces a draw's distribution by the one passed to the template if the draw names a parameter of the
// template; otherwise it returns false.
func (c *checker) takePassedDist(d *scope.Draw) bool {
	if d.Stmt.Dist == nil {
		return false
	}
	n, ok := d.Stmt.Dist.Base.(*ast.Name)
	if !ok {
		return false
	}
	e := d.Scope.Lookup(n.Name)
	if e == nil || e.Dist == nil {
		return false
	}
	chosen := c.chosenDist(d.Scope.Within(), e.Dist)
	stmt, dist := *d.Stmt, *d.Stmt.Dist
	dist.Base, stmt.Dist = chosen.Expr, &dist
	d.Stmt, d.Scope = &stmt, scope.New(chosen.Scope)
	return true
}

// chosenDist returns the distribution of a layer's weights: the one given where the layer is used, or else the prior
// that a statement gives to this layer or to all weights, or else the template's default. It reports an error if the
// layer and a statement both give one.
func (c *checker) chosenDist(inst *scope.Instance, dist *scope.PassedDist) *scope.PassedDist {
	if inst == nil || inst.Net == nil {
		return dist
	}
	name := inst.Prefix + "." + dist.Name
	if !slices.Contains(inst.Net.Given, name) {
		inst.Net.Given = append(inst.Net.Given, name)
	}
	own, all := c.priorNamed(name), c.priorNamed(inst.Net.Fn.Name+".weights")
	switch {
	case !dist.ByDefault && own != nil:
		if !own.used {
			c.Errorf(diag.TwoWeightPriors, own.head.Span(), "`%s` has two priors: this one, and one where "+
				"the layer is used", name).
				Related(dist.Expr.Span(), "the other")
		}
		own.used = true
	case !dist.ByDefault:
	case own != nil || all != nil:
		if own == nil {
			own = all
		}
		own.used = true
		return &scope.PassedDist{Name: dist.Name, Expr: own.stmt.Dist.Base, Scope: c.global, ByDefault: false}
	default:
		inst.Net.Plain = true
	}
	return dist
}

// unusedPriors reports an error for each prior that no weights use, unless the network is never called or has an error.
func (c *checker) unusedPriors() {
	for _, p := range c.priors {
		root := p.head.Path[0].Name
		e := c.global.Lookup(root)
		switch {
		case p.used || c.dropped[root]:
		case e == nil || e.Fn == nil || e.Fn.Stmt == nil || !c.isNetwork(e.Fn):
			c.Errorf(diag.NoSuchWeights, p.head.Span(), "`%s`: `%s` has no weights", p.head.Name(), root).
				Help("a network is a function whose body has layers: `%s(x) = x -> dense(8)`", root)
		case c.networks[e.Fn] == nil || c.networks[e.Fn].Broken: // never called, or has an error
		case p.head.Name() == root+".weights":
			c.Errorf(diag.NoSuchWeights, p.head.Span(), "`%s` has no effect: each weight of `%s` has a separate "+
				"prior", p.head.Name(), root)
		default:
			c.Errorf(diag.NoSuchWeights, p.head.Span(), "`%s` is not a weight of `%s`", p.head.Name(), root).
				Help("`%s` has %s", root, diag.And(c.networks[e.Fn].Given))
		}
	}
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
