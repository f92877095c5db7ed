package emit

import (
	"ppl/autodiff"
	"ppl/compiler/model"
)

// A Theta is the source of parameters from an unconstrained vector:
//
//	s ~ HalfNormal(1)             theta = [0.3, -1.2]    s = exp(0.3), log-Jacobian 0.3
//	m ~ Normal(0, s) noncentered                         m = 0 + s * -1.2
type Theta struct {
	NoSource
	layout *Layout
	node   Node
	values map[*Region]Value
	jac    map[*Region]Node // log-Jacobians
}

func (l *Layout) Theta(node Node) *Theta {
	return &Theta{layout: l, node: node, values: map[*Region]Value{}, jac: map[*Region]Node{}}
}

// Piece is a parameter at theta. A generated array is drawn after inference; until then it is 0.
func (t *Theta) Piece(e *Evaluator, p *model.Piece) (Value, bool) {
	r := t.layout.of[p]
	if r == nil {
		return Value{e.Graph.Full(0, e.shape(p.Plates, p.Term.Event)...), p.Plates, p.Term.Event}, true
	}
	v, ok := t.values[r]
	if !ok {
		v, t.jac[r] = Constrain(e, r, t.node, func(r *Region, _ Value) Value { return e.Recurrence(r.piece) })
		t.values[r] = v
	}
	return v, true
}

// Scanned makes the scan compute a non-centred parameter from its coordinates.
func (t *Theta) Scanned(e *Evaluator, p *model.Piece) *Rule {
	r := t.layout.of[p]
	if r == nil || !r.term.NonCentered {
		return nil
	}
	return shiftedInScan(r.term, Value{t.coordinates(e, r), r.plates, r.term.Event})
}

// coordinates are a region's part of theta over its plates and event.
func (t *Theta) coordinates(e *Evaluator, r *Region) Node {
	return autodiff.Reshape(Part(e, r, t.node), e.shape(r.plates, r.term.Event)...)
}

// NonCentered lists the coordinates of the terms that have their own.
func (t *Theta) NonCentered(e *Evaluator) map[*model.Term]Node {
	out := map[*model.Term]Node{}
	for _, r := range t.layout.Regions {
		if r.term.NonCentered {
			out[r.term] = t.coordinates(e, r)
		}
	}
	return out
}

// Jacobian is the log-Jacobian of all parameters.
func (t *Theta) Jacobian(e *Evaluator) Node {
	sum := e.Graph.Const(0)
	for _, r := range t.layout.Regions {
		e.Piece(r.term.Array, r.piece)
		sum = autodiff.Add(sum, t.jac[r])
	}
	return sum
}
