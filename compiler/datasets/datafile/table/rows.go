package table

import (
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"ppl/compiler/datasets/datafile/content"
	"ppl/compiler/datasets/datafile/numerals"
	"ppl/compiler/datasets/datafile/rowfile"
	"ppl/compiler/datasets/datafile/stream"
)

// A rowSource reads the rows of one or several tables of text with header rows. It stores the first error of a column
// in the column, because it is an error only for a model that reads the column.
type rowSource struct {
	path   string // of the file or the data set
	of     *stream.Input
	in     *csv.Reader // reader of the open file
	l      *stream.Learned
	from   []int            // for each name of header, the field in the open file; nil for the first file
	before int              // number of rows of the files before the open one
	header []string         // of the first file, without names of rows
	fields []rowField       // one for each name of header
	cols   []rowfile.Column // the columns with different names
	form   numerals.Dialect
	names  map[string]int // maps the first names of rows to row numbers if the header lacks a field for them; else nil
	notes  []string
	rows   int // number of rows read
	skip   int // 1 if the first column contains names of rows, otherwise 0
	line   int // the line on which the last row ended
}

// A rowField describes one field of every row.
type rowField struct {
	column int // index in cols; −1 if the column has no name or the name of an earlier column
	place  int // index in a record
	marks  numerals.Evidence
	words  *stream.TextColumn // for a column of texts; nil for numbers
	plain  bool               // whether the column has too many different numbers to be codes
	filled bool               // whether the column has no name but values
}

// ReadRows returns a source of the rows of tables of text.
func ReadRows(in *stream.Input, l *stream.Learned) (rowfile.Source, error) {
	in.Table = true
	comma, _ := CommaOf(in.Kind)
	t := &rowSource{path: in.Path, of: in, l: l}
	header, err := t.open(comma)
	if err == nil {
		err = t.begin(header)
	}
	in.Notes = append(in.Notes, t.notes...)
	return t, err
}

// open opens the current file of the input and returns its header.
func (t *rowSource) open(comma rune) (header []string, err error) {
	in := t.of
	text, notes, err := utf8Text(in, t.l.Windows[in.At])
	if err != nil {
		return nil, err
	}
	in.Notes = append(in.Notes, notes...)
	start := startOf(text)
	rest, comma := withoutSeparatorLine(start, comma)
	if err := checkStart(in.Part(), rest); err != nil {
		return nil, err
	}
	if _, err := text.Discard(len(start) - len(rest)); err != nil {
		return nil, err
	}
	form := numerals.NewDialect(separatorOf(rest, comma))
	if t.header == nil {
		t.form = form
		t.form.DecimalComma = styleOfStart(rest, t.form).DecimalComma
		if t.l.DecimalComma != nil {
			t.form.DecimalComma = *t.l.DecimalComma
		}
	}
	rows := io.Reader(text)
	t.line, t.before, t.names = 1, t.rows, nil
	if headerIsShort(rest, form.Comma) {
		t.names = map[string]int{}
		rows = io.MultiReader(strings.NewReader(string(form.Comma)), rows)
	}
	t.in = csv.NewReader(rows)
	t.in.Comma, t.in.TrimLeadingSpace, t.in.ReuseRecord = form.Comma, form.Comma == ',', true
	header, err = t.in.Read()
	if err == io.EOF {
		return nil, noHeader(in.Part())
	} else if err != nil {
		return nil, t.failed(header, err)
	}
	for i, name := range header {
		header[i] = strings.TrimSpace(name)
	}
	return slices.Clone(header), nil
}

// openNext opens the next file and finds the columns in its header.
func (t *rowSource) openNext() error {
	comma, ok := CommaOf(t.of.Kind)
	if !ok {
		return t.of.NoTable()
	}
	header, err := t.open(comma)
	if err != nil {
		return err
	}
	if err := checkHeader(t.of.Part(), header); err != nil {
		return err
	}
	if rowNames(header) != (t.skip > 0) {
		return unlikeRowNames(t.of.Parts[0].Path, t.of.Part())
	}
	var extra []string
	first := t.of.Parts[0].Path
	t.from, extra = matched(t.header, header[t.skip:])
	for i, at := range t.from {
		if f := t.fields[i]; at < 0 && f.column >= 0 {
			t.of.Lacks(&t.cols[f.column], content.Lacking{Column: t.header[i], Without: t.of.Part(), With: first})
		}
	}
	for _, name := range extra {
		t.of.Lacks(&rowfile.Column{}, content.Lacking{Column: name, Without: first, With: t.of.Part()})
	}
	return nil
}

// begin creates the columns from the header of the first file.
func (t *rowSource) begin(header []string) error {
	if rowNames(header) {
		t.skip, header = 1, header[1:]
		t.notes = append(t.notes, rowNamesNote(t.path))
	}
	t.header = header
	place := 0
	for i, name := range t.header {
		f, first := rowField{column: -1}, slices.Index(t.header, name)
		switch {
		case name == "":
			t.notes = append(t.notes, namelessNote(t.path, i+t.skip+1))
		case first < i:
			if c := &t.cols[t.fields[first].column]; c.Unread == "" {
				c.Unread = content.TwoOfName(t.path, first+t.skip, i+t.skip, name).Error()
			}
		default:
			at, isText := t.l.Columns[i]
			f.column, f.place, f.words = len(t.cols), place, stream.NewTextColumn(at, isText)
			c := rowfile.Column{Name: name, Type: "f8", Int: true, Text: at.Text, TextAt: at.Row}
			if at.Zeros {
				c.Zeros = &numerals.Zeros{}
			}
			t.cols, place = append(t.cols, c), place+1
		}
		t.fields = append(t.fields, f)
	}
	return checkHeader(t.path, t.header)
}

func (t *rowSource) Columns() []rowfile.Column {
	all := slices.Clone(t.cols)
	for _, f := range t.fields {
		if f.column >= 0 {
			f.words.Label(&all[f.column])
		}
	}
	return all
}

func (t *rowSource) failed(row []string, err error) error {
	return rowError(t.of.Part(), t.rows-t.before+1, len(t.header)+t.skip, row, err)
}

func (t *rowSource) Next(record []float64) error {
	row, err := t.in.Read()
	if err == io.EOF {
		more, err := t.of.Next()
		if err == nil && !more {
			return t.decideMarks()
		}
		if err == nil {
			err = t.openNext()
		}
		if err != nil {
			return err
		}
		return t.Next(record)
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

// field returns the field of column i of the first file's header, or an empty text if the open file lacks the column.
func (t *rowSource) field(row []string, i int) string {
	if t.from != nil {
		i = t.from[i]
		if i < 0 {
			return ""
		}
	}
	return strings.TrimSpace(row[i])
}

// nameless returns an error for the second column that has values and no name: in this case the first line is probably
// not a header.
func (t *rowSource) nameless(i int, text string) error {
	if n, ok, _ := t.form.Parse(text); ok && math.IsNaN(n.Value) || t.fields[i].filled {
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

// nameOfRow returns an error for a name of a row that occurs twice, if the header has no field for the names of rows.
// It records only the first mostRowNames names.
func (t *rowSource) nameOfRow(name string) error {
	if t.names == nil {
		return nil
	}
	if first := t.names[name]; first > 0 {
		return rowsOfOneName(t.of.Part(), name, first, t.rows-t.before+1)
	}
	if len(t.names) < mostRowNames {
		t.names[strings.Clone(name)] = t.rows - t.before + 1
	}
	return nil
}

// blank returns the error of checkBlankLines if there is a blank line before a row.
func (t *rowSource) blank(row []string) error {
	if len(row) > 1 {
		return nil
	}
	line, _ := t.in.FieldPos(0)
	if line != t.line+1 {
		return blankLine(t.of.Part(), t.line+1)
	}
	t.line = line + strings.Count(row[0], "\n")
	return nil
}

// value returns the value of a field: a number, or the number of its text. If the field has an error, value records it
// in the column and returns NaN. Its error asks for another pass.
func (t *rowSource) value(i int, text string) (float64, error) {
	c := &t.cols[t.fields[i].column]
	if c.Unread != "" {
		return math.NaN(), nil
	}
	n, err := t.number(i, text)
	if stream.IsRetyping(err) {
		return 0, err
	} else if err != nil {
		c.Unread = content.ValueError(t.path, t.rows+1, c.Name, err).Error()
		return math.NaN(), nil
	}
	c.Int = c.Int && n.IsInt
	return n.Value, nil
}

func (t *rowSource) number(i int, text string) (numerals.Number, error) {
	f := &t.fields[i]
	n, ok, err := t.form.Parse(text)
	switch {
	case err != nil:
		return n, err
	case f.words != nil && ok && math.IsNaN(n.Value):
		return n, nil
	case f.words != nil:
		return f.words.Number(text, i, t.rows)
	case ok && numerals.IsDecimal(text):
		f.marks.AddPlain(text, t.rows+1)
	case ok:
		f.marks.Add(text, t.rows+1)
	case numerals.IsLong(text) || !f.marks.Add(text, t.rows+1):
		return n, stream.Retyping{Column: i, Row: t.rows, Text: text}
	default: // a number if the table has decimal commas, which is decided at its end
		return numerals.Missing(), nil
	}
	return n, t.zeros(i, text, n.Value)
}

// decideMarks determines, after the last row, how numbers are written. It returns io.EOF, or a Retyping if this pass
// assumed another style.
func (t *rowSource) decideMarks() error {
	columns := map[int]*numerals.Evidence{}
	for i := range t.fields {
		if f := &t.fields[i]; f.column >= 0 && f.words == nil && t.cols[f.column].Unread == "" {
			columns[i] = &f.marks
		}
	}
	s := numerals.StyleOf(t.form.Comma, columns)
	if s.DecimalComma != t.form.DecimalComma {
		return stream.Retyping{Marks: true, DecimalComma: s.DecimalComma}
	}
	for i, err := range s.Refused {
		c := &t.cols[t.fields[i].column]
		c.Unread = fmt.Sprintf("%s: column %q: %v", t.path, c.Name, err)
	}
	return io.EOF
}

// styleOfStart determines how numbers are written from the first rows of a table.
func styleOfStart(start string, form numerals.Dialect) numerals.Style {
	in := csv.NewReader(strings.NewReader(start))
	in.Comma, in.FieldsPerRecord = form.Comma, -1
	columns, texts := map[int]*numerals.Evidence{}, map[int]bool{}
	for number := 0; ; number++ {
		row, err := in.Read()
		if err != nil {
			break
		}
		for c, field := range row {
			if columns[c] == nil {
				columns[c] = &numerals.Evidence{}
			}
			if number > 0 && !form.IsWord(field) {
				texts[c] = !columns[c].Add(strings.TrimSpace(field), number) || texts[c]
			}
		}
	}
	for c := range texts {
		if texts[c] {
			delete(columns, c)
		}
	}
	return numerals.StyleOf(form.Comma, columns)
}

// zeros records how a number is written if an earlier pass has found numbers in the column that begin with zeros or may
// be identifiers. If this pass is the first to find one, zeros returns a Retyping.
func (t *rowSource) zeros(i int, text string, v float64) error {
	f, z := &t.fields[i], t.cols[t.fields[i].column].Zeros
	switch {
	case f.plain:
	case z == nil && (numerals.BeginsWithZeros(text) || numerals.MayBeIdentifier(text)):
		return stream.Retyping{Column: i, Zeros: true}
	case z != nil && !z.Add(text, v):
		t.cols[f.column].Zeros, f.plain = nil, true
	}
	return nil
}

// rowError returns the error of a row, counted from 1 without the header.
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
