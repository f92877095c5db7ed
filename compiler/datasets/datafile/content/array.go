package content

import (
	"math"
	"slices"

	"ppl/compiler/datasets/datafile/numerals"
	"ppl/compiler/datasets/datafile/rowfile"
	"ppl/numbers"
)

// An Array is a named array of numbers, row-major. A missing entry (null, NA, NaN, an empty field) is NaN.
type Array struct {
	Name   string
	Shape  []int // empty for a scalar
	Values numbers.List
	Int    bool // whether every number is an integer written without a point (true and false count as 1 and 0)
	// Labels has the distinct texts of an array of texts, sorted. Values are their positions, from 1. It is nil for
	// numbers.
	Labels  []string
	Ordered bool // whether the labels are not sorted but have the order of Levels, which has a meaning
	// Levels has the names of the groups, in order, if a column declares its groups, like a categorical of pandas or a
	// factor of R; LevelCodes has the groups if they are numbers. Some groups may have no rows.
	Levels     []string
	LevelCodes []float64

	Dialect numerals.Dialect // how the numbers of a table of text are written
	Days    bool             // whether the numbers are dates, in days since 1970-01-01
	Zeros   *numerals.Zeros  // how integers are written, if some begin with zeros; otherwise nil
	Texts   *Array           // a column of numbers as texts, if some of them look like identifiers (3e5); otherwise nil
	Origin  string           // the file, as the user named it
	Unread  error            // why the values cannot be read; nil if they are read

	// Keys has the keys of the JSON objects from which an array was read: one list for each axis that has keys,
	// outermost first. Each row has one key in each list. Shape is [rows, …].
	Keys [][]string

	// Lengths has the number of elements of each list, if an array is a list of lists of different lengths. Shape is
	// [their sum]. Uneven is an error that names the first list with another length than the list before it.
	Lengths []int
	Uneven  error

	Rows    *rowfile.File       // the row file of an array that is read by rows; Values is empty then
	Columns []int               // the columns of Rows that the array consists of, in order
	Numbers map[float64]float64 // maps the codes of groups in Rows to the numbers of the groups; nil if they are equal
	// Codes maps a column of texts in Rows to the number of each text, in the order in which the texts first appear;
	// nil if the numbers are the positions in Labels.
	Codes map[int][]float64
}

// Without returns the array with some texts or numbers replaced by missing values. If all other texts of a column are
// numbers, the result is a column of numbers.
func (a *Array) Without(codes []string) *Array {
	b := *a
	if a.Labels == nil {
		missing := map[float64]bool{}
		for _, code := range codes {
			if n, ok, err := numerals.Parse(code, nil); ok && err == nil {
				missing[n.Value] = true
			}
		}
		b.Values = a.Values.Map(func(v float64) float64 {
			if missing[v] {
				return math.NaN()
			}
			return v
		})
		return &b
	}
	number, isNumber := make([]float64, len(a.Labels)), true
	b.Labels, b.Int = nil, true
	for i, label := range a.Labels {
		if slices.Contains(codes, label) {
			number[i] = math.NaN()
			continue
		}
		b.Labels = append(b.Labels, label)
		n, ok, err := a.Dialect.Parse(label)
		number[i], isNumber, b.Int = n.Value, isNumber && ok && err == nil, b.Int && n.IsInt
	}
	if isNumber {
		b.Labels = nil
	} else {
		at := 0
		for i := range number {
			number[i] = math.NaN()
			if !slices.Contains(codes, a.Labels[i]) {
				at++
				number[i] = float64(at)
			}
		}
		b.Int = true
	}
	b.Values = a.Values.Map(func(v float64) float64 {
		if v != v {
			return v
		}
		return number[int(v)-1]
	})
	return &b
}

// Refused reports whether the values of an array are not read although the file is not damaged.
func (a *Array) Refused() bool { return IsNotRead(a.Unread) }
