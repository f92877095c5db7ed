package density

import (
	"slices"

	"ppl/autodiff"
	"ppl/compiler/evaluate"
	"ppl/compiler/model"
)

// Coordinates of a term's value that are relative to its location and scale, but for elements that are centred all the
// same:
//
//	x[i] ~ Normal(m, s)    coordinates u, centred [false true]    x = [m + s·u[0], u[1]]
//	                                                              u ~ [Normal(0, 1), Normal(m, s)]
type Coordinates struct {
	Node    autodiff.Node
	Centred []bool // by element; nil where none is
}

// Recentred is the layout in which elements of some regions are centred, or not. Regions keep their places.
func (l *Layout) Recentred(c map[*model.Piece][]bool) *Layout {
	out := &Layout{Data: l.Data, Limits: l.Limits, Dim: l.Dim, of: map[*model.Piece]*Region{}}
	for _, r := range l.Regions {
		if centred := c[r.Piece]; centred != nil {
			changed := *r
			changed.centred = centred
			r = &changed
		}
		out.Regions, out.of[r.Piece] = append(out.Regions, r), r
	}
	return out
}

// NonCentered reports whether some of a region's elements have coordinates relative to location and scale.
func (r *Region) NonCentered() bool {
	if r.centred == nil {
		return r.Term.NonCentered
	}
	return slices.Contains(r.centred, false)
}

// Centred are the elements that are centred although others are not; nil where none is.
func (r *Region) Centred() []bool {
	if !slices.Contains(r.centred, true) {
		return nil
	}
	return r.centred
}

// Effect is the value of a region's piece at theta, with the location and the scale of its distribution, each over the
// elements in the order of the coordinates.
func (t *Theta) Effect(e *evaluate.Evaluator, r *Region) (value, loc, scale autodiff.Node) {
	l, s := locationScale(e, r.Term)
	flat := func(v evaluate.Value) autodiff.Node {
		return autodiff.Reshape(e.Full(e.AlignLoosely(v, r.Plates, nil), r.Plates, nil).Node, r.Size)
	}
	return flat(e.Piece(r.Term.Array, r.Piece)), flat(l), flat(s)
}

// A mask is 1 at the elements that are centred (in) and at those that are not (out), else 0.
type mask struct{ in, out evaluate.Value }

func newMask(e *evaluate.Evaluator, t *model.Term, centred []bool) mask {
	in, out := make([]float64, len(centred)), make([]float64, len(centred))
	for i, c := range centred {
		if c {
			in[i] = 1
		} else {
			out[i] = 1
		}
	}
	shape := e.Shape(t.Plates, nil)
	data := func(name string, values []float64) evaluate.Value {
		return evaluate.Value{Node: e.Graph.Data(name+t.Array.Name, values, shape...), Bound: t.Plates}
	}
	return mask{data("centred ", in), data("noncentered ", out)}
}

// shift are the location and the scale that take coordinates to values: those of the distribution at elements that are
// not centred, else 0 and 1.
func (m mask) shift(e *evaluate.Evaluator, loc, scale evaluate.Value) (evaluate.Value, evaluate.Value) {
	return times(e, m.out, loc), plus(e, m.in, times(e, m.out, scale))
}

// standard are the location and the scale of the distribution of coordinates: 0 and 1 at elements that are not centred.
// Scale may be any argument that is 1 where the scale is.
func (m mask) standard(e *evaluate.Evaluator, loc, scale evaluate.Value) (evaluate.Value, evaluate.Value) {
	return times(e, m.in, loc), plus(e, m.out, times(e, m.in, scale))
}

func times(e *evaluate.Evaluator, a, b evaluate.Value) evaluate.Value {
	return joined(e, a, b, autodiff.Mul)
}

func plus(e *evaluate.Evaluator, a, b evaluate.Value) evaluate.Value {
	return joined(e, a, b, autodiff.Add)
}

// joined is an operation on two values, element by element.
func joined(e *evaluate.Evaluator, a, b evaluate.Value, op func(x, y autodiff.Node) autodiff.Node) evaluate.Value {
	bound := evaluate.Union(a, b)
	return evaluate.Value{Node: op(e.AlignLoosely(a, bound, nil), e.AlignLoosely(b, bound, nil)), Bound: bound}
}
