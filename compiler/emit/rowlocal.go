package emit

import (
	"slices"

	"ppl/compiler/model"
)

// Arrays of function bodies. In
//
//	run(v[T]) = {
//	    w[t in T] = tanh(v[t] * b)
//	    return sum(w)
//	}
//	y[i in N] ~ Normal(run(x[i]), 0.1)
//
// `w` has the axis T alone, but its statement, with `x[i]` in place of `v`, reads the row's index `i`. Such an array is evaluated for the rows of
// the batch, although no axis of it is read at the row.

// readsRow reports whether the statements of a definition, or of definitions that they read, use an index of the row without binding it.
func (r *rowReader) readsRow(a *model.Array) bool {
	found, known := r.local[a]
	if !known {
		found = r.findsRow(a, map[*model.Array]bool{})
		r.local[a] = found
	}
	return found
}

// findsRow searches a and what it reads, each array once: definitions may read each other.
func (r *rowReader) findsRow(a *model.Array, seen map[*model.Array]bool) bool {
	if a.Role != model.Definition || seen[a] {
		return false
	}
	seen[a] = true
	for _, p := range a.Pieces {
		if slices.ContainsFunc(freeIndices(p), r.isRow) {
			return true
		}
		for _, b := range model.Arrays(p.Exprs()...) {
			if r.findsRow(b, seen) {
				return true
			}
		}
	}
	return false
}

func (r *rowReader) isRow(i *model.Index) bool {
	_, ok := r.set.Index[i]
	return ok
}

// freeIndices are the indices that a piece of a definition reads and does not bind: those of the place where a function is called.
func freeIndices(p *model.Piece) (free []*model.Index) {
	roots := p.Exprs()
	inside := append(boundInside(roots), p.Plates...)
	for _, x := range roots {
		model.Walk(x, func(y model.Expr) {
			if v, ok := y.(*model.IndexVar); ok && !slices.Contains(inside, v.Index) {
				free = append(free, v.Index)
			}
		})
	}
	return free
}

// onceForAll reports whether an array that reads the row is evaluated for all rows before sampling: a recurrence over data. Other arithmetic on
// data is cheaper done for some rows than kept for all.
func (e *emitter) onceForAll(a *model.Array) bool {
	return !e.b.streamedArray(a) && slices.ContainsFunc(a.Pieces, func(p *model.Piece) bool { return p.Recurrence != nil }) && static(a)
}

func static(a *model.Array) bool {
	return !slices.ContainsFunc(a.Pieces, func(p *model.Piece) bool { return p.Value == nil || !p.Value.Info().Static })
}
