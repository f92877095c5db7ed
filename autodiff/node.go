package autodiff

import (
	varint "encoding/binary"
	"fmt"
	"slices"

	"ppl/numbers"
)

// A Node refers to a value in a graph. Nodes are comparable; the zero Node is invalid and means "none".
type Node struct{ *vertex }

// A vertex is an op applied to arguments.
type vertex struct {
	graph  *Graph
	id     int
	op     *Op
	shape  []int
	args   []Node
	static bool
	finite bool // the value is finite for finite inputs, disregarding overflow
	single bool // the value has single precision, if the device supports it
	common bool // the value is the same on all lanes
}

// Valid reports whether n refers to a value.
func (n Node) Valid() bool { return n.vertex != nil }

// Graph returns the graph that owns n.
func (n Node) Graph() *Graph { return n.vertex.graph }

// Shape returns the sizes of the axes, outermost first; it is empty for a scalar. The caller must not modify it.
func (n Node) Shape() []int { return n.vertex.shape }

// Size returns the number of elements.
func (n Node) Size() int { return size(n.vertex.shape) }

// Rank returns the number of axes.
func (n Node) Rank() int { return len(n.vertex.shape) }

// Op returns the operation that computes the value. The caller must not modify it.
func (n Node) Op() *Op { return n.vertex.op }

// Args returns the operation's arguments. The caller must not modify them.
func (n Node) Args() []Node { return n.vertex.args }

// ID returns the node's number in order of creation, which is a topological order.
func (n Node) ID() int { return n.vertex.id }

// IsConst reports whether every element is the same known number, and returns it.
func (n Node) IsConst() (value float64, ok bool) {
	return n.vertex.op.Value, n.vertex.op.Kind == OpConst
}

// Static reports whether the node depends on no Input and no Noise.
func (n Node) Static() bool { return n.vertex.static }

// Single reports whether the node has single precision: it depends on an OpSingle without an OpDouble in between.
func (n Node) Single() bool { return n.vertex.single }

// Common reports whether the value is the same on all lanes: it depends on no lane buffer and no noise of a lane.
func (n Node) Common() bool { return n.vertex.common }

func (n Node) String() string {
	if !n.Valid() {
		return "none"
	}
	return fmt.Sprintf("%%%d", n.vertex.id)
}

func (n Node) is(k Kind) bool { return n.vertex.op.Kind == k }

func (n Node) isConst(v float64) bool { return n.is(OpConst) && n.vertex.op.Value == v }

func size(shape []int) int {
	n := 1
	for _, d := range shape {
		n *= d
	}
	return n
}

// bug panics about a broken invariant of the caller.
func bug(format string, args ...any) {
	panic("internal error: autodiff: " + fmt.Sprintf(format, args...))
}

// An Op is a node's operation with its attributes. Kind determines which fields are used.
type Op struct {
	Kind           Kind
	Value          float64
	Values         numbers.List
	Finite         bool // Values are known to be finite and need not be inspected
	Name           string
	Given          bool // an Input with one copy for all lanes
	Site           int
	Rows           int // number of rows of a Shuffle
	Shape          []int
	Axes           []int
	Lo, Hi         []int
	Reverse        bool
	TransA, TransB bool
	Body           *Body // the step of a Scan
}

// key returns a key that is the same for ops with equal kind, attributes and arguments. args are the ids of the
// arguments; key may reorder them. Constants are compared by their bits, data by their address.
func (o *Op) key(args []int) string {
	if o.Kind.commutes() {
		slices.Sort(args)
	}
	key := make([]byte, 0, 96)
	number := func(x uint64) { key = varint.AppendUvarint(key, x) }
	number(uint64(o.Kind)<<4 | uint64(flag(o.Reverse)|flag(o.TransA)<<1|flag(o.TransB)<<2|flag(o.Given)<<3))
	number(bits(o.Value))
	number(uint64(uintptr(o.Values.Start())))
	number(uint64(o.Site))
	number(uint64(o.Rows))
	for _, list := range [][]int{o.Shape, o.Axes, o.Lo, o.Hi, args} {
		number(uint64(len(list)))
		for _, x := range list {
			number(uint64(x))
		}
	}
	body := o.Body.Key()
	number(uint64(len(body)))
	return string(key) + body + o.Name
}

func ids(ns []Node) []int {
	out := make([]int, len(ns))
	for k, n := range ns {
		out[k] = n.id
	}
	return out
}

func (o *Op) String() string { return o.Kind.String() }
