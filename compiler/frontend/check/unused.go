package check

import (
	"slices"

	"ppl/compiler/frontend/lint"
	"ppl/compiler/frontend/model"
	"ppl/lang/diag"
)

// influential are the arrays on which an observation, what is generated, or a density by formula depends, through
// distributions and definitions.
func (c *checker) influential() map[*model.Array]bool {
	found, terms := map[*model.Array]bool{}, map[*model.Array][]*model.Term{}
	for _, t := range c.Model.Terms {
		terms[t.Array] = append(terms[t.Array], t)
	}
	var follow func(xs []model.Expr)
	enter := func(a *model.Array) {
		for _, t := range terms[a] {
			follow(t.Exprs())
		}
		for _, p := range a.Pieces {
			follow([]model.Expr{p.Value})
		}
	}
	follow = func(xs []model.Expr) {
		for _, x := range xs {
			for _, a := range model.Arrays(x) {
				if !found[a] {
					found[a] = true
					enter(a)
				}
			}
		}
	}
	for _, t := range c.Model.Terms {
		if t.Kind == model.Likelihood || t.Kind == model.Generate || t.Density != nil || t.Array.Missing {
			follow(t.Exprs())
		}
	}
	for _, a := range c.Model.Arrays {
		if a.Save && a.Role == model.Definition {
			enter(a)
		}
	}
	return found
}

// unused warns of data nothing reads and of parameters without influence, and recognises a typing mistake in both at
// once.
func (c *checker) unused() {
	var idleData []*entity
	for _, e := range c.global.order {
		if e.array != nil && e.array.decl != nil && !e.used && !e.array.observed && !c.namesSet(e.name) &&
			!c.groupsRows(e.array) {
			idleData = append(idleData, e)
		}
	}
	found := c.influential()
	target := !slices.ContainsFunc(c.Model.Terms, func(t *model.Term) bool { return t.Kind == model.Likelihood })
	for _, e := range c.global.order {
		if e.array == nil || e.array.Role != model.Parameter && (e.array.Role != model.Latent || e.used) || e.used &&
			(target || found[e.array.Array]) || len(e.array.Pieces) == 0 || e.array.Pieces[0].Term == nil ||
			e.array.Pieces[0].Term.Density != nil {
			continue
		}
		near := nearEntity(e.name, idleData)
		if near != nil && !e.used {
			c.Errorf(diag.UnreadParameter, e.at, "`%s` is a parameter nothing reads, and data `%s` is never used: %s",
				e.name, near.name, diag.Meant("`%s`", near.name)).
				Related(near.at, "declared here")
			near.used = true
		} else if !target {
			d := c.Diags.Warnf(diag.NoInfluence, e.at, "parameter `%s` has no influence on any observation; its "+
				"posterior is its prior", e.name)
			switch t := e.array.Pieces[0].Term; {
			case t.Dist.Improper && t.In == nil:
				d.Help("its prior is improper, so there is nothing to draw from: give it a proper one, or "+
					"leave `%s` out", e.name)
			case c.onlyIn(e.array.Array) != "":
				d.Help("only `%s` reads it, which nothing reads: is `%s` meant where another name stands?",
					c.onlyIn(e.array.Array), c.onlyIn(e.array.Array))
			case lint.Correlations(c.Model) != "" && e.array.Type.Range.Lo >= 0:
				d.Help("if it scales what `%s` correlates, write `MvNormal(…, sd = %s, corr = %s)`",
					lint.Correlations(c.Model), e.name, lint.Correlations(c.Model))
			case !e.used:
				d.Help("for draws after inference write `generate %s ~ …`", e.name)
			}
		}
	}
	for _, e := range idleData {
		if !e.used {
			c.Diags.Warnf(diag.UnusedData, e.at, "data `%s` is never used", e.name).
				Help("read `%s` in a formula, or leave it out of the `data` statement", e.name)
		}
	}
}

// onlyIn is the definition that reads a parameter and that nothing reads; "" if there is none.
func (c *checker) onlyIn(p *model.Array) string {
	for _, e := range c.global.order {
		if e.array == nil || e.used || e.array.Role != model.Definition {
			continue
		}
		for _, piece := range e.array.Pieces {
			if slices.Contains(model.Arrays(piece.Value), p) {
				return e.name
			}
		}
	}
	return ""
}

// groupsRows reports whether data may say to which group the rows of ragged data belong.
func (c *checker) groupsRows(a *arrayInfo) bool {
	return a.IndexOf != nil && slices.ContainsFunc(c.Model.Arrays, func(b *model.Array) bool {
		return b.Role == model.Data && b.Ragged != nil && b.Ragged.Outer.Set.Same(a.IndexOf)
	})
}

func nearEntity(name string, among []*entity) *entity {
	var names []string
	for _, e := range among {
		names = append(names, e.name)
	}
	if near, ok := diag.Nearest(name, names); ok {
		for _, e := range among {
			if e.name == near {
				return e
			}
		}
	}
	return nil
}

// namesSet reports whether a data scalar is used as an index set.
func (c *checker) namesSet(name string) bool {
	for _, a := range c.Model.Arrays {
		for _, s := range a.Type.Axes {
			if s.Name == name {
				return true
			}
		}
	}
	return false
}
