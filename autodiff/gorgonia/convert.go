// Package gorgonia turns graphs of package autodiff into expression graphs of Gorgonia (gorgonia.org/gorgonia), for
// programs that use it, and runs them on its tape machine, to check other evaluators against one that shares little
// with them.
//
//	x := g.Input("x", 3)                                    an autodiff graph
//	c, err := gorgonia.Convert(Output{"total", SumAll(x)})  c.Expr has an input x and a node total
//	values, err := c.Run(map[string][]float64{"x": {1, 2, 3}}, nil)  values["total"] is [6]
//
// What Gorgonia 0.9.18 does shapes the conversion. It looks for equal nodes by a hash of 32 bits that disregards
// arguments, and merges inputs and constants of one name: so every op has a number of its own in its hash, and none of
// Gorgonia's ops is used. Its Grad works through our ops (SymDiff), but gives wrong numbers when it is called twice on
// one graph: convert the nodes that autodiff.Grad makes instead.
package gorgonia

import (
	"fmt"

	"github.com/chewxy/hm"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"

	"ppl/autodiff"
)

// An Output is a node to be converted and the name it gets. Names differ from each other and from those of inputs.
type Output struct {
	Name string
	Node autodiff.Node
}

// A Graph is a converted graph, in which Inputs and Outputs have their names. Arrays without elements are left out:
// Gorgonia has none.
type Graph struct {
	Expr    *G.ExprGraph
	Inputs  map[string]*G.Node
	Outputs map[string]*G.Node

	outputs []Output
	random  Random // draws the noise of the run under way
	machine G.VM   // nil before the first run
}

// Random gives the values of a run's noise. It is nil for graphs without any.
type Random interface {
	// Noise fills dst with the numbers of a noise node: kind is "normal" or "uniform".
	Noise(distribution string, site int, dst []float64)
	// Addressed is uniform noise at an address of its own, as autodiff.Graph.Addressed describes it.
	Addressed(site int, lane, step, point float64) float64
	// Shuffle is the row at a position of a shuffled sequence, as autodiff.Graph.Shuffle describes it.
	Shuffle(rows int, key, position float64) float64
}

// Convert makes a graph of Gorgonia's that computes outputs. They may be nodes of several graphs: inputs of one name
// are one input.
func Convert(outputs ...Output) (*Graph, error) {
	g := &Graph{Expr: G.NewGraph(), Inputs: map[string]*G.Node{}, Outputs: map[string]*G.Node{}, outputs: outputs}
	env := map[autodiff.Node]*G.Node{}
	for _, o := range outputs {
		if o.Node.Size() == 0 {
			continue
		}
		n, err := g.convert(o.Node, env)
		if err != nil {
			return nil, err
		}
		if g.Outputs[o.Name] != nil || g.Inputs[o.Name] != nil {
			return nil, fmt.Errorf("gorgonia: two nodes named %q", o.Name)
		}
		if g.Outputs[o.Name], err = g.apply(g.named(o), n); err != nil {
			return nil, err
		}
	}
	if len(g.Inputs) == 0 { // the machine refuses a graph without any
		idle := G.NewUniqueNode(append(g.options(nil), G.WithName("(none)"))...)
		return g, G.Let(idle, 0.0)
	}
	return g, nil
}

// convert makes the nodes that n needs and env lacks.
func (g *Graph) convert(n autodiff.Node, env map[autodiff.Node]*G.Node) (*G.Node, error) {
	for _, m := range autodiff.Needed(n) {
		if env[m] != nil || m.Size() == 0 {
			continue
		}
		var err error
		if env[m], err = g.node(m, env); err != nil {
			return nil, err
		}
	}
	return env[n], nil
}

func (g *Graph) node(n autodiff.Node, env map[autodiff.Node]*G.Node) (*G.Node, error) {
	if n.Op().Kind == autodiff.OpInput {
		return g.input(n.Op().Name, n.Shape())
	}
	args := make(G.Nodes, len(n.Args()))
	for k, a := range n.Args() {
		args[k] = env[a]
	}
	o, err := g.op(n)
	if err != nil {
		return nil, err
	}
	return g.apply(o, args...)
}

// input returns the input of a name, the same for the same.
func (g *Graph) input(name string, shape []int) (*G.Node, error) {
	if n, ok := g.Inputs[name]; ok {
		if !n.Shape().Eq(tensor.Shape(shape)) {
			return nil, fmt.Errorf("gorgonia: input %q has shapes %v and %v", name, n.Shape(), shape)
		}
		return n, nil
	}
	n := G.NewUniqueNode(append(g.options(shape), G.WithName(name))...)
	g.Inputs[name] = n
	return n, nil
}

func (g *Graph) options(shape []int) []G.NodeConsOpt {
	return []G.NodeConsOpt{G.WithType(arrayType(shape)), G.In(g.Expr), G.WithShape(shape...)}
}

// apply adds an op's node, and checks that Gorgonia did not take it for another.
func (g *Graph) apply(o *op, args ...*G.Node) (n *G.Node, err error) {
	before := len(g.Expr.AllNodes())
	if len(args) == 0 {
		n = G.NewUniqueNode(append(g.options(o.shape), G.WithOp(o))...)
	} else if n, err = G.ApplyOp(o, args...); err != nil {
		return nil, err
	}
	if o.output {
		G.WithName(o.text)(n)
	}
	if len(g.Expr.AllNodes()) != before+1 {
		return nil, fmt.Errorf("gorgonia: %v was merged with another node", o)
	}
	return n, nil
}

func arrayType(shape []int) hm.Type {
	if len(shape) == 0 {
		return tensor.Float64
	}
	return G.TensorType{Dims: len(shape), Of: tensor.Float64}
}
