package newdata

import (
	"slices"

	"ppl/compiler/frontend/model"
	"ppl/lang/types"
)

// This file finds which elements of an index set the run has.

// sizeOf returns the size N of a set that ends at N, or nil for other sets.
func sizeOf(s *model.Set) *model.Size {
	if of, ok := s.Hi.(*model.SizeOf); ok {
		return of.Size
	}
	return nil
}

// sizesIn lists the sizes used in a set's bounds, in source order.
func sizesIn(s *model.Set) (all []*model.Size) {
	for _, end := range []model.Expr{s.Lo, s.Hi} {
		model.Walk(end, func(x model.Expr) {
			switch x := x.(type) {
			case *model.SizeOf:
				all = append(all, x.Size)
			case *model.SetSize:
				all = append(all, sizesIn(x.Set)...)
			}
		})
	}
	return all
}

// isRows reports whether a size counts rows of data: no data refer to individual rows, so rows of other data are
// different rows. The elements of a series, in contrast, are identified by their time.
func (c *Changes) isRows(z *model.Size) bool {
	if len(c.d.Labels[z]) > 0 {
		return false
	}
	if c.summed[z] || c.isSame(z) || c.isColumns(z) {
		return false
	}
	return !slices.ContainsFunc(c.m.Arrays, func(a *model.Array) bool {
		return a.IndexOf != nil && sizeOf(a.IndexOf) == z || c.isSeries(a) && overSize(a, z)
	})
}

// isColumns reports whether a size counts the values in each row, like D for predictors X[N, D] of data y[N], or the
// last axis of observed data, like I for answers y[P, I]. The columns are taken to be those of the run if their number
// is the same.
func (c *Changes) isColumns(z *model.Size) bool {
	n, _, known := c.sizeInRun(z)
	if !known || n != c.d.Sizes[z] {
		return false
	}
	observed := false
	for _, a := range c.replaced {
		if !overSize(a, z) {
			continue
		}
		if last := len(a.Type.Axes) - 1; last == 0 || sizeOf(a.Type.Axes[last]) != z || sizeOf(a.Type.Axes[0]) == z {
			return false
		}
		observed = true
	}
	if observed {
		return true
	}
	for a := range c.d.Arrays {
		ofRows := slices.ContainsFunc(c.replaced, func(of *model.Array) bool { return sharesRows(a, of) })
		if ofRows && overSize(a, z) {
			return true
		}
	}
	return false
}

func overSize(a *model.Array, z *model.Size) bool {
	return slices.ContainsFunc(a.Type.Axes, func(s *model.Set) bool { return sizeOf(s) == z })
}

// isSame reports whether the data over an axis equal those of the run, as for data in the text of a model.
func (c *Changes) isSame(z *model.Size) bool {
	if same, known := c.same[z]; known {
		return same
	}
	met, same := false, true
	for a, x := range c.d.Arrays {
		if overSize(a, z) {
			old, held := Find(c.run.Data, a.Name)
			met, same = true, same && held && !slices.Contains(c.replaced, a) && slices.Equal(old.Shape, x.Shape)
			if same {
				same = slices.Equal(x.Values.Doubles(), c.valuesOf(a))
			}
		}
	}
	c.same[z] = met && same
	return c.same[z]
}

// isSeries reports whether an array is indexed by time: it reads its past, or its distribution is a random walk.
func (c *Changes) isSeries(a *model.Array) bool {
	return slices.Contains(c.series, a) || slices.ContainsFunc(a.Pieces, func(p *model.Piece) bool {
		return p.Recurrence != nil || a.Role == model.Parameter && p.Term != nil &&
			(slices.Contains(model.Arrays(p.Term.Exprs()...), a) || p.Term.Dist != nil && p.Term.Dist.InTime)
	})
}

// findSeries finds the observed arrays that their own distributions read, directly or through definitions such as a
// variance. A read of the entire array, such as its mean, does not count.
func (c *Changes) findSeries() {
	for _, r := range c.m.Arrays {
		if r.Replicates == nil {
			continue
		}
		read := map[*model.Array]bool{}
		visitInTime(r, read)
		if read[r.Replicates] {
			c.series = append(c.series, r.Replicates)
		}
	}
}

// visitInTime is like visit, but skips constants computed from data.
func visitInTime(a *model.Array, seen map[*model.Array]bool) {
	var enter func(x model.Expr)
	enter = func(x model.Expr) {
		if ref, ok := x.(*model.Ref); ok && !seen[ref.Array] {
			seen[ref.Array] = true
			visitInTime(ref.Array, seen)
		}
		if x == nil || isWhole(x) {
			return
		}
		for _, y := range x.Children() {
			enter(y)
		}
	}
	for _, x := range a.Exprs() {
		enter(x)
	}
}

// isWhole reports whether an expression is a reduction of data that is the same at all indices.
func isWhole(x model.Expr) bool {
	_, ok := x.(*model.Reduce)
	return ok && x.Info().Static && len(readsOf(x).free) == 0
}

// changed reports whether the elements of a set differ from those in the run, or may differ.
func (c *Changes) changed(s *model.Set) bool {
	return slices.ContainsFunc(sizesIn(s), c.sizeChanged)
}

func (c *Changes) sizeChanged(z *model.Size) bool {
	if c.isRows(z) {
		return true
	}
	n, labels, known := c.sizeInRun(z)
	return !known || n != c.d.Sizes[z] || !slices.Equal(labels, c.d.Labels[z])
}

// sizeInRun returns the value of a size in the run, and the labels of its elements.
func (c *Changes) sizeInRun(z *model.Size) (n int, labels []string, known bool) {
	for _, v := range slices.Concat(c.run.Saved, c.run.Data) {
		if k := slices.Index(v.Dims, z.Name); k >= 0 {
			return v.Shape[k], v.LabelsOf(k), true
		}
	}
	return 0, nil, false
}

// elements maps each element of an array to its position in the run, or −1 for a new element.
func (c *Changes) elements(a *model.Array, v, old types.Variable) []int {
	places := make([][]int, len(v.Shape))
	for k, s := range a.Type.Axes {
		places[k] = c.places(a, s, v, old, k)
	}
	out := make([]int, v.Size())
	for i := range out {
		rest, stride := i, 1
		for k := len(v.Shape) - 1; k >= 0 && out[i] >= 0; k-- {
			place := places[k][rest%v.Shape[k]]
			rest /= v.Shape[k]
			out[i] += place * stride
			stride *= old.Shape[k]
			if place < 0 {
				out[i] = -1
			}
		}
	}
	return out
}

// places maps each position along an axis to the position in the run, or −1 for a new one.
func (c *Changes) places(a *model.Array, s *model.Set, v, old types.Variable, axis int) []int {
	out := make([]int, v.Shape[axis])
	if of := sizesIn(s); slices.ContainsFunc(of, c.isJoined) {
		r := c.joined[of[0]]
		for i := range out {
			switch out[i] = i; {
			case i >= r.before+r.added:
				out[i] = i - r.added
			case i >= r.before:
				out[i] = -1
			}
		}
		if !c.isJoined(of[0]) || !leads(s) || slices.ContainsFunc(of[1:], c.sizeChanged) {
			c.notFirst(a.At, "`"+a.Name+"`")
		}
		return out
	} else if slices.ContainsFunc(of, c.isRows) {
		for i := range out {
			out[i] = -1
		}
		return out
	}
	number := map[string]int{}
	for i := range old.Shape[axis] {
		number[old.Place(axis, i)] = i
	}
	for i := range out {
		k, known := number[v.Place(axis, i)]
		out[i] = k
		if !known {
			out[i] = -1
		}
	}
	return out
}

// leads reports whether a set starts at 1 and its upper bound starts with a size: N, or N + M.
func leads(s *model.Set) bool {
	if lo, ok := s.Lo.(*model.Num); !ok || lo.Value != 1 {
		return false
	}
	end := s.Hi
	for {
		x, sum := end.(*model.Apply)
		if !sum || x.Name != "+" {
			break
		}
		end = x.Args[0]
	}
	if of, counted := end.(*model.SetSize); counted {
		return leads(of.Set)
	}
	_, ok := end.(*model.SizeOf)
	return ok
}

func (c *Changes) isJoined(z *model.Size) bool { _, ok := c.joined[z]; return ok }
