package datafile

import (
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"ppl/numbers"
)

// A table is a text with a header row. Its rows are read one after the other, each into the columns, so that no more
// than a row is there as texts.
type table struct {
	path, text string
	form       dialect
	short      bool // the header lacks the name of the first column
	header     []string
	columns    []*tableColumn
	skip       int            // 1 if the first column has names of rows
	named      map[string]int // rows of a short header, by name
	rows       texts          // the names of rows, as far as they are few
	twice      error          // the first name that occurs twice
}

// readTable reads a table with a header row: each column is an array of one axis.
func readTable(path, text string, comma rune) (*File, error) {
	form := dialectOf(text, comma)
	t := &table{path: path, text: text, form: form, short: headerIsShort(text, form.comma), named: map[string]int{}}
	if err := t.eachRow(t.take); err != nil {
		return nil, err
	}
	if err := t.check(); err != nil {
		return nil, err
	}
	if err := t.findTexts(); err != nil {
		return nil, err
	}
	f := newFile(path, true)
	if t.skip > 0 {
		f.Notes = append(f.Notes, rowNamesNote(path))
		f.RowNames = t.rowNames()
	}
	for _, c := range t.columns {
		f.add(c.array(path))
	}
	return f, nil
}

// mostRowNames bounds the names of rows that are kept.
const mostRowNames = 1 << 16

// rowNames is the column of the names of rows; nil if they are too many, or numbers that count rows.
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

// eachRow reads all rows, of which the header has the number 0.
func (t *table) eachRow(take func(number int, row []string)) error {
	text := io.Reader(strings.NewReader(t.text))
	if t.short {
		text = io.MultiReader(strings.NewReader(string(t.form.comma)), text)
	}
	r := csv.NewReader(text)
	r.Comma, r.TrimLeadingSpace, r.ReuseRecord = t.form.comma, t.form.comma == ',', true
	for number := 0; ; number++ {
		row, err := r.Read()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			columns := len(row)
			if number > 0 {
				columns = len(t.header)
			}
			return rowError(t.path, number, columns, row, err)
		}
		take(number, row)
	}
}

// take takes in a row.
func (t *table) take(number int, row []string) {
	if number == 0 {
		t.begin(row)
		return
	}
	if t.short {
		if first := t.named[row[0]]; first > 0 && t.twice == nil {
			t.twice = rowsOfOneName(t.path, row[0], first, number)
		}
		t.named[strings.Clone(row[0])] = number
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
	lines := 1 + strings.Count(t.text, "\n")
	if more := len(header) - 1; more > 0 {
		lines = min(lines, strings.Count(t.text, string(t.form.comma))/more+1)
	}
	for _, name := range header[t.skip:] {
		c := &tableColumn{name: strings.TrimSpace(name), isInt: true}
		c.building.Grow(lines)
		t.columns = append(t.columns, c)
	}
}

// check refuses what is wrong with the table, column by column.
func (t *table) check() error {
	switch {
	case t.header == nil:
		return fmt.Errorf("%s: the file is empty; a table begins with a row of column names", t.path)
	case t.twice != nil:
		return t.twice
	}
	if err := checkHeader(t.path, t.header[t.skip:]); err != nil {
		return err
	}
	if len(t.columns) == 1 {
		if err := checkBlankLines(t.path, t.text); err != nil {
			return err
		}
	}
	for _, c := range t.columns {
		c.values = c.building.List()
		err := c.failed
		if err == nil && !c.isText {
			err = c.marks
		}
		if err != nil {
			return fmt.Errorf("%s: %w", t.path, err)
		}
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

// rowsOfOneName refuses names of rows that occur twice. They may be what stands before a decimal comma.
func rowsOfOneName(path, name string, first, second int) error {
	return fmt.Errorf("%s: rows have a field more than the header, which names of rows may be, but rows %d and "+
		"%d both begin with %q; numbers with decimal commas need semicolons between the columns", path, first, second,
		name)
}

func rowNamesNote(path string) string {
	return path + ": the first column has no name, so it is taken for names of rows and not read"
}

func checkHeader(path string, names []string) error {
	seen := map[string]int{}
	for c, name := range names {
		name = strings.TrimSpace(name)
		if name == "" {
			return fmt.Errorf("%s:1: column %d has no name (in R, write.csv(…, row.names = FALSE) leaves "+
				"row names out)", path, c+1)
		}
		if first := seen[name]; first > 0 {
			return fmt.Errorf("%s:1: columns %d and %d are both named %q", path, first, c+1, name)
		}
		seen[name] = c + 1
	}
	if len(names) == 1 {
		if i := strings.IndexAny(names[0], ",;|"); i >= 0 {
			return fmt.Errorf("%s:1: the columns seem to be separated by %q; a .csv file has commas or semicolons "+
				"between "+
				"them, a .tsv file tabs", path, names[0][i])
		}
	}
	return nil
}

// checkBlankLines refuses blank lines in a table of one column: they could be missing values, and encoding/csv skips
// them.
func checkBlankLines(path, text string) error {
	number := 0
	for line := range strings.SplitSeq(strings.TrimRight(text, "\r\n"), "\n") {
		if number++; strings.TrimSpace(line) == "" {
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
	mark          decimalMark
	marks, failed error // the first that there was

	texts   texts
	spelled Zeros
	tooMany bool // for spelled
}

func (c *tableColumn) add(d dialect, text string, row int) {
	if c.failed != nil {
		return
	}
	v, ok, err := d.field(text)
	if err != nil {
		c.failed = fmt.Errorf("row %d of column %q: %w", row, c.name, err)
		return
	}
	if c.marks == nil {
		if err := c.mark.add(d, text); err != nil {
			c.marks = fmt.Errorf("row %d of column %q: %w", row, c.name, err)
		}
	}
	c.building.Add(v.value)
	c.isInt, c.isText, c.zeros = c.isInt && v.isInt, c.isText || !ok, c.zeros || beginsWithZeros(text)
}

// needsTexts reports whether the column is more than its numbers.
func (c *tableColumn) needsTexts() bool { return c.isText || c.isInt && c.zeros }

// addText takes in the text of a row, of a column that needs it.
func (c *tableColumn) addText(text string, row int) {
	switch v := c.values.At(row - 1); {
	case c.isText:
		c.texts.add(text, math.IsNaN(v))
	case !c.tooMany:
		c.tooMany = !c.spelled.Add(strings.Clone(text), v)
	}
}

func (c *tableColumn) array(path string) *Array {
	a := &Array{Name: c.name, Shape: []int{c.values.Len()}, Int: c.isInt || c.isText, Values: c.values, Origin: path}
	switch {
	case c.isText:
		a.Labels, a.Values = c.texts.encoded()
	case c.needsTexts() && !c.tooMany:
		a.Zeros = &c.spelled
	}
	return a
}
