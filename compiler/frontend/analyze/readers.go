package analyze

import (
	"slices"

	"ppl/compiler/frontend/model"
)

// readers maps each array of a model to the definitions that read it directly, and to the terms of its density that
// draw it or read it directly.
type readers struct {
	model       *model.Model
	definitions map[*model.Array][]*model.Array
	byTerms     map[*model.Array][]*model.Term
	place       map[*model.Term]int // maps a term of the density to its position in the model
	compared    int                 // number of terms that proofs have compared
}

func readersOf(m *model.Model) *readers {
	r := &readers{model: m, definitions: map[*model.Array][]*model.Array{}, byTerms: map[*model.Array][]*model.Term{},
		place: map[*model.Term]int{}}
	for _, a := range m.Arrays {
		if a.Role == model.Definition {
			for _, b := range model.Arrays(a.Exprs()...) {
				r.definitions[b] = append(r.definitions[b], a)
			}
		}
	}
	for _, t := range m.Terms {
		if t.Kind == model.Generate {
			continue
		}
		r.place[t] = len(r.place)
		r.byTerms[t.Array] = append(r.byTerms[t.Array], t)
		for _, b := range model.Arrays(t.Exprs()...) {
			r.byTerms[b] = append(r.byTerms[b], t)
		}
	}
	return r
}

// from returns a function that reports whether an array is one of the given arrays, or a definition that reads one of
// them directly or indirectly.
func (r *readers) from(arrays ...*model.Array) func(*model.Array) bool {
	set := r.reach(arrays)
	return func(a *model.Array) bool { return set[a] }
}

func (r *readers) reach(arrays []*model.Array) map[*model.Array]bool {
	set := map[*model.Array]bool{}
	for len(arrays) > 0 {
		a := arrays[0]
		arrays = arrays[1:]
		if !set[a] {
			set[a] = true
			arrays = append(arrays, r.definitions[a]...)
		}
	}
	return set
}

// termsOf returns, in model order, the terms that draw the arrays, or read them directly or through definitions.
func (r *readers) termsOf(arrays ...*model.Array) (out []*model.Term) {
	reading := map[*model.Term]bool{}
	for b := range r.reach(arrays) {
		for _, t := range r.byTerms[b] {
			if !reading[t] {
				reading[t] = true
				out = append(out, t)
			}
		}
	}
	slices.SortFunc(out, func(s, t *model.Term) int { return r.place[s] - r.place[t] })
	return out
}
