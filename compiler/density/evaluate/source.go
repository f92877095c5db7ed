package evaluate

import (
	"slices"

	"ppl/compiler/frontend/model"
)

// A Source gives the value of what has no formula in the model: a parameter, a latent, a replicate, a state inside a
// solver. Sources nest: one answers what it knows and asks the next for the rest. Each method reports whether it
// answers.
//
//	y ~ Normal(m, exp(t))    Piece(m): a slice of theta, or an input named "m"
//	z ~ Bernoulli(p)         Array(z): an index over 0..1, while z is summed out
//	u'(t) = -k * u(t)        Expr(u(t)): a slice of the solver's state, inside a step
type Source interface {
	// Piece is a piece of a parameter or of an array drawn after inference: bound plates, own event axes.
	Piece(e *Evaluator, p *model.Piece) (Value, bool)
	Array(e *Evaluator, a *model.Array) (Value, bool)
	Expr(e *Evaluator, x model.Expr) (Value, bool)
	// Scanned is the rule for a piece with a distribution that a scan computes step by step; nil if the piece is
	// known without the scan.
	Scanned(e *Evaluator, p *model.Piece) *Rule
}

// A Rule says how a scan computes a piece that has a distribution.
type Rule struct {
	Reads []model.Expr // what value evaluates
	Given *Known       // a value of the piece's plates that value may read; nil for none
	Value func(step *Evaluator) Value
}

// NoSource knows nothing: of what depends on data alone, and of steps that are given all that they read.
type NoSource struct{}

// Piece answers nothing.
func (NoSource) Piece(*Evaluator, *model.Piece) (Value, bool) { return Value{}, false }

// Array answers nothing.
func (NoSource) Array(*Evaluator, *model.Array) (Value, bool) { return Value{}, false }

// Expr answers nothing.
func (NoSource) Expr(*Evaluator, model.Expr) (Value, bool) { return Value{}, false }

// Scanned answers nothing.
func (NoSource) Scanned(*Evaluator, *model.Piece) *Rule { return nil }

// A RowView restricts evaluation to some rows of a row set. An index or an axis that represents a coordinate of the row
// is not an axis of a value then: the bound axis Batch, which runs over the rows, takes its place.
//
//	y[i in N] ~ Normal(a[g[i]] * x[i], s)    rows 7 and 2 of N: Coordinate(i) = [7, 2], over Batch
//	                                         x[i] reads x at [7, 2]; a[g[i]] reads a at g[7], g[2]
type RowView interface {
	Batch() *model.Index
	IsCoordinate(i *model.Index) bool
	Coordinate(i *model.Index) Value // of an index that is a coordinate
	Along(x model.Expr) []int        // of each axis of x the coordinate it is read at, or −1; nil if x is read whole
	// View is an array as one row sees it, without the axes that are read at the row; Of is the array that a view
	// shows.
	View(e *Evaluator, a *model.Array) *model.Array
	Of(view *model.Array) *model.Array
	Chosen(e *Evaluator, view *model.Array) (Value, bool) // a view whose pieces are for different rows
	Neighbour(e *Evaluator, s *model.Subscript) (rest *model.Subscript, x Value, ok bool)
	Whole() *Evaluator // the evaluator of all rows
	InStep() RowView   // inside a step of a scan, which is given what it reads of the row
}

// isRow reports whether an index represents a coordinate of the row.
func (e *Evaluator) isRow(i *model.Index) bool { return e.Rows != nil && e.Rows.IsCoordinate(i) }

// Plates returns the indices of is, with the batch's index instead of the indices that represent coordinates of a row.
func (e *Evaluator) Plates(is []*model.Index) []*model.Index {
	rest := e.InRow(is)
	if len(rest) < len(is) {
		rest = append(rest, e.Rows.Batch())
	}
	return rest
}

// InRow returns the indices that represent no coordinate.
func (e *Evaluator) InRow(is []*model.Index) []*model.Index {
	return slices.DeleteFunc(slices.Clone(is), e.isRow)
}

// Along says at which coordinates an expression's axes are read; nil: it is whole.
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

// WithoutRow leaves out of a list that goes with axes (the axes, or subscripts or slots of them) what is read at a
// coordinate of the row; at has −1 for the others.
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

// view returns an array as the rows see it.
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

// A Known is an expression whose value is already there.
type Known struct {
	model.Fact
	Value Value
}

// Children returns no expressions: the value is known.
func (*Known) Children() []model.Expr { return nil }

// Remember enters the value of an expression.
func (e *Evaluator) Remember(x model.Expr, v Value) {
	for _, memo := range e.exprs {
		memo[x] = v
	}
}
