package rdump

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// A scanner divides the text of an R file into tokens.
type scanner struct {
	text string
	at   int
}

// next returns the next token, which is empty at the end, and its offset.
func (s *scanner) next() (token string, place int) {
	s.space()
	place = s.at
	rest := s.text[s.at:]
	if rest == "" {
		return "", place
	}
	n := 1
	switch c := rest[0]; {
	case c == '"' || c == '\'' || c == '`':
		n = quotedLength(rest)
	case strings.HasPrefix(rest, "<-"):
		n = 2
	case isDigit(c) || c == '.' && len(rest) > 1 && isDigit(rest[1]):
		n = numberLength(rest)
	default:
		if m := strings.IndexFunc(rest, func(r rune) bool { return !isNameRune(r) }); m != 0 {
			n = m
			if m < 0 {
				n = len(rest)
			}
		} else {
			_, n = utf8.DecodeRuneInString(rest)
		}
	}
	s.at += n
	return rest[:n], place
}

// space skips white space, comments and semicolons.
func (s *scanner) space() {
	for s.at < len(s.text) {
		switch c := s.text[s.at]; c {
		case ' ', '\t', '\n', '\r', ';':
			s.at++
		case '#':
			end := strings.IndexByte(s.text[s.at:], '\n')
			if end < 0 {
				s.at = len(s.text)
				return
			}
			s.at += end
		default:
			return
		}
	}
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func isNameRune(r rune) bool {
	return r == '.' || r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r)
}

// quotedLength returns the length of the quoted text at the beginning of text, or of all of text if the quote is not
// closed.
func quotedLength(text string) int {
	for i := 1; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case text[0]:
			return i + 1
		}
	}
	return len(text)
}

// numberLength returns the length of the number at the beginning of text, such as 1.5e-3 or 3L.
func numberLength(text string) int {
	n := 0
	for n < len(text) && (isDigit(text[n]) || text[n] == '.') {
		n++
	}
	if n < len(text) && (text[n] == 'e' || text[n] == 'E') {
		m := n + 1
		if m < len(text) && (text[m] == '+' || text[m] == '-') {
			m++
		}
		if m < len(text) && isDigit(text[m]) {
			for n = m; n < len(text) && isDigit(text[n]); {
				n++
			}
		}
	}
	if n < len(text) && text[n] == 'L' {
		n++
	}
	return n
}
