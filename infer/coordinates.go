package infer

import "ppl/lang/types"

// A Described target describes each of its Dim coordinates, in order.
type Described interface {
	Target
	Coordinates() []types.Coordinate
}

// CoordinatesOf returns the descriptions of the coordinates, or nil if the target is not Described.
func CoordinatesOf(t Target) []types.Coordinate {
	if d, ok := t.(Described); ok {
		return d.Coordinates()
	}
	return nil
}

// Bounded reports for each coordinate whether the support of its parameter has a bound. It returns nil for nil.
func Bounded(cs []types.Coordinate) (bounded []bool) {
	for _, c := range cs {
		bounded = append(bounded, c.Bounded())
	}
	return bounded
}

// A Blocked target groups its coordinates into blocks, one for each parameter array, in order, and marks the blocks
// that are weights of a network.
type Blocked interface {
	Target
	Blocks() []types.Block
}

// BlocksOf returns the blocks of coordinates, or nil if the target is not Blocked.
func BlocksOf(t Target) []types.Block {
	if b, ok := t.(Blocked); ok {
		return b.Blocks()
	}
	return nil
}
