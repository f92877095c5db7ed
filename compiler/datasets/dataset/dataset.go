// Package dataset holds a checked model together with its data: the value of every data array, the size of every index
// set, and what follows from both before any graph is built.
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
	Labels map[*model.Size][]string // names of the first elements of an index set 1..J; none for numbers

	Memory int64 // bytes that there are for a run; 0 if that is not known

	// Of sets of rows of which some were left out: the numbers of the others in their file, from 1.
	RowNumbers map[*model.Size][]int

	// Of a complete dataset, by New:
	Imputed  map[*model.Array]*Imputed // arrays whose missing entries are parameters
	streamed map[*model.Array]bool     // definitions that read streams
}

// New completes a dataset in which every array and every size is known: it finds the missing entries that are
// parameters, and the definitions that depend on data read by rows.
func New(m *model.Model, arrays map[*model.Array]Array, sizes map[*model.Size]int,
	labels map[*model.Size][]string) *Dataset {
	d := &Dataset{Model: m, Arrays: arrays, Sizes: sizes, Labels: labels}
	for a, x := range arrays {
		// once, for all graphs that are built of the data: 0 times a value is 0 if it is finite
		x.Finite = x.Values.Finite()
		arrays[a] = x
	}
	d.Imputed = d.findImputed()
	d.streamed = d.findStreamed()
	return d
}

// An Array of numbers, row-major.
type Array struct {
	Shape  []int
	Values numbers.List
	Finite bool   // all Values are finite; by New
	Origin string // the file that data are from

	Stream    *Stream // of data that stay in their file; there are no Values then
	First     int     // place in a row of Stream
	Low, High Extreme // the least and the greatest value, where values stay in their file
}

// An Extreme is a value of data and its row-major place, −1 if there is none.
type Extreme struct {
	Value float64
	At    int
}

// A Stream is a file of rows too large for memory, with Width numbers each; rows are read as they are needed.
type Stream struct {
	Name        string
	Rows, Width int
	Row         int // which number is that of the row, from 0
	// Place is where in the file a row stands; rows are there in an order that has nothing to do with what is in them.
	Place func(row int) int
	// Read puts the rows at places of the file into dst.
	Read func(places []int, dst []float64) error
}

// numberOf returns the number in its file of a place on an axis, from 0.
func (d *Dataset) numberOf(s *model.Set, position int) int {
	if of, ok := s.Hi.(*model.SizeOf); ok && d.RowNumbers[of.Size] != nil {
		return d.RowNumbers[of.Size][position]
	}
	return position + 1
}

// Row names the place of an element of data as a user finds it, with its file.
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
