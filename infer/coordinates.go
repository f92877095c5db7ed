package infer

import "ppl/lang/types"

// A Described target says what its coordinates are: Dim of them, in order.
type Described interface {
	Target
	Coordinates() []types.Coordinate
}

// CoordinatesOf is nil for a target that does not say.
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
