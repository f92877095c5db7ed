package layout

import (
	"strings"
	"unicode/utf8"
)

// Columns prints a table. Its first column is left-aligned, the others are right-aligned.
func Columns(b *strings.Builder, rows [][]string) {
	lines := make([]string, len(rows))
	for c := range rows[0] {
		cells := make([]string, len(rows))
		for i, row := range rows {
			cells[i] = row[c]
		}
		for i, cell := range Pad(cells, c > 0) {
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

// Pad pads words in place to equal length, with spaces before or after them, and returns them.
func Pad(words []string, before bool) []string {
	most := 0
	for _, w := range words {
		most = max(most, utf8.RuneCountInString(w))
	}
	for i, w := range words {
		space := strings.Repeat(" ", most-utf8.RuneCountInString(w))
		if before {
			words[i] = space + w
		} else {
			words[i] = w + space
		}
	}
	return words
}
