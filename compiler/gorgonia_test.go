package compiler

import (
	"math"
	"path/filepath"
	"strings"
	"testing"

	"ppl/autodiff"
	"ppl/autodiff/gorgonia"
	"ppl/lang/diag"
)

// Densities and gradients of every example and every density case, evaluated by Gorgonia's tape machine.
func TestTapeMachine(t *testing.T) {
	for _, c := range densityCases(t) {
		t.Run(c.name, func(t *testing.T) { agreesWithTape(t, load(t, c.model)) })
	}
	paths, err := filepath.Glob("../examples/*.ppl")
	if err != nil || len(paths) == 0 {
		t.Fatal("no examples", err)
	}
	for _, path := range paths {
		t.Run(filepath.Base(path), func(t *testing.T) {
			p, ds := Load(path, exampleData(path))
			if p == nil {
				var b strings.Builder
				diag.Render(&b, ds, false)
				t.Fatal(b.String())
			}
			agreesWithTape(t, p)
		})
	}
}

// exampleData is the data file beside an example that names none itself.
func exampleData(path string) []DataArg {
	found, _ := filepath.Glob(strings.TrimSuffix(path, ".ppl") + ".json")
	var args []DataArg
	for _, f := range found {
		args = append(args, DataArg{Path: f})
	}
	return args
}

func agreesWithTape(t *testing.T, p *Program) {
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
