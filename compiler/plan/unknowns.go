package plan

import (
	"ppl/autodiff"
	"ppl/compiler/density/evaluate"
	"ppl/compiler/frontend/model"
	"ppl/compiler/predict/simulate"
	"ppl/lang/types"
)

// Unknowns describe what a model does not know even at given parameters: first the parameters, of which the first
// return value is the number, then discrete unknowns, and data with missing entries that statements read. The completer
// fills these in; it is nil if there are none.
func (p *Plan) Unknowns() (parameters int, vars []types.Variable, c *simulate.Completer) {
	var saved []simulate.Saved
	for i, s := range p.saved {
		if s.Array.Role == model.Parameter {
			saved, vars = append(saved, s), append(vars, p.vars[i])
		}
	}
	parameters = len(saved)
	e := p.layout.Evaluator(autodiff.New(), evaluate.NoSource{})
	for _, a := range p.layout.Data.Model.Arrays {
		if a.Role != model.Latent && a.Role != model.Imputed {
			continue
		}
		v := e.Describe(a)
		saved, vars = append(saved, simulate.Saved{Array: a, Size: v.Size(), Late: true}), append(vars, v)
	}
	if len(saved) == parameters {
		return parameters, vars, nil
	}
	return parameters, vars, simulate.NewUnknowns(p.layout, saved)
}
