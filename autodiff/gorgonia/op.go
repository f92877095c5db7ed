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

// An op is an autodiff op as one of Gorgonia's; each node has its own. The op of an output returns its argument: one
// node can then have several names.
type op struct {
	graph  *Graph
	node   autodiff.Node // the output's, for an output
	output bool
	id     int // distinguishes this op from the others of its graph
	text   string
	shape  []int
	args   [][]int // shapes
	step   *Graph  // of a Scan: one step, whose only output is the carry after it
}

var _ G.SDOp = (*op)(nil)

// carry is the output of a Scan's step.
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

// Type is concrete: the types of the arguments, then of the result. Gorgonia recycles it, so it is fresh each time.
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

// InferShape returns the shape that autodiff found.
func (o *op) InferShape(...G.DimSizer) (tensor.Shape, error) { return slices.Clone(o.shape), nil }

// ReturnsPtr, CallsExtern and OverwritesInput: every result is a new array made in Go.
func (o *op) ReturnsPtr() bool     { return false }
func (o *op) CallsExtern() bool    { return false }
func (o *op) OverwritesInput() int { return -1 }

// WriteHash and Hashcode distinguish the ops of a graph.
func (o *op) WriteHash(h hash.Hash) { fmt.Fprint(h, o.id) }
func (o *op) Hashcode() uint32      { return uint32(o.id) }

func (o *op) String() string { return o.text }

// DiffWRT reports which arguments a gradient passes to.
func (o *op) DiffWRT(inputs int) []bool {
	out := make([]bool, inputs)
	for k := range out {
		out[k] = o.output || autodiff.Differentiable(o.node.Op().Kind, k)
	}
	return out
}

// SymDiff returns the part of a gradient that passes to each argument, as nodes.
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
