package gorgonia

import (
	"fmt"
	"hash"
	"slices"
	"strings"

	"github.com/chewxy/hm"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"

	"ppl/autodiff"
)

// An op wraps an autodiff op as a Gorgonia op; each node has a separate one. The op of an output returns its argument,
// so that one node can have several names.
type op struct {
	graph  *Graph
	node   autodiff.Node // the node, or for an output the node that is named
	output bool
	id     int // number that distinguishes this op from others of the graph
	text   string
	shape  []int
	args   [][]int // shapes of the arguments
	step   *Graph  // for a Scan: one step, whose only output is the carry after it
}

var _ G.SDOp = (*op)(nil)

// carry is the name of the output of a Scan's step.
const carry = "next carry"

func (g *Graph) op(n autodiff.Node) (*op, error) {
	o := &op{graph: g, node: n, id: len(g.Expr.AllNodes()), shape: n.Shape()}
	for _, a := range n.Args() {
		o.args = append(o.args, a.Shape())
	}
	o.text = strings.Join(append([]string{n.Op().String()}, n.Op().Attributes()...), " ")
	if b := n.Op().Body; b != nil {
		var err error
		if o.step, err = Convert(Output{carry, b.Next}); err != nil {
			return nil, err
		}
	}
	return o, nil
}

// named returns the op of an output.
func (g *Graph) named(o Output) *op {
	return &op{graph: g, node: o.Node, output: true, id: len(g.Expr.AllNodes()), text: o.Name, shape: o.Node.Shape(),
		args: [][]int{o.Node.Shape()}}
}

// Arity returns the number of arguments.
func (o *op) Arity() int { return len(o.args) }

// Type returns the concrete types of the arguments and of the result. It returns a new value each time, because
// Gorgonia recycles it.
func (o *op) Type() hm.Type {
	var ts []hm.Type
	for _, a := range o.args {
		ts = append(ts, arrayType(a))
	}
	if len(ts) == 0 {
		return arrayType(o.shape)
	}
	return hm.NewFnType(append(ts, arrayType(o.shape))...)
}

// InferShape returns the shape that autodiff determined.
func (o *op) InferShape(...G.DimSizer) (tensor.Shape, error) { return slices.Clone(o.shape), nil }

// ReturnsPtr, CallsExtern and OverwritesInput report that every result is a new array computed in Go.
func (o *op) ReturnsPtr() bool     { return false }
func (o *op) CallsExtern() bool    { return false }
func (o *op) OverwritesInput() int { return -1 }

// WriteHash and Hashcode return a number that is unique in the graph, so that Gorgonia does not merge ops.
func (o *op) WriteHash(h hash.Hash) { fmt.Fprint(h, o.id) }
func (o *op) Hashcode() uint32      { return uint32(o.id) }

func (o *op) String() string { return o.text }

// DiffWRT reports for each argument whether the op passes a gradient to it.
func (o *op) DiffWRT(inputs int) []bool {
	out := make([]bool, inputs)
	for k := range out {
		out[k] = o.output || autodiff.Differentiable(o.node.Op().Kind, k)
	}
	return out
}

// SymDiff returns, as nodes, the part of the gradient that passes to each argument.
func (o *op) SymDiff(inputs G.Nodes, _, grad *G.Node) (G.Nodes, error) {
	if o.output {
		return G.Nodes{grad}, nil
	}
	args, bar, gradients := autodiff.Pullback(o.node)
	env := map[autodiff.Node]*G.Node{bar: grad}
	for k, a := range args {
		env[a] = inputs[k]
	}
	out := make(G.Nodes, len(gradients))
	for k, d := range gradients {
		if !d.Valid() {
			continue
		}
		var err error
		if out[k], err = o.graph.convert(d, env); err != nil {
			return nil, err
		}
	}
	return out, nil
}
