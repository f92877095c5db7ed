package parse

import (
	"io"

	"github.com/alecthomas/participle/v2/lexer"

	"ppl/lang/source"
)

// A token is a part of the text: its kind, its text as written, and its byte offset.
type token struct {
	Type   lexer.TokenType
	Value  string
	Offset int
}

// A leaf is a token in the form that participle parses (forms.go).
type leaf = lexer.Token

// The kinds of token. A bad token has an error that was already reported; a statement that contains one is not parsed.
const (
	bad lexer.TokenType = iota
	name
	keyword
	number
	text
	punct
	prime
	newline
	body      // { … } as one token of its statement
	factor    // the word that begins a factor statement; elsewhere it is a name
	eventWord // the word `at` that begins an event; elsewhere it is a name
)

// vocabulary implements participle's lexer.Definition, which maps the token names of the grammar to token kinds.
type vocabulary struct{}

func (vocabulary) Symbols() map[string]lexer.TokenType {
	return map[string]lexer.TokenType{
		"EOF": lexer.EOF, "Name": name, "Keyword": keyword, "Number": number, "String": text, "Punct": punct,
		"Prime": prime, "Body": body, "Factor": factor, "Event": eventWord,
	}
}

// Lex is never called, because participle receives tokens that are already split into statements.
func (vocabulary) Lex(string, io.Reader) (lexer.Lexer, error) {
	panic("internal error: participle was given text")
}

// A stream provides the tokens of one statement to participle.
type stream struct {
	leaves []leaf
	end    int // offset after the last leaf
}

func (s *stream) Next() (leaf, error) {
	if len(s.leaves) == 0 {
		return lexer.EOFToken(lexer.Position{Offset: s.end}), nil
	}
	t := s.leaves[0]
	s.leaves = s.leaves[1:]
	return t, nil
}

// IsKeyword reports whether a word is reserved by the language, and so cannot be a name.
func IsKeyword(s string) bool {
	switch s {
	case "data", "generate", "infer", "import", "in", "from", "return", "missing", "censored", "ordered", "zerosum",
		"noncentered":
		return true
	}
	return false
}

// operators lists punctuation, longer before shorter, so that the scanner finds <= before <.
var operators = []string{
	"->", "+=", "||", "&&", "==", "!=", "<=", ">=", "..",
	"?", ":", "<", ">", "+", "-", "*", "/", "@", "%", "!", "^", "=", "~", ",", ".", "(", ")", "[", "]", "{", "}",
}

// continues reports whether a statement continues after a line that ends in t.
func continues(t token) bool {
	if t.Type != punct {
		return false
	}
	switch t.Value {
	case ",", "=", "+=", "~", "?", ":", "->", "^":
		return true
	}
	return precedence(t.Value) > 0
}

// resumes reports whether t at the start of a line continues the previous statement.
func resumes(t token) bool {
	if t.Type != punct {
		return false
	}
	switch t.Value {
	case "->", "?", ":", "||", "&&":
		return true
	}
	return false
}

// precedence returns the precedence of an infix operator, or 0 for other tokens.
func precedence(op string) int {
	switch op {
	case "||":
		return 1
	case "&&":
		return 2
	case "==", "!=", "<", "<=", ">", ">=":
		return comparison
	case "+", "-":
		return 4
	case "*", "/", "@", "%":
		return 5
	}
	return 0
}

const comparison = 3

func end(t token) int { return t.Offset + len(t.Value) }

func spanOf(src *source.File, t token) source.Span {
	return source.Span{File: src, Start: t.Offset, End: end(t)}
}
