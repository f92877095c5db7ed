package density

import (
	"math"
	"slices"

	"ppl/autodiff"
	"ppl/compiler/density/evaluate"
	"ppl/compiler/frontend/model"
	"ppl/lang/diag"
	"ppl/stdlib"
)

// Bounds returns the bounds of a term's value over the given plates: the intersection of the support and the range
// after `in`. It ignores the support of multivariate distributions. A node is invalid if the bound is infinite.
func Bounds(e *evaluate.Evaluator, t *model.Term, plates []*model.Index) (lo, hi autodiff.Node) {
	if t.Dist != nil && t.Dist.Event == 0 {
		lo, hi = supportOf(e, t, plates)
	}
	if t.In != nil {
		lo = tighter(lo, boundOf(e, t.In.Lo, plates), autodiff.Maximum)
		hi = tighter(hi, boundOf(e, t.In.Hi, plates), autodiff.Minimum)
	}
	return lo, hi
}

func supportOf(e *evaluate.Evaluator, t *model.Term, plates []*model.Index) (lo, hi autodiff.Node) {
	if t.Form.Bounds != nil {
		args := make([]autodiff.Node, len(t.Args))
		for i, a := range t.Args {
			v := e.Expr(a)
			args[i] = e.AlignLoosely(v, plates, v.Axes)
		}
		return t.Form.Bounds(args)
	}
	return FiniteEnd(e, t.Dist.Lo), FiniteEnd(e, t.Dist.Hi)
}

// FiniteEnd returns v as a constant; the node is invalid if v is infinite.
func FiniteEnd(e *evaluate.Evaluator, v float64) autodiff.Node {
	if math.IsInf(v, 0) {
		return autodiff.Node{}
	}
	return e.Graph.Const(v)
}

func boundOf(e *evaluate.Evaluator, x model.Expr, plates []*model.Index) autodiff.Node {
	v := e.Expr(x)
	for _, i := range v.Bound {
		if !slices.Contains(plates, i) {
			e.Fail(diag.BadOrder, x, "this bound changes along the axis that `ordered` or `zerosum` constrains")
		}
	}
	n := e.AlignLoosely(v, plates, nil)
	if c, ok := n.IsConst(); ok && math.IsInf(c, 0) {
		return autodiff.Node{}
	}
	return n
}

// tighter returns the tighter of two bounds, either of which may be infinite (an invalid node). choose is Maximum for
// lower bounds, Minimum for upper bounds.
func tighter(a, b autodiff.Node, choose func(x, y autodiff.Node) autodiff.Node) autodiff.Node {
	switch {
	case !a.Valid():
		return b
	case !b.Valid():
		return a
	}
	return choose(a, b)
}

// Constrain transforms a region's part of theta to the piece's value, and returns the log-Jacobian. If a piece depends
// on its own earlier elements, scan computes its value from its coordinates.
func Constrain(e *evaluate.Evaluator, r *Region, theta autodiff.Node, scan func(r *Region,
	z evaluate.Value) evaluate.Value) (v evaluate.Value, logJac autodiff.Node) {
	u := autodiff.Reshape(Part(e, r, theta), append(e.Shape(r.Plates, nil), r.free...)...)
	if r.NonCentered() && r.onLine() {
		line, logScale := r.onTheLine(e, u)
		x, jac := between(e, r, line, r.Plates)
		return evaluate.Value{Node: x, Bound: r.Piece.Plates, Axes: r.Term.Event}, autodiff.Add(logScale,
			autodiff.SumAll(jac))
	}
	if r.NonCentered() {
		z := evaluate.Value{Node: u, Bound: r.Plates, Axes: r.Term.Event}
		if r.Piece.Scanned() != nil {
			return scan(r, z), e.Graph.Const(0)
		}
		return shifted(e, r.Term, z, r.Centred()), e.Graph.Const(0)
	}
	if r.betweenPast() {
		return scan(r, evaluate.Value{}), autodiff.Node{}
	}
	x, jac := between(e, r, u, r.Plates)
	return evaluate.Value{Node: x, Bound: r.Piece.Plates, Axes: r.Term.Event}, autodiff.SumAll(jac)
}

// between transforms unconstrained coordinates over some plates to values between the bounds there. It also returns the
// log-Jacobian of each value.
func between(e *evaluate.Evaluator, r *Region, u autodiff.Node, plates []*model.Index) (x, jac autodiff.Node) {
	lo, hi := Bounds(e, r.Term, plates)
	hi, crossed := uncrossed(r, lo, hi)
	x, jac = r.Transform.Constrain(u, r.Event, lo, hi)
	if crossed.Valid() {
		jac = autodiff.Where(crossed, e.Graph.Const(math.Inf(-1)), jac)
	}
	return x, jac
}

// betweenPast reports whether the bounds of the values are computed from earlier elements of the same array, so that a
// scan must compute the values.
func (r *Region) betweenPast() bool { return r.Piece.Recurrence != nil && !r.NonCentered() }

// BetweenInScan returns the rule with which a scan computes a piece with coordinates z whose bounds depend on its own
// earlier elements.
func BetweenInScan(r *Region, z evaluate.Value) *evaluate.Rule {
	given := &evaluate.Known{Value: z}
	return &evaluate.Rule{Reads: r.Term.Ends(), Given: given, Value: func(step *evaluate.Evaluator) evaluate.Value {
		u := step.Expr(given)
		x, _ := between(step, r, u.Node, u.Bound)
		return evaluate.Value{Node: x, Bound: u.Bound, Axes: u.Axes}
	}}
}

// uncrossed raises an upper bound above the lower bound if parameters have made it lower. crossed is 1 at such
// elements; the density is 0 there.
func uncrossed(r *Region, lo, hi autodiff.Node) (above, crossed autodiff.Node) {
	if !lo.Valid() || !hi.Valid() || lo.Static() && hi.Static() {
		return hi, autodiff.Node{}
	}
	crossed = autodiff.Le(hi, lo)
	return autodiff.Where(crossed, autodiff.Add(lo, lo.Graph().Const(1)), hi), crossed
}

// Part returns a region's part of theta.
func Part(e *evaluate.Evaluator, r *Region, theta autodiff.Node) autodiff.Node {
	return autodiff.Slice(theta, []int{r.Offset}, []int{r.Offset + r.Size})
}

// shifted transforms noncentered coordinates z to values: location + scale·z. For a multivariate normal the scale is a
// Cholesky factor. Centred elements are equal to their coordinates.
func shifted(e *evaluate.Evaluator, t *model.Term, z evaluate.Value, centred []bool) evaluate.Value {
	if t.Dist.Event > 0 {
		return shiftVector(e, t, z)
	}
	loc, scale := locationScale(e, t)
	if centred != nil {
		loc, scale = newMask(e, t, centred).shift(e, loc, scale)
	}
	bound := evaluate.Union(z, loc, scale)
	x := autodiff.Add(e.AlignLoosely(loc, bound, nil), autodiff.Mul(e.AlignLoosely(scale, bound, nil),
		e.Align(z, bound, nil)))
	return e.Full(x, bound, nil)
}

// ShiftedInScan returns the rule with which a scan computes a noncentered piece with coordinates z.
func ShiftedInScan(t *model.Term, z evaluate.Value) *evaluate.Rule {
	given := &evaluate.Known{Value: z}
	return &evaluate.Rule{Reads: shiftedBy(t), Given: given, Value: func(step *evaluate.Evaluator) evaluate.Value {
		return shifted(step, t, step.Expr(given), nil)
	}}
}

// locationScale returns the location and the standard deviation of a term, also if its distribution is parametrised by
// a variance or a precision.
func locationScale(e *evaluate.Evaluator, t *model.Term) (loc, scale evaluate.Value) {
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

// shiftedBy returns the expressions that shifted reads.
func shiftedBy(t *model.Term) []model.Expr {
	if t.Dist.Event > 0 {
		return t.Args
	}
	l, s := locationScaleArgs(t)
	return []model.Expr{t.Args[l], t.Args[s]}
}

// locationScaleArgs returns the positions of the location and the scale among the arguments.
func locationScaleArgs(t *model.Term) (loc, scale int) {
	return t.Dist.Location, t.Dist.Location + 1
}

// StandardArgs returns the arguments of a location-scale distribution with location 0 and scale 1 at noncentered
// elements, and with the actual location and scale at centred elements.
func StandardArgs(e *evaluate.Evaluator, t *model.Term, centred []bool) []evaluate.Value {
	args := make([]evaluate.Value, len(t.Args))
	for i, a := range t.Args {
		args[i] = e.Expr(a)
	}
	l, s := locationScaleArgs(t)
	if centred != nil {
		args[l], args[s] = newMask(e, t, centred).standard(e, args[l], args[s])
		return args
	}
	args[l], args[s] = evaluate.Value{Node: e.Graph.Const(0)}, evaluate.Value{Node: e.Graph.Const(1)}
	return args
}

// Unshifted returns the noncentered coordinates of a value. It is the inverse of shifted. If the piece depends on its
// own earlier elements, their values are taken from x.
func Unshifted(e *evaluate.Evaluator, t *model.Term, x evaluate.Value, centred []bool) autodiff.Node {
	if t.Dist.Event > 0 {
		return newVectorShift(e, t, x).inverse(e, x)
	}
	loc, scale := locationScale(e, t)
	if centred != nil {
		loc, scale = newMask(e, t, centred).shift(e, loc, scale)
	}
	bound := evaluate.Union(x, loc, scale)
	return autodiff.Div(autodiff.Sub(e.Align(x, bound, nil), e.AlignLoosely(loc, bound, nil)),
		e.AlignLoosely(scale, bound, nil))
}

// A vectorShift transforms coordinates z of a multivariate normal to x = mu + L z, where L is the Cholesky factor of
// the covariance, or diag(sd) times that of the correlation. For a precision with factor L, x = mu + L⁻ᵀ z.
type vectorShift struct {
	bound     []*model.Index
	axes      []*model.Set
	mean      autodiff.Node
	sd        autodiff.Node // not valid if the factor is that of the covariance
	factor    autodiff.Node
	precision bool
	walk      bool // random walk, without a factor: x = mu + cumulative sum of sd·z along the vector
}

// newVectorShift evaluates a distribution's arguments for values like v.
func newVectorShift(e *evaluate.Evaluator, t *model.Term, v evaluate.Value) vectorShift {
	args := make([]evaluate.Value, len(t.Args))
	for i, a := range t.Args {
		args[i] = e.Expr(a)
	}
	e.ArgumentSizes(t.Dist, t.Form, t.Args, t.At.Text(), v, args)
	for i := range args {
		if len(args[i].Axes) == len(v.Axes) { // axes are matched by position: those of [0, 0] have no names
			args[i].Axes = v.Axes
		}
	}
	if t.Walk() {
		return newWalk(e, v, args)
	}
	n := len(args) - 1
	s := vectorShift{bound: evaluate.Union(append(args, v)...), axes: v.Axes, precision: t.Form.Args[n].Name == "prec"}
	s.mean, s.factor = e.Align(args[0], s.bound, v.Axes), e.Align(args[n], s.bound, args[n].Axes)
	if t.Form.Args[n].Name != "chol" {
		s.factor = autodiff.Cholesky(s.factor)
	}
	if len(args) == 3 {
		s.sd = e.Align(args[1], s.bound, v.Axes)
	}
	return s
}

// newWalk returns the shift of a random walk with a drift and a scale.
func newWalk(e *evaluate.Evaluator, v evaluate.Value, args []evaluate.Value) vectorShift {
	s := vectorShift{bound: evaluate.Union(append(args, v)...), axes: v.Axes, walk: true}
	shape := e.Shape(s.bound, v.Axes)
	alike := func(arg evaluate.Value) autodiff.Node {
		n, axes := e.Full(e.AlignLoosely(arg, s.bound, nil), s.bound, nil).Node, []int{}
		for k := range n.Rank() {
			axes = append(axes, k)
		}
		return autodiff.Broadcast(n, shape, axes)
	}
	s.mean, s.sd = autodiff.CumSum(alike(args[0]), len(shape)-1, false), alike(args[1])
	return s
}

// shiftVector returns the value for coordinates z.
func shiftVector(e *evaluate.Evaluator, t *model.Term, z evaluate.Value) evaluate.Value {
	s := newVectorShift(e, t, z)
	zn := e.Align(z, s.bound, z.Axes)
	var x autodiff.Node
	if s.walk {
		x = autodiff.CumSum(autodiff.Mul(s.sd, zn), zn.Rank()-1, false)
		return evaluate.Value{Node: autodiff.Add(s.mean, x), Bound: s.bound, Axes: z.Axes}
	}
	if s.precision {
		x = autodiff.TriSolve(s.factor, column(zn), true)
	} else {
		x = autodiff.MatMul(s.factor, column(zn), false, false)
	}
	x = autodiff.Reshape(x, zn.Shape()...)
	if s.sd.Valid() {
		x = autodiff.Mul(s.sd, x)
	}
	return evaluate.Value{Node: autodiff.Add(s.mean, x), Bound: s.bound, Axes: z.Axes}
}

// inverse returns the coordinates of a value.
func (s vectorShift) inverse(e *evaluate.Evaluator, v evaluate.Value) autodiff.Node {
	x := autodiff.Sub(e.Align(v, s.bound, s.axes), s.mean)
	if s.walk {
		return autodiff.Div(stdlib.Differences(x), s.sd)
	}
	if s.sd.Valid() {
		x = autodiff.Div(x, s.sd)
	}
	if s.precision {
		return autodiff.MatMul(s.factor, column(x), true, false)
	}
	return autodiff.TriSolve(s.factor, column(x), false)
}

// conditional returns the standard deviation of each element given the elements before it, or given those after it in
// case of a precision.
func (s vectorShift) conditional() autodiff.Node {
	if s.walk {
		return s.sd
	}
	sd := stdlib.Diagonal(s.factor)
	if s.precision {
		sd = autodiff.Div(sd.Graph().Const(1), sd)
	}
	if s.sd.Valid() {
		sd = autodiff.Mul(s.sd, sd)
	}
	return sd
}

// column returns a vector as a matrix of one column, for each plate.
func column(x autodiff.Node) autodiff.Node {
	return autodiff.Reshape(x, append(slices.Clone(x.Shape()), 1)...)
}

// standardNormal returns the log density of noncentered coordinates of a multivariate normal, summed over each event.
func standardNormal(z autodiff.Node, event int) autodiff.Node {
	axes := make([]int, event)
	for k := range axes {
		axes[k] = z.Rank() - event + k
	}
	half := z.Graph().Const(-0.5)
	logNorm := z.Graph().Const(-0.5 * math.Log(2*math.Pi))
	return autodiff.Sum(autodiff.Add(autodiff.Mul(half, autodiff.Mul(z, z)), logNorm), axes...)
}
