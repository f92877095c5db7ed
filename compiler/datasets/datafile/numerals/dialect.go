package numerals

import "strings"

// A Dialect describes how a table of text separates its columns and writes its numbers.
type Dialect struct {
	Comma        rune
	DecimalComma bool // whether numbers are written as 1.234,5 instead of 1,234.5
	words        map[string]Number
}

// NewDialect returns a dialect with a separator of columns and decimal points.
func NewDialect(comma rune) Dialect { return Dialect{Comma: comma, words: Words()} }

// Parse reads a number, a boolean or a word for a missing value. ok is false for other texts, and for integers with
// more digits than a float64 represents.
func (d Dialect) Parse(text string) (n Number, ok bool, err error) {
	if IsLong(text) {
		return Number{}, false, nil
	}
	if d.DecimalComma || !IsDecimal(text) {
		text = d.plain(text)
	}
	if n, ok, err = Parse(text, d.words); ok || err != nil {
		return n, ok, err
	}
	switch strings.ToLower(text) {
	case "true":
		return Whole(1), true, nil
	case "false":
		return Whole(0), true, nil
	}
	return Number{}, false, nil
}

// IsWord reports whether a text is a word for a missing value or an infinite number.
func (d Dialect) IsWord(text string) bool {
	_, is := d.words[strings.ToLower(text)]
	return is
}
