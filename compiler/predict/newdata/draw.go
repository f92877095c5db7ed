package newdata

import (
	"fmt"
	"math"
	"slices"

	"ppl/compiler/datasets/dataset"
	"ppl/compiler/density/evaluate"
	"ppl/compiler/frontend/analyze"
	"ppl/compiler/frontend/model"
	"ppl/lang/diag"
	"ppl/lang/types"
	"ppl/numbers"
	"ppl/stdlib"
)

// extend draws the elements of parameters and discrete unknowns that the run does not have. The array becomes a
// definition that takes its elements from the draws of the run if they exist, otherwise from its distribution.
func (c *Changes) extend() {
	for _, a := range slices.Clone(c.m.Arrays) {
		switch {
		case a.Role == model.Parameter && a.Save:
			c.extendParameter(a)
		case a.Role == model.Generated && a.Replicates == nil:
			c.extendUnknown(a)
		}
	}
}

func (c *Changes) extendParameter(a *model.Array) {
	v, old, ok := c.both(a, c.run.Saved)
	switch {
	case old.Name == "":
		c.diags.Errorf("", a.At, "the run has no draws of `%s`; sample again", a.Name)
		return
	case !ok:
		c.diags.Errorf("", a.At, "`%s` has %s, but %d in the run; sample again", a.Name,
			diag.Count(len(v.Shape), "axis", "axes"), len(old.Shape))
		return
	}
	known := c.elements(a, v, old)
	c.known[a.Name] = known
	if slices.Contains(known, -1) && c.drawable(a, a.Pieces, v, known) {
		has := c.part(a, a.Name, model.Parameter)
		for _, p := range a.Pieces {
			c.copied(p, has)
			c.treatNew(a, p.Term)
		}
		c.mix(a, a.Pieces, v.Shape, []supply{{has, isKnown(known)}})
	}
}

// treatNew applies the user's choice for elements of a parameter that the run does not have.
func (c *Changes) treatNew(a *model.Array, t *model.Term) {
	switch c.run.Groups {
	case RefuseGroups:
		c.diags.Errorf("", a.At, "the new data have groups that the run did not have, and `%s` has no draws for them",
			a.Name).Help("omit these rows, or draw the parameters of new groups with --new-levels sample")
	case GroupsAtMean:
		if !analyze.DrawMean(t) {
			c.diags.Errorf("", a.At, "the mean of `%s` in new groups has no formula", a.Name).
				Help("draw the parameters of new groups with --new-levels sample")
		}
	}
}

// extendUnknown uses the values of a discrete unknown that are known with each draw. If none is known, all are drawn.
func (c *Changes) extendUnknown(a *model.Array) {
	v, old, ok := c.both(a, c.run.Unknown)
	if !ok {
		return
	}
	known := c.elements(a, v, old)
	switch is := isKnown(known); {
	case !slices.Contains(is, true) && len(is) > 0:
	case !slices.Contains(is, false):
		c.forgetTerms(a.Pieces)
		a.Role, a.Save, a.Pieces = model.Definition, false, []*model.Piece{c.asWhole(a, c.atDraw(a, known))}
	case c.drawable(a, a.Pieces, v, known):
		c.mix(a, a.Pieces, v.Shape, []supply{{c.atDraw(a, known), is}})
	}
}

// isKnown reports, for each element of an array, whether the run has it.
func isKnown(elements []int) []bool {
	out := make([]bool, len(elements))
	for i, k := range elements {
		out[i] = k >= 0
	}
	return out
}

// atDraw returns a new array with the axes of a. Its values are inputs that are given with each draw of the parameters.
func (c *Changes) atDraw(a *model.Array, elements []int) *model.Array {
	b := c.part(a, a.Name, model.Parameter)
	c.known[a.Name] = elements
	flat := stdlib.Dists()["Flat"]
	p := &model.Piece{At: a.At}
	for _, s := range a.Type.Axes {
		i := c.index(s)
		p.Slots, p.Plates = append(p.Slots, model.Slot{Index: i}), append(p.Plates, i)
	}
	p.Term = &model.Term{At: a.At, Array: b, Piece: p, Kind: model.Prior, Dist: flat, Form: &flat.Forms[0],
		Plates: p.Plates}
	p.Term.Value = c.atPlates(p.Term, b)
	b.Pieces, c.m.Terms = []*model.Piece{p}, append(c.m.Terms, p.Term)
	return b
}

// asWhole returns the piece `a = b`.
func (c *Changes) asWhole(a, b *model.Array) *model.Piece {
	return &model.Piece{At: a.At, Value: &model.Ref{Array: b, Fact: model.Fact{At: a.At, Type: a.Type}}}
}

// both returns the descriptions of an array now and in the run. ok is false if the run has no matching array.
func (c *Changes) both(a *model.Array, among []types.Variable) (v, old types.Variable, ok bool) {
	v, ds := evaluate.Describe(c.d, a)
	c.diags.Add(ds...)
	old, ok = Find(among, a.Name)
	return v, old, ok && len(old.Shape) == len(v.Shape)
}

// forecast makes other statements read the drawn values of an observed array if its own distributions read or span it,
// or if others read its missing entries. Observed elements keep their values, and the series continues from them.
func (c *Changes) forecast() {
	for _, r := range slices.Clone(c.m.Arrays) {
		of := r.Replicates
		if of == nil {
			continue
		}
		series, input := slices.Contains(c.series, of), slices.Contains(c.inputs, of)
		if !series && !input && !c.spannedBy(r) {
			c.noteJoined(of)
			continue
		}
		if series && slices.Contains(c.censored, of) && !c.run.Recorded {
			c.diags.Errorf("", of.At, "`%[1]s` is censored, and its distribution reads earlier censored values of "+
				"`%[1]s`, so uncensored values cannot be drawn", of.Name).
				Help("`--censored` draws the values at later times with censoring")
			return
		}
		c.observed(of, r, input && !series)
		if c.diags.HasErrors() {
			return
		}
	}
}

// noteJoined records which elements of an observed array are in new rows.
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

// spannedBy reports whether new elements of a replicate are drawn given observed elements.
func (c *Changes) spannedBy(r *model.Array) bool {
	return slices.ContainsFunc(r.Pieces, func(p *model.Piece) bool {
		return slices.ContainsFunc(p.Term.Event, c.changed)
	})
}

// observed turns an observed array into a choice between its known values and its draws. For an input the known values
// are those of the new data; for a series they are those of the run.
func (c *Changes) observed(of, r *model.Array, input bool) {
	among := c.run.Data
	if of.Missing {
		among = c.run.Unknown // each draw has values for the missing entries of the run
	}
	v, old, ok := c.both(of, among)
	if !ok {
		c.diags.Errorf(diag.DataUnavailable, of.At, "predictions need the observed values of `%s`, which the run "+
			"does not store", of.Name)
		return
	}
	known := c.elements(of, v, old)
	given, inData := c.givenElements(of, r, v, known, input)
	if c.diags.HasErrors() || !c.drawable(of, r.Pieces, v, known) {
		return
	}
	drawn := make([]bool, len(known))
	for i, k := range known {
		drawn[i] = k < 0 && !inData[i]
	}
	var from []supply
	is := isKnown(known)
	if slices.Contains(is, true) && of.Missing {
		from = append(from, supply{c.atDraw(of, known), is})
	} else {
		then := c.valuesOf(of)
		for i, k := range known {
			if k >= 0 {
				given[i], inData[i] = then[k], true
			}
		}
	}
	has := c.part(of, of.Name+" observed", model.Data)
	c.d.Arrays[has] = dataset.Array{Shape: v.Shape, Values: numbers.Packed(given)}
	from = append(from, supply{has, inData})
	delete(c.d.Arrays, of)
	c.drawn[of.Name] = drawn
	c.mix(of, r.Pieces, v.Shape, from)
	of.Missing = false
	r.Role, r.Pieces = model.Definition, []*model.Piece{c.asWhole(r, of)}
	r.Save = r.Save && (!input || slices.Contains(drawn, true))
}

// givenElements returns the elements of an observed array that the new data give (0 elsewhere), and a mask of these.
// For an input it takes all of them and ignores the run; for a series it takes only initial elements.
func (c *Changes) givenElements(of, r *model.Array, v types.Variable, known []int, input bool) (given []float64,
	inData []bool) {
	given, inData = make([]float64, len(known)), make([]bool, len(known))
	covered := c.covered(of, r.Pieces, v.Shape)
	for i, k := range known {
		if k >= 0 && !input || covered[i] && !input {
			continue
		}
		switch x := c.given(of, i); {
		case !math.IsNaN(x):
			given[i], inData[i], known[i] = x, true, -1
		case k < 0 && !covered[i]:
			c.diags.Errorf(diag.DataUnavailable, of.At, "`%s` has no distribution, so the new data must contain it",
				v.Element(i))
			return given, inData
		}
	}
	return given, inData
}

// given returns an element of an observed array in the new data, or NaN if there is none.
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

// covered reports, for each element of an array, whether one of the pieces covers it.
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

// boxOf returns the part [lo, hi) of an array that a piece covers; positions count from 0.
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
			_, at, ds = evaluate.Static(c.d, slot.At)
			if len(at) > 0 {
				own = [2]int{int(at[0]), int(at[0])}
			}
		}
		c.diags.Add(ds...)
		lo[k], hi[k] = own[0]-axis[0], own[1]-axis[0]+1
	}
	return lo, hi
}

// part adds an array to the model for part of the elements of a. It has the axes and type of a, but no pieces.
func (c *Changes) part(a *model.Array, name string, role model.Role) *model.Array {
	b := &model.Array{Name: name, At: a.At, Role: role, Type: a.Type, NeedInt: a.NeedInt,
		Save: role == model.Parameter}
	c.m.Arrays = append(c.m.Arrays, b)
	return b
}

// copied adds a copy of a parameter's piece to another array, and returns the term of the copy.
func (c *Changes) copied(p *model.Piece, to *model.Array) *model.Term {
	t := *p.Term
	t.Array, t.NonCentered = to, false
	t.Piece = &model.Piece{At: p.At, Slots: p.Slots, Plates: p.Plates, Term: &t}
	to.Pieces = append(to.Pieces, t.Piece)
	return &t
}

// A supply is an array that provides the marked elements.
type supply struct {
	array *model.Array
	marks []bool
}

// mix splits an array into known elements, from one or more supplies, and drawn ones. The array becomes a definition.
// Distributions of the drawn elements that read the array read the definition, so a series continues from its known
// past.
func (c *Changes) mix(a *model.Array, pieces []*model.Piece, shape []int, from []supply) {
	fresh := c.part(a, a.Name+" drawn", model.Generated)
	masks := make([]*model.Array, len(from))
	for k, s := range from {
		masks[k] = c.mask(a, s.marks, shape, k)
	}
	c.forgetTerms(pieces)
	for _, p := range pieces {
		t := c.copied(p, fresh)
		t.Kind = model.Generate
		if slices.ContainsFunc(t.Event, c.changed) {
			t.Given = &model.Given{Known: c.atPlates(t, masks[0]), Values: c.atPlates(t, from[0].array)}
		}
		c.m.Terms = append(c.m.Terms, t)
	}
	c.fillUncovered(a, fresh, shape)
	a.Role, a.Save, a.Pieces = model.Definition, false, []*model.Piece{c.choice(a, masks, from, fresh)}
}

// mask returns a data array that is 1 for marked elements and 0 for others.
func (c *Changes) mask(a *model.Array, marks []bool, shape []int, number int) *model.Array {
	b := c.part(a, fmt.Sprint("known ", number, " of ", a.Name), model.Data)
	values := make([]float64, len(marks))
	for i, is := range marks {
		if is {
			values[i] = 1
		}
	}
	c.d.Arrays[b] = dataset.Array{Shape: shape, Values: numbers.Packed(values)}
	return b
}

// forgetTerms removes the terms of the given pieces from the model.
func (c *Changes) forgetTerms(pieces []*model.Piece) {
	c.m.Terms = slices.DeleteFunc(c.m.Terms, func(t *model.Term) bool {
		return slices.ContainsFunc(pieces, func(p *model.Piece) bool { return p.Term == t })
	})
}

// fillUncovered sets the first elements along an axis to 0 if they have no distribution; nothing reads them.
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
	c.diags.Errorf("", a.At, "elements of `%s` have no distribution; predictions support this only for the first "+
		"elements along an axis", a.Name)
}

// zeros returns the piece `a[k in 1..n] = 0` along one axis.
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

// atPlates returns b at the plates and single elements of a term, in full along its event axes.
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

// index returns a new index over a set.
func (c *Changes) index(s *model.Set) *model.Index {
	c.indices++
	return &model.Index{Set: s, ID: firstIndex + c.indices}
}

// firstIndex is added to the IDs of new indices, so that they differ from those of the model.
const firstIndex = 1 << 29

// choice returns the piece `a[i] = mask[i] ? from[i] : fresh[i]`, using the first mask that is 1 at i.
func (c *Changes) choice(a *model.Array, masks []*model.Array, from []supply, fresh *model.Array) *model.Piece {
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
	p.Value = read(fresh)
	for k, s := range slices.Backward(from) {
		p.Value = &model.Cond{If: read(masks[k]), Then: read(s.array), Else: p.Value,
			Fact: model.Fact{At: a.At, Type: scalar}}
	}
	return p
}
