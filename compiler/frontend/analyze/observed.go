package analyze

import (
	"ppl/compiler/frontend/model"
	"ppl/lang/diag"
	"ppl/lang/source"
)

// Observations reports an error if two statements give a distribution to the same elements of an array. Density is
// exempt, because it adds a factor.
func Observations(m *model.Model, diags *diag.List) {
	observed := map[*model.Array]*regions{}
	for _, t := range m.Terms {
		if t.Kind != model.Likelihood || t.Density != nil {
			continue
		}
		if observed[t.Array] == nil {
			observed[t.Array] = &regions{elements: map[string]*model.Term{}}
		}
		if old := observed[t.Array].add(t); old != nil {
			diags.Errorf(diag.ObservedTwice, t.At, "`%s` is observed by two statements at the same elements",
				t.Array.Name).Related(old.At, "the other statement").
				Help("a second factor for the same data is written `%s ~ Density(…)`", t.At.Text())
		}
	}
}

// regions records which elements of an array statements observe. Single elements, of which there may be many, are in a
// map by position.
type regions struct {
	elements map[string]*model.Term
	others   []region
}

type region struct {
	term *model.Term
	sets []*model.Set
}

// add records the elements that a term observes. If another term already observes some of them, add returns that term,
// otherwise nil.
func (r *regions) add(t *model.Term) (old *model.Term) {
	sets := observedRegion(t)
	for _, u := range r.others {
		if model.Overlap(sets, u.sets) {
			return u.term
		}
	}
	place, single := elementKey(sets)
	if single {
		old = r.elements[place]
		if old == nil {
			r.elements[place] = t
		}
		return old
	}
	for _, u := range r.elements {
		if model.Overlap(sets, observedRegion(u)) && (old == nil || u.At.Start < old.At.Start) {
			old = u
		}
	}
	if old == nil {
		r.others = append(r.others, region{t, sets})
	}
	return old
}

// elementKey returns a key for the position of a single element whose subscripts are numbers. single is false for other
// regions.
func elementKey(sets []*model.Set) (place string, single bool) {
	for _, s := range sets {
		at := model.AffineOf(s.Lo)
		if !at.IsConst() || !model.SameForm(s.Lo, s.Hi) {
			return "", false
		}
		place += at.Key() + ","
	}
	return place, true
}

// observedRegion returns, for each axis of an array, the set of the subscripts at which a term observes it.
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

// Generated reports an error if the model reads a quantity that is drawn after inference.
func Generated(m *model.Model, diags *diag.List) {
	for _, t := range m.Terms {
		if t.Kind == model.Generate {
			continue
		}
		for _, a := range termReads(t) {
			if a.Role == model.Generated {
				diags.Errorf(diag.AfterInference, t.At, "the model reads `%s`, which is drawn only after inference",
					a.Name).
					Related(a.At, "drawn here").
					Help("to make `%s` a parameter, delete `generate`", a.Name)
			}
		}
	}
}

// PriorOnly warns if a model has neither observations nor factors, unless it only draws with `generate`.
func PriorOnly(m *model.Model, diags *diag.List) {
	generates, priors := false, false
	for _, t := range m.Terms {
		if t.Kind == model.Likelihood || t.Density != nil || t.Array.Missing {
			return
		}
		generates, priors = generates || t.Kind == model.Generate, priors || t.Kind == model.Prior
	}
	if generates && !priors {
		return
	}
	start := source.Span{File: m.Source, Start: 0, End: min(1, len(m.Source.Text))}
	diags.Warnf(diag.NoData, start, "no observations: the model has only a prior").
		Help("declare data and give them a distribution: `data y[N]`, and `y ~ …`")
}

// termReads lists the arrays that a term reads, directly or through definitions.
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
