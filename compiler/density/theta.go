package density

import (
	"slices"

	"ppl/autodiff"
	"ppl/compiler/density/evaluate"
	"ppl/compiler/frontend/model"
	"ppl/stdlib"
)

// Graph returns the graph of the parameters.
func (t *Theta) Graph() *autodiff.Graph { return t.node.Graph() }

// WithLogs sets the vectors of a region of simplices by their log probabilities y (up to a constant) instead of by
// their coordinates.
func (t *Theta) WithLogs(r *Region, y autodiff.Node) {
	if t.logs == nil {
		t.logs = map[*Region]autodiff.Node{}
	}
	t.logs[r] = y
}

// Piece returns the value of a parameter at theta. For a generated array, which is drawn after inference, it returns 0.
func (t *Theta) Piece(e *evaluate.Evaluator, p *model.Piece) (evaluate.Value, bool) {
	r := t.layout.of[p]
	if r == nil {
		return evaluate.Value{Node: e.Graph.Full(0, e.Shape(p.Plates, p.Term.Event)...), Bound: p.Plates,
			Axes: p.Term.Event}, true
	}
	v, ok := t.values[r]
	if !ok && r.GivenData() {
		f := t.factored(e.Graph)
		z := t.layout.inJoint(e.Graph, func(r *Region) autodiff.Node { return Part(e, r, t.node) })
		t.setRegions(f.Joint, f.values(z))
		v, ok = t.values[r], true
	}
	if y, has := t.logs[r]; !ok && has {
		x, jac := stdlib.Softmax(y)
		t.jac[r] = autodiff.SumAll(jac)
		v, ok = evaluate.Value{Node: x, Bound: r.Piece.Plates, Axes: r.Term.Event}, true
		t.values[r] = v
	}
	if !ok {
		v, t.jac[r] = Constrain(e, r, t.node, func(r *Region,
			_ evaluate.Value) evaluate.Value {
			return e.Recurrence(r.Piece)
		})
		t.values[r] = v
	}
	return v, true
}

// Scanned returns the rule with which a scan computes a parameter that depends on its own earlier elements; nil if the
// parameter is not computed by a scan.
func (t *Theta) Scanned(e *evaluate.Evaluator, p *model.Piece) *evaluate.Rule {
	r := t.layout.of[p]
	switch {
	case r == nil:
		return nil
	case r.betweenPast():
		return BetweenInScan(r, evaluate.Value{Node: t.coordinates(e, r), Bound: r.Plates, Axes: r.Term.Event})
	case !r.NonCentered(), r.onLine():
		return nil
	}
	return ShiftedInScan(r.Term, evaluate.Value{Node: t.coordinates(e, r), Bound: r.Plates, Axes: r.Term.Event})
}

// coordinates returns a region's part of theta over its plates and event.
func (t *Theta) coordinates(e *evaluate.Evaluator, r *Region) autodiff.Node {
	return autodiff.Reshape(Part(e, r, t.node), e.Shape(r.Plates, r.Term.Event)...)
}

// NonCentered maps terms to their relative coordinates; other terms are absent.
func (t *Theta) NonCentered(e *evaluate.Evaluator) map[*model.Term]Coordinates {
	out := map[*model.Term]Coordinates{}
	for _, r := range t.layout.Regions {
		switch {
		case !r.NonCentered():
		case r.onLine():
			out[r.Term] = Coordinates{OnLine: true}
		default:
			out[r.Term] = Coordinates{Node: t.coordinates(e, r), Centred: r.Centred()}
		}
	}
	return out
}

// Jacobian returns the log-Jacobian of all parameters.
func (t *Theta) Jacobian(e *evaluate.Evaluator) autodiff.Node {
	sum := e.Graph.Const(0)
	if slices.ContainsFunc(t.layout.Regions, (*Region).GivenData) {
		sum = autodiff.Add(sum, t.factored(e.Graph).logJacobian())
	}
	for _, r := range t.layout.Regions {
		e.Piece(r.Term.Array, r.Piece)
		if !t.jac[r].Valid() { // its bounds read the array, whose value is known now
			_, jac := between(e, r, t.coordinates(e, r), r.Plates)
			t.jac[r] = autodiff.SumAll(jac)
		}
		sum = autodiff.Add(sum, t.jac[r])
	}
	return sum
}
