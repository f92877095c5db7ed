package autodiff

import "fmt"

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
