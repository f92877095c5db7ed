package datafile

import (
	"cmp"
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
	marks []evidence
	shown bool          // the first rows show whether there are decimal commas
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
	if t.form.comma != ',' {
		s := styleOfStart(string(start), t.form)
		t.form.decimalComma, t.shown = s.decimalComma, s.shown != ""
	}
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
	if err := cmp.Or(checkHeader(in.path, header), checkNames(in.path, header, t.skip)); err != nil {
		return nil, err
	}
	for c, name := range header {
		at, isText := text[c]
		t.cols = append(t.cols, Column{Name: strings.TrimSpace(name), Type: "f8", Int: true, Text: at.text,
			TextAt: at.row})
		if at.zeros {
			t.cols[c].Zeros = &Zeros{}
		}
		t.words, t.marks = append(t.words, wordsOf(at, isText)), append(t.marks, evidence{})
		t.plain = append(t.plain, false)
	}
	return t, nil
}

// checkNames refuses columns without a name, or of one name.
func checkNames(path string, names []string, skip int) error {
	seen := map[string]int{}
	for c, name := range names {
		name = strings.TrimSpace(name)
		if name == "" {
			return fmt.Errorf("%s:1: column %d has no name (in R, write.csv(…, row.names = FALSE) leaves row names "+
				"out)",
				path, c+skip+1)
		}
		if first := seen[name]; first > 0 {
			return fmt.Errorf("%s:1: columns %d and %d are both named %q", path, first, c+skip+1, name)
		}
		seen[name] = c + skip + 1
	}
	return nil
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
		err = t.clear(c, text)
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

// clear refuses numbers with marks that mean something else elsewhere in the column, or that could: a file that is read
// once is not looked through for what its marks mean.
func (t *tableSource) clear(c int, text string) error {
	e := &t.marks[c]
	if t.form.comma == ',' && numberForm(text) || !e.add(text, t.rows+1) {
		return nil
	}
	switch point, comma := e.example(points), e.example(commas); {
	case point != "" && comma != "":
		return bothMarks(point, comma)
	case e.seen&unclear != 0 && !t.shown && t.form.comma != ',':
		return unclearMark(e)
	}
	return nil
}

// styleOfStart finds out how numbers are written from the first rows of a table.
func styleOfStart(start string, form dialect) style {
	if at := strings.LastIndexByte(start, '\n'); at >= 0 {
		start = start[:at+1]
	}
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
