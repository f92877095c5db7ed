package datafile

import "strings"

// A dialect is how a table of text separates its columns and writes its numbers.
type dialect struct {
	comma        rune
	decimalComma bool // 1.234,5; else 1,234.5
	words        map[string]number
}

// dialectOf finds the separator from the row of names. A table whose name says commas may have semicolons, as
// spreadsheets write them where numbers have decimal commas, or tabs or vertical bars.
func dialectOf(header string, comma rune) dialect {
	d := dialect{comma: comma, words: words()}
	header, _, _ = strings.Cut(header, "\n")
	outside := outsideQuotes(header)
	if strings.ContainsRune(outside, comma) {
		return d
	}
	for _, other := range ";\t|" {
		if strings.ContainsRune(outside, other) {
			d.comma = other
			return d
		}
	}
	return d
}

// outsideQuotes leaves quoted names out.
func outsideQuotes(line string) string {
	parts := strings.Split(line, `"`)
	out := ""
	for i := 0; i < len(parts); i += 2 {
		out += parts[i]
	}
	return out
}

// field reads a number, a truth value or a word for a missing value; ok is false for other texts, and for codes with
// more digits than a number holds.
func (d dialect) field(text string) (n number, ok bool, err error) {
	if longCode(text) {
		return number{}, false, nil
	}
	if d.decimalComma || !numberForm(text) {
		text = d.plain(text)
	}
	if n, ok, err = parseNumber(text, d.words); ok || err != nil {
		return n, ok, err
	}
	switch strings.ToLower(text) {
	case "true":
		return number{1, true}, true, nil
	case "false":
		return number{0, true}, true, nil
	}
	return number{}, false, nil
}
