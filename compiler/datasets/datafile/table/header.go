package table

import (
	"encoding/csv"
	"fmt"
	"io"
	"strings"
)

func namelessNote(path string, column int) string {
	return fmt.Sprintf("%s: column %d has no name and is not read", path, column)
}

func noNames(path string, column int) error {
	return fmt.Errorf("%s:1: column %d has no name; line 1 must contain the names of the columns: add the name, or "+
		"delete the lines above the names", path, column)
}

func noHeader(path string) error {
	return fmt.Errorf("%s: the file is empty; a table begins with a row of column names", path)
}

// headerIsShort reports whether each of the first ten rows of a table has one field more than the header. R's
// write.table writes tables with names of rows in this form.
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

// rowNames reports whether the first column of a table has no name and the second has one. R and pandas write the names
// of rows in such a column.
func rowNames(header []string) bool {
	return len(header) > 1 && strings.TrimSpace(header[0]) == "" && strings.TrimSpace(header[1]) != ""
}

// rowsOfOneName returns an error for two rows with the same name. The names may be the digits before a decimal comma.
func rowsOfOneName(path, name string, first, second int) error {
	return fmt.Errorf("%s: rows have one field more than the header, as with names of rows, but rows %d and "+
		"%d both begin with %q; numbers with decimal commas need semicolons between the columns", path, first, second,
		name)
}

func rowNamesNote(path string) string {
	return path + ": the first column has no name, so it is assumed to contain names of rows and is not read"
}

func checkHeader(path string, names []string) error {
	if len(names) == 1 {
		if i := strings.IndexAny(names[0], ",;|"); i >= 0 {
			return fmt.Errorf("%s:1: the columns seem to be separated by %q; a .csv file needs commas or semicolons "+
				"between them, and a .tsv file needs tabs", path, names[0][i])
		}
	}
	return nil
}

// checkBlankLines returns an error for a blank line in a table of one column. It could be a missing value, but
// encoding/csv skips blank lines.
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

// unlikeRowNames returns an error if one of two tables has names of rows and the other does not.
func unlikeRowNames(first, other string) error {
	return fmt.Errorf("%s and %s differ: one of them has names of rows, a first column without a name, but the other "+
		"does not", first, other)
}

// matched returns the position of each name in others, or −1, and the names in others that are not in names.
func matched(names, others []string) (at []int, extra []string) {
	taken := make([]bool, len(others))
	for _, name := range names {
		k := -1
		for i, other := range others {
			if k < 0 && !taken[i] && strings.TrimSpace(other) == strings.TrimSpace(name) {
				k, taken[i] = i, true
			}
		}
		at = append(at, k)
	}
	for k, name := range others {
		name = strings.TrimSpace(name)
		if !taken[k] && name != "" {
			extra = append(extra, name)
		}
	}
	return at, extra
}
