package density_test

import (
	"math"
	"testing"

	"ppl/autodiff"
	"ppl/autodiff/gorgonia"
	"ppl/compiler"
	"ppl/compiler/compilertest"
)

// TestTapeMachine compares Gorgonia's tape machine with the interpreter: densities and gradients of every density case.
// Package examples has the same test for the examples.
func TestTapeMachine(t *testing.T) {
	t.Parallel()
	for _, c := range densityCases(t) {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			agreesWithTape(t, compilertest.Load(t, c.model))
		})
	}
}

func agreesWithTape(t *testing.T, p *compiler.Program) {
	t.Helper()
	g := autodiff.New()
	theta := g.Input("theta", p.Dim())
	prior, lik := p.Density(theta)
	nodes := []autodiff.Node{prior, lik, autodiff.Grad(autodiff.Add(prior, lik), theta)[0]}
	inputs := map[string][]float64{"theta": p.Start(4, 0)}
	got, err := gorgonia.Eval(inputs, nodes...)
	if err != nil {
		t.Fatal(err)
	}
	want := autodiff.Eval(inputs, nodes...)
	for k := range want {
		for i, w := range want[k] {
			same := got[k][i] == w || math.IsNaN(w) && math.IsNaN(got[k][i])
			if !same && !(math.Abs(got[k][i]-w) <= 1e-10*(1+math.Abs(w))) {
				t.Errorf("value %d[%d] is %v on the tape machine, %v by the interpreter", k, i, got[k][i], w)
			}
		}
	}
}
