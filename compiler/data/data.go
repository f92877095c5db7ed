// Package data reads observed arrays from files (Stan JSON, CSV, TSV, …) and keeps them with their origin for diagnostics.
package data

// An Array is a named array of numbers, row-major.
type Array struct {
	Name   string
	Shape  []int // empty for a scalar
	Values []float64
	Int    bool     // every number was written as an integer (true and false count as 1 and 0)
	Labels []string // of a column of strings: Values are 1-based positions in Labels, in order of first appearance sorted; else nil
	Origin string   // file it came from, as the user named it
}

// A File is what one data file holds.
type File struct {
	Path   string
	Arrays map[string]*Array
	Order  []string // names in file order
	Table  bool     // a table: every array is a column of one length
}

// NaN marks a missing entry (null, NA, NaN, empty).
