package datafile

import (
	"fmt"
	"strings"
)

// A dialect is how a table of text separates its columns and writes its numbers.
type dialect struct {
	comma        rune
	decimalComma bool
	words        map[string]number
}

// dialectOf finds the dialect from the row of names. A table whose name says commas may have semicolons, as
// spreadsheets write them where numbers have decimal commas, or tabs.
func dialectOf(header string, comma rune) dialect {
	d := dialect{comma: comma, words: words()}
	header, _, _ = strings.Cut(header, "\n")
	if comma != ',' || strings.ContainsRune(outsideQuotes(header), ',') {
		return d
	}
	switch outside := outsideQuotes(header); {
	case strings.ContainsRune(outside, ';'):
		d.comma, d.decimalComma = ';', true
	case strings.ContainsRune(outside, '\t'):
		d.comma = '\t'
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
	if d.decimalComma && strings.Count(text, ",") == 1 {
		if strings.Contains(text, ".") {
			return number{}, false, nil
		}
		if n, ok, err = parseNumber(strings.Replace(text, ",", ".", 1), d.words); ok || err != nil {
			return n, ok, err
		}
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

// A decimalMark is what the numbers of a column have had before their decimals. A column with points and commas could
// mean thousands by one of them, so that it is refused.
type decimalMark struct{ point, comma bool }

func (m *decimalMark) add(d dialect, text string) error {
	if d.decimalComma {
		m.point, m.comma = m.point || strings.Contains(text, "."), m.comma || strings.Contains(text, ",")
	}
	if m.point && m.comma {
		return fmt.Errorf("%q: numbers have a decimal comma in one place and a point in another; write 1234,5 without "+
			"separators of thousands", text)
	}
	return nil
}
