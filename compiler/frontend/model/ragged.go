package model

// A Ragged numbers the elements (i, j) of a ragged array, in which the range of j depends on i, along one flat axis,
// group by group. In
//
//	x[i in I, j in 1..m[i]]     m = 1, 3, 2
//
// element (i, j) has the number Before[i] + j in Flat, which is 1..6:
//
//	Before 0, 1, 4    Low 1, 1, 1    High 1, 3, 2
//	Group  1, 2, 2, 2, 3, 3          Place 1, 1, 2, 3, 1, 2
//
// Package flatten builds it, and package bind fills its arrays when the data are known.
type Ragged struct {
	Outer *Index // i
	Inner *Set   // set of j; its bounds read i
	Size  *Size  // size of Flat
	Flat  *Set

	Before, Low, High *Array // over the set of i
	Group, Place      *Array // i and j, over Flat

	// Lengths is m for a range 1..m[i] if m is data; nil for other ranges. Package bind may derive m from the lengths
	// of other data.
	Lengths *Array
}

// Arrays returns the arrays that package bind fills.
func (r *Ragged) Arrays() []*Array { return []*Array{r.Before, r.Low, r.High, r.Group, r.Place} }
