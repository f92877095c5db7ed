package examples_test

import (
	"fmt"

	G "gorgonia.org/gorgonia"

	"ppl/autodiff/gorgonia"
	"ppl/compiler"
)

// Example_gorgonia uses a model in a Gorgonia program: Gorgonia's solver minimises the negative log density, whose
// inputs are the parameters by name, with gradients by Gorgonia's Grad. The mode is that of `ppl optimize`: a = -1.089,
// b = -0.229.
func Example_gorgonia() {
	p, _ := compiler.Load(compiler.Request{Path: "challenger.ppl"})
	var outputs []gorgonia.Output
	for _, v := range p.Named()[:2] { // log_prior, log_likelihood; the others are their gradients
		outputs = append(outputs, gorgonia.Output{Name: v.Name, Node: v.Node})
	}
	g, err := gorgonia.Convert(outputs...)
	if err != nil {
		panic(err)
	}
	a, b := g.Inputs["a"], g.Inputs["b"]
	loss := G.Must(G.Neg(G.Must(G.Add(g.Outputs["log_prior"], g.Outputs["log_likelihood"]))))
	if _, err := G.Grad(loss, a, b); err != nil {
		panic(err)
	}
	for _, x := range []*G.Node{a, b} {
		if err := G.Let(x, 0.0); err != nil {
			panic(err)
		}
	}
	machine := G.NewTapeMachine(g.Expr, G.BindDualValues(a, b))
	defer machine.Close()
	solver := G.NewAdamSolver(G.WithLearnRate(0.01))
	for range 2000 {
		if err := machine.RunAll(); err != nil {
			panic(err)
		}
		if err := solver.Step(G.NodesToValueGrads(G.Nodes{a, b})); err != nil {
			panic(err)
		}
		machine.Reset()
	}
	fmt.Printf("a = %.2f, b = %.2f, loss = %.2f\n", a.Value().Data(), b.Value().Data(), loss.Value().Data())
	// Output: a = -1.09, b = -0.23, loss = 13.66
}
