package analyze

import (
	"fmt"
	"slices"

	"ppl/compiler/frontend/model"
	"ppl/lang/diag"
)

// Terms are independent given the parameters if, of all arrays that vary between rows, each term reads only the
// elements of one row. The finder proves this from subscripts: an index of the term's plates is bound to a coordinate,
// and an axis that is read at this index is read "at the row". For the row set N in
//
//	eta[n in N] = b * x[n]
//	s = sum(x) + sum(exp(eta))
//	y[n in N] ~ Normal(eta[n], 1)
//	w[n in N] ~ Normal(b + s, 1)
//
// y is accepted: eta and x are read at the row. w is rejected: s does not depend on n, but exp(eta) is evaluated over
// all of N, so each row would cost as much as all rows. sum(x) is allowed: data and parameters are available in full at
// every row. If data are in a file that is too large for memory, expressions of data are tested in the same way
// (RowSet.Inside).

// visit follows an expression. Its axis k is read only at coordinate at[k], or at other elements if at[k] is −1. visit
// does not follow static expressions unless deep is set.
func (f *rowFinder) visit(x model.Expr, at []int) {
	if x == nil || len(f.broken) > 0 {
		return
	}
	at = pad(at, len(x.Info().Type.Axes))
	if old, seen := f.visited[x]; seen {
		if !slices.Equal(old, at) {
			f.breakAmong(slices.Concat(old, at), x.Info().At, "`%s` is read at a row of `%s` and otherwise too",
				x.Info().At.Text(), f.term.Array.Name)
		}
		return
	}
	enter(f, f.visited, x, at)
	if !none(at) {
		enter(f, f.set.Along, x, at)
	}
	if x.Info().Static && !f.deep {
		f.statics = append(f.statics, static{x, at})
		return
	}
	f.operands(x, at)
}

// A static is a static expression together with the coordinates at which its axes are read.
type static struct {
	x  model.Expr
	at []int
}

// withStatics returns the finder's row set, extended to those of its static expressions that can be evaluated for one
// row.
func (f *rowFinder) withStatics() *model.RowSet {
	g := f.deepened()
	for _, e := range f.statics {
		old := g.visited[e.x]
		delete(g.visited, e.x)
		if !g.try(func() { g.visit(e.x, e.at) }) {
			g.visited[e.x] = old
		}
	}
	return g.set
}

// operands follows the operands of an expression.
func (f *rowFinder) operands(x model.Expr, at []int) {
	switch x := x.(type) {
	case *model.Ref:
		f.read(x, at)
	case *model.Subscript:
		f.subscript(x, at)
	case *model.LogProb:
		if x.Dist.Event > 0 {
			for _, s := range x.X.Info().Type.Axes {
				f.usesAll(s, x, "is a density over all of")
			}
		}
		for _, y := range x.Children() {
			f.visit(y, shared(x.Type.Axes, at, y.Info().Type.Axes))
		}
	case *model.Apply, *model.Cond, *model.Fill:
		for _, y := range x.Children() {
			f.visit(y, shared(x.Info().Type.Axes, at, y.Info().Type.Axes))
		}
	case *model.Random:
		f.breakAmong(at[:x.Moves], x.At, "`%s` moves elements from row to row of `%s`", x.At.Text(), f.term.Array.Name)
		for _, s := range x.Type.Axes[:x.Moves] {
			f.usesAll(s, x, "moves elements along")
		}
		for _, y := range x.Children() {
			f.visit(y, shared(x.Type.Axes, at, y.Info().Type.Axes))
		}
	case *model.Build:
		for k, i := range x.Over {
			if at[k] >= 0 {
				f.bind(i, at[k])
			} else {
				f.usesAll(i.Set, x, "is built over all of")
			}
		}
		f.visit(x.Body, at[len(x.Over):])
	case *model.Reduce:
		f.reduction(x, at)
	case *model.MatMul:
		n := len(x.X.Info().Type.Axes) - 1
		f.usesAll(x.X.Info().Type.Axes[n], x, "is a sum over")
		f.visit(x.X, append(slices.Clone(at[:n]), -1))
		f.visit(x.Y, append([]int{-1}, at[n:]...))
	case *model.Vector:
		n := len(at) - 1
		f.breakAmong(at[n:], x.At, "`%s` reads all of its last axis, so rows of `%s` depend on each other", x.At.Text(),
			f.term.Array.Name)
		f.usesAll(x.Type.Axes[n], x, "reads all of")
		f.visit(x.X, at)
	case *model.List:
		f.breakAmong(at[:1], x.At, "`%s` lists rows one by one", x.At.Text())
		for _, y := range x.Items {
			f.visit(y, at[1:])
		}
	case *model.Concat:
		f.breakAmong(at[:1], x.At, "`%s` joins rows of several arrays", x.At.Text())
		for _, y := range x.Items {
			f.usesAll(y.Info().Type.Axes[0], x, "joins all of")
			f.visit(y, at)
		}
	case *model.Num, *model.IndexVar, *model.SizeOf, *model.SetSize, *model.Label: // no operands
	case *model.StateAt: // solved once for all rows, like a parameter
		for _, s := range x.State.Axes {
			f.usesAll(s, x, "is a trajectory for each element of")
		}
	case *model.StateNow, *model.TimeNow, *model.Probability, *model.Mode:
		f.breakAll(diag.ReadsAllRows, x.Info().At, "`%s` cannot be evaluated for some rows alone", x.Info().At.Text())
	default:
		panic(fmt.Sprintf("internal error: rows of a %T", x))
	}
}

// usesAll records why coordinates are invalid if expression x uses all elements of a set whose size depends on their
// number of rows.
func (f *rowFinder) usesAll(s *model.Set, x model.Expr, verb string) {
	f.breakProportional(s, diag.ReadsAllRows, x.Info().At, func() string {
		return fmt.Sprintf("`%s` %s %s, so a row of `%s` needs all rows", x.Info().At.Text(), verb, s.Name,
			f.term.Array.Name)
	})
}

// reduction follows a reduction. Coordinates are invalid if the size of the set of the reduction depends on their
// number of rows or on the row.
func (f *rowFinder) reduction(x *model.Reduce, at []int) {
	if len(x.Over) == 0 {
		for _, s := range x.X.Info().Type.Axes {
			f.usesAll(s, x, "runs over")
		}
		f.visit(x.X, nil)
		return
	}
	for _, i := range x.Over {
		f.usesAll(i.Set, x, "runs over")
		for _, j := range append(model.Indices(i.Set.Lo), model.Indices(i.Set.Hi)...) {
			coord, ofRow := f.set.Index[j]
			if !ofRow {
				continue
			}
			if index := model.AffineIndex(j); model.AffineOf(i.Set.Hi).Minus(index).IsConst() ||
				model.AffineOf(i.Set.Lo).Minus(index).IsConst() {
				f.breaks(coord, diag.ReadsAllRows, x.At, "`%s` runs over %s, which grows along the rows of `%s`",
					x.At.Text(), i.Set.Name, f.term.Array.Name)
			}
		}
	}
	f.visit(x.X, at)
}

// shared returns, for each axis of an operand, the coordinate at which the result's axis over the same set is read, or
// −1 if the result has no such axis.
func shared(result []*model.Set, at []int, operand []*model.Set) []int {
	out := make([]int, len(operand))
	for k, s := range operand {
		out[k] = -1
		if j := slices.IndexFunc(result, s.Same); j >= 0 {
			out[k] = at[j]
		}
	}
	return out
}

// subscript follows x[sub, …]. An axis whose subscript is an index bound to a coordinate is read at the row. Data and
// parameters may be read at any element.
func (f *rowFinder) subscript(s *model.Subscript, at []int) {
	axes := s.X.Info().Type.Axes
	inner := make([]int, len(axes))
	complete := isComplete(s.X) && !(f.deep && s.X.Info().Static)
	for k, axis := range axes {
		inner[k] = -1
		switch sub := subAt(s, k); {
		case sub.At == nil && sub.Range == nil:
			inner[k] = shared(s.Type.Axes, at, []*model.Set{axis})[0]
		case sub.At == nil:
			inner[k] = shared(s.Type.Axes, at, []*model.Set{sub.Range})[0]
		default:
			if !complete {
				inner[k] = f.coordinate(sub.At)
			}
			f.visit(sub.At, shared(s.Type.Axes, at, sub.At.Info().Type.Axes))
			if _, named := s.X.(*model.Ref); !named && !complete && inner[k] < 0 {
				f.usesAll(axis, s.X, "is read at other rows of")
			}
		}
	}
	if r, ok := s.X.(*model.Ref); ok && r.Array.Role == model.Latent {
		return
	}
	f.visit(s.X, inner)
}

// subAt returns subscript k, or an empty Sub for an axis without one.
func subAt(s *model.Subscript, k int) model.Sub {
	if s != nil && k < len(s.Subs) {
		return s.Subs[k]
	}
	return model.Sub{}
}

// isComplete reports whether all elements of an expression are available at every row: it depends only on data, or is
// an array that is not a definition.
func isComplete(x model.Expr) bool {
	if x.Info().Static {
		return true
	}
	r, ok := x.(*model.Ref)
	return ok && r.Array.Role != model.Definition
}

// read follows a read of a definition. It ignores other arrays.
func (f *rowFinder) read(r *model.Ref, at []int) {
	a := r.Array
	if a.Role != model.Definition {
		return
	}
	if old, seen := f.set.Arrays[a]; seen {
		if !slices.Equal(old, at) {
			f.breakAmong(slices.Concat(old, at), r.At, "`%s` is read at other rows than the one of `%s`", a.Name,
				f.term.Array.Name)
		}
		return
	}
	enter(f, f.set.Arrays, a, at)
	for k, s := range a.Type.Axes {
		if f.recurs(a, k) != nil && at[k] >= 0 {
			f.breaks(at[k], diag.ReadsAllRows, f.recurs(a, k).At,
				"`%s` is a recurrence over %s, so rows of `%s` depend on each other", a.Name, s.Name, f.term.Array.Name)
		} else if p := f.recurs(a, k); p != nil {
			f.breakProportional(s, diag.ReadsAllRows, p.At, func() string {
				return fmt.Sprintf("`%s` is a recurrence over %s, so rows of `%s` depend on each other", a.Name, s.Name,
					f.term.Array.Name)
			})
		} else if at[k] < 0 {
			f.breakProportional(s, diag.ReadsAllRows, r.At, func() string {
				return fmt.Sprintf("`%s` is read at other rows than the one of `%s`", a.Name, f.term.Array.Name)
			})
		}
	}
	if split(a, at, true) && split(a, at, false) {
		f.breakAmong(at, a.At, "`%s` is defined in pieces along several axes", a.Name)
	}
	for _, p := range a.Pieces {
		f.piece(p, at)
	}
}

// recurs returns a piece of a definition that is a recurrence along an axis, or nil.
func (f *rowFinder) recurs(a *model.Array, axis int) *model.Piece {
	for _, p := range a.Pieces {
		if p.Recurrence != nil && p.Recurrence.Axis == axis {
			return p
		}
	}
	return nil
}

// split reports whether an array is divided into pieces along an axis that is read at a row, or, if row is false, along
// another axis.
func split(a *model.Array, at []int, row bool) bool {
	for _, p := range a.Pieces {
		for k, s := range p.Slots {
			if (at[k] >= 0) == row && len(a.Pieces) > 1 && (s.Index == nil || !s.Index.Set.Same(a.Type.Axes[k])) {
				return true
			}
		}
	}
	return false
}

// piece follows one piece of a definition, with its indices bound to the coordinates at which the array is read.
func (f *rowFinder) piece(p *model.Piece, at []int) {
	for k, s := range p.Slots {
		if s.Index != nil && at[k] >= 0 {
			f.bind(s.Index, at[k])
		}
	}
	f.visit(p.Value, at[min(len(p.Slots), len(at)):])
}
