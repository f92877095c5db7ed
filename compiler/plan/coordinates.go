package plan

import (
	"ppl/autodiff"
	"ppl/compiler/density"
	"ppl/compiler/marginalize"
	"ppl/lang/types"
)

// Coordinates says of each unconstrained coordinate which parameter it moves, and whether a bound is between.
func (p *Plan) Coordinates() []types.Coordinate {
	theta := autodiff.New().Input("theta", p.Dim())
	e := p.layout.Evaluator(theta.Graph(), marginalize.Over(p.layout.Theta(theta)))
	var out []types.Coordinate
	for _, r := range p.layout.Regions {
		lower, upper := false, false
		if r.Transform.Kind == types.Interval && !r.Term.NonCentered {
			lo, hi := density.Bounds(e, r.Term, r.Plates)
			lower, upper = lo.Valid(), hi.Valid()
		}
		v := e.Describe(r.Term.Array)
		for i := range r.Size {
			name := v.Name
			if r.Size == v.Size() {
				name = v.Element(i)
			}
			out = append(out, types.Coordinate{Parameter: name, Lower: lower, Upper: upper})
		}
	}
	return out
}
