package symmetry

import (
	"fmt"

	"ppl/autodiff"
	"ppl/autodiff/modular"
	"ppl/compiler/density"
	"ppl/compiler/density/evaluate"
	"ppl/lang/types"
)

// Terms returns log ρ, with log-Jacobian, and log ℓ for a source of parameters.
type Terms func(*density.Theta) (prior, likelihood autodiff.Node)

// Find returns the symmetries of the density of a layout. The number of tests is limited so that they take some tenths
// of a second; for a large density, whose sampling takes minutes, they may take seconds.
func Find(l *density.Layout, terms Terms) types.Symmetries {
	out := types.Symmetries{Dim: l.Dim}
	e := l.Evaluator(autodiff.New(), evaluate.NoSource{})
	places, simplices := placesOf(e, l)
	families, mirrors := familiesOf(e, places), l.Data.Model.Mirrors
	if len(families)+len(mirrors) == 0 {
		return out
	}
	t := newTest(l, places, terms)
	if t == nil {
		return out
	}
	s, ok := newSearch(t.coordinates, max(mostNumbers/t.numbers, fewTests), t.density)
	if !ok {
		return out
	}
	for _, f := range families {
		s.family(f)
	}
	for _, arrays := range mirrors {
		if names, at, ok := mirrorOf(l, arrays); ok {
			s.mirror(names, at)
		}
	}
	out.Of, out.Simplices = s.found, simplices
	return out
}

// A test evaluates a density modulo a prime.
type test struct {
	routine     *modular.Routine
	dim         int
	logs        []place // simplices
	coordinates int
	numbers     float64 // number of numbers that an evaluation computes
}

// newTest returns nil if an evaluation would take too long.
func newTest(l *density.Layout, places []place, terms Terms) *test {
	t := &test{dim: l.Dim, coordinates: l.Dim}
	g := autodiff.New()
	theta := l.Theta(g.Input("theta", l.Dim))
	for _, p := range places {
		if p.region.Transform.Kind == types.Simplex {
			theta.WithLogs(p.region, g.Input(fmt.Sprint("logs ", len(t.logs)), p.shape...))
			t.logs, t.coordinates = append(t.logs, p), t.coordinates+p.size()
		}
	}
	prior, likelihood := terms(theta)
	t.numbers = 1 + autodiff.Numbers(prior, likelihood)
	if t.numbers > mostNumbers/2 {
		return nil
	}
	t.routine = modular.NewRoutine(prior, likelihood)
	return t
}

func (t *test) density(at []modular.Residue) (out [2]modular.Residue, ok bool) {
	inputs := map[string][]modular.Residue{"theta": at[:t.dim]}
	for k, p := range t.logs {
		inputs[fmt.Sprint("logs ", k)] = at[p.first:][:p.size()]
	}
	values, err := t.routine.Eval(inputs)
	if err != nil {
		return out, false
	}
	return [2]modular.Residue{values[0][0], values[1][0]}, true
}
