package minibatch

import (
	"slices"

	"ppl/compiler/density/evaluate"
	"ppl/compiler/frontend/model"
)

// An array in a function body may read the row without having an axis of the row. In
//
//	run(v[T]) = {
//	    w[t in T] = tanh(v[t] * b)
//	    return sum(w)
//	}
//	y[i in N] ~ Normal(run(x[i]), 0.1)
//
// `w` has only the axis T, but its statement, with `x[i]` substituted for `v`, reads the row's index `i`. Such an array
// is evaluated for the rows of the batch, although none of its axes is read at the row.

// readsRow reports whether a definition uses an index of the row without binding it.
func (r *View) readsRow(e *evaluate.Evaluator, a *model.Array) bool {
	return slices.ContainsFunc(e.IndicesOf(a), r.IsCoordinate)
}

// onceForAll reports whether an array that reads the row is evaluated once for all rows before sampling: a recurrence
// over data. Other arithmetic on data is cheaper to repeat for a batch than to store for all rows.
func onceForAll(e *evaluate.Evaluator, a *model.Array) bool {
	recurs := func(p *model.Piece) bool { return p.Recurrence != nil }
	return slices.ContainsFunc(a.Pieces, recurs) && onlyData(a) && !e.Data.StreamedArray(a)
}

// onlyData reports whether a definition depends on data only.
func onlyData(a *model.Array) bool {
	return !slices.ContainsFunc(a.Pieces, func(p *model.Piece) bool { return p.Value == nil || !p.Value.Info().Static })
}
