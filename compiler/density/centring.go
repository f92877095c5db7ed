package density

import (
	"slices"

	"ppl/autodiff"
	"ppl/compiler/density/evaluate"
	"ppl/compiler/frontend/model"
	"ppl/lang/types"
)

// Coordinates describe a term's value by coordinates relative to its location and scale. Elements marked as centred
// have their value as coordinate instead:
//
//	x[i] ~ Normal(m, s)    coordinates u, centred [false true]    x = [m + s·u[0], u[1]]
//	                                                              u ~ [Normal(0, 1), Normal(m, s)]
type Coordinates struct {
	Node    autodiff.Node
	Centred []bool // reports which elements are centred; nil if none is
	OnLine  bool   // on the unconstrained line: Node is not valid, and the density is that of the values
}

// Recentred returns a layout in which the elements of some regions have the given forms. The offsets of the regions do
// not change.
func (l *Layout) Recentred(c map[*model.Piece][]types.Form) *Layout {
	out := &Layout{Data: l.Data, Limits: l.Limits, Dim: l.Dim, joint: l.joint, of: map[*model.Piece]*Region{}}
	for _, r := range l.Regions {
		if forms := c[r.Piece]; !slices.Equal(forms, r.forms) {
			changed := *r
			changed.forms = forms
			r = &changed
		}
		out.Regions, out.of[r.Piece] = append(out.Regions, r), r
	}
	return out
}

// NonCentered reports whether any element of a region has coordinates relative to location and scale, on the scale of
// the values or on the unconstrained line.
func (r *Region) NonCentered() bool {
	if r.forms == nil {
		return r.Term.NonCentered
	}
	return slices.Contains(r.forms, types.Relative)
}

// GivenData reports whether any element of a region has coordinates given data.
func (r *Region) GivenData() bool { return slices.Contains(r.forms, types.GivenData) }

// AsTheModel returns the layout in which regions with coordinates given data have the coordinates that the model
// declares.
func (l *Layout) AsTheModel() *Layout {
	by := map[*model.Piece][]types.Form{}
	for _, r := range l.Regions {
		if !r.GivenData() {
			by[r.Piece] = r.forms
		}
	}
	return l.Recentred(by)
}

// Centred reports which elements of the region are centred; it returns nil if none is.
func (r *Region) Centred() []bool {
	if !slices.Contains(r.forms, types.Centred) {
		return nil
	}
	out := make([]bool, len(r.forms))
	for i, f := range r.forms {
		out[i] = f == types.Centred
	}
	return out
}

// Effect returns the parts of types.EffectPoint of a region at theta. Each part is a vector over the elements in the
// order of the coordinates.
func (t *Theta) Effect(e *evaluate.Evaluator, r *Region) []autodiff.Node {
	switch {
	case r.onLine():
		return t.lineEffect(e, r)
	case r.Term.Dist.Event > 0:
		return vectorEffect(e, r)
	}
	l, s := locationScale(e, r.Term)
	parts := []autodiff.Node{r.flat(e, e.Piece(r.Term.Array, r.Piece)), r.flat(e, l), r.flat(e, s)}
	if first, ok := t.layout.placeInJoint(r); ok {
		f := t.factored(e.Graph)
		own := func(n autodiff.Node) autodiff.Node { return autodiff.Slice(n, []int{first}, []int{first + r.Size}) }
		parts = append(parts, own(f.precisions), own(f.coordinates(t.elements(e))))
	}
	return parts
}

// vectorEffect returns the value, location and scale for a region of vectors. The location and the scale of an element
// are its conditional mean and standard deviation given the elements before it (given those after it if the
// distribution has a precision), so that the element's coordinate is relative to these.
func vectorEffect(e *evaluate.Evaluator, r *Region) []autodiff.Node {
	v := e.Piece(r.Term.Array, r.Piece)
	s := newVectorShift(e, r.Term, v)
	x := e.Align(v, s.bound, s.axes)
	scale := s.conditional()
	shift := autodiff.Mul(scale, autodiff.Reshape(s.inverse(e, v), x.Shape()...))
	of := func(n autodiff.Node) autodiff.Node {
		return r.flat(e, evaluate.Value{Node: n, Bound: s.bound, Axes: s.axes})
	}
	return []autodiff.Node{of(x), of(autodiff.Sub(x, shift)), of(scale)}
}

// flat returns a value as a vector, in the order of a region's coordinates.
func (r *Region) flat(e *evaluate.Evaluator, v evaluate.Value) autodiff.Node {
	return autodiff.Reshape(e.Full(e.AlignLoosely(v, r.Plates, v.Axes), r.Plates, v.Axes).Node, r.Size)
}

// A mask has two indicators of a term's elements: `in` is 1 at centred elements, `out` at noncentered elements; both
// are 0 elsewhere.
type mask struct{ in, out evaluate.Value }

func newMask(e *evaluate.Evaluator, t *model.Term, centred []bool) mask {
	out := make([]bool, len(centred))
	for i, c := range centred {
		out[i] = !c
	}
	return mask{indicator(e, t, "centred ", centred), indicator(e, t, "noncentered ", out)}
}

// indicator returns a value that is 1 at the elements of a term for which `in` is true, and 0 at the others.
func indicator(e *evaluate.Evaluator, t *model.Term, name string, in []bool) evaluate.Value {
	values := make([]float64, len(in))
	for i, yes := range in {
		if yes {
			values[i] = 1
		}
	}
	return evaluate.Value{Node: e.Graph.Data(name+t.Array.Name, values, e.Shape(t.Plates, nil)...), Bound: t.Plates}
}

// shift returns the location and scale that transform coordinates to values: those of the distribution at noncentered
// elements, 0 and 1 at centred elements.
func (m mask) shift(e *evaluate.Evaluator, loc, scale evaluate.Value) (evaluate.Value, evaluate.Value) {
	return times(e, m.out, loc), plus(e, m.in, times(e, m.out, scale))
}

// standard returns the location and scale of the distribution of the coordinates: 0 and 1 at noncentered elements,
// those of the distribution at centred elements. The argument scale may also be a factor or a variance, provided that
// it is 1 if the scale is 1.
func (m mask) standard(e *evaluate.Evaluator, loc, scale evaluate.Value) (evaluate.Value, evaluate.Value) {
	return times(e, m.in, loc), plus(e, m.out, times(e, m.in, scale))
}

func times(e *evaluate.Evaluator, a, b evaluate.Value) evaluate.Value {
	return joined(e, a, b, autodiff.Mul)
}

func plus(e *evaluate.Evaluator, a, b evaluate.Value) evaluate.Value {
	return joined(e, a, b, autodiff.Add)
}

// joined applies an operation to two values, element by element.
func joined(e *evaluate.Evaluator, a, b evaluate.Value, op func(x, y autodiff.Node) autodiff.Node) evaluate.Value {
	bound := evaluate.Union(a, b)
	return evaluate.Value{Node: op(e.AlignLoosely(a, bound, nil), e.AlignLoosely(b, bound, nil)), Bound: bound}
}
