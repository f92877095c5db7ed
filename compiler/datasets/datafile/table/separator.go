package table

import (
	"path/filepath"
	"strings"
)

// separatorOf finds the separator of the columns in the row of names. A file whose name announces commas may have
// semicolons, which spreadsheets write if numbers have decimal commas, or tabs or vertical bars.
func separatorOf(header string, comma rune) rune {
	header, _, _ = strings.Cut(header, "\n")
	outside := outsideQuotes(header)
	if strings.ContainsRune(outside, comma) {
		return comma
	}
	for _, other := range ";\t|" {
		if strings.ContainsRune(outside, other) {
			return other
		}
	}
	return comma
}

// outsideQuotes removes quoted names from a line.
func outsideQuotes(line string) string {
	parts := strings.Split(line, `"`)
	out := ""
	for i := 0; i < len(parts); i += 2 {
		out += parts[i]
	}
	return out
}

// withoutSeparatorLine removes a first line such as sep=; which names the separator for spreadsheets.
func withoutSeparatorLine(text string, comma rune) (string, rune) {
	line, rest, ok := strings.Cut(text, "\n")
	mark := []rune(strings.TrimRight(strings.Trim(strings.TrimRight(line, "\r"), `"`), " "))
	if !ok || len(mark) != 5 || !strings.EqualFold(string(mark[:4]), "sep=") {
		return text, comma
	}
	return rest, mark[4]
}

// CommaOf returns the separator that the ending of a name announces; ok is false if it is not that of a table.
func CommaOf(kind string) (comma rune, ok bool) {
	switch strings.ToLower(filepath.Ext(strings.TrimSuffix(kind, ".gz"))) {
	case ".csv":
		return ',', true
	case ".tsv", ".tab":
		return '\t', true
	}
	return 0, false
}
