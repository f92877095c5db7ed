package evaluate

import (
	"slices"

	"ppl/compiler/frontend/model"
)

// A Source returns the values that have no formula in the model: a parameter, a latent, a replicate, a state inside a
// solver. Sources nest: a source that has no value asks the next one. The results report whether a source has a value.
//
//	y ~ Normal(m, exp(t))    Piece(m): a slice of theta, or an input named "m"
//	z ~ Bernoulli(p)         Array(z): an index over 0..1, while z is summed out
//	u'(t) = -k * u(t)        Expr(u(t)): a slice of the solver's state, inside a step
type Source interface {
	// Piece returns the value of a piece of a parameter or of an array drawn after inference, with the plates as bound
	// axes and the event axes as own axes.
	Piece(e *Evaluator, p *model.Piece) (Value, bool)
	Array(e *Evaluator, a *model.Array) (Value, bool)
	Expr(e *Evaluator, x model.Expr) (Value, bool)
	// Scanned returns the rule for a piece with a distribution that a scan computes step by step; nil if its value is
	// known without the scan.
	Scanned(e *Evaluator, p *model.Piece) *Rule
}

// A Rule describes how a scan computes a piece that has a distribution.
type Rule struct {
	Reads []model.Expr // expressions that Value evaluates
	Given *Known       // a value over the piece's plates that Value may read, or nil
	Value func(step *Evaluator) Value
}

// NoSource is a source without values, for expressions that depend on data alone, and for steps whose inputs have all
// been entered.
type NoSource struct{}

// Piece returns no value.
func (NoSource) Piece(*Evaluator, *model.Piece) (Value, bool) { return Value{}, false }

// Array returns no value.
func (NoSource) Array(*Evaluator, *model.Array) (Value, bool) { return Value{}, false }

// Expr returns no value.
func (NoSource) Expr(*Evaluator, model.Expr) (Value, bool) { return Value{}, false }

// Scanned returns no rule.
func (NoSource) Scanned(*Evaluator, *model.Piece) *Rule { return nil }

// A RowView restricts evaluation to some rows of a row set. An index or an axis that represents a coordinate of the row
// is then not an axis of a value: the bound axis Batch, which runs over the rows, replaces it.
//
//	y[i in N] ~ Normal(a[g[i]] * x[i], s)    rows 7 and 2 of N: Coordinate(i) = [7, 2], over Batch
//	                                         x[i] reads x at [7, 2]; a[g[i]] reads a at g[7], g[2]
type RowView interface {
	Batch() *model.Index
	IsCoordinate(i *model.Index) bool
	Coordinate(i *model.Index) Value // value of an index that is a coordinate
	Along(x model.Expr) []int        // for each axis of x, the coordinate of its reads, or −1; nil if it has none
	// View returns an array as one row reads it, without the axes that are read at the row; Of returns the array that a
	// view shows.
	View(e *Evaluator, a *model.Array) *model.Array
	Of(view *model.Array) *model.Array
	Chosen(e *Evaluator, view *model.Array) (Value, bool) // value of a view whose pieces are for different rows
	Neighbour(e *Evaluator, s *model.Subscript) (rest *model.Subscript, x Value, ok bool)
	Whole() *Evaluator // evaluator of all rows
	InStep() RowView   // view for a step of a scan, whose values at the row were evaluated outside
}

// isRow reports whether an index represents a coordinate of the row.
func (e *Evaluator) isRow(i *model.Index) bool { return e.Rows != nil && e.Rows.IsCoordinate(i) }

// Plates returns the indices of `is`, with the index of the batch instead of the indices that represent coordinates of
// a row.
func (e *Evaluator) Plates(is []*model.Index) []*model.Index {
	rest := e.InRow(is)
	if len(rest) < len(is) {
		rest = append(rest, e.Rows.Batch())
	}
	return rest
}

// InRow returns the indices that do not represent a coordinate.
func (e *Evaluator) InRow(is []*model.Index) []*model.Index {
	return slices.DeleteFunc(slices.Clone(is), e.isRow)
}

// Along returns, for each axis of an expression, the coordinate at which it is read, or −1; nil if the expression is
// not read at the row.
func (e *Evaluator) Along(x model.Expr) []int {
	if e.Rows == nil {
		return nil
	}
	return e.Rows.Along(x)
}

// AxesOf returns an expression's own axes without those that are read at the row.
func (e *Evaluator) AxesOf(x model.Expr) []*model.Set {
	return WithoutRow(x.Info().Type.Axes, e.Along(x))
}

// WithoutRow removes the entries of a list that belong to axes read at a coordinate of the row. The list has one entry
// per axis (the axes, or their subscripts or slots); `at` is −1 for entries to keep.
func WithoutRow[T any](xs []T, at []int) []T {
	if at == nil {
		return xs
	}
	var out []T
	for k, x := range xs {
		if k >= len(at) || at[k] < 0 {
			out = append(out, x)
		}
	}
	return out
}

// view returns an array as the rows read it.
func (e *Evaluator) view(a *model.Array) *model.Array {
	if e.Rows == nil {
		return a
	}
	return e.Rows.View(e, a)
}

// shown returns the array that a view shows.
func (e *Evaluator) shown(v *model.Array) *model.Array {
	if e.Rows == nil {
		return v
	}
	return e.Rows.Of(v)
}

// Whole returns the evaluator of all rows.
func (e *Evaluator) Whole() *Evaluator {
	if e.Rows == nil {
		return e
	}
	return e.Rows.Whole()
}

// A Known is an expression with a given value.
type Known struct {
	model.Fact
	Value Value
}

// Children returns no expressions, since the value is given.
func (*Known) Children() []model.Expr { return nil }

// Remember enters the value of an expression.
func (e *Evaluator) Remember(x model.Expr, v Value) {
	for _, memo := range e.exprs {
		memo[x] = v
	}
}
