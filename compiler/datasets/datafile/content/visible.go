package content

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"ppl/lang/parse"
)

// Visible returns a name or a label as it is kept: characters that a terminal would obey, or that would break the line
// of a table, are written as Go escapes them, "a\nb" for a line break between a and b. So no later output has to ask
// where a text came from.
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

// commanding reports whether a character does something other than to be printed: control characters, ends of lines,
// and the marks that turn the direction of the text around them.
func commanding(r rune) bool {
	return unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) || r == '\u2028' || r == '\u2029'
}

// Spelled returns a name of a file as a model can write it: ph.ecog and "ph ecog" are ph_ecog, and a keyword has an
// underscore behind it, in_.
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
