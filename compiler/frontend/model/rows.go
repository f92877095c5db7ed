package model

import (
	"strings"

	"ppl/lang/diag"
	"ppl/lang/source"
)

// A RowSet is a product of plates over which observations are independent given the parameters, each at a cost that
// does not grow with the number of rows: what minibatches are drawn from. A row has one coordinate for each of Axes;
// coordinates are named by their number. In y[i in I, j in J] ~ Normal(a[i] + b[j], 1) with the row set I × J, i is
// coordinate 0 and j is coordinate 1.
//
// Index, Arrays and Along say how to evaluate the terms for given rows: the coordinate whose value an index has; and
// for each axis of a definition or an expression, the coordinate at which alone it is read, −1 if it is read otherwise.
type RowSet struct {
	Axes   []*Set
	Of     *Term          // the observation whose plates they are
	Terms  map[*Term]bool // those that are evaluated by row; observations among the rest belong to no row
	Index  map[*Index]int
	Arrays map[*Array][]int
	Along  map[Expr][]int

	// Inside is the same row set, but also for expressions that depend on data alone, as far as they can be evaluated
	// for one row: how to evaluate the terms where data are too large to be in memory.
	Inside *RowSet
}

// Name returns the row set as a user writes it: N, or I × J.
func (s *RowSet) Name() string {
	names := make([]string, len(s.Axes))
	for i, a := range s.Axes {
		names[i] = a.Name
	}
	return strings.Join(names, " × ")
}

// SameAxes reports whether two row sets are over the same sets.
func (s *RowSet) SameAxes(t *RowSet) bool { return SameSets(s.Axes, t.Axes) }

// A Coupling is why an observation's elements are not rows: code, text and position of the diagnostic.
type Coupling struct {
	Code diag.Code
	At   source.Span
	Text string
	Of   *Term
}

// RowText says in one line what a row of log ℓ is, or what couples the data; empty for a model that observes nothing.
func (m *Model) RowText() string {
	var sets []string
	for _, s := range m.RowSets {
		sets = append(sets, s.Name())
	}
	switch {
	case len(sets) == 1:
		return "rows of `" + m.RowSets[0].Of.Array.Name + "` over " + sets[0] +
			" are independent given the parameters: minibatches can be drawn from them"
	case len(sets) > 1:
		return "rows over " + strings.Join(sets, ", or ") +
			" are independent given the parameters: minibatches can be drawn from those that are the most"
	case len(m.Couplings) > 0:
		return "no minibatches: " + m.Couplings[0].Text
	}
	return ""
}
