package autodiff

import (
	varint "encoding/binary"
	"slices"

	"ppl/numbers"
)

// An Op is a node's operation with its attributes. Kind determines which fields are used.
type Op struct {
	Kind           Kind
	Value          float64
	Values         numbers.List
	Finite         bool // Values are known to be finite and need not be inspected
	Name           string
	Site           int
	Rows           int // number of rows of a Shuffle
	Shape          []int
	Axes           []int
	Lo, Hi         []int
	Reverse        bool
	TransA, TransB bool
	Body           *Body // the step of a Scan
}

// key returns a key that is equal for ops with equal kind, attributes and arguments, which are given by node id.
// Constants are compared by their bits, data by their address.
func (o *Op) key(args []int) string {
	if o.Kind.commutes() {
		slices.Sort(args)
	}
	key := make([]byte, 0, 96)
	number := func(x uint64) { key = varint.AppendUvarint(key, x) }
	number(uint64(o.Kind)<<3 | uint64(flag(o.Reverse)|flag(o.TransA)<<1|flag(o.TransB)<<2))
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
