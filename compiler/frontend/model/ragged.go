package model

// A Ragged is a set of elements (i, j) of which the range of j depends on i, numbered in one axis group by group. Of
//
//	x[i in I, j in 1..m[i]]     m = 1, 3, 2
//
// element (i, j) has the number Before[i] + j in Flat, which is 1..6:
//
//	Before 0, 1, 4    Low 1, 1, 1    High 1, 3, 2
//	Group  1, 2, 2, 2, 3, 3          Place 1, 1, 2, 3, 1, 2
//
// Package flatten makes it, and package bind fills its arrays when the data are known.
type Ragged struct {
	Outer *Index // i
	Inner *Set   // of j; its ends read i
	Size  *Size  // of Flat
	Flat  *Set

	Before, Low, High *Array // over the set of i
	Group, Place      *Array // over Flat: i and j

	// of a range 1..m[i], the data array m: its values may be the lengths of other data
	Lengths *Array
}

// Arrays returns the arrays that bind fills.
func (r *Ragged) Arrays() []*Array { return []*Array{r.Before, r.Low, r.High, r.Group, r.Place} }
