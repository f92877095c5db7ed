package pieces

import (
	"fmt"
	"math"
	"slices"

	"ppl/compiler/frontend/model"
	"ppl/compiler/frontend/scope"
	"ppl/compiler/frontend/typing"
	"ppl/lang/diag"
)

// A Joiner joins the pieces of arrays, and reports errors to To.
type Joiner struct {
	To    *typing.Context
	Sizes map[string]*model.Size // sizes of index sets that data give
}

// Add adds a piece to an array and extends the array's element type and range; t is the type of the piece's values. For
// the first piece it also sets the axes: those of the slots, then rest. It reports an error for a piece with another
// number of axes than the first.
func (j Joiner) Add(a *scope.Array, p *model.Piece, rest []*model.Set, t model.Type) {
	first := len(a.Pieces) == 0
	a.Pieces = append(a.Pieces, p)
	if a.Decl != nil {
		return
	}
	var axes []*model.Set
	for _, s := range p.Slots {
		axes = append(axes, s.Set())
	}
	axes = append(axes, rest...)
	if first {
		a.Type = model.Type{Elem: t.Elem, Axes: axes, Range: t.Range}
		return
	}
	a.Type.Elem = min(a.Type.Elem, t.Elem) // a real piece makes the array real
	a.Type.Range.Lo = math.Min(a.Type.Range.Lo, t.Range.Lo)
	a.Type.Range.Hi = math.Max(a.Type.Range.Hi, t.Range.Hi)
	a.Type.Range.Int = a.Type.Range.Int && t.Range.Int
	if len(axes) != len(a.Type.Axes) {
		j.To.Errorf(diag.AxisCount, p.At, "`%s` has %s here and %s elsewhere", a.Name, model.HaveAxes(axes),
			model.HaveAxes(a.Type.Axes)).
			Related(a.At, "elsewhere")
		a.Pieces = a.Pieces[:len(a.Pieces)-1] // so that later steps ignore it
	}
}

// Join sets the axes of an array with several pieces to those of the box that the pieces cover. It reports an error if
// they overlap or do not cover a box.
func (j Joiner) Join(a *scope.Array) {
	if a.Decl != nil || a.Observed || len(a.Pieces) == 0 {
		return
	}
	if len(a.Pieces) == 1 {
		j.refuseLoneElement(a.Pieces[0])
		return
	}
	if j.refuseOverlaps(a) {
		return
	}
	for k := range a.Type.Axes {
		a.Type.Axes[k] = j.axis(a, k)
	}
}

// refuseLoneElement reports an error for an array of which only one element k > 1 is defined. Usually k was meant as a
// size.
func (j Joiner) refuseLoneElement(p *model.Piece) {
	for _, s := range p.Slots {
		if n, ok := s.At.(*model.Num); ok && n.Value > 1 {
			at := n.Info().At
			j.To.Errorf(diag.BadSlot, at, "`%s` defines only element %s of an axis, and no statement defines the "+
				"others", p.At.Text(), at.Text()).Help("for an axis of size %s write `1..%s`", at.Text(), at.Text())
		}
	}
}

// refuseOverlaps reports an error and returns true if two pieces are known to cover the same elements.
func (j Joiner) refuseOverlaps(a *scope.Array) bool {
	regions := make([][]*model.Set, len(a.Pieces))
	for i, p := range a.Pieces {
		regions[i] = a.RegionOf(p)
		for k, q := range a.Pieces[:i] {
			if (len(p.Slots) == 0) != (len(q.Slots) == 0) {
				j.refuseWholeAndPart(a, p, q)
				return true
			}
			if model.Overlap(regions[i], regions[k]) {
				j.To.Errorf(diag.DefinedTwice, p.At, "`%s` is defined twice: lines %d and %d overlap", p.At.Text(),
					q.At.Line(), p.At.Line()).
					Related(q.At, "also defined here").
					Help("%s", overlapAdvice(a.Name, p, q))
				return true
			}
		}
	}
	return false
}

// refuseWholeAndPart reports an error if an array is defined both without an index and for some elements.
func (j Joiner) refuseWholeAndPart(a *scope.Array, p, q *model.Piece) {
	whole, part := q, p
	if len(p.Slots) == 0 {
		whole, part = p, q
	}
	j.To.Errorf(diag.DefinedTwice, p.At, "line %[2]d defines all of `%[1]s`, and line %[3]d some of its elements",
		a.Name, whole.At.Line(), part.At.Line()).
		Related(q.At, "also defined here").
		Help("keep one of them, or give both an index over different elements: `%s[i in …] = …`", a.Name)
}

// overlapAdvice advises how to rewrite two pieces that cover the same elements.
func overlapAdvice(name string, p, q *model.Piece) string {
	if inTriangle(p) || inTriangle(q) {
		return triangleAdvice(name)
	}
	for k, s := range p.Slots {
		set := s.Set()
		if k < len(q.Slots) && s.Index != nil && s.Index.Name == "" && follows(q.Slots[k].Set(),
			&model.Set{Lo: set.Hi}) {
			return fmt.Sprintf("`%s` is the whole axis; its last element is `%s..%s`", set.Name, set.Name, set.Name)
		}
	}
	return "keep one of them: an element has one definition or distribution"
}

// inTriangle reports whether the range of one slot of a piece depends on the index of another.
func inTriangle(p *model.Piece) bool {
	return slices.ContainsFunc(p.Slots, func(s model.Slot) bool {
		return len(s.Set().Ragged) > 0 || s.At != nil && len(model.Indices(s.At)) > 0
	})
}

func triangleAdvice(name string) string {
	return fmt.Sprintf("write a triangular matrix in one statement that chooses: `below[i in I, j in 1..i-1] ~ …`, "+
		"`diagonal[J] ~ …`, and `%s[i in I, j in J] = j < i ? below[i, j] : j == i ? diagonal[j] : 0`", name)
}

// axis returns axis k of the box that the pieces cover. Along each axis of a box, the set of one piece begins the axis,
// one ends it, and each of the others begins after the end of another and ends before the beginning of another. axis
// reports an error if this is not so. When sizes are known, a later check ensures that each element is defined exactly
// once.
func (j Joiner) axis(a *scope.Array, k int) *model.Set {
	var parts []*model.Set
	for _, p := range a.Pieces {
		if k >= len(p.Slots) {
			return a.Type.Axes[k]
		}
		part := p.Slots[k].Set()
		if model.AxisOf(part, parts) < 0 {
			parts = append(parts, part)
		}
	}
	begin := unjoined(parts, func(s *model.Set) model.Expr { return s.Lo }, func(s, t *model.Set) bool {
		return follows(t, s)
	})
	end := unjoined(parts, func(s *model.Set) model.Expr { return s.Hi }, follows)
	for _, loose := range [][]*model.Set{begin, end} {
		if len(loose) > 1 {
			j.refuseGap(a, loose[0], loose[1])
			return parts[0]
		}
	}
	if len(begin) == 0 || len(end) == 0 { // 1..1 and 2..0 follow each other in both directions
		j.To.Errorf(diag.Gap, a.At, "one of the ranges that define `%s` is empty: its start is after its end", a.Name).
			Related(a.Pieces[len(a.Pieces)-1].At, "another definition")
		return parts[0]
	}
	lo, hi := begin[0].Lo, end[0].Hi
	joined := model.NewSet(lo.Info().At.Text()+".."+hi.Info().At.Text(), lo, hi)
	if i := model.AxisOf(joined, parts); i >= 0 {
		joined = parts[i]
	}
	for _, n := range j.Sizes { // name the set N if it is 1..N
		key := model.Affine{Const: 1}.Key() + ".." + model.AffineName(n.Name).Key()
		if set := (&model.Set{Key: key}); set.Same(joined) {
			joined.Name = n.Name
		}
	}
	return joined
}

// unjoined lists the sets without a neighbour on one side, one for each distinct bound on that side. end returns this
// bound, and next reports whether t is such a neighbour of s.
func unjoined(parts []*model.Set, end func(*model.Set) model.Expr, next func(s, t *model.Set) bool) (out []*model.Set) {
	for _, s := range parts {
		near := func(t *model.Set) bool { return s != t && next(s, t) }
		known := func(t *model.Set) bool { return model.SameForm(end(s), end(t)) }
		if !slices.ContainsFunc(parts, near) && !slices.ContainsFunc(out, known) {
			out = append(out, s)
		}
	}
	return out
}

// follows reports whether t starts directly after the end of s.
func follows(s, t *model.Set) bool {
	gap := model.AffineOf(t.Lo).Minus(model.AffineOf(s.Hi))
	return gap.IsConst() && gap.Const == 1
}

// refuseGap reports an error for two sets of an axis that have no neighbour on the same side.
func (j Joiner) refuseGap(a *scope.Array, s, t *model.Set) {
	if model.SameForm(s.Lo, t.Lo) {
		j.To.Errorf(diag.DefinedTwice, a.Pieces[len(a.Pieces)-1].At, "`%s` is defined twice: %s and %s overlap", a.Name,
			s.Name, t.Name).Related(a.At, "also here")
		return
	}
	help := "let each range begin directly after another ends, as in `1..T-1` and `T..T`"
	if slices.ContainsFunc(a.Pieces, inTriangle) {
		help = triangleAdvice(a.Name)
	}
	j.To.Errorf(diag.Gap, a.At, "the definitions of `%s` for %s and %s may leave a gap or overlap", a.Name, s.Name,
		t.Name).
		Related(a.Pieces[len(a.Pieces)-1].At, "another definition").
		Help("%s", help)
}

// RefuseUncoveredMissing is RefuseUncovered for data whose missing entries are parameters. It takes the pieces from the
// draws.
func (j Joiner) RefuseUncoveredMissing(a *scope.Array) {
	inPieces := *a
	inPieces.Array = &model.Array{Name: a.Name, At: a.At, Type: a.Type}
	for _, d := range a.Draws {
		inPieces.Pieces = append(inPieces.Pieces, &model.Piece{At: d.Head.Span(), Slots: d.Slots})
	}
	j.RefuseUncovered(&inPieces)
}

// RefuseUncovered reports an error for data with missing entries if the distributions do not cover all elements.
func (j Joiner) RefuseUncovered(a *scope.Array) {
	if len(a.Pieces) < len(a.Draws) {
		return
	}
	for k, axis := range a.Type.Axes {
		known := j.To.Diags.Len()
		if whole := j.axis(a, k); !whole.Same(axis) && j.To.Diags.Len() == known {
			j.To.Errorf(diag.Gap, a.At, "`%s` has missing entries, but only elements %s of %s have a distribution",
				a.Name, whole.Name, axis.Name)
		}
	}
}
