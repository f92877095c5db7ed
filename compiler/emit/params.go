package emit

import (
	"math"
	"slices"

	"ppl/autodiff"
	"ppl/compiler/model"
	"ppl/lang/types"
	"ppl/stdlib"
)

// A region is a parameter's piece in the unconstrained vector: [Offset, Offset+Size).
type region struct {
	piece     *model.Piece
	term      *model.Term
	transform *stdlib.Transform
	plates    []*model.Index // those before the event; of ordered and zerosum, without the last
	event     []int
	free      []int
	offset    int
	size      int
}

// layout finds the regions of every parameter, in the order of the model.
func (e *emitter) layout(m *model.Model) (regions []*region, dim int) {
	for _, a := range m.Arrays {
		if h := e.data.Imputed[a]; h != nil && len(h.At) > 0 {
			a = h.Param
		}
		if a.Role != model.Parameter {
			continue
		}
		for _, p := range a.Pieces {
			if p.Term == nil {
				continue
			}
			r := e.region(p)
			r.offset = dim
			dim += r.size
			regions = append(regions, r)
		}
	}
	return regions, dim
}

func (e *emitter) region(p *model.Piece) *region {
	t := p.Term
	r := &region{piece: p, term: t, plates: p.Plates, event: e.shape(nil, t.Event)}
	kind := types.RealLine
	if t.Dist != nil {
		kind = t.Dist.Support
	}
	switch {
	case t.Ordered, t.ZeroSum:
		last := len(p.Plates) - 1
		r.plates, r.event = p.Plates[:last], e.shape(p.Plates[last:], nil)
		kind = types.Ordered
		if t.ZeroSum {
			kind = types.ZeroSum
		}
	case kind == types.RealLine && t.In != nil:
		kind = types.Interval
	}
	r.transform = stdlib.TransformOf(kind)
	if r.transform == nil {
		e.stop(e.diags.Errorf("E99", t.At, "parameters with the support of %s are not compiled by this version of ppl yet",
			t.Dist.Name))
	}
	if t.ZeroSum && r.event[0] == 1 {
		e.stop(e.diags.Errorf("E62", t.At, "`zerosum` of size 1 is the constant 0"))
	}
	r.free = r.transform.Free(r.event)
	r.size = product(e.shape(r.plates, nil)) * product(r.free)
	return r
}

func product(ns []int) int {
	p := 1
	for _, n := range ns {
		p *= n
	}
	return p
}

// bounds of a term's value as nodes over the given plates, invalid where infinite: the support's cut by `in`.
func (e *emitter) bounds(t *model.Term, plates []*model.Index) (lo, hi Node) {
	if t.Dist != nil && t.Dist.Event == 0 {
		lo, hi = e.support(t, plates)
	}
	if t.In != nil {
		lo = tighter(lo, e.bound(t.In.Lo, plates), autodiff.Maximum)
		hi = tighter(hi, e.bound(t.In.Hi, plates), autodiff.Minimum)
	}
	return lo, hi
}

func (e *emitter) support(t *model.Term, plates []*model.Index) (lo, hi Node) {
	if t.Form.Bounds != nil {
		args := make([]Node, len(t.Args))
		for i, a := range t.Args {
			v := e.expr(a)
			args[i] = e.loose(v, plates, v.axes)
		}
		return t.Form.Bounds(args)
	}
	return e.finite(t.Dist.Lo), e.finite(t.Dist.Hi)
}

func (e *emitter) finite(v float64) Node {
	if math.IsInf(v, 0) {
		return Node{}
	}
	return e.g.Const(v)
}

func (e *emitter) bound(x model.Expr, plates []*model.Index) Node {
	v := e.expr(x)
	for _, i := range v.bound {
		if !slices.Contains(plates, i) {
			e.fail("E59", x, "this bound changes along the axis that `ordered` or `zerosum` constrains")
		}
	}
	n := e.loose(v, plates, nil)
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

// constrain takes a region's part of theta to the piece's value, with its log-Jacobian. Where a non-centred piece reads
// its own past, scan gives its value from its coordinates.
func (e *emitter) constrain(r *region, theta Node, scan func(r *region, z value) value) (v value, logJac Node) {
	u := autodiff.Reshape(e.part(r, theta), append(e.shape(r.plates, nil), r.free...)...)
	if r.term.NonCentered {
		z := value{u, r.plates, r.term.Event}
		if r.piece.Recurrence != nil {
			return scan(r, z), e.g.Const(0)
		}
		return e.shifted(r.term, z), e.g.Const(0)
	}
	lo, hi := e.bounds(r.term, r.plates)
	x, jac := r.transform.Constrain(u, r.event, lo, hi)
	return value{x, r.piece.Plates, r.term.Event}, autodiff.SumAll(jac)
}

// part is a region's part of theta.
func (e *emitter) part(r *region, theta Node) Node {
	return autodiff.Slice(theta, []int{r.offset}, []int{r.offset + r.size})
}

// shifted is the value of non-centred coordinates z: location + scale·z, where the scale of a multivariate normal is a
// Cholesky factor.
func (e *emitter) shifted(t *model.Term, z value) value {
	if t.Dist.Event > 0 {
		return e.shiftVector(t, z)
	}
	loc, scale := e.locationScale(t)
	bound := union(z, loc, scale)
	x := autodiff.Add(e.loose(loc, bound, nil), autodiff.Mul(e.loose(scale, bound, nil), e.align(z, bound, nil)))
	return e.full(x, bound, nil)
}

// shiftedInScan is the rule for a non-centred piece with coordinates z, in the scan of its group.
func shiftedInScan(t *model.Term, z value) *rule {
	given := &known{v: z}
	return &rule{reads: shiftedBy(t), given: given, value: func(step *emitter) value {
		return step.shifted(t, step.expr(given))
	}}
}

// locationScale reads the location and the scale from the arguments, whatever the parametrisation.
func (e *emitter) locationScale(t *model.Term) (loc, scale value) {
	l, s := locationScaleArgs(t)
	loc, scale = e.expr(t.Args[l]), e.expr(t.Args[s])
	switch t.Form.Args[s].Name {
	case "var":
		scale.node = autodiff.Sqrt(scale.node)
	case "precision":
		scale.node = autodiff.Div(e.g.Const(1), autodiff.Sqrt(scale.node))
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
func (e *emitter) standardArgs(t *model.Term) []value {
	args := make([]value, len(t.Args))
	for i, a := range t.Args {
		args[i] = e.expr(a)
	}
	l, s := locationScaleArgs(t)
	args[l], args[s] = value{node: e.g.Const(0)}, value{node: e.g.Const(1)}
	return args
}

// shiftVector is x = mu + L z: L the factor of the covariance, or diag(sd) times that of the correlation; x = mu + L⁻ᵀ
// z for a precision's factor.
func (e *emitter) shiftVector(t *model.Term, z value) value {
	args := make([]value, len(t.Args))
	for i, a := range t.Args {
		args[i] = e.expr(a)
	}
	e.argumentSizes(t.Dist, t.Form, t.Args, t.At.Text(), z, args)
	for i := range args {
		if len(args[i].axes) == len(z.axes) { // by place: [0, 0] names no set
			args[i].axes = z.axes
		}
	}
	bound := union(append(args, z)...)
	n := len(args) - 1
	l := e.align(args[n], bound, args[n].axes)
	if t.Form.Args[n].Name != "chol" {
		l = autodiff.Cholesky(l)
	}
	zn := e.align(z, bound, z.axes)
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
		x = autodiff.Mul(e.align(args[1], bound, z.axes), x)
	}
	return value{autodiff.Add(e.align(args[0], bound, z.axes), x), bound, z.axes}
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
