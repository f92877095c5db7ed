package plan

import (
	"ppl/autodiff"
	"ppl/compiler/density/evaluate"
	"ppl/compiler/frontend/model"
	"ppl/compiler/predict/simulate"
	"ppl/lang/types"
)

// Unknowns describes the parameters, followed by the arrays that the parameters do not determine: discrete unknowns,
// and data with missing entries that statements read. parameters is the number of parameter arrays. The completer
// computes the other arrays; it is nil if there are none.
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
