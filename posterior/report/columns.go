package report

import "strings"

// columns prints a table. Its first column is left-aligned, the others are right-aligned.
func columns(b *strings.Builder, rows [][]string) {
	lines := make([]string, len(rows))
	for c := range rows[0] {
		cells := make([]string, len(rows))
		for i, row := range rows {
			cells[i] = row[c]
		}
		for i, cell := range pad(cells, c > 0) {
			if c > 0 {
				lines[i] += "  "
			}
			lines[i] += cell
		}
	}
	for _, line := range lines {
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
}
