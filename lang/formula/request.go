package formula

import (
	"fmt"
	"strings"
)

// An Error is a mistake in a formula.
type Error struct {
	Formula string
	At, End int // byte range of the mistake in Formula; both 0 if nothing is marked
	Message string
	Help    string // advice; may be empty
}

// A Request describes the model to write. Empty fields mean defaults.
type Request struct {
	Formula   string
	Data      Table
	Family    string   // a name of Families, optionally with a link, as in binomial(probit); gaussian if empty
	Contrasts string   // treatment, the default, or sum
	Priors    []string // NAME=DISTRIBUTION, each replaces the default prior of a name; b means all coefficients
	Omit      bool     // omit rows in which a column of the model has no value
}

// A Table describes the data.
type Table struct {
	Path    string // path of the file as the model names it
	Columns []Column
}

// A Column describes one column of the data.
type Column struct {
	Name    string    // name in the file
	Levels  []string  // levels of a text column, in order; nil for numbers
	Ordered bool      // the levels have a specified order, not the alphabetical one
	Values  []float64 // numbers; for texts, the position in Levels, from 1; NaN if missing
}

// Error returns the message, with the formula and a mark below the mistake.
func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString(e.Message)
	if e.End > e.At {
		before := []rune(e.Formula[:e.At])
		marked := []rune(e.Formula[e.At:e.End])
		fmt.Fprintf(&b, "\n  %s\n  %s%s", e.Formula, strings.Repeat(" ", len(before)), strings.Repeat("^", len(marked)))
	}
	if e.Help != "" {
		b.WriteString("\n  help: " + e.Help)
	}
	return b.String()
}
