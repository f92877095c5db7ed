// Package dataset holds a checked model together with its data: the value of every data array, the size of every index
// set, and facts derived from both before any graph is built.
//
//	model:   data y[N] missing          Sizes:   N = 3
//	         y[i in N] ~ Normal(m, 1)   Arrays:  y = [1, NaN, 2]
//	data:    {"y": [1, null, 2]}        Imputed: y has one parameter, for element 2
//	                                    Streamed: nothing; y is in memory
//
// compiler/datasets/bind makes a Dataset from files; the later stages of the compiler only read it.
package dataset

import (
	"slices"
	"strconv"
	"strings"

	"ppl/compiler/frontend/model"
	"ppl/numbers"
)

// A Dataset is a model with its data and sizes.
type Dataset struct {
	Model  *model.Model
	Arrays map[*model.Array]Array
	Sizes  map[*model.Size]int
	Labels map[*model.Size][]string // names of the first elements of an index set 1..J; nil if they have no names

	Memory int64 // memory for a run in bytes; 0 if unknown

	// for row sets from which rows were removed: the number of each remaining row in its file, from 1
	RowNumbers map[*model.Size][]int

	// The following fields are set by New.
	Imputed  map[*model.Array]*Imputed // arrays whose missing entries are parameters
	streamed map[*model.Array]bool     // definitions that read streams
}

// New completes a dataset in which every array and every size is known: it finds the missing entries that are
// parameters, and the definitions that depend on data read by rows.
func New(m *model.Model, arrays map[*model.Array]Array, sizes map[*model.Size]int,
	labels map[*model.Size][]string) *Dataset {
	d := &Dataset{Model: m, Arrays: arrays, Sizes: sizes, Labels: labels}
	for a, x := range arrays {
		// computed once for all graphs, which need it to replace 0*x by 0: that is correct only if x is finite
		x.Finite = x.Values.Finite()
		arrays[a] = x
	}
	d.Imputed = d.findImputed()
	d.streamed = d.findStreamed()
	return d
}

// An Array is an array of numbers, row-major.
type Array struct {
	Shape  []int
	Values numbers.List
	Finite bool   // all Values are finite; set by New
	Origin string // name of the file that the data are from

	Stream    *Stream // for data that remain in their file; Values is then empty
	First     int     // position, in a row of Stream, of the first number of the array
	Low, High Extreme // the least and the greatest value of data that remain in their file
}

// An Extreme is a value of data and its row-major position; the position is −1 if there is no value.
type Extreme struct {
	Value float64
	At    int
}

// A Stream is a file of rows that is too large for memory, with Width numbers in each row. Rows are read when they are
// needed.
type Stream struct {
	Name        string // name in graphs, which does not depend on where the file is
	File        string // file that the user named, for messages
	Rows, Width int
	Row         int // position of the row number within a row, from 0
	// Place returns the position of a row in the file. The order of rows in the file is independent of their contents.
	Place func(row int) int
	// Read reads the rows at positions of the file into dst.
	Read func(places []int, dst []float64) error
}

// numberOf returns the number (from 1) that an element of an axis has in its file, for the element's position (from 0).
func (d *Dataset) numberOf(s *model.Set, position int) int {
	if of, ok := s.Hi.(*model.SizeOf); ok && d.RowNumbers[of.Size] != nil {
		return d.RowNumbers[of.Size][position]
	}
	return position + 1
}

// Row describes the position of an element of data in its file, for messages.
func (d *Dataset) Row(a *model.Array, i int) string {
	x := d.Arrays[a]
	text := ""
	for k, n := range slices.Backward(x.Shape) {
		text = ", " + strconv.Itoa(d.numberOf(a.Type.Axes[k], i%n)) + text
		i /= n
	}
	word := ", row "
	if len(x.Shape) > 1 {
		word = ", element "
	}
	if text != "" {
		text = word + text[2:]
	}
	return strings.TrimPrefix(text+", "+x.Origin, ", ")
}
