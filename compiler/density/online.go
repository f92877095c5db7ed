package density

import (
	"slices"

	"ppl/autodiff"
	"ppl/compiler/density/evaluate"
	"ppl/compiler/frontend/model"
	"ppl/stdlib"
)

// Elements with a constrained support, and elements of a zero-sum vector, can have coordinates z relative to a location
// and a scale on the unconstrained line, which their distribution determines:
//
//	x[i] ~ LogNormal(m, s)         u = log x[i]                    z = (u − m)/s
//	x[i] ~ Gamma(k, k/m)           u = log x[i]                    z = (u − log m) √k
//	x[i] ~ Normal(m, s) in 0..1    u = logit x[i]                  z by stdlib.TruncatedOnLine
//	x[i] ~ Gamma(k, r) in 1..inf   u = log (x[i] − 1)              z by stdlib.CutOnLine
//	x[i] ~ Normal(0, s) zerosum    u in a basis without the sum    z = u/s
//	x ~ CAR(m, r, 1/s^2, adj)      u = x                           z = (x − m)/s
//
// The density is that of x, with the log-Jacobian of the transformation from z to x.

// onLine reports whether a region's noncentered coordinates are relative on the unconstrained line.
func (r *Region) onLine() bool { return r.Term.OnLine() }

// A lineShift is the location and scale of a region's elements on the unconstrained line, in the shape of its
// coordinates.
type lineShift struct{ at, width autodiff.Node }

// newLineShift evaluates the location and scale that a region's distribution implies.
func newLineShift(e *evaluate.Evaluator, r *Region) lineShift {
	t, g := r.Term, e.Graph
	args := make([]autodiff.Node, len(t.Args))
	for i, a := range t.Args {
		v := e.Expr(a)
		args[i] = e.AlignLoosely(v, r.Plates, v.Axes)
	}
	s := lineShift{at: g.Const(0)}
	switch {
	case t.Dist.LocationScale:
		loc, scale := locationScale(e, t)
		s.width = e.AlignLoosely(scale, r.Plates, nil)
		if !t.ZeroSum {
			lo, hi := Bounds(e, t, r.Plates)
			s.at, s.width = stdlib.TruncatedOnLine(e.AlignLoosely(loc, r.Plates, nil), s.width, lo, hi)
		}
	case t.In != nil:
		lo, hi := Bounds(e, t, r.Plates)
		hi, _ = uncrossed(r, lo, hi)
		s.at, s.width = t.Dist.CutOnLine(t.Form, args, lo, hi)
	default:
		s.at, s.width = t.Dist.OnLine(t.Form, args)
	}
	return lineShift{r.spread(e, s.at), r.spread(e, s.width)}
}

// spread broadcasts n, a scalar or one number for each combination of plates, to the shape of a region's coordinates.
func (r *Region) spread(e *evaluate.Evaluator, n autodiff.Node) autodiff.Node {
	plates := e.Shape(r.Plates, nil)
	full := append(slices.Clone(plates), r.free...)
	var axes []int
	if n.Rank() > 0 {
		for k := range plates {
			axes = append(axes, k)
		}
		n = e.Full(n, r.Plates, nil).Node
	}
	if slices.Equal(n.Shape(), full) {
		return n
	}
	return autodiff.Broadcast(n, full, axes)
}

// onTheLine transforms a region's coordinates, some of which are relative, to unconstrained coordinates. It also
// returns the log-Jacobian.
func (r *Region) onTheLine(e *evaluate.Evaluator, z autodiff.Node) (u, logJac autodiff.Node) {
	s := r.shiftOnLine(e, newLineShift(e, r))
	return autodiff.Add(s.at, autodiff.Mul(s.width, z)), autodiff.SumAll(autodiff.Log(s.width))
}

// shiftOnLine returns s with location 0 and scale 1 at centred elements.
func (r *Region) shiftOnLine(e *evaluate.Evaluator, s lineShift) lineShift {
	centred := r.Centred()
	if centred == nil {
		return s
	}
	in := make([]float64, len(centred))
	for i, c := range centred {
		if c {
			in[i] = 1
		}
	}
	is := autodiff.Eq(e.Graph.Data("centred "+r.Term.Array.Name, in, s.at.Shape()...), e.Graph.Const(1))
	return lineShift{autodiff.Where(is, e.Graph.Const(0), s.at), autodiff.Where(is, e.Graph.Const(1), s.width)}
}

// LineShift returns the location and scale of a region's relative coordinates on the unconstrained line, element by
// element: 0 and 1 for centred elements. ok is false if the region has no such coordinates.
func LineShift(e *evaluate.Evaluator, r *Region) (at, width autodiff.Node, ok bool) {
	if !r.onLine() || !r.NonCentered() {
		return at, width, false
	}
	s := r.shiftOnLine(e, newLineShift(e, r))
	return autodiff.Reshape(s.at, r.Size), autodiff.Reshape(s.width, r.Size), true
}

// lineEffect returns the parts of types.EffectPoint of a region with coordinates on the unconstrained line.
func (t *Theta) lineEffect(e *evaluate.Evaluator, r *Region) []autodiff.Node {
	s := newLineShift(e, r)
	u := autodiff.Reshape(Part(e, r, t.node), s.at.Shape()...)
	if r.NonCentered() {
		u, _ = r.onTheLine(e, u)
	}
	flat := func(n autodiff.Node) autodiff.Node { return autodiff.Reshape(n, r.Size) }
	return []autodiff.Node{flat(u), flat(s.at), flat(s.width)}
}

// HasLine reports whether a region may have relative coordinates on the unconstrained line whose scale depends on
// parameters.
func (r *Region) HasLine() bool {
	t := r.Term
	if !r.onLine() || r.Size == 0 || len(t.Plates)+t.Dist.Event == 0 || len(t.Reads) > 0 ||
		r.Piece.Scanned() != nil || r.Piece.Recurrence != nil {
		return false
	}
	spread := []int{t.Dist.Location + 1}
	if !t.Dist.LocationScale {
		spread = t.Dist.LineSpread(t.Form)
	}
	return slices.ContainsFunc(spread, func(i int) bool { return i < len(t.Args) && !t.Args[i].Info().Static }) &&
		!slices.Contains(model.Arrays(t.Exprs()...), t.Array)
}
