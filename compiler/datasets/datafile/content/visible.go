package content

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"ppl/lang/parse"
)

// Visible returns a name or label of a file in the form in which ppl stores it: control characters of terminals, line
// ends and invalid bytes are replaced by escape sequences of Go, such as \n. So all later outputs are safe.
func Visible(text string) string {
	if !strings.ContainsFunc(text, commanding) && utf8.ValidString(text) {
		return text
	}
	var b strings.Builder
	for i, r := range text {
		_, size := utf8.DecodeRuneInString(text[i:])
		switch {
		case r == utf8.RuneError && size == 1:
			b.WriteString(`\x` + strconv.FormatUint(uint64(text[i]), 16))
		case commanding(r):
			b.WriteString(strings.Trim(strconv.QuoteRuneToASCII(r), "'"))
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// commanding reports whether a character is a control character, ends a line, or changes the direction of text.
func commanding(r rune) bool {
	return unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) || r == '\u2028' || r == '\u2029'
}

// Spelled returns the name under which a model can read an array: ph.ecog and "ph ecog" become ph_ecog, and the keyword
// in becomes in_.
func Spelled(name string) string {
	if parse.IsKeyword(name) {
		return name + "_"
	}
	return strings.Map(func(r rune) rune {
		if r == '_' || r < 128 && (unicode.IsLetter(r) || unicode.IsDigit(r)) {
			return r
		}
		return '_'
	}, name)
}
