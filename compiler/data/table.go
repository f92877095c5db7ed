package data

import (
	"encoding/csv"
	"fmt"
	"io"
	"strings"

	"ppl/numbers"
)

// readTable reads a table with a header row: each column is an array of one axis.
func readTable(path, text string, comma rune) (*File, error) {
	form := dialectOf(text, comma)
	short := headerIsShort(text, form.comma)
	if short {
		text = string(form.comma) + text
	}
	rows, err := readRows(path, text, form.comma)
	if err != nil {
		return nil, err
	}
	if len(rows) == 0 {
		return nil, fmt.Errorf("%s: the file is empty; a table begins with a row of column names", path)
	}
	if short {
		if err := checkRowNames(path, rows); err != nil {
			return nil, err
		}
	}
	f := newFile(path, true)
	if rowNames(rows[0]) {
		f.Notes = append(f.Notes, rowNamesNote(path))
		for i := range rows {
			rows[i] = rows[i][1:]
		}
	}
	if err := checkHeader(path, rows[0]); err != nil {
		return nil, err
	}
	if len(rows[0]) == 1 {
		if err := checkBlankLines(path, text); err != nil {
			return nil, err
		}
	}
	for c, name := range rows[0] {
		a, err := form.column(path, strings.TrimSpace(name), rows[1:], c)
		if err != nil {
			return nil, err
		}
		f.add(a)
	}
	return f, nil
}

func readRows(path, text string, comma rune) ([][]string, error) {
	r := csv.NewReader(strings.NewReader(text))
	r.Comma = comma
	r.TrimLeadingSpace = comma == ','
	var rows [][]string
	for {
		row, err := r.Read()
		if err == io.EOF {
			return rows, nil
		}
		if err != nil {
			columns := len(row)
			if len(rows) > 0 {
				columns = len(rows[0])
			}
			return nil, rowError(path, len(rows), columns, row, err)
		}
		rows = append(rows, row)
	}
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

// checkRowNames refuses names of rows that occur twice. They may be what stands before a decimal comma.
func checkRowNames(path string, rows [][]string) error {
	seen := map[string]int{}
	for i, row := range rows[1:] {
		if first := seen[row[0]]; first > 0 {
			return fmt.Errorf("%s: rows have a field more than the header, which names of rows may be, but rows %d "+
				"and "+
				"%d both begin with %q; numbers with decimal commas need semicolons between the columns", path, first,
				i+1, row[0])
		}
		seen[row[0]] = i + 1
	}
	return nil
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
	for i, line := range strings.Split(strings.TrimRight(text, "\r\n"), "\n") {
		if strings.TrimSpace(line) == "" {
			return blankLine(path, i+1)
		}
	}
	return nil
}

func blankLine(path string, line int) error {
	return fmt.Errorf("%s:%d: the line is blank; write NA for a missing value", path, line)
}

// column is numeric when every field is a number, boolean or missing, else a column of labels.
func (d dialect) column(path, name string, rows [][]string, c int) (*Array, error) {
	a := &Array{Name: name, Shape: []int{len(rows)}, Int: true, Origin: path}
	values, texts := make([]float64, len(rows)), make([]string, len(rows))
	isText, mark, marks := false, decimalMark{}, error(nil)
	for i, row := range rows {
		texts[i] = strings.TrimSpace(row[c])
		v, ok, err := d.field(texts[i])
		if err == nil && marks == nil {
			if marks = mark.add(d, texts[i]); marks != nil {
				marks = fmt.Errorf("%s: row %d of column %q: %w", path, i+1, name, marks)
			}
		}
		if err != nil {
			return nil, fmt.Errorf("%s: row %d of column %q: %v", path, i+1, name, err)
		}
		values[i], a.Int = v.value, a.Int && v.isInt
		isText = isText || !ok
	}
	switch {
	case isText:
		a.Labels, a.Values = encode(texts, missing(values))
		a.Int = true
		return a, nil
	case marks != nil:
		return nil, marks
	case a.Int:
		a.Zeros = zerosOf(texts, values)
	}
	a.Values = numbers.Packed(values)
	return a, nil
}
