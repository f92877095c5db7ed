package analyze

import "ppl/compiler/frontend/model"

// ByElement rewrites definitions of entire arrays that are part of a series as definitions of elements. In
//
//	scale = exp(h)
//	h[t in 2..T] ~ Normal(0.9 * h[t-1], scale[t-1])
//
// h[t] is drawn from scale[t-1], which depends only on h[t-1], so scale is rewritten: scale[t in T] = exp(h[t]).
//
// newIndex creates index variables.
func ByElement(m *model.Model, newIndex func(name string, set *model.Set) *model.Index) {
	parts := func(p *model.Piece) []model.Expr { return append(madeFrom(p), computedFrom(p)...) }
	for _, g := range groups(m, nil, parts) {
		for _, a := range g.arrays {
			if len(a.Pieces) == 1 && len(a.Pieces[0].Slots) == 0 && a.Pieces[0].Value != nil {
				indexElements(a, newIndex)
			}
		}
	}
}

// indexElements gives the definition of an array indices along as many leading axes as possible.
func indexElements(a *model.Array, newIndex func(name string, set *model.Set) *model.Index) {
	var over []*model.Index
	for _, s := range a.Type.Axes {
		over = append(over, newIndex("", s))
	}
	for p := a.Pieces[0]; len(over) > 0; over = over[:len(over)-1] {
		x := model.Element(p.Value, over, newIndex)
		if x == nil {
			continue
		}
		p.Value, p.Plates = x, over
		for _, i := range over {
			p.Slots = append(p.Slots, model.Slot{Index: i})
		}
		return
	}
}
