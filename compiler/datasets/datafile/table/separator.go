package table

import (
	"path/filepath"
	"strings"
)

// separatorOf returns the separator of the columns: comma if the header contains it, otherwise the first of semicolon,
// tab and vertical bar that the header contains, otherwise comma. Spreadsheets write semicolons to .csv files if
// numbers have decimal commas.
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

// outsideQuotes returns a line without its quoted parts.
func outsideQuotes(line string) string {
	parts := strings.Split(line, `"`)
	out := ""
	for i := 0; i < len(parts); i += 2 {
		out += parts[i]
	}
	return out
}

// withoutSeparatorLine removes a first line such as sep=; which names the separator for spreadsheets, and returns this
// separator. Without such a line it returns its arguments.
func withoutSeparatorLine(text string, comma rune) (string, rune) {
	line, rest, ok := strings.Cut(text, "\n")
	mark := []rune(strings.TrimRight(strings.Trim(strings.TrimRight(line, "\r"), `"`), " "))
	if !ok || len(mark) != 5 || !strings.EqualFold(string(mark[:4]), "sep=") {
		return text, comma
	}
	return rest, mark[4]
}

// CommaOf returns the usual separator for the ending of a file name; ok is false if it is not the ending of a table of
// text.
func CommaOf(kind string) (comma rune, ok bool) {
	switch strings.ToLower(filepath.Ext(strings.TrimSuffix(kind, ".gz"))) {
	case ".csv":
		return ',', true
	case ".tsv", ".tab":
		return '\t', true
	}
	return 0, false
}
