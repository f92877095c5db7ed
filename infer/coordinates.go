package infer

import "ppl/lang/types"

// A Described target says what its coordinates are: Dim of them, in order.
type Described interface {
	Target
	Coordinates() []types.Coordinate
}

// CoordinatesOf returns nil for a target that does not say.
func CoordinatesOf(t Target) []types.Coordinate {
	if d, ok := t.(Described); ok {
		return d.Coordinates()
	}
	return nil
}

// Bounded reports of each coordinate whether its parameter's support has an end; nil for nil.
func Bounded(cs []types.Coordinate) (bounded []bool) {
	for _, c := range cs {
		bounded = append(bounded, c.Bounded())
	}
	return bounded
}

// A Blocked target says which of its coordinates belong together: those of one parameter array, in order, and which of
// them are weights of a network.
type Blocked interface {
	Target
	Blocks() []types.Block
}

// BlocksOf returns nil for a target that does not say.
func BlocksOf(t Target) []types.Block {
	if b, ok := t.(Blocked); ok {
		return b.Blocks()
	}
	return nil
}
