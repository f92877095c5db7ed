// Package density evaluates the log densities of a model's statements, and assigns parameters to ranges of the
// unconstrained vector theta.
//
//	s ~ HalfNormal(1)            theta[0] = log s, with log-Jacobian theta[0]
//	y[i in N] ~ Normal(0, s)     Term: log p(y[i] | s) over the plate i
//
// Transforms of constrained parameters are those of Stan (Reference Manual, chapter "Constraint Transforms").
package density

import (
	"sync"

	"ppl/autodiff"
	"ppl/compiler/datasets/dataset"
	"ppl/compiler/density/evaluate"
	"ppl/compiler/frontend/model"
	"ppl/lang/diag"
	"ppl/lang/types"
	"ppl/stdlib"
)

// A Theta is a source that computes parameters from an unconstrained vector:
//
//	s ~ HalfNormal(1)             theta = [0.3, -1.2]    s = exp(0.3), log-Jacobian 0.3
//	m ~ Normal(0, s) noncentered                         m = 0 + s * -1.2
type Theta struct {
	evaluate.NoSource
	layout *Layout
	node   autodiff.Node
	values map[*Region]evaluate.Value
	jac    map[*Region]autodiff.Node // log-Jacobian of each region
	logs   map[*Region]autodiff.Node // log probabilities of simplices, used instead of their coordinates
	joint  *factored                 // factor of the jointly normal parameters at theta; nil until it is needed
}

// A Region is the range [Offset, Offset+Size) of the unconstrained vector for a piece of a parameter.
type Region struct {
	Piece     *model.Piece
	Term      *model.Term
	Transform *stdlib.Transform
	Plates    []*model.Index // without the event; for `ordered` and `zerosum`, also without the last plate
	Event     []int
	free      []int
	Offset    int
	Size      int
	forms     []types.Form // form of each element's coordinate, nil if all are as the model declares (Layout.Recentred)
}

// Last returns the size of a region's last axis in unconstrained coordinates.
func (r *Region) Last() int { return r.free[len(r.free)-1] }

// A Layout maps each piece of a parameter to its range of the unconstrained vector.
//
//	s ~ HalfNormal(1)              region 0..1: log s
//	w[k in 1..3] ~ Dirichlet(...)  region 1..3: two coordinates of the simplex
type Layout struct {
	Data    *dataset.Dataset
	Limits  evaluate.StepLimits // number of steps that solvers may take, for every evaluator
	Dim     int
	Regions []*Region // in the order of the model
	joint   func() *Joint
	of      map[*model.Piece]*Region
}

// NewLayout determines the regions of every parameter.
func NewLayout(d *dataset.Dataset, diags *diag.List) *Layout {
	l := &Layout{Data: d, Limits: evaluate.StepLimits{}, of: map[*model.Piece]*Region{}}
	e := evaluate.New(autodiff.New(), d, l.Limits, evaluate.NoSource{}, diags)
	for _, t := range d.Model.Terms {
		refuseEmptyEvent(e, t)
	}
	for _, a := range d.Model.Arrays {
		if h := d.Imputed[a]; h != nil && len(h.At) > 0 {
			a = h.Param
		}
		if a.Role != model.Parameter {
			continue
		}
		for _, p := range a.Pieces {
			if p.Term == nil {
				continue
			}
			r := newRegion(e, p)
			r.Offset = l.Dim
			l.Dim += r.Size
			l.refuseTooMany(e, r)
			l.Regions, l.of[p] = append(l.Regions, r), r
		}
	}
	l.joint = sync.OnceValue(l.findJoint)
	return l
}

// bytesOfParameter is a lower bound for the memory of a parameter during sampling: two numbers in each of 16 walkers.
// Most samplers need several times that amount.
const bytesOfParameter = 2 * 8 * 16

// fewParameters is the number of parameters below which the memory is not checked.
const fewParameters = 1 << 16

// refuseTooMany reports an error at the first parameter with which the parameters no longer fit into memory.
func (l *Layout) refuseTooMany(e *evaluate.Evaluator, r *Region) {
	if l.Dim < fewParameters || l.Data.Memory == 0 || int64(l.Dim) <= l.Data.Memory/bytesOfParameter {
		return
	}
	e.Stop(e.Diags.Errorf(diag.TooManyElements, r.Term.At,
		"with `%s` the model has %d parameters, which need at least %.3g GB of memory during sampling; "+
			"%.3g GB are available", r.Term.Array.Name, l.Dim, float64(l.Dim)*bytesOfParameter/1e9,
		float64(l.Data.Memory)/1e9).
		Help("check whether a size is in fact a code or an identifier; the limit is the memory of the machine, or " +
			"--max-memory"))
}

// refuseEmptyEvent reports an error if the variate of a multivariate distribution has no elements.
func refuseEmptyEvent(e *evaluate.Evaluator, t *model.Term) {
	sets := t.Event
	if (t.Ordered || t.ZeroSum) && len(t.Plates) > 0 {
		sets = []*model.Set{t.Plates[len(t.Plates)-1].Set}
	}
	if t.Dist == nil || t.Dist.Event == 0 && !t.Ordered && !t.ZeroSum {
		return
	}
	for _, s := range sets {
		if box := e.Box(s); box.Size() == 0 {
			e.Stop(e.Diags.Errorf(diag.OutOfRange, t.At, "`%s` has no elements: the axis %s is %d..%d", t.Array.Name,
				s.Name, box.Lo, box.Hi).Help("give `%s` a size of at least 1", s.Name))
		}
	}
}

// Evaluator returns an evaluator for a graph and a source, for use after the data have been checked: an error is then
// an error of the compiler.
func (l *Layout) Evaluator(g *autodiff.Graph, source evaluate.Source) *evaluate.Evaluator {
	return l.Reporting(g, source, &diag.List{})
}

// Reporting returns an evaluator that reports to diags the errors that data may cause.
func (l *Layout) Reporting(g *autodiff.Graph, source evaluate.Source, diags *diag.List) *evaluate.Evaluator {
	return evaluate.New(g, l.Data, l.Limits, source, diags)
}

func newRegion(e *evaluate.Evaluator, p *model.Piece) *Region {
	t := p.Term
	r := &Region{Piece: p, Term: t, Plates: p.Plates, Event: e.Shape(nil, t.Event)}
	kind := types.RealLine
	if t.Dist != nil {
		kind = t.Dist.Support
	}
	switch {
	case t.Ordered, t.ZeroSum:
		last := len(p.Plates) - 1
		r.Plates, r.Event = p.Plates[:last], e.Shape(p.Plates[last:], nil)
		kind = types.Ordered
		if t.ZeroSum {
			kind = types.ZeroSum
		}
	case kind == types.RealLine && t.In != nil:
		kind = types.Interval
	}
	r.Transform = stdlib.TransformOf(kind)
	if r.Transform == nil {
		e.Stop(e.Diags.Errorf(diag.NotCompiled, t.At,
			"parameters with the support of %s are not supported by this version of ppl yet",
			t.Dist.Name))
	}
	if t.ZeroSum && r.Event[0] == 1 {
		e.Stop(e.Diags.Errorf(diag.ZeroSumOfOne, t.At, "`zerosum` of size 1 is the constant 0; it needs at least 2 "+
			"elements"))
	}
	r.free = r.Transform.Free(r.Event)
	r.Size = evaluate.Product(e.Shape(r.Plates, nil)) * evaluate.Product(r.free)
	return r
}

func (l *Layout) Theta(node autodiff.Node) *Theta {
	return &Theta{layout: l, node: node, values: map[*Region]evaluate.Value{}, jac: map[*Region]autodiff.Node{}}
}
