package types

import (
	"slices"
	"strconv"
	"strings"
)

// A Variable describes a named array that is saved once per draw.
type Variable struct {
	Name  string   `json:"name"`
	Shape []int    `json:"shape"` // without chain and draw
	Dims  []string `json:"dims"`  // one name per axis: the index set's name, or NAME_dim_0
	// index of the first element of each axis as the user writes it; nil for 1
	First []int      `json:"first,omitempty"`
	Label [][]string `json:"label,omitempty"` // labels of an axis, or nil for numbers
	Int   bool       `json:"int,omitempty"`   // draws are integers
	// draws are 0 or 1, kept as truth values (ArviZ wants this of "diverging")
	Bool   bool   `json:"bool,omitempty"`
	Single bool   `json:"single,omitempty"` // draws are kept in single precision
	Doc    string `json:"doc,omitempty"`    // what the numbers are, for readers of the directory
	// the least and the greatest number that there can be, where both are known to be finite
	Between []float64 `json:"between,omitempty"`
}

// An IndexSet is a set 1..Size of a model, whose size its data gave, with the names of its elements if they have any.
type IndexSet struct {
	Name   string   `json:"name"`
	Size   int      `json:"size"`
	Labels []string `json:"labels,omitempty"`
	// names of the data whose values are numbers of its elements
	NumberedBy []string `json:"numbered_by,omitempty"`
}

// Element returns the name of the element with a number, from 1: its label or, if there is none, the number.
func (s IndexSet) Element(number float64) string {
	if i := int(number) - 1; i >= 0 && i < len(s.Labels) {
		return s.Labels[i]
	}
	return strconv.FormatFloat(number, 'g', -1, 64)
}

// Size returns the number of elements.
func (v Variable) Size() int {
	n := 1
	for _, s := range v.Shape {
		n *= s
	}
	return n
}

// Element names element i (0-based, row-major) as the user writes it: "mu", "theta[1]", "beta[2,3]", "a[AITKIN]".
func (v Variable) Element(i int) string {
	if len(v.Shape) == 0 {
		return v.Name
	}
	return v.Name + "[" + v.Position(i) + "]"
}

// Position returns what is between the brackets of Element(i): "2,3"; empty for a scalar.
func (v Variable) Position(i int) string {
	index := make([]string, len(v.Shape))
	for a := len(v.Shape) - 1; a >= 0; a-- {
		index[a] = v.Place(a, i%v.Shape[a])
		i /= v.Shape[a]
	}
	return strings.Join(index, ",")
}

// Place names place k (0-based) of an axis.
func (v Variable) Place(axis, k int) string {
	if l := v.LabelsOf(axis); l != nil {
		return l[k]
	}
	return strconv.Itoa(v.FirstOf(axis) + k)
}

func (v Variable) FirstOf(axis int) int {
	if axis < len(v.First) {
		return v.First[axis]
	}
	return 1
}

func (v Variable) LabelsOf(axis int) []string {
	if axis < len(v.Label) {
		return v.Label[axis]
	}
	return nil
}

// SamePlaces reports whether a variable has the name and the places of another: an element of one is the element of the
// other at the same position.
func (v Variable) SamePlaces(other Variable) bool {
	if v.Name != other.Name || !slices.Equal(v.Shape, other.Shape) {
		return false
	}
	for k := range v.Shape {
		if v.FirstOf(k) != other.FirstOf(k) || !slices.Equal(v.LabelsOf(k), other.LabelsOf(k)) {
			return false
		}
	}
	return true
}
