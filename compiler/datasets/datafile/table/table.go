// Package table reads a table of text with a header row (RFC 4180), in the variants that spreadsheets and statistical
// programs write: columns separated by commas, semicolons, tabs or vertical bars, decimal commas, UTF-16 or
// Windows-1252, and names of rows. In
//
//	y;town;code         y:    Values [1.5, NaN]
//	1,5;Oslo;007        town: Values [2, 1], Labels [Bergen, Oslo]
//	NA;Bergen;12        code: Values [7, 12], Zeros {7: "007", 12: "12"}
//
// each column is an array with one axis, as on the right. Texts of several files can be read as one table (ReadTexts),
// and a table that is too large for memory can be read row by row (ReadRows).
package table

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"ppl/compiler/datasets/datafile/budget"
	"ppl/compiler/datasets/datafile/content"
	"ppl/compiler/datasets/datafile/numerals"
	"ppl/numbers"
)

// A table collects the columns of one or several texts with header rows. It reads one row at a time into the columns,
// so that only one row is in memory as texts.
type table struct {
	path    string
	texts   []*Text
	form    numerals.Dialect
	header  []string
	columns []*column
	skip    int               // 1 if the first column contains names of rows, otherwise 0
	named   map[string]int    // for a text with a short header, maps names of rows to row numbers
	rows    content.Texts     // the first mostRowNames names of rows
	twice   error             // error for the first name of a row that occurs twice in a text
	lacked  []content.Lacking // columns that the first text lacks
	now     *Text             // the text being read
}

// A Text is one of the texts of a table.
type Text struct {
	path, text string
	notes      []string // about its encoding
	comma      rune
	short      bool  // whether the header lacks a field for the names of rows
	from       []int // for each column of the table, the field in this text or −1; nil if they are the same
	Rows       int   // number of rows without the header
}

// Read reads a table with a header row. comma is the usual separator for the name of the file.
func Read(path, text string, comma rune) (*content.File, error) {
	t, err := NewText(path, text, comma)
	if err != nil {
		return nil, err
	}
	return ReadTexts(path, []*Text{t})
}

// ReadRecords reads records like a table of text. The first record has the names of the columns.
func ReadRecords(path string, records [][]string) (*content.File, error) {
	var text strings.Builder
	if err := csv.NewWriter(&text).WriteAll(records); err != nil {
		return nil, err
	}
	t, err := newUTF8(path, text.String(), ',')
	if err != nil {
		return nil, err
	}
	return ReadTexts(path, []*Text{t})
}

// Cost returns the cost of a table. Each was measured with one long field, which takes 11.5 bytes for each byte.
func Cost() budget.Cost {
	return budget.Cost{Each: 12, Of: map[byte]int64{',': 55, ';': 55, '\t': 55, '\n': 130},
		First: map[byte]int64{',': 500, ';': 500, '\t': 500, '\n': 500}}
}

// NewText decodes a text and determines its separator of columns. comma is the usual separator for the name of the
// file.
func NewText(path, text string, comma rune) (*Text, error) {
	text, notes := decodeText(path, text)
	t, err := newUTF8(path, oneKindOfLines(text), comma)
	if err != nil {
		return nil, err
	}
	t.notes = notes
	return t, nil
}

// newUTF8 is NewText for a text in UTF-8 with line feeds.
func newUTF8(path, text string, comma rune) (*Text, error) {
	text, comma = withoutSeparatorLine(text, comma)
	if err := checkStart(path, text); err != nil {
		return nil, err
	}
	comma = separatorOf(text, comma)
	return &Text{path: path, text: text, comma: comma, short: headerIsShort(text, comma)}, nil
}

// ReadTexts reads texts as one table with the columns of the first text.
func ReadTexts(path string, texts []*Text) (*content.File, error) {
	t := &table{path: path, texts: texts, form: numerals.NewDialect(texts[0].comma)}
	for _, pass := range []func() error{func() error { return t.eachRow(t.take) }, t.check, t.decideMarks,
		t.findTexts} {
		if err := pass(); err != nil {
			return nil, err
		}
	}
	return t.file(), nil
}

// file returns the columns as arrays. Two columns of one name, and columns that cannot be read, are errors only for a
// model that reads them.
func (t *table) file() *content.File {
	f := content.NewFile(t.path, true)
	for _, of := range t.texts {
		f.Rows += of.Rows
		f.Notes = append(f.Notes, of.notes...)
	}
	if t.skip > 0 {
		f.Notes = append(f.Notes, rowNamesNote(t.path))
		f.RowNames = t.rowNames()
	}
	var lack content.Lacking
	for i, c := range t.columns {
		same := slices.IndexFunc(t.columns, func(o *column) bool { return o.name == c.name })
		again := slices.ContainsFunc(t.columns[i+1:], func(o *column) bool { return o.name == c.name })
		switch {
		case c.name == "":
			f.Notes = append(f.Notes, namelessNote(t.path, i+t.skip+1))
		case same < i:
		case again:
			second := slices.IndexFunc(t.columns[i+1:], func(o *column) bool { return o.name == c.name })
			f.Refuse(c.name, content.TwoOfName(t.path, i+t.skip, i+second+t.skip+1, c.name))
		case errors.As(c.failed, &lack):
			f.Lacks(lack)
		case c.failed != nil:
			f.Refuse(c.name, fmt.Errorf("%s: %w", t.path, c.failed))
		default:
			f.Add(c.array(t.path, t.form))
		}
	}
	for _, l := range t.lacked {
		f.Lacks(l)
	}
	return f
}

// decideMarks determines how numbers are written, and reads columns again whose marks the first pass did not read with
// this meaning.
func (t *table) decideMarks() error {
	columns, again := map[int]*numerals.Evidence{}, false
	for i, c := range t.columns {
		if !c.isText && c.failed == nil && c.name != "" {
			columns[i] = &c.marks
		}
	}
	s := numerals.StyleOf(t.form.Comma, columns)
	t.form.DecimalComma = s.DecimalComma
	for i := range columns {
		c := t.columns[i]
		if err := s.Refused[i]; err != nil {
			c.failed = fmt.Errorf("column %q: %w", c.name, err)
		}
		c.again = c.failed == nil && (c.marked || s.DecimalComma && c.marks.Seen != 0)
		again = again || c.again
	}
	if !again {
		return nil
	}
	for _, c := range t.columns {
		if c.again {
			c.building, c.isInt = numbers.Builder{}, true
			c.building.Grow(c.values.Len())
		}
	}
	err := t.eachRow(func(number int, row []string) {
		for i, field := range row[t.skip:] {
			if c := t.columns[i]; number > 0 && c.again {
				c.read(t.form, strings.TrimSpace(field), number)
			}
		}
	})
	for _, c := range t.columns {
		if c.again {
			c.values = c.building.List()
		}
	}
	return err
}

// mostRowNames is the largest number of names of rows that are recorded.
const mostRowNames = 1 << 16

// rowNames returns the column of the names of rows, or nil if there are too many or all are numbers.
func (t *table) rowNames() *content.Array {
	if len(t.rows.Numbers) == mostRowNames {
		return nil
	}
	for name := range t.rows.Numbers {
		if _, err := strconv.ParseFloat(name, 64); err != nil {
			labels, values := t.rows.Encoded()
			return &content.Array{Name: "the names of rows", Shape: []int{values.Len()}, Int: true, Labels: labels,
				Values: values, Origin: t.path}
		}
	}
	return nil
}

// eachRow calls take for the header of the first text, with number 0, and then for the rows of all texts, numbered from
// 1.
func (t *table) eachRow(take func(number int, row []string)) error {
	number := 0
	for _, text := range t.texts {
		t.now, t.named = text, map[string]int{}
		if err := t.eachRowOf(text, &number, take); err != nil {
			return err
		}
	}
	return nil
}

func (t *table) eachRowOf(of *Text, number *int, take func(number int, row []string)) error {
	text := io.Reader(strings.NewReader(of.text))
	if of.short {
		text = io.MultiReader(strings.NewReader(string(of.comma)), text)
	}
	r := csv.NewReader(text)
	r.Comma, r.TrimLeadingSpace, r.ReuseRecord = of.comma, of.comma == ',', true
	columns := 0
	for of.Rows = 0; ; of.Rows++ {
		row, err := r.Read()
		switch {
		case err == io.EOF && of.Rows == 0:
			return noHeader(of.path)
		case err == io.EOF:
			of.Rows-- // the header
			return nil
		case err != nil && of.Rows == 0:
			return rowError(of.path, of.Rows, len(row), row, err)
		case err != nil:
			return rowError(of.path, of.Rows, columns, row, err)
		}
		if of.Rows == 0 {
			columns = len(row)
			if *number > 0 {
				if err := t.match(of, row); err != nil {
					return err
				}
				continue
			}
		}
		take(*number, of.arranged(row))
		*number++
	}
}

// match finds the columns of the table in the header of another text. It records columns that one of the two does not
// have.
func (t *table) match(of *Text, header []string) error {
	if of.from != nil || slices.Equal(header, t.header) {
		return nil // matched in an earlier pass, or the same header
	}
	if err := checkHeader(of.path, header); err != nil {
		return err
	}
	if rowNames(header) != (t.skip > 0) {
		return unlikeRowNames(t.texts[0].path, of.path)
	}
	first, extra := t.texts[0].path, []string(nil)
	of.from, extra = matched(t.header, header)
	for i, c := range t.columns {
		if of.from[i+t.skip] < 0 && c.name != "" && c.failed == nil {
			c.failed = content.Lacking{Column: c.name, Without: of.path, With: first}
		}
	}
	for _, name := range extra {
		t.lacked = append(t.lacked, content.Lacking{Column: name, Without: first, With: of.path})
	}
	return nil
}

// arranged returns the fields of a row in the order of the columns of the table; the field of a column that the text
// lacks is empty.
func (of *Text) arranged(row []string) []string {
	if of.from == nil {
		return row
	}
	out := make([]string, len(of.from))
	for i, at := range of.from {
		if at >= 0 {
			out[i] = row[at]
		}
	}
	return out
}

// take adds a row to the columns.
func (t *table) take(number int, row []string) {
	if number == 0 {
		t.begin(row)
		return
	}
	if t.now.short {
		if first := t.named[row[0]]; first > 0 && t.twice == nil {
			t.twice = rowsOfOneName(t.now.path, row[0], first, t.now.Rows)
		}
		t.named[strings.Clone(row[0])] = t.now.Rows
	}
	if t.skip > 0 && len(t.rows.Numbers) < mostRowNames {
		t.rows.Add(strings.TrimSpace(row[0]), false)
	}
	for c, field := range row[t.skip:] {
		t.columns[c].add(t.form, strings.TrimSpace(field), number)
	}
}

// begin creates the columns. Their capacity is an upper bound of the number of rows, from the numbers of lines and
// separators in the texts.
func (t *table) begin(header []string) {
	t.header = slices.Clone(header)
	if rowNames(header) {
		t.skip = 1
	}
	lines := 0
	for _, of := range t.texts {
		n := 1 + strings.Count(of.text, "\n")
		if more := len(header) - 1; more > 0 {
			n = min(n, strings.Count(of.text, string(of.comma))/more+1)
		}
		lines += n
	}
	for _, name := range header[t.skip:] {
		c := &column{name: strings.TrimSpace(name), isInt: true}
		c.building.Grow(lines)
		t.columns = append(t.columns, c)
	}
}

// check returns the first error that concerns the entire table.
func (t *table) check() error {
	if t.twice != nil {
		return t.twice
	}
	if err := checkHeader(t.path, t.header[t.skip:]); err != nil {
		return err
	}
	if len(t.columns) == 1 {
		for _, of := range t.texts {
			if err := checkBlankLines(of.path, of.text); err != nil {
				return err
			}
		}
	}
	nameless, filled := 0, 0
	for i, c := range t.columns {
		c.values = c.building.List()
		if c.name == "" {
			nameless = i + t.skip + 1
			if c.isText || !c.values.None() && c.anything() {
				filled++
			}
		}
	}
	if filled > 1 {
		return noNames(t.path, nameless)
	}
	return nil
}

// findTexts reads the table again to add texts to the columns that need them.
func (t *table) findTexts() error {
	if !slices.ContainsFunc(t.columns, (*column).needsTexts) {
		return nil
	}
	return t.eachRow(func(number int, row []string) {
		for i, field := range row[t.skip:] {
			if c := t.columns[i]; number > 0 && c.needsTexts() {
				c.addText(strings.TrimSpace(field), number)
			}
		}
	})
}
