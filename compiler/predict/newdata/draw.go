package newdata

import (
	"math"
	"slices"

	"ppl/compiler/datasets/dataset"
	"ppl/compiler/density/evaluate"
	"ppl/compiler/frontend/model"
	"ppl/lang/types"
	"ppl/numbers"
)

// extend makes draws of the elements of parameters that the run does not have: the parameter becomes a definition, from
// the draws of the run where it has some, else from its distribution.
func (c *Changes) extend() {
	for _, a := range slices.Clone(c.m.Arrays) {
		if a.Role != model.Parameter || !a.Save {
			continue
		}
		v, old, ok := c.both(a, c.run.Saved)
		if !ok {
			c.diags.Errorf("", a.At, "the run has no draws of `%s` with these axes", a.Name)
			continue
		}
		known := c.elements(a, v, old)
		c.known[a.Name] = known
		if slices.Contains(known, -1) && c.drawable(a, a.Pieces) {
			has := c.part(a, a.Name, model.Parameter)
			for _, p := range a.Pieces {
				c.copied(p, has)
			}
			c.mix(a, has, a.Pieces, known, v.Shape)
		}
	}
}

// both describe an array now and in the run.
func (c *Changes) both(a *model.Array, among []types.Variable) (v, old types.Variable, ok bool) {
	v, ds := evaluate.Describe(c.d, a)
	c.diags.Add(ds...)
	old, ok = find(among, a.Name)
	return v, old, ok && len(old.Shape) == len(v.Shape)
}

// forecast lets what is drawn of an observed array be read where the array is, if its distributions read it or span it:
// it is as it was observed where the run observed it, and goes on from there.
func (c *Changes) forecast() {
	for _, r := range slices.Clone(c.m.Arrays) {
		of := r.Replicates
		if of == nil {
			continue
		}
		if !slices.Contains(c.series, of) && !c.spannedBy(r) {
			c.noteJoined(of)
			continue
		}
		v, old, ok := c.both(of, c.run.Data)
		if !ok {
			c.diags.Errorf("E83", of.At, "predictions need `%s` as it was observed, and the run does not hold it",
				of.Name)
			return
		}
		known := c.elements(of, v, old)
		then := c.valuesOf(of)
		if c.diags.HasErrors() || !c.drawable(of, r.Pieces) {
			return
		}
		c.observed(of, r, v, known, then)
	}
}

// noteJoined notes which elements of an observed array are in new rows.
func (c *Changes) noteJoined(of *model.Array) {
	axis := slices.IndexFunc(of.Type.Axes, c.isJoinedAxis)
	if axis < 0 {
		return
	}
	v, ds := evaluate.Describe(c.d, of)
	c.diags.Add(ds...)
	inner := 1
	for _, n := range v.Shape[axis+1:] {
		inner *= n
	}
	drawn := make([]bool, v.Size())
	for i := range drawn {
		drawn[i] = i/inner%v.Shape[axis] >= c.joined[sizeOf(of.Type.Axes[axis])].before
	}
	c.drawn[of.Name] = drawn
}

// spannedBy reports whether new elements of a replicate are drawn given those that were observed.
func (c *Changes) spannedBy(r *model.Array) bool {
	return slices.ContainsFunc(r.Pieces, func(p *model.Piece) bool {
		return slices.ContainsFunc(p.Term.Event, c.changed)
	})
}

// observed makes an observed array the choice between its values and what is drawn for it.
func (c *Changes) observed(of, r *model.Array, v types.Variable, known []int, then []float64) {
	has := c.part(of, of.Name+" observed", model.Data)
	values := make([]float64, len(known))
	covered := c.covered(of, r.Pieces, v.Shape)
	drawn := make([]bool, len(known))
	for i, k := range known {
		switch {
		case k >= 0:
			values[i] = then[k]
		case covered[i]:
			drawn[i] = true
		default: // the beginning of a new series
			known[i] = i
			if values[i] = c.given(of, i); math.IsNaN(values[i]) {
				c.diags.Errorf("E83", of.At, "`%s` has no distribution, so that the new data have to give it",
					v.Element(i))
				return
			}
		}
	}
	c.d.Arrays[has] = dataset.Array{Shape: v.Shape, Values: numbers.Packed(values)}
	delete(c.d.Arrays, of)
	c.drawn[of.Name] = drawn
	c.mix(of, has, r.Pieces, known, v.Shape)
	r.Role, r.Pieces = model.Definition, []*model.Piece{{At: r.At,
		Value: &model.Ref{Array: of, Fact: model.Fact{At: r.At, Type: r.Type}}}}
}

// given is an element of an observed array in the new data, NaN if there is none.
func (c *Changes) given(of *model.Array, i int) float64 {
	if x, ok := c.d.Arrays[of]; ok {
		return x.Values.At(i)
	}
	ref := &model.Ref{Array: of, Fact: model.Fact{At: of.At, Type: of.Type, Static: true}}
	_, values, _ := evaluate.Static(c.d, ref)
	if i < len(values) {
		return values[i]
	}
	return math.NaN()
}

// covered reports of each element of an array whether one of some pieces is for it.
func (c *Changes) covered(a *model.Array, pieces []*model.Piece, shape []int) []bool {
	size := 1
	for _, n := range shape {
		size *= n
	}
	out := make([]bool, size)
	for _, p := range pieces {
		lo, hi := c.boxOf(a, p, shape)
		for i := range out {
			inside, rest := true, i
			for k := len(shape) - 1; k >= 0; k-- {
				at := rest % shape[k]
				rest /= shape[k]
				inside = inside && at >= lo[k] && at < hi[k]
			}
			out[i] = out[i] || inside
		}
	}
	return out
}

// boxOf is the part [lo, hi) of an array that a piece is for, counted from 0.
func (c *Changes) boxOf(a *model.Array, p *model.Piece, shape []int) (lo, hi []int) {
	lo, hi = make([]int, len(shape)), slices.Clone(shape)
	for k, slot := range p.Slots {
		axis, ds := evaluate.SetBox(c.d, a.Type.Axes[k])
		c.diags.Add(ds...)
		own := axis
		if slot.Index != nil {
			own, ds = evaluate.SetBox(c.d, slot.Index.Set)
		} else {
			var at []float64
			if _, at, ds = evaluate.Static(c.d, slot.At); len(at) > 0 {
				own = [2]int{int(at[0]), int(at[0])}
			}
		}
		c.diags.Add(ds...)
		lo[k], hi[k] = own[0]-axis[0], own[1]-axis[0]+1
	}
	return lo, hi
}

// part is a new array with the axes of another, of which it has a part.
func (c *Changes) part(a *model.Array, name string, role model.Role) *model.Array {
	b := &model.Array{Name: name, At: a.At, Role: role, Type: a.Type, NeedInt: a.NeedInt,
		Save: role == model.Parameter}
	c.m.Arrays = append(c.m.Arrays, b)
	return b
}

// copied adds a piece of a parameter to another array, and gives its term.
func (c *Changes) copied(p *model.Piece, to *model.Array) *model.Term {
	t := *p.Term
	t.Array, t.NonCentered = to, false
	t.Piece = &model.Piece{At: p.At, Slots: p.Slots, Plates: p.Plates, Term: &t}
	to.Pieces = append(to.Pieces, t.Piece)
	return &t
}

// mix takes an array apart: what is known of it, what is drawn, and which is which. The array becomes a definition,
// which the distributions of what is drawn read where they read the array: a series goes on from its known past.
func (c *Changes) mix(a, has *model.Array, pieces []*model.Piece, known []int, shape []int) {
	fresh, mask := c.part(a, a.Name+" drawn", model.Generated), c.part(a, "known "+a.Name, model.Data)
	for _, p := range pieces {
		c.m.Terms = slices.DeleteFunc(c.m.Terms, func(t *model.Term) bool { return t == p.Term })
		t := c.copied(p, fresh)
		t.Kind = model.Generate
		if slices.ContainsFunc(t.Event, c.changed) {
			t.Given = &model.Given{Known: c.atPlates(t, mask), Values: c.atPlates(t, has)}
		}
		c.m.Terms = append(c.m.Terms, t)
	}
	c.fillUncovered(a, fresh, shape)
	values := make([]float64, len(known))
	for i, k := range known {
		if k >= 0 {
			values[i] = 1
		}
	}
	c.d.Arrays[mask] = dataset.Array{Shape: shape, Values: numbers.Packed(values)}
	a.Role, a.Save, a.Pieces = model.Definition, false, []*model.Piece{c.choice(a, mask, has, fresh)}
}

// fillUncovered gives a value to the first elements along an axis if nothing is drawn for them: nobody reads it.
func (c *Changes) fillUncovered(a, fresh *model.Array, shape []int) {
	covered := c.covered(a, fresh.Pieces, shape)
	if !slices.Contains(covered, false) {
		return
	}
	for k, n := range shape {
		inner := 1
		for _, m := range shape[k+1:] {
			inner *= m
		}
		first := n
		for i := range covered {
			if covered[i] {
				first = min(first, i/inner%n)
			}
		}
		leading := true
		for i, is := range covered {
			leading = leading && is == (i/inner%n >= first)
		}
		if leading {
			fresh.Pieces = append(fresh.Pieces, c.zeros(a, k, first))
			return
		}
	}
	c.diags.Errorf("", a.At, "elements of `%s` have no distribution, and they are not the first ones along an axis",
		a.Name)
}

// zeros is the piece `a[k in 1..n] = 0`, with n the number of first places along one axis.
func (c *Changes) zeros(a *model.Array, axis, n int) *model.Piece {
	p := &model.Piece{At: a.At}
	for k, s := range a.Type.Axes {
		if k == axis {
			lo := s.Lo.(*model.Num)
			end := &model.Num{Value: lo.Value + float64(n) - 1, Fact: lo.Fact}
			s = &model.Set{Name: s.Name, Lo: lo, Hi: end, Key: "first of " + s.Key}
		}
		i := c.index(s)
		p.Slots, p.Plates = append(p.Slots, model.Slot{Index: i}), append(p.Plates, i)
	}
	scalar := a.Type
	scalar.Axes = nil
	p.Value = &model.Num{Fact: model.Fact{At: a.At, Type: scalar, Static: true}}
	return p
}

// atPlates reads an array where a term stands: at its plates and elements, over its event.
func (c *Changes) atPlates(t *model.Term, b *model.Array) model.Expr {
	fact := model.Fact{At: t.At, Type: b.Type, Static: b.Role == model.Data}
	ref := &model.Ref{Array: b, Fact: fact}
	if len(t.Piece.Slots) == 0 {
		return ref
	}
	var subs []model.Sub
	for _, s := range t.Piece.Slots {
		at := s.At
		if s.Index != nil {
			at = &model.IndexVar{Index: s.Index, Fact: model.Fact{At: t.At, Static: true}}
		}
		subs = append(subs, model.Sub{At: at})
	}
	for range t.Event {
		subs = append(subs, model.Sub{})
	}
	fact.Type.Axes = t.Event
	return &model.Subscript{X: ref, Subs: subs, Fact: fact}
}

// index is a new index over a set.
func (c *Changes) index(s *model.Set) *model.Index {
	c.indices++
	return &model.Index{Set: s, ID: firstIndex + c.indices}
}

// firstIndex numbers the indices that are made, beyond those of the model.
const firstIndex = 1 << 29

// choice is `a[i] = mask[i] ? has[i] : fresh[i]`.
func (c *Changes) choice(a, mask, has, fresh *model.Array) *model.Piece {
	p := &model.Piece{At: a.At}
	scalar := a.Type
	scalar.Axes = nil
	var subs []model.Sub
	for _, s := range a.Type.Axes {
		i := c.index(s)
		p.Slots, p.Plates = append(p.Slots, model.Slot{Index: i}), append(p.Plates, i)
		subs = append(subs, model.Sub{At: &model.IndexVar{Index: i, Fact: model.Fact{At: a.At, Static: true}}})
	}
	read := func(b *model.Array) model.Expr {
		static := b.Role == model.Data
		ref := &model.Ref{Array: b, Fact: model.Fact{At: a.At, Type: a.Type, Static: static}}
		if len(subs) == 0 {
			return ref
		}
		return &model.Subscript{X: ref, Subs: subs, Fact: model.Fact{At: a.At, Type: scalar, Static: static}}
	}
	p.Value = &model.Cond{If: read(mask), Then: read(has), Else: read(fresh), Fact: model.Fact{At: a.At, Type: scalar}}
	return p
}
