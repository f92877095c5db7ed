package datafile

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
)

// A tableSource reads a table of text with a header row.
type tableSource struct {
	path  string
	in    *csv.Reader
	cols  []Column
	form  dialect
	marks []decimalMark
	words []*wordColumn // of columns of text; nil for numbers
	plain []bool        // columns of numbers that are too many to be codes
	rows  int
	skip  int // 1 if the first column has names of rows
	line  int // the line on which the last row ended
}

func (in *input) csv(comma rune, text map[int]retyping) (rowSource, error) {
	if start, _ := in.text.Peek(3); string(start) == "\ufeff" {
		if _, err := in.text.Discard(3); err != nil {
			return nil, err
		}
	}
	start, _ := in.text.Peek(1 << 16)
	t := &tableSource{path: in.path, in: csv.NewReader(in.text), form: dialectOf(string(start), comma), line: 1}
	t.in.Comma, t.in.TrimLeadingSpace, t.in.ReuseRecord = t.form.comma, t.form.comma == ',', true
	header, err := t.in.Read()
	if err == io.EOF {
		return nil, fmt.Errorf("%s: the file is empty; a table begins with a row of column names", in.path)
	} else if err != nil {
		return nil, t.failed(header, err)
	}
	if rowNames(header) {
		t.skip, header = 1, header[1:]
	}
	if err := checkHeader(in.path, header); err != nil {
		return nil, err
	}
	for c, name := range header {
		at, isText := text[c]
		t.cols = append(t.cols, Column{Name: strings.TrimSpace(name), Type: "f8", Int: true, Text: at.text,
			TextAt: at.row})
		if at.zeros {
			t.cols[c].Zeros = &Zeros{}
		}
		t.words, t.marks = append(t.words, wordsOf(at, isText)), append(t.marks, decimalMark{})
		t.plain = append(t.plain, false)
	}
	return t, nil
}

func (t *tableSource) columns() []Column { return named(t.cols, t.words) }

func (t *tableSource) failed(row []string, err error) error {
	return rowError(t.path, t.rows+1, len(t.cols), row, err)
}

func (t *tableSource) next(record []float64) error {
	row, err := t.in.Read()
	if err == io.EOF {
		return err
	} else if err != nil {
		return t.failed(row, err)
	}
	if err := t.blank(row); err != nil {
		return err
	}
	for c, field := range row[t.skip:] {
		if record[c], err = t.value(c, strings.TrimSpace(field)); err != nil {
			return err
		}
	}
	t.rows++
	return nil
}

// blank refuses blank lines in a table of one column, as checkBlankLines does.
func (t *tableSource) blank(row []string) error {
	if len(row) > 1 {
		return nil
	}
	line, _ := t.in.FieldPos(0)
	if line != t.line+1 {
		return blankLine(t.path, t.line+1)
	}
	t.line = line + strings.Count(row[0], "\n")
	return nil
}

// value is a field as a number, or a text's.
func (t *tableSource) value(c int, text string) (float64, error) {
	n, ok, err := t.form.field(text)
	if err == nil && ok {
		err = t.marks[c].add(t.form, text)
	}
	switch {
	case err != nil:
	case t.words[c] != nil && ok && math.IsNaN(n.value):
		return n.value, nil
	case t.words[c] != nil:
		n, err = t.words[c].number(text, c, t.rows)
	case !ok:
		return 0, retyping{column: c, row: t.rows, text: text}
	default:
		err = t.zeros(c, text, n.value)
	}
	if again := (retyping{}); errors.As(err, &again) {
		return 0, err
	} else if err != nil {
		return 0, fmt.Errorf("%s: row %d of column %q: %w", t.path, t.rows+1, t.cols[c].Name, err)
	}
	t.cols[c].Int = t.cols[c].Int && n.isInt
	return n.value, nil
}

// zeros notes how a number of a column is written, in a pass that knows that some of the column begin with zeros; in
// the first pass it asks for that one.
func (t *tableSource) zeros(c int, text string, v float64) error {
	z := t.cols[c].Zeros
	switch {
	case t.plain[c]:
	case z == nil && beginsWithZeros(text):
		return retyping{column: c, zeros: true}
	case z != nil && !z.Add(text, v):
		t.cols[c].Zeros, t.plain[c] = nil, true
	}
	return nil
}

// rowError says what is wrong with a row, counted from 1 without the header, of a table of n columns.
func rowError(path string, number, columns int, row []string, err error) error {
	var at *csv.ParseError
	if !errors.As(err, &at) {
		return fmt.Errorf("%s: %w", path, err)
	}
	if errors.Is(err, csv.ErrFieldCount) {
		return fmt.Errorf("%s:%d: row %d has %d fields, the header has %d", path, at.StartLine, number,
			len(row), columns)
	}
	return fmt.Errorf("%s:%d:%d: %v", path, at.Line, at.Column, at.Err)
}
