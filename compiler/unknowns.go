package compiler

import (
	"math/rand/v2"

	"ppl/compiler/frontend/model"
	"ppl/compiler/plan"
	"ppl/compiler/predict/simulate"
	"ppl/lang/types"
)

// Unknowns draws the discrete latents and missing data of a model, given its parameters. `generate` statements read the
// same values.
//
//	z[i in N] ~ Bernoulli(p)        z is drawn given y and the parameters
//	y[i in N] ~ Normal(m[z[i]], 1)
//	data x[N] missing               x has the observed elements, and the draw's values of the missing ones
type Unknowns struct {
	Parameters []types.Variable // inputs of Draw
	Variables  []types.Variable // outputs of Draw
	plan       *plan.Plan
	completer  *simulate.Completer
}

// Unknowns returns the unknowns of the model, or nil if the parameters determine everything.
func (p *Program) Unknowns() *Unknowns {
	n, vars, c := p.Plan.Unknowns()
	if c == nil {
		return nil
	}
	return &Unknowns{vars[:n], vars[n:], p.Plan, c}
}

// Separate returns the same unknowns with separate state for Draw, so that another goroutine can use it.
func (u *Unknowns) Separate() *Unknowns {
	out := *u
	_, _, out.completer = u.plan.Unknowns()
	return &out
}

// Draw computes the Variables in values, which begins with the Parameters. With the same stream of random numbers as a
// run's `generate` statements, it draws the discrete unknowns that these read.
func (u *Unknowns) Draw(r *rand.Rand, values []float64) { u.completer.Complete(r, values) }

// HasUnknowns reports whether there are data with which a model has Unknowns. It returns false for a model with errors.
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
