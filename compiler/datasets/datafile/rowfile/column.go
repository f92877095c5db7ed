package rowfile

import (
	"maps"
	"math"
	"slices"

	"ppl/compiler/datasets/datafile/numerals"
)

// A Column is one array of a row file, and what the pass that wrote it saw.
type Column struct {
	Name      string
	Shape     []int  // the shape of one row; empty for a column of a table, [0] for one whose values are not kept
	Unread    string // why its values are not read; empty if they are
	Type      string // the type of its elements
	Int       bool   // as in Array
	Labels    []string
	Levels    []string        // as in Array
	Ordered   bool            // as in Array
	Codes     []float64       // of text: position in Labels of the k-th text to appear, which is stored as k
	Low, High Mark            // the least and the greatest value that is not missing
	Broken    Mark            // the first that is no integer
	First     []int           // of text: the row in which the k-th text first appeared
	Days      bool            // as in Array
	Zeros     *numerals.Zeros // as in Array
	Text      string          // the first that made the column text
	TextAt    int             // its place
	Missing   int             // how many are missing
	// the different values, ascending; nil if one is no integer, or they are too many to be codes of groups
	Distinct []float64

	seen map[float64]bool // while the pass continues
}

// A Mark is an element: its value and its row-major place from 0, −1 if there is none.
type Mark struct {
	Value float64
	At    int
}

// Size returns the number of elements of a column in a row.
func (c *Column) Size() int {
	n := 1
	for _, d := range c.Shape {
		n *= d
	}
	return n
}

// Note takes an element into account.
func (c *Column) Note(v float64, at int) {
	if math.IsNaN(v) {
		c.Missing++
		return
	}
	if c.Low.At < 0 || v < c.Low.Value {
		c.Low = Mark{v, at}
	}
	if c.High.At < 0 || v > c.High.Value {
		c.High = Mark{v, at}
	}
	if c.Broken.At < 0 && v != math.Trunc(v) {
		c.Broken = Mark{v, at}
	}
	if len(c.seen) <= numerals.MostCodes && c.Broken.At < 0 {
		if c.seen == nil {
			c.seen = map[float64]bool{}
		}
		c.seen[v] = true
	}
}

// distinct returns what the pass leaves of the values that it has seen.
func (c *Column) distinct() []float64 {
	if len(c.seen) > numerals.MostCodes || c.Broken.At >= 0 {
		return nil
	}
	return slices.Sorted(maps.Keys(c.seen))
}
