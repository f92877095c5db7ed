package emit

import (
	"ppl/autodiff"
	"ppl/compiler/dataset"
	"ppl/compiler/model"
	"ppl/lang/diag"
	"ppl/lang/types"
	"ppl/stdlib"
)

// A Region is a parameter's piece in the unconstrained vector: [Offset, Offset+Size).
type Region struct {
	piece     *model.Piece
	term      *model.Term
	transform *stdlib.Transform
	plates    []*model.Index // those before the event; of ordered and zerosum, without the last
	event     []int
	free      []int
	offset    int
	size      int
}

// A Layout says where in the unconstrained vector each piece of a parameter is.
//
//	s ~ HalfNormal(1)              region 0..1: log s
//	w[k in 1..3] ~ Dirichlet(...)  region 1..3: two coordinates of the simplex
type Layout struct {
	Data    *dataset.Dataset
	Limits  StepLimits // of solvers, for every evaluator
	Dim     int
	Regions []*Region // in the order of the model
	of      map[*model.Piece]*Region
}

// NewLayout finds the regions of every parameter.
func NewLayout(d *dataset.Dataset, diags *diag.List) *Layout {
	l := &Layout{Data: d, Limits: StepLimits{}, of: map[*model.Piece]*Region{}}
	e := New(autodiff.New(), d, l.Limits, NoSource{}, diags)
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
			r.offset = l.Dim
			l.Dim += r.size
			l.Regions, l.of[p] = append(l.Regions, r), r
		}
	}
	return l
}

// Evaluator evaluates in a graph with a source. Errors go to diags.
func (l *Layout) Evaluator(g *autodiff.Graph, source Source, diags *diag.List) *Evaluator {
	return New(g, l.Data, l.Limits, source, diags)
}

func newRegion(e *Evaluator, p *model.Piece) *Region {
	t := p.Term
	r := &Region{piece: p, term: t, plates: p.Plates, event: e.shape(nil, t.Event)}
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
		e.Stop(e.Diags.Errorf("E99", t.At, "parameters with the support of %s are not compiled by this version of ppl yet",
			t.Dist.Name))
	}
	if t.ZeroSum && r.event[0] == 1 {
		e.Stop(e.Diags.Errorf("E62", t.At, "`zerosum` of size 1 is the constant 0"))
	}
	r.free = r.transform.Free(r.event)
	r.size = product(e.shape(r.plates, nil)) * product(r.free)
	return r
}
