package plan

import (
	"slices"

	"ppl/autodiff"
	"ppl/compiler/density"
	"ppl/compiler/density/evaluate"
	"ppl/compiler/density/marginalize"
	"ppl/compiler/frontend/model"
	"ppl/lang/types"
)

// Coordinates describes each unconstrained coordinate: its parameter, and whether the parameter is bounded.
func (p *Plan) Coordinates() []types.Coordinate {
	theta := autodiff.New().Input("theta", p.Dim())
	e := p.layout.Evaluator(theta.Graph(), marginalize.Over(p.layout.Theta(theta)))
	var out []types.Coordinate
	for _, r := range p.layout.Regions {
		lower, upper := false, false
		if r.Transform.Kind == types.Interval && !r.NonCentered() {
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

// Blocks lists the unconstrained coordinates by parameter array, in order.
func (p *Plan) Blocks() []types.Block {
	e := p.layout.Evaluator(autodiff.New(), evaluate.NoSource{})
	var out []types.Block
	for _, r := range p.layout.Regions {
		a := r.Term.Array
		b := types.Block{Parameter: a.Name, First: r.Offset, Size: r.Size}
		if l := p.layerOf(a); l != nil {
			b.Layer = l.Name
			// The last axis of weights is the layer's input; a bias has a single axis.
			if own := a.Type.Axes[l.Family:]; len(own) > 1 && r.Transform.Kind == types.RealLine {
				b.Inputs, b.Outputs = e.Box(own[len(own)-1]).Size(), 1
				for _, s := range own[:len(own)-1] {
					b.Outputs *= e.Box(s).Size()
				}
			}
		}
		out = append(out, b)
	}
	return out
}

// layerOf returns the layer whose weights include array a, or nil.
func (p *Plan) layerOf(a *model.Array) *model.Layer {
	layers := p.layout.Data.Model.Layers
	i := slices.IndexFunc(layers, func(l model.Layer) bool { return slices.Contains(l.Weights, a) })
	if i < 0 {
		return nil
	}
	return &layers[i]
}
