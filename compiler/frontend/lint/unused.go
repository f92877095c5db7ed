package lint

import (
	"slices"

	"ppl/compiler/frontend/model"
	"ppl/compiler/frontend/scope"
	"ppl/lang/diag"
)

// influential returns the arrays on which an observation, a quantity after inference or a log density by formula
// depends, directly or through distributions and definitions.
func influential(m *model.Model) map[*model.Array]bool {
	found, terms := map[*model.Array]bool{}, map[*model.Array][]*model.Term{}
	for _, t := range m.Terms {
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
	for _, t := range m.Terms {
		if t.Kind == model.Likelihood || t.Kind == model.Generate || t.Density != nil || t.Array.Missing {
			follow(t.Exprs())
		}
	}
	for _, a := range m.Arrays {
		if a.Save && a.Role == model.Definition {
			enter(a)
		}
	}
	return found
}

// WarnUnused warns about data that nothing reads and about parameters without influence on an observation. If the names
// of unread data and of an unread parameter are nearly equal, it reports a typing error instead.
func WarnUnused(m *model.Model, global *scope.Scope, diags *diag.List) {
	var idleData []*scope.Entity
	for _, e := range global.Order {
		if e.Array != nil && e.Array.Decl != nil && !e.Used && !e.Array.Observed && !namesSet(e.Name, m) &&
			!groupsRows(e.Array, m) {
			idleData = append(idleData, e)
		}
	}
	found := influential(m)
	target := !slices.ContainsFunc(m.Terms, func(t *model.Term) bool { return t.Kind == model.Likelihood })
	for _, e := range global.Order {
		if e.Array == nil || e.Array.Role != model.Parameter && (e.Array.Role != model.Latent || e.Used) || e.Used &&
			(target || found[e.Array.Array]) || len(e.Array.Pieces) == 0 || e.Array.Pieces[0].Term == nil ||
			e.Array.Pieces[0].Term.Density != nil {
			continue
		}
		near := nearEntity(e.Name, idleData)
		if near != nil && !e.Used {
			diags.Errorf(diag.UnreadParameter, e.At,
				"nothing reads the parameter `%s`, and the data `%s` are never used: %s",
				e.Name, near.Name, diag.Meant("`%s`", near.Name)).
				Related(near.At, "declared here")
			near.Used = true
		} else if !target {
			d := diags.Warnf(diag.NoInfluence, e.At, "parameter `%s` has no influence on any observation; its "+
				"posterior is its prior", e.Name)
			switch t := e.Array.Pieces[0].Term; {
			case t.Dist.Improper && t.In == nil:
				d.Help("its prior is improper, and so is its posterior: give `%[1]s` a proper prior, or leave "+
					"`%[1]s` out",
					e.Name)
			case onlyIn(e.Array.Array, global) != "":
				d.Help("only `%s` uses it, and nothing uses `%s`: should another statement use `%s`?",
					onlyIn(e.Array.Array, global), onlyIn(e.Array.Array, global), onlyIn(e.Array.Array, global))
			case correlations(m) != "" && e.Array.Type.Range.Lo >= 0:
				d.Help("if it is the scale of values with correlations `%s`, write `MvNormal(…, sd = %s, corr = %s)`",
					correlations(m), e.Name, correlations(m))
			case !e.Used:
				d.Help("for draws after inference write `generate %s ~ …`", e.Name)
			}
		}
	}
	for _, e := range idleData {
		if !e.Used {
			diags.Warnf(diag.UnusedData, e.At, "data `%s` is never used", e.Name).
				Help("use `%s` in a formula, or leave it out of the `data` statement", e.Name)
		}
	}
}

// onlyIn returns the name of a definition that reads a parameter and that nothing reads, or "" if there is none.
func onlyIn(p *model.Array, global *scope.Scope) string {
	for _, e := range global.Order {
		if e.Array == nil || e.Used || e.Array.Role != model.Definition {
			continue
		}
		for _, piece := range e.Array.Pieces {
			if slices.Contains(model.Arrays(piece.Value), p) {
				return e.Name
			}
		}
	}
	return ""
}

// groupsRows reports whether data may map the rows of ragged data to their groups.
func groupsRows(a *scope.Array, m *model.Model) bool {
	return a.IndexOf != nil && slices.ContainsFunc(m.Arrays, func(b *model.Array) bool {
		return b.Role == model.Data && b.Ragged != nil && b.Ragged.Outer.Set.Same(a.IndexOf)
	})
}

func nearEntity(name string, among []*scope.Entity) *scope.Entity {
	var names []string
	for _, e := range among {
		names = append(names, e.Name)
	}
	if near, ok := diag.Nearest(name, names); ok {
		for _, e := range among {
			if e.Name == near {
				return e
			}
		}
	}
	return nil
}

// namesSet reports whether a name is the index set of an axis.
func namesSet(name string, m *model.Model) bool {
	for _, a := range m.Arrays {
		for _, s := range a.Type.Axes {
			if s.Name == name {
				return true
			}
		}
	}
	return false
}
