package table

import (
	"fmt"
	"math"
	"strings"

	"ppl/compiler/datasets/datafile/content"
	"ppl/compiler/datasets/datafile/numerals"
	"ppl/numbers"
)

// A column has numbers if every field is a number, a truth value or missing; otherwise it has texts.
type column struct {
	name          string
	building      numbers.Builder
	values        numbers.List // what was built, once all rows were read
	isInt, isText bool
	zeros         bool // a whole number begins with zeros
	identifiers   bool // a number may be an identifier: 3e5
	marks         numerals.Evidence
	marked        bool  // some numbers have marks other than a point
	again         bool  // it is read again, as the marks mean
	failed        error // the first that there was

	texts   content.Texts
	spelled numerals.Zeros
	tooMany bool // for spelled
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

// read adds a field as a number; ok is false if it is neither a number nor a word for one.
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

// needsTexts reports whether the texts of the column have to be kept in addition to its numbers.
func (c *column) needsTexts() bool {
	return c.failed == nil && (c.isText || c.isInt && (c.zeros || c.identifiers))
}

// addText adds the text of a row to a column that keeps texts.
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
