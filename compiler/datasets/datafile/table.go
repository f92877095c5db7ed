package datafile

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"ppl/numbers"
)

// A table is a text with a header row, or several whose headers have the same names. Its rows are read one after the
// other, each into the columns, so that no more than a row is there as texts.
type table struct {
	path    string
	texts   []*tableText
	form    dialect
	header  []string
	columns []*tableColumn
	skip    int            // 1 if the first column has names of rows
	named   map[string]int // rows of a short header, by name
	rows    texts          // the names of rows, as far as they are few
	twice   error          // the first name that occurs twice
	lacked  []lacking      // columns that some of the texts lack
	now     *tableText     // that is being read
}

// A tableText is one of the texts of a table.
type tableText struct {
	path, text string
	comma      rune
	short      bool  // the header lacks the name of the first column
	from       []int // the field of each column of the table, −1 if there is none; nil: they are the same
	rows       int
}

// readTable reads a table with a header row: each column is an array of one axis.
func readTable(path, text string, comma rune) (*File, error) {
	t, err := newTableText(path, text, comma)
	if err != nil {
		return nil, err
	}
	return readTables(path, []*tableText{t})
}

// newTableText finds out how a text separates its columns.
func newTableText(path, text string, comma rune) (*tableText, error) {
	text, comma = withoutSeparatorLine(text, comma)
	if err := checkStart(path, text); err != nil {
		return nil, err
	}
	comma = dialectOf(text, comma).comma
	return &tableText{path: path, text: text, comma: comma, short: headerIsShort(text, comma)}, nil
}

// readTables reads texts as one table, whose columns are those of the first.
func readTables(path string, texts []*tableText) (*File, error) {
	t := &table{path: path, texts: texts, form: dialect{comma: texts[0].comma, words: words()}}
	for _, pass := range []func() error{func() error { return t.eachRow(t.take) }, t.check, t.decideMarks,
		t.findTexts} {
		if err := pass(); err != nil {
			return nil, err
		}
	}
	return t.file(), nil
}

// file has the columns as arrays. Two columns of one name, or one that cannot be read, are mistakes only if a model
// reads them.
func (t *table) file() *File {
	f := newFile(t.path, true)
	for _, of := range t.texts {
		f.rows += of.rows
	}
	if t.skip > 0 {
		f.Notes = append(f.Notes, rowNamesNote(t.path))
		f.RowNames = t.rowNames()
	}
	var lack lacking
	for i, c := range t.columns {
		same := slices.IndexFunc(t.columns, func(o *tableColumn) bool { return o.name == c.name })
		again := slices.ContainsFunc(t.columns[i+1:], func(o *tableColumn) bool { return o.name == c.name })
		switch {
		case c.name == "":
			f.Notes = append(f.Notes, namelessNote(t.path, i+t.skip+1))
		case same < i:
		case again:
			second := slices.IndexFunc(t.columns[i+1:], func(o *tableColumn) bool { return o.name == c.name })
			f.refuse(c.name, twoOfName(t.path, i+t.skip, i+second+t.skip+1, c.name))
		case errors.As(c.failed, &lack):
			f.lacks(lack)
		case c.failed != nil:
			f.refuse(c.name, fmt.Errorf("%s: %w", t.path, c.failed))
		default:
			f.add(c.array(t.path, t.form))
		}
	}
	for _, l := range t.lacked {
		f.lacks(l)
	}
	return f
}

func namelessNote(path string, column int) string {
	return fmt.Sprintf("%s: column %d has no name and is not read", path, column)
}

// twoOfName returns an error for columns of one name, counted from 0.
func twoOfName(path string, first, second int, name string) error {
	return fmt.Errorf("%s:1: columns %d and %d are both named %q", path, first+1, second+1, name)
}

func noNames(path string, column int) error {
	return fmt.Errorf("%s:1: column %d has no name; line 1 has the names of the columns: delete what stands above them",
		path, column)
}

func noHeader(path string) error {
	return fmt.Errorf("%s: the file is empty; a table begins with a row of column names", path)
}

// decideMarks finds out how numbers are written, and reads the table again if they are not as they were taken.
func (t *table) decideMarks() error {
	columns, again := map[int]*evidence{}, false
	for i, c := range t.columns {
		if !c.isText && c.failed == nil && c.name != "" {
			columns[i] = &c.marks
		}
	}
	s := styleOf(t.form.comma, columns)
	t.form.decimalComma = s.decimalComma
	for i := range columns {
		c := t.columns[i]
		if err := s.refused[i]; err != nil {
			c.failed = fmt.Errorf("column %q: %w", c.name, err)
		}
		c.again = c.failed == nil && (c.marked || s.decimalComma && c.marks.seen != 0)
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

// mostRowNames bounds the names of rows that are kept.
const mostRowNames = 1 << 16

// rowNames returns the column of the names of rows; nil if they are too many, or numbers that count rows.
func (t *table) rowNames() *Array {
	if len(t.rows.number) == mostRowNames {
		return nil
	}
	for name := range t.rows.number {
		if _, err := strconv.ParseFloat(name, 64); err != nil {
			labels, values := t.rows.encoded()
			return &Array{Name: "the names of rows", Shape: []int{values.Len()}, Int: true, Labels: labels,
				Values: values, Origin: t.path}
		}
	}
	return nil
}

// eachRow reads all rows, of which the header has the number 0. Rows of later texts follow without their headers.
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

func (t *table) eachRowOf(of *tableText, number *int, take func(number int, row []string)) error {
	text := io.Reader(strings.NewReader(of.text))
	if of.short {
		text = io.MultiReader(strings.NewReader(string(of.comma)), text)
	}
	r := csv.NewReader(text)
	r.Comma, r.TrimLeadingSpace, r.ReuseRecord = of.comma, of.comma == ',', true
	columns := 0
	for of.rows = 0; ; of.rows++ {
		row, err := r.Read()
		switch {
		case err == io.EOF && of.rows == 0:
			return noHeader(of.path)
		case err == io.EOF:
			of.rows-- // the header
			return nil
		case err != nil && of.rows == 0:
			return rowError(of.path, of.rows, len(row), row, err)
		case err != nil:
			return rowError(of.path, of.rows, columns, row, err)
		}
		if of.rows == 0 {
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

// match finds the columns of the table in the header of a later text.
func (t *table) match(of *tableText, header []string) error {
	if of.from != nil || slices.Equal(header, t.header) {
		return nil // in an earlier pass, or the same
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
			c.failed = lacking{c.name, of.path, first}
		}
	}
	for _, name := range extra {
		t.lacked = append(t.lacked, lacking{name, first, of.path})
	}
	return nil
}

// arranged has the fields of a row in the order of the table.
func (of *tableText) arranged(row []string) []string {
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

// take takes in a row.
func (t *table) take(number int, row []string) {
	if number == 0 {
		t.begin(row)
		return
	}
	if t.now.short {
		if first := t.named[row[0]]; first > 0 && t.twice == nil {
			t.twice = rowsOfOneName(t.now.path, row[0], first, t.now.rows)
		}
		t.named[strings.Clone(row[0])] = t.now.rows
	}
	if t.skip > 0 && len(t.rows.number) < mostRowNames {
		t.rows.add(strings.TrimSpace(row[0]), false)
	}
	for c, field := range row[t.skip:] {
		t.columns[c].add(t.form, strings.TrimSpace(field), number)
	}
}

// begin makes columns with room for as many rows as the text may have: each has a separator after all fields but one.
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
		c := &tableColumn{name: strings.TrimSpace(name), isInt: true}
		c.building.Grow(lines)
		t.columns = append(t.columns, c)
	}
}

// check returns an error for what is wrong with the table, column by column.
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

// findTexts reads the table again for the columns that need their texts.
func (t *table) findTexts() error {
	if !slices.ContainsFunc(t.columns, (*tableColumn).needsTexts) {
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

// headerIsShort reports whether the rows of a table, as far as its first ten show, have a field more than the header:
// R's write.table gives names of rows no name.
func headerIsShort(text string, comma rune) bool {
	r := csv.NewReader(strings.NewReader(text))
	r.Comma, r.TrimLeadingSpace, r.FieldsPerRecord = comma, comma == ',', -1
	header, err := r.Read()
	if err != nil {
		return false
	}
	for rows := range 10 {
		row, err := r.Read()
		if err == io.EOF && rows > 0 {
			return true
		} else if err != nil || len(row) != len(header)+1 {
			return false
		}
	}
	return true
}

// rowNames reports whether the first column of a table has no name but others do: R and pandas write the names of rows
// there.
func rowNames(header []string) bool {
	return len(header) > 1 && strings.TrimSpace(header[0]) == "" && strings.TrimSpace(header[1]) != ""
}

// rowsOfOneName returns an error for names of rows that occur twice. They may be what is before a decimal comma.
func rowsOfOneName(path, name string, first, second int) error {
	return fmt.Errorf("%s: rows have a field more than the header, which names of rows may be, but rows %d and "+
		"%d both begin with %q; numbers with decimal commas need semicolons between the columns", path, first, second,
		name)
}

func rowNamesNote(path string) string {
	return path + ": the first column has no name, so it is taken for names of rows and not read"
}

func checkHeader(path string, names []string) error {
	if len(names) == 1 {
		if i := strings.IndexAny(names[0], ",;|"); i >= 0 {
			return fmt.Errorf("%s:1: the columns seem to be separated by %q; a .csv file has commas or semicolons "+
				"between "+
				"them, a .tsv file tabs", path, names[0][i])
		}
	}
	return nil
}

// checkBlankLines returns an error for blank lines in a table of one column: they could be missing values, and
// encoding/csv skips them.
func checkBlankLines(path, text string) error {
	number := 0
	for line := range strings.SplitSeq(strings.TrimRight(text, "\r\n"), "\n") {
		number++
		if strings.TrimSpace(line) == "" {
			return blankLine(path, number)
		}
	}
	return nil
}

func blankLine(path string, line int) error {
	return fmt.Errorf("%s:%d: the line is blank; write NA for a missing value", path, line)
}

// A tableColumn is numeric when every field is a number, boolean or missing, else a column of labels.
type tableColumn struct {
	name          string
	building      numbers.Builder
	values        numbers.List // what was built, once all rows were read
	isInt, isText bool
	zeros         bool // a whole number begins with zeros
	identifiers   bool // a number may be an identifier: 3e5
	marks         evidence
	marked        bool  // some numbers have marks other than a point
	again         bool  // it is read again, as the marks mean
	failed        error // the first that there was

	texts   texts
	spelled Zeros
	tooMany bool // for spelled
}

// add takes in a field of the first pass, in which numbers have a decimal point if they have no other marks.
func (c *tableColumn) add(d dialect, text string, row int) {
	ok := c.read(d, text, row)
	switch {
	case ok && numberForm(text):
		c.marks.addPlain(text, row)
	case ok && c.marks.add(text, row), !ok && !longCode(text) && c.marks.add(text, row):
		c.marked = true
	case !ok:
		c.isText = true
	}
}

// read takes in a field as a number; ok is false if it is none, nor a word for one.
func (c *tableColumn) read(d dialect, text string, row int) (ok bool) {
	v, ok, err := d.field(text)
	if err != nil && c.failed == nil {
		c.failed = fmt.Errorf("row %d of column %q: %w", row, c.name, err)
	}
	c.building.Add(v.value)
	c.isInt, c.zeros = c.isInt && v.isInt, c.zeros || beginsWithZeros(text)
	c.identifiers = c.identifiers || likeIdentifier(text)
	return ok
}

// anything reports whether some field is not empty.
func (c *tableColumn) anything() bool {
	for _, v := range c.values.All() {
		if v == v {
			return true
		}
	}
	return false
}

// needsTexts reports whether the column is more than its numbers.
func (c *tableColumn) needsTexts() bool {
	return c.failed == nil && (c.isText || c.isInt && (c.zeros || c.identifiers))
}

// addText takes in the text of a row, of a column that needs it.
func (c *tableColumn) addText(text string, row int) {
	switch v := c.values.At(row - 1); {
	case c.isText, c.identifiers:
		c.texts.add(text, math.IsNaN(v))
	case !c.tooMany:
		c.tooMany = !c.spelled.Add(strings.Clone(text), v)
	}
}

func (c *tableColumn) array(path string, form dialect) *Array {
	a := &Array{Name: c.name, Shape: []int{c.values.Len()}, Int: c.isInt || c.isText, Values: c.values, Origin: path,
		form: form}
	switch {
	case c.isText:
		a.Labels, a.Values = c.texts.encoded()
	case c.identifiers && c.isInt:
		b := *a
		b.Labels, b.Values = c.texts.encoded()
		a.Texts = &b
	case c.needsTexts() && !c.tooMany:
		a.Zeros = &c.spelled
	}
	return a
}
