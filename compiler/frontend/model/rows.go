package model

import (
	"strings"

	"ppl/lang/diag"
	"ppl/lang/source"
)

// A RowSet is a product of plates over which observations are independent given the parameters, and over which the cost
// of one row does not grow with the number of rows. Minibatches are drawn from it. A row has one coordinate for each of
// Axes, and coordinates are numbered. In y[i in I, j in J] ~ Normal(a[i] + b[j], 1) with the row set I × J, i is
// coordinate 0 and j is coordinate 1.
//
// Index, Arrays and Along describe how to evaluate the terms for given rows. Index maps an index to the coordinate
// whose
// value it has. Arrays and Along give, for each axis of a definition or expression, the one coordinate at which it is
// read, or −1 if it is read in another way.
type RowSet struct {
	Axes   []*Set
	Of     *Term          // the observation that has these plates
	Terms  map[*Term]bool // terms that are evaluated by row
	Index  map[*Index]int
	Arrays map[*Array][]int
	Along  map[Expr][]int

	// Inside is the same row set, extended to expressions that depend only on data, as far as they can be evaluated for
	// one row. It is used if data are too large for memory.
	Inside *RowSet
}

// Name returns the name of the row set as a user writes it: N, or I × J.
func (s *RowSet) Name() string {
	names := make([]string, len(s.Axes))
	for i, a := range s.Axes {
		names[i] = a.Name
	}
	return strings.Join(names, " × ")
}

// SameAxes reports whether two row sets have the same axes.
func (s *RowSet) SameAxes(t *RowSet) bool { return SameSets(s.Axes, t.Axes) }

// A Coupling is a reason why the rows of observation Of are not independent, with the code, text and position of a
// diagnostic.
type Coupling struct {
	Code diag.Code
	At   source.Span
	Text string
	Of   *Term
}

// RowText describes in one line the row sets, or the first reason why there are none. It is empty for a model without
// observations.
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
			" are independent given the parameters: minibatches can be drawn from the most numerous ones"
	case len(m.Couplings) > 0:
		return "no minibatches: " + m.Couplings[0].Text
	}
	return ""
}
