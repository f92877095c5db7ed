package parse

import (
	"regexp"
	"strings"
	"sync"

	"github.com/alecthomas/participle/v2/lexer"

	"ppl/lang/source"
)

// The grammar depends only on the kinds of tokens, and on the text of tokens that it names, such as `~` and `from`.
// Statements of the same form therefore have the same parse tree, and participle parses only the first of them:
//
//	x1 ~ Normal(0, 1)        2 ~ 2 ( 3 , 3 ), with 2 for a name and 3 for a number
//	x2 ~ Cauchy(0, 2.5)      the same
//
// The leaves of a tree contain only text that the grammar names. Their offset is the index of the token in the
// statement; parser.written returns the actual tokens of the statement that is being converted.

// Trees are cached only for statements with few tokens and for a limited number of forms, because in a hostile file
// each statement may have a different form.
const (
	maxFormTokens = 200
	maxForms      = 10_000
)

// literals returns the texts that the grammar names.
var literals = sync.OnceValue(func() map[string]bool {
	named := map[string]bool{}
	for _, found := range regexp.MustCompile(`"([^"]+)"`).FindAllStringSubmatch(statements().String(), -1) {
		named[found[1]] = true
	}
	return named
})

// grammatical returns the text of a token if the grammar depends on it, else "".
func grammatical(t token) string {
	if literals()[t.Value] {
		return t.Value
	}
	return ""
}

// formOf returns a key that is equal for statements of the same form. It is empty for a statement with many tokens.
func formOf(tokens []token) string {
	if len(tokens) > maxFormTokens {
		return ""
	}
	var form strings.Builder
	for _, t := range tokens {
		form.WriteByte(byte('0' + t.Type))
		form.WriteString(grammatical(t))
		form.WriteByte(0) // separates a text from the kinds of later tokens
	}
	return form.String()
}

// leaves returns a statement's tokens in the form that participle parses.
func leaves(tokens []token) []leaf {
	seen := make([]leaf, len(tokens))
	for i, t := range tokens {
		seen[i] = leaf{Type: t.Type, Value: grammatical(t), Pos: lexer.Position{Offset: i}}
	}
	return seen
}

// statementOf returns the parse tree of a statement, from the cache if possible. It returns false if the statement has
// an error. A broken statement is not looked up, because an unclosed block has the same form as a closed one.
func (p *parser) statementOf(piece piece) (*statement, bool) {
	if piece.broken {
		return nil, false
	}
	markFactor(piece.tokens)
	markEvent(piece.tokens)
	form := formOf(piece.tokens)
	if s := p.forms[form]; s != nil {
		return s, true
	}
	s, ok := parseWith(p, statements(), piece)
	if ok && form != "" && len(p.forms) < maxForms {
		p.forms[form] = s
	}
	return s, ok
}

// written returns the source tokens for consecutive leaves of the statement that is being converted.
func (p *parser) written(of []leaf) []token {
	if len(of) == 0 {
		panic("internal error: a node without tokens")
	}
	return p.tokens[of[0].Pos.Offset : of[len(of)-1].Pos.Offset+1]
}

// one returns the source token of one leaf.
func (p *parser) one(l leaf) token { return p.tokens[l.Pos.Offset] }

// spanOf returns the span of a leaf in the text.
func (p *parser) spanOf(l leaf) source.Span { return spanOf(p.src, p.one(l)) }

// markFactor sets the kind of the word `factor` at the beginning of a statement that has neither ~ nor = outside of
// brackets. All other statements that begin with a name have one of these.
func markFactor(tokens []token) {
	if len(tokens) < 2 || tokens[0].Type != name || tokens[0].Value != "factor" {
		return
	}
	depth := 0
	for _, t := range tokens {
		depth += depthChange(t)
		if depth == 0 && t.Type == punct && (t.Value == "~" || t.Value == "=") {
			return
		}
	}
	tokens[0].Type = factor
}

// markEvent sets the kind of the word `at` at the beginning of an event, `at t = …` or `at[d in D] t = …`. No other
// statement begins with two names, or with a name, brackets and a name.
func markEvent(tokens []token) {
	if len(tokens) < 2 || tokens[0].Type != name || tokens[0].Value != "at" {
		return
	}
	next := 1
	if tokens[1].Value == "[" {
		for depth := 0; next < len(tokens); next++ {
			depth += depthChange(tokens[next])
			if depth == 0 {
				next++
				break
			}
		}
	}
	if next < len(tokens) && tokens[next].Type == name {
		tokens[0].Type = eventWord
	}
}
