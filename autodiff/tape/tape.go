// Package tape runs graphs on Gorgonia's tape machine: an evaluator to test others against, never the engine.
package tape

import (
	"fmt"

	"gorgonia.org/gorgonia"

	"ppl/autodiff"
)

// Run computes nodes of one graph from lane buffers by name, row-major, as autodiff.Eval does.
func Run(inputs map[string][]float64, nodes ...autodiff.Node) ([][]float64, error) {
	var roots gorgonia.Nodes
	for _, n := range nodes {
		if n.Size() > 0 { // an empty array is a constant
			roots = append(roots, n.Expr())
		}
	}
	if err := execute(inputs, nodes, roots); err != nil {
		return nil, err
	}
	out := make([][]float64, len(nodes))
	for i, n := range nodes {
		if out[i] = []float64{}; n.Size() > 0 {
			out[i] = append(out[i], autodiff.Floats(n.Expr().Value())...)
		}
	}
	return out, nil
}

func execute(inputs map[string][]float64, nodes []autodiff.Node, roots gorgonia.Nodes) error {
	if len(roots) == 0 {
		return nil
	}
	g := nodes[0].Graph()
	if err := bind(inputs, g); err != nil {
		return err
	}
	idle := g.Input("(idle)").Expr() // the machine refuses a graph without inputs
	if err := gorgonia.Let(idle, 0.0); err != nil {
		return err
	}
	vm := gorgonia.NewTapeMachine(idle.Graph().ExactSubgraphRoots(append(roots, idle)...))
	defer vm.Close()
	return vm.RunAll()
}

// bind gives the graph's inputs their values.
func bind(inputs map[string][]float64, g *autodiff.Graph) error {
	for _, n := range g.Nodes() {
		op := n.Op()
		values, ok := inputs[op.Name]
		if op.Kind != autodiff.OpInput || !ok || n.Size() == 0 {
			continue
		}
		if len(values) != n.Size() {
			return fmt.Errorf("input %s has %d values for shape %v", op.Name, len(values), n.Shape())
		}
		if err := gorgonia.Let(n.Expr(), autodiff.Value(values, n.Shape())); err != nil {
			return err
		}
	}
	return nil
}
