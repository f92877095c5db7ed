// Package cycles finds cycles in a directed graph: its strongly connected components (Tarjan, "Depth-first search and
// linear graph algorithms", SIAM Journal on Computing 1, 1972).
//
//	f := cycles.New(func(name string) []string { return reads[name] })
//	f.Of("a")     [a b]   if a reads b and b reads a; nil if a cannot be reached from itself
//	f.Found()     [[a b]] all cycles that have been reached so far
package cycles

import "slices"

// A Finder finds the cycles that can be reached from the nodes passed to Of. It visits each node once.
type Finder[T comparable] struct {
	next   func(T) []T
	visits map[T]*visit[T]
	stack  []T // nodes whose component is not complete
	found  [][]T
}

// A visit holds the number of a node in the order of visits, and the lowest number on the stack that can be reached
// from the node.
type visit[T any] struct {
	number, low int
	open        bool // the node is on the stack
	cycle       []T  // the component of the node; nil if it is not a cycle or not complete
}

// New returns a finder for the graph in which next lists the successors of a node.
func New[T comparable](next func(T) []T) *Finder[T] {
	return &Finder[T]{next: next, visits: map[T]*visit[T]{}}
}

// Of returns the strongly connected component of a node, or nil if the node is in no cycle. A single node is a cycle if
// it is its own successor.
func (f *Finder[T]) Of(node T) []T { return f.visit(node).cycle }

// Found returns the cycles reached so far, each after the cycles that can be reached from it.
func (f *Finder[T]) Found() [][]T { return f.found }

func (f *Finder[T]) visit(node T) *visit[T] {
	if v := f.visits[node]; v != nil {
		return v
	}
	v := &visit[T]{number: len(f.visits), low: len(f.visits), open: true}
	f.visits[node] = v
	f.stack = append(f.stack, node)
	itself := false
	for _, other := range f.next(node) {
		itself = itself || node == other
		if w := f.visit(other); w.open {
			v.low = min(v.low, w.low)
		}
	}
	if v.low == v.number {
		f.complete(node, itself)
	}
	return v
}

// complete removes the component of node first, its first visited node, from the stack, and records the component if it
// is a cycle: if it has several nodes, or if itself is set, which means that first is its own successor.
func (f *Finder[T]) complete(first T, itself bool) {
	at := len(f.stack) - 1
	for f.stack[at] != first {
		at--
	}
	members := slices.Clone(f.stack[at:])
	f.stack = f.stack[:at]
	isCycle := itself || len(members) > 1
	for _, m := range members {
		v := f.visits[m]
		v.open = false
		if isCycle {
			v.cycle = members
		}
	}
	if isCycle {
		f.found = append(f.found, members)
	}
}
