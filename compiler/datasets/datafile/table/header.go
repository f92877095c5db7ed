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
	return fmt.Errorf("%s:1: column %d has no name; line 1 has the names of the columns: delete what stands above them",
		path, column)
}

func noHeader(path string) error {
	return fmt.Errorf("%s: the file is empty; a table begins with a row of column names", path)
}

// headerIsShort reports whether the first ten rows of a table have one field more than the header, which R's
// write.table writes for a table with names of rows.
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

// rowNames reports whether the first column of a table has no name and the second does: R and pandas write the names of
// rows so.
func rowNames(header []string) bool {
	return len(header) > 1 && strings.TrimSpace(header[0]) == "" && strings.TrimSpace(header[1]) != ""
}

// rowsOfOneName returns an error for names of rows that occur twice. They may be the digits before a decimal comma.
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

// checkBlankLines returns an error for blank lines in a table of one column. They could be missing values, but
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

// unlikeRowNames returns an error if one of two tables has names of rows and the other does not.
func unlikeRowNames(first, other string) error {
	return fmt.Errorf("%s and %s differ: one of them has names of rows, a first column without a name, and the other "+
		"none", first, other)
}

// matched returns the position of each name in another list, or −1, and the other names of that list.
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
