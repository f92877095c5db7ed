package lab

import (
	"fmt"
	"slices"
	"strings"
)

// A Table formats rows as a Markdown table.
type Table struct {
	Columns []string
	rows    [][]string
}

// Add appends a row. Cells are formatted with %v, floats with three significant digits.
func (t *Table) Add(cells ...any) {
	var row []string
	for _, c := range cells {
		switch x := c.(type) {
		case float64:
			row = append(row, fmt.Sprintf("%.3g", x))
		default:
			row = append(row, fmt.Sprint(x))
		}
	}
	t.rows = append(t.rows, row)
}

// String returns the table with aligned columns.
func (t *Table) String() string {
	var b strings.Builder
	widths := make([]int, len(t.Columns))
	for i := range widths {
		for _, row := range append([][]string{t.Columns}, t.rows...) {
			widths[i] = max(widths[i], len([]rune(row[i])))
		}
	}
	line := func(row []string) {
		for i, cell := range row {
			fmt.Fprintf(&b, "| %s%s ", cell, strings.Repeat(" ", widths[i]-len([]rune(cell))))
		}
		b.WriteString("|\n")
	}
	line(t.Columns)
	var rule []string
	for _, w := range widths {
		rule = append(rule, strings.Repeat("-", w))
	}
	line(rule)
	for _, row := range t.rows {
		line(row)
	}
	return b.String()
}

// Median returns the median of xs.
func Median(xs []float64) float64 {
	sorted := slices.Sorted(slices.Values(xs))
	n := len(sorted)
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}
