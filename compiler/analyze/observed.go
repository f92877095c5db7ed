package analyze

import (
	"ppl/compiler/model"
	"ppl/lang/diag"
	"ppl/lang/source"
)

// Observations refuses two distributions for the same elements of an array: each element is one event. Density is
// exempt, since it adds a factor.
func Observations(m *model.Model, diags *diag.List) {
	observed := map[*model.Array][]*model.Term{}
	for _, t := range m.Terms {
		if t.Kind != model.Likelihood || t.Density != nil {
			continue
		}
		if old := sameElements(t, observed[t.Array]); old != nil {
			diags.Errorf("E32", t.At, "`%s` is observed by two statements at the same elements",
				t.Array.Name).Related(old.At, "the other statement").
				Help("a second factor for the same data is written `%s ~ Density(…)`", t.At.Text())
			continue
		}
		observed[t.Array] = append(observed[t.Array], t)
	}
}

// sameElements is one of some observations that shares elements with t, nil if none does.
func sameElements(t *model.Term, among []*model.Term) *model.Term {
	for _, u := range among {
		if model.Overlap(observedRegion(t), observedRegion(u)) {
			return u
		}
	}
	return nil
}

// observedRegion is a term's part of each axis of what it observes.
func observedRegion(t *model.Term) []*model.Set {
	sets := append([]*model.Set{}, t.Array.Type.Axes...)
	if sub, ok := t.Value.(*model.Subscript); ok {
		for k, s := range sub.Subs {
			if v, plain := s.At.(*model.IndexVar); plain {
				sets[k] = v.Index.Set
			} else {
				sets[k] = model.Slot{At: s.At}.Set()
			}
		}
	}
	return sets
}

// Generated refuses a model that reads what is drawn after inference.
func Generated(m *model.Model, diags *diag.List) {
	for _, t := range m.Terms {
		if t.Kind == model.Generate {
			continue
		}
		for _, a := range termReads(t) {
			if a.Role == model.Generated {
				diags.Errorf("E84", t.At, "the model reads `%s`, which is drawn only after inference", a.Name).
					Related(a.At, "drawn here").
					Help("a parameter is drawn without `generate`")
			}
		}
	}
}

// PriorOnly warns of a model in which nothing is more than a prior.
func PriorOnly(m *model.Model, diags *diag.List) {
	for _, t := range m.Terms {
		if t.Kind == model.Likelihood || t.Density != nil {
			return
		}
	}
	start := source.Span{File: m.Source, Start: 0, End: min(1, len(m.Source.Text))}
	diags.Warnf("E34", start, "no data or observation: the model has only a prior").
		Help("declare data and give them a distribution: `data y[N]`, and `y ~ …`")
}

// termReads lists the arrays that a term reads, through definitions.
func termReads(t *model.Term) []*model.Array {
	seen := map[*model.Array]bool{}
	var out []*model.Array
	var visit func(e model.Expr)
	visit = func(e model.Expr) {
		model.Walk(e, func(x model.Expr) {
			r, ok := x.(*model.Ref)
			if !ok || seen[r.Array] {
				return
			}
			seen[r.Array] = true
			out = append(out, r.Array)
			for _, p := range r.Array.Pieces {
				if p.Value != nil {
					visit(p.Value)
				}
			}
		})
	}
	for _, e := range t.Exprs() {
		visit(e)
	}
	return out
}
