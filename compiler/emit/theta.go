package emit

import (
	"ppl/autodiff"
	"ppl/compiler/model"
)

// A theta is the source of parameters from an unconstrained vector:
//
//	s ~ HalfNormal(1)             theta = [0.3, -1.2]    s = exp(0.3), log-Jacobian 0.3
//	m ~ Normal(0, s) noncentered                         m = 0 + s * -1.2
type theta struct {
	NoSource
	layout *Plan
	node   Node
	values map[*region]value
	jac    map[*region]Node // log-Jacobians
}

func (p *Plan) theta(node Node) *theta {
	return &theta{layout: p, node: node, values: map[*region]value{}, jac: map[*region]Node{}}
}

// Piece is a parameter at theta. A generated array is drawn after inference; until then it is 0.
func (t *theta) Piece(e *emitter, p *model.Piece) (value, bool) {
	r := t.layout.regionOf[p]
	if r == nil {
		return value{e.g.Full(0, e.shape(p.Plates, p.Term.Event)...), p.Plates, p.Term.Event}, true
	}
	v, ok := t.values[r]
	if !ok {
		v, t.jac[r] = e.constrain(r, t.node, func(r *region, _ value) value { return e.recurrence(r.piece) })
		t.values[r] = v
	}
	return v, true
}

// Scanned makes the scan compute a non-centred parameter from its coordinates.
func (t *theta) Scanned(e *emitter, p *model.Piece) *rule {
	r := t.layout.regionOf[p]
	if r == nil || !r.term.NonCentered {
		return nil
	}
	return shiftedInScan(r.term, value{t.coordinates(e, r), r.plates, r.term.Event})
}

// coordinates are a region's part of theta over its plates and event.
func (t *theta) coordinates(e *emitter, r *region) Node {
	return autodiff.Reshape(e.part(r, t.node), e.shape(r.plates, r.term.Event)...)
}

// noncentered lists the coordinates of the terms that have their own.
func (t *theta) noncentered(e *emitter) map[*model.Term]Node {
	out := map[*model.Term]Node{}
	for _, r := range t.layout.regions {
		if r.term.NonCentered {
			out[r.term] = t.coordinates(e, r)
		}
	}
	return out
}

// jacobian is the log-Jacobian of all parameters.
func (t *theta) jacobian(e *emitter) Node {
	sum := e.g.Const(0)
	for _, r := range t.layout.regions {
		e.pieceValue(r.term.Array, r.piece)
		sum = autodiff.Add(sum, t.jac[r])
	}
	return sum
}
