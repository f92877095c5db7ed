package gorgonia

import (
	"fmt"

	G "gorgonia.org/gorgonia"

	"ppl/autodiff"
)

// Eval computes nodes on Gorgonia's tape machine. It returns what autodiff.Eval returns.
func Eval(inputs map[string][]float64, nodes ...autodiff.Node) ([][]float64, error) {
	outputs := make([]Output, len(nodes))
	for i, n := range nodes {
		outputs[i] = Output{fmt.Sprintf("output %d", i), n}
	}
	g, err := Convert(outputs...)
	if err != nil {
		return nil, err
	}
	defer g.Close()
	values, err := g.Run(inputs, nil)
	if err != nil {
		return nil, err
	}
	out := make([][]float64, len(nodes))
	for i, o := range outputs {
		out[i] = values[o.Name]
	}
	return out, nil
}

// Run computes all outputs on Gorgonia's tape machine from inputs by name, row-major. An input that is missing keeps
// its value of the run before. r supplies noise and may be nil if the graph has none. Run is not safe for concurrent
// use.
func (g *Graph) Run(inputs map[string][]float64, r Random) (map[string][]float64, error) {
	for name, n := range g.Inputs {
		values, ok := inputs[name]
		if !ok {
			continue
		}
		if len(values) != n.Shape().TotalSize() {
			return nil, fmt.Errorf("gorgonia: input %q has %d values for shape %v", name, len(values), n.Shape())
		}
		if err := G.Let(n, Value(values, n.Shape())); err != nil {
			return nil, err
		}
	}
	if g.machine == nil {
		g.machine = G.NewTapeMachine(g.Expr)
	}
	defer g.machine.Reset()
	g.random = r
	if err := g.machine.RunAll(); err != nil {
		return nil, err
	}
	out := map[string][]float64{}
	for _, o := range g.outputs {
		out[o.Name] = []float64{}
		if n := g.Outputs[o.Name]; n != nil {
			out[o.Name] = append(out[o.Name], Floats(n.Value())...)
		}
	}
	return out, nil
}

// Close frees the tape machine.
func (g *Graph) Close() error {
	if g.machine == nil {
		return nil
	}
	return g.machine.Close()
}
