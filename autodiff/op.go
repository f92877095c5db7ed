package autodiff

import (
	"fmt"
	"slices"
)

// An Op is a node's operation with its attributes; which fields matter depends on Kind.
type Op struct {
	Kind           Kind
	Value          float64
	Values         []float64
	Name           string
	Site           int
	Rows           int // how many rows a Shuffle has
	Shape          []int
	Axes           []int
	Lo, Hi         []int
	Reverse        bool
	TransA, TransB bool
	Body           *Body // what a Scan computes at each step
}

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

func (o *Op) String() string { return o.Kind.String() }
