package compiler

import (
	"math/rand/v2"

	"ppl/compiler/frontend/model"
	"ppl/compiler/predict/simulate"
	"ppl/lang/types"
)

// Unknowns draw what a model does not know even at given parameters, as `generate` statements see it.
//
//	z[i in N] ~ Bernoulli(p)        z is drawn given y and the parameters
//	y[i in N] ~ Normal(m[z[i]], 1)
//	data x[N] missing               x is as it was observed; where it is missing, a draw has its values
type Unknowns struct {
	Parameters []types.Variable // whose values are given to Draw
	Variables  []types.Variable // that it draws
	completer  *simulate.Completer
}

// Unknowns returns nil if everything is known at given parameters.
func (p *Program) Unknowns() *Unknowns {
	n, vars, c := p.Plan.Unknowns()
	if c == nil {
		return nil
	}
	return &Unknowns{vars[:n], vars[n:], c}
}

// Draw fills in the Variables in values, which begins with the Parameters. From the stream of what a run generates at a
// draw come the discrete unknowns that its `generate` statements read.
func (u *Unknowns) Draw(r *rand.Rand, values []float64) { u.completer.Complete(r, values) }

// HasUnknowns reports whether a model may have Unknowns with some data.
func HasUnknowns(path, text string) bool {
	m, _ := CheckText(path, text)
	if m == nil {
		return false
	}
	for _, a := range m.Arrays {
		if a.Role == model.Latent || a.Role == model.Imputed {
			return true
		}
	}
	return false
}
