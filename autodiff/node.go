package autodiff

import "fmt"

// A Node is a handle to a value in a graph; comparable; the zero Node is "none".
type Node struct{ *vertex }

// A vertex is an op applied to arguments; a Node refers to one.
type vertex struct {
	graph  *Graph
	id     int
	op     *Op
	shape  []int
	args   []Node
	static bool
	finite bool // for finite inputs, short of overflow
	single bool // of single precision, if the device has it
}

// Valid reports whether n is a node at all.
func (n Node) Valid() bool { return n.vertex != nil }

// Graph returns the graph that owns n.
func (n Node) Graph() *Graph { return n.vertex.graph }

// Shape of the value, outermost axis first; empty for a scalar. Do not modify.
func (n Node) Shape() []int { return n.vertex.shape }

// Size returns the number of elements.
func (n Node) Size() int { return size(n.vertex.shape) }

// Rank returns the number of axes.
func (n Node) Rank() int { return len(n.vertex.shape) }

// Op returns the operation that makes the value. Do not modify.
func (n Node) Op() *Op { return n.vertex.op }

// Args returns the operation's arguments. Do not modify.
func (n Node) Args() []Node { return n.vertex.args }

// ID counts nodes in order of creation, which is a topological order.
func (n Node) ID() int { return n.vertex.id }

// IsConst reports whether every element is the same known number.
func (n Node) IsConst() (value float64, ok bool) {
	return n.vertex.op.Value, n.vertex.op.Kind == OpConst
}

// Static reports whether the node depends on no Input and no Noise.
func (n Node) Static() bool { return n.vertex.static }

// Single reports whether the node is of single precision: computed from OpSingle, and not taken back by OpDouble.
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

// bug stops on a broken invariant of the caller.
func bug(format string, args ...any) {
	panic("internal error: autodiff: " + fmt.Sprintf(format, args...))
}
