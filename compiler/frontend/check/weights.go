package check

import (
	"maps"
	"slices"

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

// collectPrior enters a prior of a network's weights.
func (c *checker) collectPrior(h *ast.Head, st *ast.Draw, s *scope) {
	switch old := c.priorNamed(h.Name()); {
	case s != c.global || len(h.Slots) > 0 || hasModifiers(st.Dist) || st.Generate:
		c.Errorf(diag.Syntax, h.Span(), "a prior of weights stands at the top of a file and has neither indices nor "+
			"modifiers: `%s ~ Normal(0, 1)`", h.Name())
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

// passDist is the distribution that a template's parameter gets; not ok for parameters that are values. A distribution
// that is nil was reported.
func (c *checker) passDist(s, inner *scope, fn *function, p *ast.Param, given *ast.Arg) (dist *passedDist, ok bool) {
	if fn.draw == nil {
		return nil, false
	}
	byDefault := p.Default != nil && c.isDist(inner, p.Default)
	if given == nil {
		return &passedDist{name: p.Name.Name, expr: p.Default, scope: inner, byDefault: true}, byDefault
	}
	if n, isName := given.Value.(*ast.Name); isName {
		if e := s.lookup(n.Name); e != nil && e.dist != nil { // the use's own argument, passed on
			return &passedDist{name: p.Name.Name, expr: e.dist.expr, scope: e.dist.scope,
				byDefault: e.dist.byDefault}, true
		}
	}
	switch {
	case c.isDist(s, given.Value):
		return &passedDist{name: p.Name.Name, expr: given.Value, scope: s, byDefault: false}, true
	case byDefault:
		c.Errorf(diag.Arguments, given.Span(), "`%s` of `%s` is a distribution: `%[1]s = %[3]s`", p.Name.Name, fn.name,
			p.Default.Span().Text()).Related(p.Span(), "the parameter")
		return nil, true
	}
	return nil, false
}

// isDist reports whether an expression names a distribution or a template.
func (c *checker) isDist(s *scope, e ast.Expr) bool {
	if c.template(s, e) != nil {
		return true
	}
	n, ok := calleeOf(e).(*ast.Name)
	return ok && s.lookup(n.Name) == nil && stdlib.Dists()[n.Name] != nil
}

// takePassedDist replaces a draw's distribution by the one that the template was given.
func (c *checker) takePassedDist(d *draw) bool {
	if d.stmt.Dist == nil {
		return false
	}
	n, ok := d.stmt.Dist.Base.(*ast.Name)
	if !ok {
		return false
	}
	e := d.scope.lookup(n.Name)
	if e == nil || e.dist == nil {
		return false
	}
	chosen := c.chosenDist(d.scope.within(), e.dist)
	stmt, dist := *d.stmt, *d.stmt.Dist
	dist.Base, stmt.Dist = chosen.expr, &dist
	d.stmt, d.scope = &stmt, newScope(chosen.scope)
	return true
}

// chosenDist is what the use of a layer gives, else what a statement says of the layer or of all weights, else the
// template's default.
func (c *checker) chosenDist(inst *instance, dist *passedDist) *passedDist {
	if inst == nil || inst.net == nil {
		return dist
	}
	name := inst.prefix + "." + dist.name
	if !slices.Contains(inst.net.given, name) {
		inst.net.given = append(inst.net.given, name)
	}
	own, all := c.priorNamed(name), c.priorNamed(inst.net.fn.name+".weights")
	switch {
	case !dist.byDefault && own != nil:
		if !own.used {
			c.Errorf(diag.TwoWeightPriors, own.head.Span(), "`%s` has two priors: this one, and one where "+
				"the layer is used", name).
				Related(dist.expr.Span(), "the other")
		}
		own.used = true
	case !dist.byDefault:
	case own != nil || all != nil:
		if own == nil {
			own = all
		}
		own.used = true
		return &passedDist{name: dist.name, expr: own.stmt.Dist.Base, scope: c.global, byDefault: false}
	default:
		inst.net.plain = true
	}
	return dist
}

// unusedPriors refuses priors of what is no weight of a network.
func (c *checker) unusedPriors() {
	for _, p := range c.priors {
		root := p.head.Path[0].Name
		e := c.global.lookup(root)
		switch {
		case p.used || c.dropped[root]:
		case e == nil || e.fn == nil || e.fn.stmt == nil || !c.isNetwork(e.fn):
			c.Errorf(diag.NoSuchWeights, p.head.Span(), "`%s`: `%s` has no weights", p.head.Name(), root).
				Help("a network is a function whose body has layers: `%s(x) = x -> dense(8)`", root)
		case c.networks[e.fn] == nil || c.networks[e.fn].broken: // never called, or refused
		case p.head.Name() == root+".weights":
			c.Errorf(diag.NoSuchWeights, p.head.Span(), "`%s`: every weight of `%s` has a prior of its own",
				p.head.Name(), root)
		default:
			c.Errorf(diag.NoSuchWeights, p.head.Span(), "`%s` is no weight of `%s`", p.head.Name(), root).
				Help("`%s` has %s", root, diag.And(c.networks[e.fn].given))
		}
	}
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
