// Package densearray reads the elements of an array that follow a header, as in files of NumPy and IDX: all elements
// into memory, or row by row.
//
//	h := densearray.Header{Size: 8, Element: e, Shape: []int{2, 3}, Order: binary.BigEndian}
//	a, err := h.Array("x-idx2-ubyte", text)       // 8 bytes of header, 6 elements
//	rows, err := densearray.ReadRows(input, h)    // 2 rows of 3 elements
package densearray

import (
	"encoding/binary"

	"ppl/compiler/datasets/datafile/elements"
)

// A Header describes the elements of an array, which follow it in the file.
type Header struct {
	Size    int // size of the header in bytes
	Element elements.Element
	Code    string // the name of Element, such as f8
	Shape   []int
	Order   binary.ByteOrder // byte order of an element
	Fortran bool             // whether the index of the first axis changes fastest
}
