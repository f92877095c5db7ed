package density

import (
	"slices"

	"ppl/autodiff"
	"ppl/compiler/density/evaluate"
	"ppl/compiler/frontend/model"
	"ppl/lang/types"
)

// Coordinates of a term's value that are relative to its location and scale, but for elements that are centred all the
// same:
//
//	x[i] ~ Normal(m, s)    coordinates u, centred [false true]    x = [m + s·u[0], u[1]]
//	                                                              u ~ [Normal(0, 1), Normal(m, s)]
type Coordinates struct {
	Node    autodiff.Node
	Centred []bool // by element; nil if none is
	OnLine  bool   // they are on the unconstrained line: Node is not valid, and the density is that of the values
}

// Recentred returns a layout in which the elements of some regions have the given forms. The regions' offsets do not
// change.
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

// NonCentered reports whether some of a region's elements have coordinates relative to location and scale, or relative
// on the line.
func (r *Region) NonCentered() bool {
	if r.forms == nil {
		return r.Term.NonCentered
	}
	return slices.Contains(r.forms, types.Relative)
}

// GivenData reports whether a region's elements have coordinates given data.
func (r *Region) GivenData() bool { return slices.Contains(r.forms, types.GivenData) }

// AsTheModel returns the layout in which coordinates given data are replaced by those that the model declares.
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

// Effect returns the parts of types.EffectPoint of a region at theta, each over the elements in the order of the
// coordinates.
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

// vectorEffect returns those parts of a region of vectors: the location and the scale of an element are its mean and
// its standard deviation given the elements before it (after it, where the distribution has a precision), so that its
// coordinate is relative to these, too.
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

// A mask is 1 at the elements that are centred (in) and at those that are not (out), else 0.
type mask struct{ in, out evaluate.Value }

func newMask(e *evaluate.Evaluator, t *model.Term, centred []bool) mask {
	out := make([]bool, len(centred))
	for i, c := range centred {
		out[i] = !c
	}
	return mask{indicator(e, t, "centred ", centred), indicator(e, t, "noncentered ", out)}
}

// indicator returns 1 at the elements of a term for which in is true, else 0.
func indicator(e *evaluate.Evaluator, t *model.Term, name string, in []bool) evaluate.Value {
	values := make([]float64, len(in))
	for i, yes := range in {
		if yes {
			values[i] = 1
		}
	}
	return evaluate.Value{Node: e.Graph.Data(name+t.Array.Name, values, e.Shape(t.Plates, nil)...), Bound: t.Plates}
}

// shift returns the location and scale with which coordinates are transformed to values: those of the distribution at
// noncentered elements, 0 and 1 at centred ones.
func (m mask) shift(e *evaluate.Evaluator, loc, scale evaluate.Value) (evaluate.Value, evaluate.Value) {
	return times(e, m.out, loc), plus(e, m.in, times(e, m.out, scale))
}

// standard returns the location and scale of the distribution of the coordinates: 0 and 1 at noncentered elements,
// those of the distribution at centred ones. The argument scale may also be a factor or a variance, as long as it is 1
// if the scale is 1.
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
