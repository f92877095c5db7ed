// Package layout prints text for people: paragraphs that fit the width of a terminal, columns, and numbers.
//
//	var b strings.Builder
//	layout.Paragraph(&b, "warning: ", "R-hat is above 1.01.", 80)
//	layout.Columns(&b, [][]string{{"", "estimate", "se"}, {"elpd_loo", layout.Fixed(-12.34, 1), "2.1"}})
//	layout.Thousands(12000)    12,000
package layout

import (
	"strings"
	"unicode/utf8"
)

// Paragraph wraps text at width columns; width 0 means no limit. The first line begins with label; the others are
// indented by its length.
func Paragraph(b *strings.Builder, label, text string, width int) {
	line := label
	for i, word := range strings.Fields(text) {
		if i > 0 && width > 0 && utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) > width {
			b.WriteString(line + "\n")
			line = strings.Repeat(" ", len(label)) + word
			continue
		}
		if i > 0 {
			line += " "
		}
		line += word
	}
	b.WriteString(line + "\n")
}

// Plural returns one if n is 1, else many.
func Plural(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}
