package autodiff

import (
	"fmt"
	"hash"
	"slices"

	"github.com/chewxy/hm"
	"gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// An Op is a node's operation with its attributes; which fields matter depends on Kind. It is the one type of op in
// Gorgonia's graph, a gorgonia.Op and a gorgonia.SDOp; each node has an instance of its own.
type Op struct {
	Kind           Kind
	Value          float64
	Values         []float64
	Name           string
	Site           int
	Rows           int // of a Shuffle
	Shape          []int
	Axes           []int
	Lo, Hi         []int
	Reverse        bool
	TransA, TransB bool
	Body           *Body // of a Scan

	node Node
}

var _ gorgonia.SDOp = (*Op)(nil)

// key is equal for equal values: kind, attributes and arguments, given by number. Constants differ in their bits, data
// in their address.
func (o *Op) key(args []int) string {
	if o.Kind.commutes() {
		slices.Sort(args)
	}
	return fmt.Sprint(o.Kind, bits(o.Value), fmt.Sprintf("%p", o.Values), o.Site, o.Rows, o.Shape, o.Axes, o.Lo, o.Hi,
		o.Reverse, o.TransA,
		o.TransB, args, o.Name, o.Body.Key())
}

func ids(ns []Node) []int {
	out := make([]int, len(ns))
	for k, n := range ns {
		out[k] = n.id
	}
	return out
}

// join adds n's twin to Gorgonia's graph. Nothing may merge there: an instance's hash is its own, and input names are.
func (g *Graph) join(n Node) *gorgonia.Node {
	twin := g.twin(n)
	if twin.ID() != int64(n.id) {
		bug("Gorgonia merged node %v with %d", n, twin.ID())
	}
	return twin
}

func (g *Graph) twin(n Node) *gorgonia.Node {
	opts := []gorgonia.NodeConsOpt{gorgonia.WithType(arrayType(n.shape)), gorgonia.In(g.expr),
		gorgonia.WithShape(n.shape...)}
	switch {
	case n.is(OpInput):
		return gorgonia.NewUniqueNode(append(opts, gorgonia.WithName(n.op.Name))...)
	case len(n.args) == 0:
		return gorgonia.NewUniqueNode(append(opts, gorgonia.WithOp(n.op))...)
	}
	twin, err := gorgonia.ApplyOp(n.op, twins(n.args)...)
	if err != nil {
		bug("Gorgonia refuses %v: %v", n.op, err)
	}
	return twin
}

func twins(ns []Node) gorgonia.Nodes {
	ts := make(gorgonia.Nodes, len(ns))
	for i, n := range ns {
		ts[i] = n.vertex.twin
	}
	return ts
}

func arrayType(shape []int) hm.Type {
	if len(shape) == 0 {
		return tensor.Float64
	}
	return gorgonia.TensorType{Dims: len(shape), Of: tensor.Float64}
}

// Arity is the number of arguments.
func (o *Op) Arity() int { return len(o.node.args) }

// Type is concrete: the types of the arguments, then of the result. Gorgonia recycles it, so it is fresh each time.
func (o *Op) Type() hm.Type {
	var ts []hm.Type
	for _, a := range o.node.args {
		ts = append(ts, arrayType(a.vertex.shape))
	}
	if len(ts) == 0 {
		return arrayType(o.node.shape)
	}
	return hm.NewFnType(append(ts, arrayType(o.node.shape))...)
}

// InferShape is the shape that the builder found.
func (o *Op) InferShape(...gorgonia.DimSizer) (tensor.Shape, error) {
	return tensor.Shape(slices.Clone(o.node.shape)), nil
}

// ReturnsPtr, CallsExtern and OverwritesInput: every result is a new array made in Go.
func (o *Op) ReturnsPtr() bool     { return false }
func (o *Op) CallsExtern() bool    { return false }
func (o *Op) OverwritesInput() int { return -1 }

// WriteHash and Hashcode tell each instance from every other.
func (o *Op) WriteHash(h hash.Hash) { fmt.Fprint(h, o.node.id) }
func (o *Op) Hashcode() uint32      { return uint32(o.node.id) }

func (o *Op) String() string { return o.Kind.String() }

// Expr is n's twin in Gorgonia's graph.
func (n Node) Expr() *gorgonia.Node { return n.vertex.twin }
