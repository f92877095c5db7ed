package plan

import (
	"ppl/autodiff"
	"ppl/compiler/density"
	"ppl/compiler/density/marginalize"
	"ppl/compiler/density/symmetry"
	"ppl/lang/types"
)

// Symmetries returns changes of coordinates under which the density was found to be invariant. It returns none if the
// rows are read from files.
func (p *Plan) Symmetries() types.Symmetries {
	if p.layout.Data.HasStreams() {
		return types.Symmetries{Dim: p.layout.Dim}
	}
	return symmetry.Find(p.layout, func(th *density.Theta) (prior, likelihood autodiff.Node) {
		latents := marginalize.Over(th)
		e := p.layout.Evaluator(th.Graph(), latents)
		t := p.terms(e, latents, th.NonCentered(e))
		return autodiff.Add(t.Prior, th.Jacobian(e)), t.Likelihood
	})
}
