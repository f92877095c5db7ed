package datafile

import (
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
)

// A tableSource reads a table of text with a header row. What is wrong with a column is kept with the column, and is a
// mistake only if a model reads it.
type tableSource struct {
	path   string // of all files
	of     *input
	in     *csv.Reader // of the file that is being read
	l      *learned
	from   []int // the field of each of the header there; nil: they are the same
	before int   // rows of the files before it
	header []string
	fields []tableField // one for each field of a row behind the names of rows
	cols   []Column     // those that have names
	form   dialect
	names  map[string]int // of rows, if the header has no field for them: the rows, as far as they are few; else nil
	notes  []string
	rows   int
	skip   int // 1 if the first column has names of rows
	line   int // the line on which the last row ended
}

// A tableField is a field of all rows.
type tableField struct {
	column int // in cols; −1: it has no name, or that of another
	place  int // in a record
	marks  evidence
	words  *wordColumn // of a column of text; nil for numbers
	plain  bool        // a column of numbers that are too many to be codes
	filled bool        // some value without a name of a column
}

func (in *input) csv(comma rune, l *learned) (rowSource, error) {
	t := &tableSource{path: in.path, of: in, l: l}
	header, err := t.open(comma)
	if err == nil {
		err = t.begin(header)
	}
	in.notes = append(in.notes, t.notes...)
	return t, err
}

// open begins to read a file, and returns its header.
func (t *tableSource) open(comma rune) (header []string, err error) {
	in := t.of
	text, notes, err := in.tableText(t.l.windows[in.at])
	if err != nil {
		return nil, err
	}
	in.notes = append(in.notes, notes...)
	start := startOf(text)
	rest, comma := withoutSeparatorLine(start, comma)
	if err := checkStart(in.part(), rest); err != nil {
		return nil, err
	}
	if _, err := text.Discard(len(start) - len(rest)); err != nil {
		return nil, err
	}
	form := dialectOf(rest, comma)
	if t.header == nil {
		t.form = form
		t.form.decimalComma = styleOfStart(rest, t.form).decimalComma
		if t.l.decimalComma != nil {
			t.form.decimalComma = *t.l.decimalComma
		}
	}
	rows := io.Reader(text)
	t.line, t.before, t.names = 1, t.rows, nil
	if headerIsShort(rest, form.comma) {
		t.names = map[string]int{}
		rows = io.MultiReader(strings.NewReader(string(form.comma)), rows)
	}
	t.in = csv.NewReader(rows)
	t.in.Comma, t.in.TrimLeadingSpace, t.in.ReuseRecord = form.comma, form.comma == ',', true
	header, err = t.in.Read()
	if err == io.EOF {
		return nil, noHeader(in.part())
	} else if err != nil {
		return nil, t.failed(header, err)
	}
	for i, name := range header {
		header[i] = strings.TrimSpace(name)
	}
	return slices.Clone(header), nil
}

// again continues with the next file.
func (t *tableSource) again() error {
	comma, ok := commaOf(t.of.kind)
	if !ok {
		return t.of.noTable()
	}
	header, err := t.open(comma)
	if err != nil {
		return err
	}
	if err := checkHeader(t.of.part(), header); err != nil {
		return err
	}
	if rowNames(header) != (t.skip > 0) {
		return unlikeRowNames(t.of.parts[0].Path, t.of.part())
	}
	var extra []string
	first := t.of.parts[0].Path
	t.from, extra = matched(t.header, header[t.skip:])
	for i, at := range t.from {
		if f := t.fields[i]; at < 0 && f.column >= 0 {
			t.of.lacks(&t.cols[f.column], lacking{t.header[i], t.of.part(), first})
		}
	}
	for _, name := range extra {
		t.of.lacks(&Column{}, lacking{name, first, t.of.part()})
	}
	return nil
}

// lacks makes a column one that is not read, since a file lacks it.
func (in *input) lacks(c *Column, l lacking) {
	if c.Unread == "" {
		c.Unread = fmt.Sprintf("%s: %v", in.path, l)
	}
	if !slices.Contains(in.lacked, l.column) {
		in.lacked, in.notes = append(in.lacked, l.column), append(in.notes, l.note())
	}
}

// begin makes columns of the header.
func (t *tableSource) begin(header []string) error {
	if rowNames(header) {
		t.skip, header = 1, header[1:]
		t.notes = append(t.notes, rowNamesNote(t.path))
	}
	t.header = header
	place := 0
	for i, name := range t.header {
		f, first := tableField{column: -1}, slices.Index(t.header, name)
		switch {
		case name == "":
			t.notes = append(t.notes, namelessNote(t.path, i+t.skip+1))
		case first < i:
			if c := &t.cols[t.fields[first].column]; c.Unread == "" {
				c.Unread = twoOfName(t.path, first+t.skip, i+t.skip, name).Error()
			}
		default:
			at, isText := t.l.columns[i]
			f.column, f.place, f.words = len(t.cols), place, wordsOf(at, isText)
			c := Column{Name: name, Type: "f8", Int: true, Text: at.text, TextAt: at.row}
			if at.zeros {
				c.Zeros = &Zeros{}
			}
			t.cols, place = append(t.cols, c), place+1
		}
		t.fields = append(t.fields, f)
	}
	return checkHeader(t.path, t.header)
}

func (t *tableSource) columns() []Column {
	all := slices.Clone(t.cols)
	for _, f := range t.fields {
		if f.column >= 0 {
			f.words.name(&all[f.column])
		}
	}
	return all
}

func (t *tableSource) failed(row []string, err error) error {
	return rowError(t.of.part(), t.rows-t.before+1, len(t.header)+t.skip, row, err)
}

func (t *tableSource) next(record []float64) error {
	row, err := t.in.Read()
	if err == io.EOF {
		more, err := t.of.next()
		if err == nil && !more {
			return t.decideMarks()
		}
		if err == nil {
			err = t.again()
		}
		if err != nil {
			return err
		}
		return t.next(record)
	} else if err != nil {
		return t.failed(row, err)
	}
	if err := cmp.Or(t.blank(row), t.nameOfRow(row[0])); err != nil {
		return err
	}
	for i := range t.fields {
		f, text := &t.fields[i], t.field(row[t.skip:], i)
		switch {
		case t.header[i] == "":
			err = t.nameless(i, text)
		case f.column >= 0:
			record[f.place], err = t.value(i, text)
		}
		if err != nil {
			return err
		}
	}
	t.rows++
	return nil
}

// field is that of a row for the i-th of the header; empty if the file lacks it.
func (t *tableSource) field(row []string, i int) string {
	if t.from != nil {
		i = t.from[i]
		if i < 0 {
			return ""
		}
	}
	return strings.TrimSpace(row[i])
}

// nameless returns an error for a second column that has values and no name: the header is that of something else.
func (t *tableSource) nameless(i int, text string) error {
	if n, ok, _ := t.form.field(text); ok && math.IsNaN(n.value) || t.fields[i].filled {
		return nil
	}
	t.fields[i].filled = true
	filled, last := 0, 0
	for k, f := range t.fields {
		if t.header[k] == "" {
			last = k
		}
		if f.filled {
			filled++
		}
	}
	if filled > 1 {
		return noNames(t.path, last+t.skip+1)
	}
	return nil
}

// nameOfRow returns an error for a name of a row that occurs twice if the header has no field for them, as far as they
// are few.
func (t *tableSource) nameOfRow(name string) error {
	if t.names == nil {
		return nil
	}
	if first := t.names[name]; first > 0 {
		return rowsOfOneName(t.of.part(), name, first, t.rows-t.before+1)
	}
	if len(t.names) < mostRowNames {
		t.names[strings.Clone(name)] = t.rows - t.before + 1
	}
	return nil
}

// blank returns an error for blank lines in a table of one column, as checkBlankLines does.
func (t *tableSource) blank(row []string) error {
	if len(row) > 1 {
		return nil
	}
	line, _ := t.in.FieldPos(0)
	if line != t.line+1 {
		return blankLine(t.of.part(), t.line+1)
	}
	t.line = line + strings.Count(row[0], "\n")
	return nil
}

// value returns a field as a number, or a text's. One that is neither makes the column one that is not read.
func (t *tableSource) value(i int, text string) (float64, error) {
	c := &t.cols[t.fields[i].column]
	if c.Unread != "" {
		return math.NaN(), nil
	}
	n, err := t.number(i, text)
	if again := (retyping{}); errors.As(err, &again) {
		return 0, err
	} else if err != nil {
		c.Unread = valueError(t.path, t.rows+1, c.Name, err).Error()
		return math.NaN(), nil
	}
	c.Int = c.Int && n.isInt
	return n.value, nil
}

func (t *tableSource) number(i int, text string) (number, error) {
	f := &t.fields[i]
	n, ok, err := t.form.field(text)
	switch {
	case err != nil:
		return n, err
	case f.words != nil && ok && math.IsNaN(n.value):
		return n, nil
	case f.words != nil:
		return f.words.number(text, i, t.rows)
	case ok && numberForm(text):
		f.marks.addPlain(text, t.rows+1)
	case ok:
		f.marks.add(text, t.rows+1)
	case longCode(text) || !f.marks.add(text, t.rows+1):
		return n, retyping{column: i, row: t.rows, text: text}
	default: // a number if the table has decimal commas, which is decided at its end
		return number{math.NaN(), true}, nil
	}
	return n, t.zeros(i, text, n.value)
}

// decideMarks finds out how numbers are written, once all rows are read, and asks for another pass if they are not as
// they were taken.
func (t *tableSource) decideMarks() error {
	columns := map[int]*evidence{}
	for i := range t.fields {
		if f := &t.fields[i]; f.column >= 0 && f.words == nil && t.cols[f.column].Unread == "" {
			columns[i] = &f.marks
		}
	}
	s := styleOf(t.form.comma, columns)
	if s.decimalComma != t.form.decimalComma {
		return retyping{marks: true, decimalComma: s.decimalComma}
	}
	for i, err := range s.refused {
		c := &t.cols[t.fields[i].column]
		c.Unread = fmt.Sprintf("%s: column %q: %v", t.path, c.Name, err)
	}
	return io.EOF
}

// styleOfStart finds out how numbers are written from the first rows of a table.
func styleOfStart(start string, form dialect) style {
	in := csv.NewReader(strings.NewReader(start))
	in.Comma, in.FieldsPerRecord = form.comma, -1
	columns, texts := map[int]*evidence{}, map[int]bool{}
	for number := 0; ; number++ {
		row, err := in.Read()
		if err != nil {
			break
		}
		for c, field := range row {
			if columns[c] == nil {
				columns[c] = &evidence{}
			}
			if _, isWord := form.words[strings.ToLower(field)]; number > 0 && !isWord {
				texts[c] = !columns[c].add(strings.TrimSpace(field), number) || texts[c]
			}
		}
	}
	for c := range texts {
		if texts[c] {
			delete(columns, c)
		}
	}
	return styleOf(form.comma, columns)
}

// zeros notes how a number of a column is written, in a pass that knows that some of the column begin with zeros or may
// be identifiers; in the first pass it asks for that one.
func (t *tableSource) zeros(i int, text string, v float64) error {
	f, z := &t.fields[i], t.cols[t.fields[i].column].Zeros
	switch {
	case f.plain:
	case z == nil && (beginsWithZeros(text) || likeIdentifier(text)):
		return retyping{column: i, zeros: true}
	case z != nil && !z.Add(text, v):
		t.cols[f.column].Zeros, f.plain = nil, true
	}
	return nil
}

// rowError reports what is wrong with a row, counted from 1 without the header, of a table of n columns.
func rowError(path string, number, columns int, row []string, err error) error {
	var at *csv.ParseError
	if errors.As(err, &atLine{}) {
		return err
	} else if !errors.As(err, &at) {
		return fmt.Errorf("%s: %w", path, err)
	}
	if errors.Is(err, csv.ErrFieldCount) {
		return fmt.Errorf("%s:%d: row %d has %d fields, the header has %d", path, at.StartLine, number,
			len(row), columns)
	}
	return fmt.Errorf("%s:%d:%d: %v", path, at.Line, at.Column, at.Err)
}
