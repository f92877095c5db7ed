// Package gorgonia converts graphs of package autodiff to expression graphs of Gorgonia (gorgonia.org/gorgonia) for
// programs that use it. It also runs them on Gorgonia's tape machine, to check other evaluators against one that shares
// little code with them.
//
//	x := g.Input("x", 3)                                    an autodiff graph
//	c, err := gorgonia.Convert(Output{"total", SumAll(x)})  c.Expr has an input x and a node total
//	values, err := c.Run(map[string][]float64{"x": {1, 2, 3}}, nil)  values["total"] is [6]
//
// The conversion works around properties of Gorgonia 0.9.18. Gorgonia finds equal nodes by a 32-bit hash that ignores
// arguments, and merges inputs and constants of one name. So every op here has a unique number in its hash, and none of
// Gorgonia's own ops is used. Gorgonia's Grad can differentiate our ops (SymDiff), but returns wrong numbers when it is
// called twice on one graph. Convert the nodes that autodiff.Grad returns instead.
package gorgonia

import (
	"fmt"

	"github.com/chewxy/hm"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"

	"ppl/autodiff"
)

// An Output is a node to convert and its name in the result. Names must differ from each other and from those of
// inputs.
type Output struct {
	Name string
	Node autodiff.Node
}

// A Graph is a converted graph with its Inputs and Outputs by name. Arrays without elements are omitted, because
// Gorgonia does not support them.
type Graph struct {
	Expr    *G.ExprGraph
	Inputs  map[string]*G.Node
	Outputs map[string]*G.Node

	outputs []Output
	random  Random // source of noise for the present run
	machine G.VM   // nil before the first run
}

// Random supplies the noise of a run. It may be nil for graphs without noise.
type Random interface {
	// Noise fills dst with the numbers of a noise node. distribution is "normal" or "uniform".
	Noise(distribution string, site int, dst []float64)
	// Addressed returns uniform noise at an explicit address, as autodiff.Graph.Addressed describes.
	Addressed(site int, lane, step, point float64) float64
	// Shuffle returns the row at a position of a shuffled sequence, as autodiff.Graph.Shuffle describes.
	Shuffle(rows int, key, position float64) float64
}

// Convert returns a Gorgonia graph that computes outputs. They may be nodes of several graphs: inputs with the same
// name become one input.
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
	if len(g.Inputs) == 0 { // the machine rejects a graph without inputs
		idle := G.NewUniqueNode(append(g.options(nil), G.WithName("(none)"))...)
		return g, G.Let(idle, 0.0)
	}
	return g, nil
}

// convert adds the nodes that n depends on and that env lacks.
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

// input returns the input with the given name, and creates it on first use.
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

// apply adds the node of an op, and checks that Gorgonia did not merge it with another node.
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
