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
	Name    string
	Shape   []int // empty for a scalar
	Values  numbers.List
	Int     bool     // every number present is an integer written without a point (true and false count as 1 and 0)
	Labels  []string // of an array of strings: sorted and distinct; Values are 1-based positions in it; else nil
	Ordered bool     // the labels are not sorted, but in an order that the file gives them
	// of a column that declares its groups, as a categorical of pandas or a factor of R does: the names in their order,
	// or the codes; also of groups that have no rows
	Levels     []string
	LevelCodes []float64

	Dialect numerals.Dialect // of a table of text: how its numbers are written
	Days    bool             // the numbers are dates, as days since 1970-01-01
	Zeros   *numerals.Zeros  // how whole numbers are written, if some begin with zeros; else nil
	Texts   *Array           // a column of numbers as texts, if some of them look like identifiers (3e5); else nil
	Origin  string           // file it came from, as the user named it
	Unread  error            // why the values cannot be read, if they cannot: reported if a model reads the array

	// of values that have names (in objects of JSON): the name of each row, one list for each of the axes that have
	// names, outermost first; Shape is [rows, …]
	Keys [][]string

	// of lists of different lengths in a list: how many elements each has, and where the first difference is; Shape is
	// [the sum]
	Lengths []int
	Uneven  error

	Rows    *rowfile.File       // where the values are when they are read by rows; there are no Values then
	Columns []int               // which columns of Rows the array takes, in order
	Numbers map[float64]float64 // of codes of groups in Rows: the number of each group
	// by columns of texts in Rows: the number of the k-th text that appears there, if it is not that of its label
	Codes map[int][]float64
}

// Without returns the array with some texts or numbers read as missing. A column that had texts for no other reason is
// one of numbers then.
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

// Refused reports whether the values of an array are of a kind that is not read, and not damaged.
func (a *Array) Refused() bool { return IsNotRead(a.Unread) }
