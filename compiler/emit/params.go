package emit

import (
	"math"
	"slices"

	"ppl/autodiff"
	"ppl/compiler/model"
)

// Bounds of a term's value as nodes over the given plates, invalid where infinite: the support's cut by `in`.
func Bounds(e *Evaluator, t *model.Term, plates []*model.Index) (lo, hi Node) {
	if t.Dist != nil && t.Dist.Event == 0 {
		lo, hi = supportOf(e, t, plates)
	}
	if t.In != nil {
		lo = tighter(lo, boundOf(e, t.In.Lo, plates), autodiff.Maximum)
		hi = tighter(hi, boundOf(e, t.In.Hi, plates), autodiff.Minimum)
	}
	return lo, hi
}

func supportOf(e *Evaluator, t *model.Term, plates []*model.Index) (lo, hi Node) {
	if t.Form.Bounds != nil {
		args := make([]Node, len(t.Args))
		for i, a := range t.Args {
			v := e.Expr(a)
			args[i] = e.AlignLoosely(v, plates, v.Axes)
		}
		return t.Form.Bounds(args)
	}
	return finiteEnd(e, t.Dist.Lo), finiteEnd(e, t.Dist.Hi)
}

func finiteEnd(e *Evaluator, v float64) Node {
	if math.IsInf(v, 0) {
		return Node{}
	}
	return e.Graph.Const(v)
}

func boundOf(e *Evaluator, x model.Expr, plates []*model.Index) Node {
	v := e.Expr(x)
	for _, i := range v.Bound {
		if !slices.Contains(plates, i) {
			e.Fail("E59", x, "this bound changes along the axis that `ordered` or `zerosum` constrains")
		}
	}
	n := e.AlignLoosely(v, plates, nil)
	if c, ok := n.IsConst(); ok && math.IsInf(c, 0) {
		return Node{}
	}
	return n
}

// tighter meets two bounds of which either may be infinite; a tie of constants is decided here.
func tighter(a, b Node, meet func(x, y Node) Node) Node {
	switch {
	case !a.Valid():
		return b
	case !b.Valid():
		return a
	}
	return meet(a, b)
}

// Constrain takes a region's part of theta to the piece's value, with its log-Jacobian. Where a non-centred piece reads
// its own past, scan gives its value from its coordinates.
func Constrain(e *Evaluator, r *Region, theta Node, scan func(r *Region, z Value) Value) (v Value, logJac Node) {
	u := autodiff.Reshape(Part(e, r, theta), append(e.shape(r.plates, nil), r.free...)...)
	if r.term.NonCentered {
		z := Value{u, r.plates, r.term.Event}
		if r.piece.Recurrence != nil {
			return scan(r, z), e.Graph.Const(0)
		}
		return shifted(e, r.term, z), e.Graph.Const(0)
	}
	lo, hi := Bounds(e, r.term, r.plates)
	x, jac := r.transform.Constrain(u, r.event, lo, hi)
	return Value{x, r.piece.Plates, r.term.Event}, autodiff.SumAll(jac)
}

// Part is a region's part of theta.
func Part(e *Evaluator, r *Region, theta Node) Node {
	return autodiff.Slice(theta, []int{r.offset}, []int{r.offset + r.size})
}

// shifted is the value of non-centred coordinates z: location + scale·z, where the scale of a multivariate normal is a
// Cholesky factor.
func shifted(e *Evaluator, t *model.Term, z Value) Value {
	if t.Dist.Event > 0 {
		return shiftVector(e, t, z)
	}
	loc, scale := locationScale(e, t)
	bound := union(z, loc, scale)
	x := autodiff.Add(e.AlignLoosely(loc, bound, nil), autodiff.Mul(e.AlignLoosely(scale, bound, nil), e.align(z, bound, nil)))
	return e.Full(x, bound, nil)
}

// shiftedInScan is the rule for a non-centred piece with coordinates z, in the scan of its group.
func shiftedInScan(t *model.Term, z Value) *Rule {
	given := &Known{Value: z}
	return &Rule{Reads: shiftedBy(t), Given: given, Value: func(step *Evaluator) Value {
		return shifted(step, t, step.Expr(given))
	}}
}

// locationScale reads the location and the scale from the arguments, whatever the parametrisation.
func locationScale(e *Evaluator, t *model.Term) (loc, scale Value) {
	l, s := locationScaleArgs(t)
	loc, scale = e.Expr(t.Args[l]), e.Expr(t.Args[s])
	switch t.Form.Args[s].Name {
	case "var":
		scale.Node = autodiff.Sqrt(scale.Node)
	case "precision":
		scale.Node = autodiff.Div(e.Graph.Const(1), autodiff.Sqrt(scale.Node))
	}
	return loc, scale
}

// shiftedBy are the expressions that shifted reads.
func shiftedBy(t *model.Term) []model.Expr {
	if t.Dist.Event > 0 {
		return t.Args
	}
	l, s := locationScaleArgs(t)
	return []model.Expr{t.Args[l], t.Args[s]}
}

// locationScaleArgs are the places of the location and the scale among the arguments.
func locationScaleArgs(t *model.Term) (loc, scale int) {
	return t.Dist.Location, t.Dist.Location + 1
}

// standardArgs are a location-scale law's arguments with location 0 and scale 1.
func standardArgs(e *Evaluator, t *model.Term) []Value {
	args := make([]Value, len(t.Args))
	for i, a := range t.Args {
		args[i] = e.Expr(a)
	}
	l, s := locationScaleArgs(t)
	args[l], args[s] = Value{Node: e.Graph.Const(0)}, Value{Node: e.Graph.Const(1)}
	return args
}

// shiftVector is x = mu + L z: L the factor of the covariance, or diag(sd) times that of the correlation; x = mu + L⁻ᵀ
// z for a precision's factor.
func shiftVector(e *Evaluator, t *model.Term, z Value) Value {
	args := make([]Value, len(t.Args))
	for i, a := range t.Args {
		args[i] = e.Expr(a)
	}
	e.argumentSizes(t.Dist, t.Form, t.Args, t.At.Text(), z, args)
	for i := range args {
		if len(args[i].Axes) == len(z.Axes) { // by place: [0, 0] names no set
			args[i].Axes = z.Axes
		}
	}
	bound := union(append(args, z)...)
	n := len(args) - 1
	l := e.align(args[n], bound, args[n].Axes)
	if t.Form.Args[n].Name != "chol" {
		l = autodiff.Cholesky(l)
	}
	zn := e.align(z, bound, z.Axes)
	column := append(append([]int{}, zn.Shape()...), 1)
	zc := autodiff.Reshape(zn, column...)
	var x Node
	if t.Form.Args[n].Name == "prec" {
		x = autodiff.TriSolve(l, zc, true)
	} else {
		x = autodiff.MatMul(l, zc, false, false)
	}
	x = autodiff.Reshape(x, zn.Shape()...)
	if len(args) == 3 {
		x = autodiff.Mul(e.align(args[1], bound, z.Axes), x)
	}
	return Value{autodiff.Add(e.align(args[0], bound, z.Axes), x), bound, z.Axes}
}

// standardNormal is the log density of non-centred coordinates of a multivariate normal, event by event.
func standardNormal(z Node, event int) Node {
	axes := make([]int, event)
	for k := range axes {
		axes[k] = z.Rank() - event + k
	}
	half := z.Graph().Const(-0.5)
	logNorm := z.Graph().Const(-0.5 * math.Log(2*math.Pi))
	return autodiff.Sum(autodiff.Add(autodiff.Mul(half, autodiff.Mul(z, z)), logNorm), axes...)
}
