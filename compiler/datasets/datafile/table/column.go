package table

import (
	"fmt"
	"math"
	"strings"

	"ppl/compiler/datasets/datafile/content"
	"ppl/compiler/datasets/datafile/numerals"
	"ppl/numbers"
)

// A column has numbers if every field is a number, a boolean or missing; otherwise it has texts.
type column struct {
	name          string
	building      numbers.Builder
	values        numbers.List // the result of building, after all rows have been read
	isInt, isText bool
	zeros         bool // whether an integer begins with zeros
	identifiers   bool // whether a number may be an identifier, such as 3e5
	marks         numerals.Evidence
	marked        bool  // whether some numbers have marks other than a point
	again         bool  // whether it must be read again because of the meaning of the marks
	failed        error // the first error

	texts   content.Texts
	spelled numerals.Zeros
	tooMany bool // whether there are too many numbers for spelled
}

// add adds a field in the first pass, which reads numbers as if they had decimal points.
func (c *column) add(d numerals.Dialect, text string, row int) {
	ok := c.read(d, text, row)
	switch {
	case ok && numerals.IsDecimal(text):
		c.marks.AddPlain(text, row)
	case ok && c.marks.Add(text, row), !ok && !numerals.IsLong(text) && c.marks.Add(text, row):
		c.marked = true
	case !ok:
		c.isText = true
	}
}

// read adds a field as a number. ok is false if the field is not a number, a boolean or a word for a missing or
// infinite number.
func (c *column) read(d numerals.Dialect, text string, row int) (ok bool) {
	v, ok, err := d.Parse(text)
	if err != nil && c.failed == nil {
		c.failed = fmt.Errorf("row %d of column %q: %w", row, c.name, err)
	}
	c.building.Add(v.Value)
	c.isInt, c.zeros = c.isInt && v.IsInt, c.zeros || numerals.BeginsWithZeros(text)
	c.identifiers = c.identifiers || numerals.MayBeIdentifier(text)
	return ok
}

// anything reports whether some value is not missing.
func (c *column) anything() bool {
	for _, v := range c.values.All() {
		if v == v {
			return true
		}
	}
	return false
}

// needsTexts reports whether the texts of the column are needed in addition to its numbers.
func (c *column) needsTexts() bool {
	return c.failed == nil && (c.isText || c.isInt && (c.zeros || c.identifiers))
}

// addText adds the text of a row to a column that needs texts.
func (c *column) addText(text string, row int) {
	switch v := c.values.At(row - 1); {
	case c.isText, c.identifiers:
		c.texts.Add(text, math.IsNaN(v))
	case !c.tooMany:
		c.tooMany = !c.spelled.Add(strings.Clone(text), v)
	}
}

func (c *column) array(path string, form numerals.Dialect) *content.Array {
	a := &content.Array{Name: c.name, Shape: []int{c.values.Len()}, Int: c.isInt || c.isText, Values: c.values,
		Origin: path, Dialect: form}
	switch {
	case c.isText:
		a.Labels, a.Values = c.texts.Encoded()
	case c.identifiers && c.isInt:
		b := *a
		b.Labels, b.Values = c.texts.Encoded()
		a.Texts = &b
	case c.needsTexts() && !c.tooMany:
		a.Zeros = &c.spelled
	}
	return a
}
