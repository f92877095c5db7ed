package parse

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/alecthomas/participle/v2/lexer"

	"ppl/lang/ast"
	"ppl/lang/diag"
	"ppl/lang/source"
)

// A scanner splits text into tokens, including newlines, and collects comments separately.
type scanner struct {
	src      *source.File
	at       int // byte offset
	tokens   []token
	comments []ast.Comment
	diags    *diag.List
	reported map[string]bool // punctuation of other languages that was reported; each is reported once
}

func scan(src *source.File, diags *diag.List) *scanner {
	s := &scanner{src: src, diags: diags, reported: map[string]bool{}, at: len(src.Text) -
		len(strings.TrimPrefix(src.Text, "\ufeff")), tokens: make([]token, 0, len(src.Text)/bytesOfToken)}
	for s.at < len(src.Text) {
		s.next()
	}
	return s
}

// bytesOfToken is the least average number of bytes per token in typical models.
const bytesOfToken = 2

func (s *scanner) rest() string { return s.src.Text[s.at:] }

func (s *scanner) next() {
	rest := s.rest()
	switch c := rest[0]; {
	case c == ' ' || c == '\t' || c == '\r':
		s.at++
	case c == '\n':
		s.newline()
	case c == '#':
		s.comment()
	case c == '"':
		s.string()
	case c == '\'':
		s.emit(prime, 1)
	case isDigit(c) || c == '.' && len(rest) > 1 && isDigit(rest[1]):
		s.number()
	case isLetter(c):
		s.word()
	default:
		s.operator()
	}
}

// emit adds a token of the next n bytes.
func (s *scanner) emit(kind lexer.TokenType, n int) {
	s.tokens = append(s.tokens, token{kind, s.rest()[:n], s.at})
	s.at += n
}

// reject adds a bad token of the next n bytes and reports an error.
func (s *scanner) reject(n int, code diag.Code, format string, args ...any) diag.Entry {
	at := source.Span{File: s.src, Start: s.at, End: s.at + n}
	s.emit(bad, n)
	return s.diags.Errorf(code, at, format, args...)
}

// newline adds one token for a newline and the blank and comment lines after it.
func (s *scanner) newline() {
	if n := len(s.tokens); n > 0 && s.tokens[n-1].Type == newline {
		s.at++
		return
	}
	s.emit(newline, 1)
}

func (s *scanner) comment() {
	n := lineLength(s.rest())
	at := source.Span{File: s.src, Start: s.at, End: s.at + n}
	s.comments = append(s.comments, ast.Comment{Place: ast.Place{At: at}, Text: s.rest()[:n]})
	s.at += n
}

func (s *scanner) word() {
	n := count(s.rest(), isWord)
	if IsKeyword(s.rest()[:n]) {
		s.emit(keyword, n)
		return
	}
	s.emit(name, n)
}

// number scans a number: digits [. digits] [e [±] digits].
func (s *scanner) number() {
	rest := s.rest()
	digits := count(rest, isDigit)
	switch after := rest[digits:]; {
	case digits == 0:
		text := rest[:1+count(rest[1:], isDigit)]
		s.reject(len(text), diag.BadNumber, "`%s` is not a number", text).Help("write `0%s`", text).Replace("0" + text)
	case after != "" && after[0] == '.' && !strings.HasPrefix(after, "..") && fraction(after) == 0:
		s.reject(digits+1, diag.BadNumber, "`%s.` is not a number", rest[:digits]).
			Help("write `%s.0`, or `%s..9` for a range", rest[:digits], rest[:digits]).Replace(rest[:digits] + ".0")
	default:
		n := digits + fraction(after)
		s.wholeNumber(n + exponent(rest[n:]))
	}
}

// wholeNumber adds a number of n bytes. It reports an error if a letter, digit or _ follows, or if the number exceeds
// float64.
func (s *scanner) wholeNumber(n int) {
	rest := s.rest()
	if tail := count(rest[n:], isWord); tail > 0 {
		s.reject(n+tail, diag.BadNumber, "`%s` is neither a number nor a name", rest[:n+tail]).
			Help("write a product with `*`; a name begins with a letter")
		return
	}
	if _, err := strconv.ParseFloat(rest[:n], 64); err != nil {
		s.reject(n, diag.BadNumber, "`%s` is too large for a number", rest[:n]).
			Help("the largest is about 1.8e308; infinity is written `inf`")
		return
	}
	s.emit(number, n)
}

// fraction returns the length of a point with digits at the start of s, or 0.
func fraction(s string) int {
	if len(s) < 2 || s[0] != '.' || !isDigit(s[1]) {
		return 0
	}
	return 1 + count(s[1:], isDigit)
}

// exponent returns the length of e [±] digits at the start of s, or 0.
func exponent(s string) int {
	if s == "" || s[0] != 'e' && s[0] != 'E' {
		return 0
	}
	n := 1
	if len(s) > 1 && (s[1] == '+' || s[1] == '-') {
		n = 2
	}
	digits := count(s[n:], isDigit)
	if digits == 0 {
		return 0
	}
	return n + digits
}

// string scans to the closing quote, which must be on the same line.
func (s *scanner) string() {
	rest := s.rest()[:lineLength(s.rest())]
	n := 1
	for n < len(rest) && rest[n] != '"' {
		if rest[n] == '\\' {
			n++
		}
		n++
	}
	if n >= len(rest) {
		line, _ := s.src.Position(s.at)
		s.reject(len(rest), diag.Unclosed, "`\"` opened on line %d is not closed", line)
		return
	}
	if _, err := strconv.Unquote(rest[:n+1]); err != nil {
		s.reject(n+1, diag.Syntax, "unknown escape in a string").
			Help("`\\\\` is a backslash, `\\\"` a quote, `\\n` a newline, `\\t` a tab; file names may use `/`")
		return
	}
	s.emit(text, n+1)
}

func (s *scanner) operator() {
	switch rest := s.rest(); {
	case strings.HasPrefix(rest, "//"):
		s.skip("//", lineLength(rest), "a comment begins with `#`")
		return
	case rest[0] == ';' && endsLine(rest[1:]):
		s.skip(";", 1, "a newline ends a statement")
		return
	}
	for _, op := range operators {
		if strings.HasPrefix(s.rest(), op) {
			s.emit(punct, len(op))
			return
		}
	}
	s.strange()
}

// skip skips n bytes: a comment or punctuation of another language, which begins with mark. It reports the first of
// each mark.
func (s *scanner) skip(mark string, n int, help string) {
	if !s.reported[mark] {
		at := source.Span{File: s.src, Start: s.at, End: s.at + len(mark)}
		s.diags.Errorf(diag.Syntax, at, "unexpected `%s`", mark).Help("%s", help)
	}
	s.reported[mark] = true
	s.at += n
}

// endsLine reports whether the rest of the line is empty or a comment.
func endsLine(s string) bool {
	s = strings.TrimSpace(s[:lineLength(s)])
	return s == "" || s[0] == '#' || strings.HasPrefix(s, "//")
}

// strange reports characters that the language does not use: one error for a word in another script, or for one other
// character.
func (s *scanner) strange() {
	r, n := utf8.DecodeRuneInString(s.rest())
	switch {
	case r == utf8.RuneError && n == 1:
		s.reject(n, diag.Syntax, "the text is not UTF-8 here: byte 0x%02X", s.rest()[0]).
			Help("save the file in the encoding UTF-8")
	case unicode.IsLetter(r):
		n = len(s.rest()) - len(strings.TrimLeftFunc(s.rest(), isWordRune))
		s.reject(n, diag.Syntax, "`%s` cannot be a name", s.rest()[:n]).Help("names are made of a–z, A–Z, 0–9 and _")
	case unicode.IsSpace(r) || !unicode.IsPrint(r):
		s.reject(n, diag.Syntax, "unexpected invisible character U+%04X", r).Help("replace it by a space")
	default:
		e := s.reject(n, diag.Syntax, "unexpected character `%c`", r)
		if help := characterHelp(r); help != "" {
			e.Help("%s", help)
		}
	}
}

func characterHelp(r rune) string {
	switch r {
	case ';':
		return "a newline ends a statement"
	case '|':
		return "`normal_lpdf(x | mu, sd)` is written `logpdf(Normal(mu, sd), x)`, an effect `(1 | g)` is `a[g[i]]` " +
			"with `a[J] ~ Normal(0, tau)`, and logical or is `||`"
	case '&':
		return "logical and is written `&&`"
	case '“', '”', '`':
		return "strings are written in straight double quotes"
	case '−', '–':
		return "minus is written `-`"
	case '×', '·':
		return "times is written `*`"
	case '≤', '≥', '≠':
		return "comparisons are written `<=`, `>=`, `!=`"
	case '→':
		return "write `->`"
	}
	return ""
}

// count returns the length of the longest prefix of s whose bytes satisfy is.
func count(s string, is func(byte) bool) int {
	n := 0
	for n < len(s) && is(s[n]) {
		n++
	}
	return n
}

func lineLength(s string) int {
	if i := strings.IndexByte(s, '\n'); i >= 0 {
		s = s[:i]
	}
	return len(strings.TrimSuffix(s, "\r"))
}

func isWordRune(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_' }

func isDigit(c byte) bool  { return '0' <= c && c <= '9' }
func isWord(c byte) bool   { return isLetter(c) || isDigit(c) }
func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' || c == '_' }
