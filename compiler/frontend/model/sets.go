package model

import (
	"slices"

	"ppl/lang/source"
	"ppl/lang/types"
	"ppl/stdlib"
)

// NewSet returns the set lo..hi.
func NewSet(name string, lo, hi Expr) *Set {
	return &Set{Name: name, Lo: lo, Hi: hi, Key: AffineOf(lo).Key() + ".." + AffineOf(hi).Key(),
		Ragged: append(Indices(lo), Indices(hi)...)}
}

// Set returns the set of the elements that a slot covers.
func (s Slot) Set() *Set {
	if s.Index != nil {
		return s.Index.Set
	}
	return NewSet(s.At.Info().At.Text(), s.At, s.At)
}

// Region returns, for each axis with a slot, the set of the elements that a piece covers.
func (p *Piece) Region() (sets []*Set) {
	for _, s := range p.Slots {
		sets = append(sets, s.Set())
	}
	return sets
}

// Values returns the smallest range that is known, without data, to contain the elements of a set.
func (s *Set) Values() stdlib.Range {
	lo, hi := s.Lo.Info().Type.Range.Lo, s.Hi.Info().Type.Range.Hi
	return stdlib.Range{Lo: lo, Hi: max(hi, lo), Int: true}
}

// IndexValue returns an expression whose value is the index.
func IndexValue(i *Index, at source.Span) Expr {
	return &IndexVar{Index: i, Fact: Fact{At: at, Static: true, Type: Type{Elem: types.Int, Range: i.Set.Values()}}}
}

// AxisOf returns the position of a set among axes, or −1 if it is not among them.
func AxisOf(s *Set, axes []*Set) int { return slices.IndexFunc(axes, s.Same) }

// Overlap reports whether two regions, each with one set for each axis, are known to share elements before sizes are
// known. It returns false for regions with different numbers of axes.
func Overlap(p, q []*Set) bool {
	for k := range min(len(p), len(q)) {
		if !p[k].overlaps(q[k]) {
			return false
		}
	}
	return len(p) == len(q)
}

// overlaps reports whether two sets are known to share elements: the distances of their bounds are constants and the
// sets overlap, or they have a common lower or upper bound.
func (s *Set) overlaps(t *Set) bool {
	first, last := AffineOf(t.Hi).Minus(AffineOf(s.Lo)), AffineOf(s.Hi).Minus(AffineOf(t.Lo))
	if first.IsConst() && last.IsConst() {
		return first.Const >= 0 && last.Const >= 0
	}
	return SameForm(s.Lo, t.Lo) || SameForm(s.Hi, t.Hi)
}

// Indices lists the indices that an expression reads but does not bind, directly or through definitions. An array in
// the body of a function may read the indices of the call.
func Indices(x Expr) []*Index { return freeIndices([]Expr{x}, nil, map[*Array]bool{}) }

// Indices lists the indices that the statements of a definition read but do not bind. It returns nil for other arrays.
func (a *Array) Indices() []*Index { return indicesThrough(a, map[*Array]bool{}) }

func indicesThrough(a *Array, seen map[*Array]bool) (out []*Index) {
	if a.Role != Definition || seen[a] {
		return nil
	}
	seen[a] = true
	for _, p := range a.Pieces {
		out = append(out, freeIndices(p.Exprs(), p.Plates, seen)...)
	}
	return out
}

// freeIndices lists the indices that expressions read, except those in bound and those that the expressions bind.
func freeIndices(xs []Expr, bound []*Index, seen map[*Array]bool) (out []*Index) {
	for _, x := range xs {
		Walk(x, func(y Expr) {
			switch y := y.(type) {
			case *IndexVar:
				out = append(out, y.Index)
			case *Ref:
				out = append(out, indicesThrough(y.Array, seen)...)
			case *Reduce:
				bound = append(slices.Clone(bound), y.Over...)
			case *Build:
				bound = append(slices.Clone(bound), y.Over...)
			}
		})
	}
	return slices.DeleteFunc(out, func(i *Index) bool { return slices.Contains(bound, i) })
}

// Plates lists the indices of slots.
func Plates(slots []Slot) (out []*Index) {
	for _, s := range slots {
		if s.Index != nil {
			out = append(out, s.Index)
		}
	}
	return out
}
