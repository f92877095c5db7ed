package types

import (
	"slices"
	"strconv"
	"strings"
)

// A Variable describes a named array that is saved once per draw.
type Variable struct {
	Name  string   `json:"name"`
	Shape []int    `json:"shape"` // without the axes chain and draw
	Dims  []string `json:"dims"`  // name of each axis: that of its index set, or NAME_dim_0
	// First is the index of the first element of each axis as the user writes it. It is nil if all are 1.
	First []int      `json:"first,omitempty"`
	Label [][]string `json:"label,omitempty"` // labels of each axis; nil for an axis with numbers
	Int   bool       `json:"int,omitempty"`   // draws are integers
	// Bool is set if draws are 0 or 1 and stored as booleans, which ArviZ requires of "diverging".
	Bool   bool   `json:"bool,omitempty"`
	Single bool   `json:"single,omitempty"` // draws are stored in single precision
	Doc    string `json:"doc,omitempty"`    // description of the numbers, for readers of the directory
	// Between has the least and greatest possible number, if both are finite and known.
	Between []float64 `json:"between,omitempty"`
}

// An IndexSet is a set 1..Size of a model, whose size was determined from data, with the names of its elements if they
// have any.
type IndexSet struct {
	Name   string   `json:"name"`
	Size   int      `json:"size"`
	Labels []string `json:"labels,omitempty"`
	// NumberedBy lists the data arrays whose values are numbers of this set's elements.
	NumberedBy []string `json:"numbered_by,omitempty"`
}

// Element returns the name of the element with the given number, from 1: its label or, if there is none, the number.
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

// Element returns the name of element i (0-based, row-major) as the user writes it: "mu", "theta[1]", "beta[2,3]",
// "a[AITKIN]".
func (v Variable) Element(i int) string {
	if len(v.Shape) == 0 {
		return v.Name
	}
	return v.Name + "[" + v.Position(i) + "]"
}

// Position returns the text between the brackets of Element(i): "2,3". It is empty for a scalar.
func (v Variable) Position(i int) string {
	index := make([]string, len(v.Shape))
	for a := len(v.Shape) - 1; a >= 0; a-- {
		index[a] = v.Place(a, i%v.Shape[a])
		i /= v.Shape[a]
	}
	return strings.Join(index, ",")
}

// Place returns the label or number at position k (0-based) of an axis.
func (v Variable) Place(axis, k int) string {
	if l := v.LabelsOf(axis); l != nil {
		return l[k]
	}
	return strconv.Itoa(v.FirstOf(axis) + k)
}

// FirstOf returns the index of the first element of an axis as the user writes it.
func (v Variable) FirstOf(axis int) int {
	if axis < len(v.First) {
		return v.First[axis]
	}
	return 1
}

// LabelsOf returns the labels of an axis, or nil for an axis with numbers.
func (v Variable) LabelsOf(axis int) []string {
	if axis < len(v.Label) {
		return v.Label[axis]
	}
	return nil
}

// SamePlaces reports whether two variables have the same name, shape, first indices and labels. Equal positions then
// mean equal elements.
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
