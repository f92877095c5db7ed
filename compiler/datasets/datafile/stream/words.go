package stream

import (
	"errors"
	"fmt"

	"ppl/compiler/datasets/datafile/content"
	"ppl/compiler/datasets/datafile/numerals"
	"ppl/compiler/datasets/datafile/rowfile"
)

// mostLabels is the largest number of distinct texts of a column.
const mostLabels = 1 << 20

// A dictionary numbers distinct texts from 1, in the order of first appearance, and records the row, from 0, of the
// first appearance.
type dictionary struct {
	number map[string]float64
	texts  []string
	first  []int
}

var errManyTexts = fmt.Errorf("there are more than %d different texts", mostLabels)

func (d *dictionary) code(text string, row int) (float64, error) {
	text = content.Visible(text)
	if n, ok := d.number[text]; ok {
		return n, nil
	}
	if len(d.texts) == mostLabels {
		return 0, errManyTexts
	}
	if d.number == nil {
		d.number = map[string]float64{}
	}
	d.texts, d.first = append(d.texts, text), append(d.first, row)
	d.number[text] = float64(len(d.texts))
	return float64(len(d.texts)), nil
}

// A TextColumn numbers the texts of a column. If there are more than mostLabels distinct texts, they must be dates.
type TextColumn struct {
	names dictionary
	dates bool
}

// NewTextColumn returns a column with the result r of an earlier pass, or nil if text is false or the column has
// numbers.
func NewTextColumn(r Retyping, text bool) *TextColumn {
	if !text || r.Zeros {
		return nil
	}
	return &TextColumn{dates: r.Dates}
}

// Number returns the number of a text that is not missing, or its days if the column has dates. column and row are
// counted from 0. The error is a Retyping if there are too many texts and the first is a date.
func (w *TextColumn) Number(text string, column, row int) (n numerals.Number, err error) {
	if w.dates {
		days, ok := numerals.Days(text)
		if !ok {
			return n, fmt.Errorf("%q is not a date, and %w", text, errManyTexts)
		}
		return numerals.Of(days), nil
	}
	code, err := w.names.code(text, row)
	if first := w.names.texts; errors.Is(err, errManyTexts) {
		if _, date := numerals.Days(first[0]); date {
			return n, Retyping{Column: column, Row: row, Text: text, Dates: true}
		}
	}
	return numerals.Whole(code), err
}

// Label sets the labels of c to the texts of the column. It does nothing if w is nil or the column has dates.
func (w *TextColumn) Label(c *rowfile.Column) {
	if w != nil && !w.dates && c.Unread == "" {
		c.Labels, c.First = w.names.texts, w.names.first
	}
}
