package rowfile

import (
	"maps"
	"math"
	"slices"

	"ppl/compiler/datasets/datafile/numerals"
)

// A Column is one array of a row file, with summaries of its values from the pass that wrote the file.
type Column struct {
	Name      string
	Shape     []int  // of one row; empty for a column of a table, [0] for a column whose values are not stored
	Unread    string // the reason why the values are not read, or empty
	Type      string // the representation of an element in package elements
	Int       bool   // as in content.Array
	Labels    []string
	Levels    []string        // as in content.Array
	Ordered   bool            // as in content.Array
	Codes     []float64       // for texts: Codes[k-1] is the position in Labels of the k-th text to appear, stored as k
	Low, High Mark            // the smallest and the largest value that is not missing
	Broken    Mark            // the first value that is not an integer
	First     []int           // for texts: First[k-1] is the row in which the k-th text first appeared
	Days      bool            // as in content.Array
	Zeros     *numerals.Zeros // as in content.Array
	Text      string          // the first text that is not a number
	TextAt    int             // the row of Text
	Missing   int             // number of missing values
	// Distinct has the distinct values in ascending order; nil if one is not an integer, or if there are more than
	// numerals.MostCodes.
	Distinct []float64

	seen map[float64]bool // the distinct values during the pass that writes the file
	wide bool             // whether a value differs from its nearest float32
	sign bool             // whether a value is -0
}

// A Mark is the value of an element and its row-major index; the index is −1 if there is no such element.
type Mark struct {
	Value float64
	At    int
}

// Size returns the number of elements that a row has in a column.
func (c *Column) Size() int {
	n := 1
	for _, d := range c.Shape {
		n *= d
	}
	return n
}

// Note updates the summaries of a column with an element and its row-major index.
func (c *Column) Note(v float64, at int) {
	if math.IsNaN(v) {
		c.Missing++
		return
	}
	c.wide = c.wide || float64(float32(v)) != v
	c.sign = c.sign || v == 0 && math.Signbit(v)
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

// narrowest returns the shortest representation of f8, f4 and u1 that is exact for all elements of a column whose
// elements were written as f8. Other columns keep their representation. It is called after all elements were noted.
func (c *Column) narrowest() string {
	switch {
	case c.Type != "f8" || c.wide:
		return c.Type
	case c.Missing == 0 && c.Broken.At < 0 && !c.sign && c.Low.At >= 0 && c.Low.Value >= 0 && c.High.Value <= 255:
		return "u1"
	}
	return "f4"
}

// distinct returns the value of Distinct. It is called after all elements were noted.
func (c *Column) distinct() []float64 {
	if len(c.seen) > numerals.MostCodes || c.Broken.At >= 0 {
		return nil
	}
	return slices.Sorted(maps.Keys(c.seen))
}
