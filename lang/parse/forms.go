package parse

import (
	"regexp"
	"strings"
	"sync"

	"github.com/alecthomas/participle/v2/lexer"

	"ppl/lang/source"
)

// The grammar looks at the kinds of tokens, and at the text of those that it names, such as `~` and `from`. So
// statements of one form have one tree, and participle parses the first of them:
//
//	x1 ~ Normal(0, 1)        2 ~ 2 ( 3 , 3 ), with 2 for a name and 3 for a number
//	x2 ~ Cauchy(0, 2.5)      the same
//
// The leaves of a tree have no text but that which the grammar looks at, and for their offset the index of their token
// in the statement; parser.written gives the tokens of the statement that is being converted.

// Trees are kept of statements with few tokens, and of a limited number of forms, since in a hostile file each
// statement may have its own.
const (
	maxFormTokens = 200
	maxForms      = 10_000
)

// literals are the texts that the grammar names.
var literals = sync.OnceValue(func() map[string]bool {
	named := map[string]bool{}
	for _, found := range regexp.MustCompile(`"([^"]+)"`).FindAllStringSubmatch(statements().String(), -1) {
		named[found[1]] = true
	}
	return named
})

// grammatical returns what the grammar looks at in the text of a token.
func grammatical(t token) string {
	if literals()[t.Value] {
		return t.Value
	}
	return ""
}

// formOf returns a text that two statements share if they have the same form; empty for a statement with many tokens.
func formOf(tokens []token) string {
	if len(tokens) > maxFormTokens {
		return ""
	}
	var form strings.Builder
	for _, t := range tokens {
		form.WriteByte(byte('0' + t.Type))
		form.WriteString(grammatical(t))
		form.WriteByte(0) // so that a text is not taken for the kinds of the tokens that follow
	}
	return form.String()
}

// leaves returns what participle sees of a statement.
func leaves(tokens []token) []leaf {
	seen := make([]leaf, len(tokens))
	for i, t := range tokens {
		seen[i] = leaf{Type: t.Type, Value: grammatical(t), Pos: lexer.Position{Offset: i}}
	}
	return seen
}

// statementOf returns the tree of a statement. That of a broken one is not looked up: a block that is not closed is one
// token in its form, like any other.
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

// written returns the tokens of the statement that is being converted for consecutive leaves of a tree.
func (p *parser) written(of []leaf) []token {
	if len(of) == 0 {
		panic("internal error: a node without tokens")
	}
	return p.tokens[of[0].Pos.Offset : of[len(of)-1].Pos.Offset+1]
}

// one is written of one leaf.
func (p *parser) one(l leaf) token { return p.tokens[l.Pos.Offset] }

// spanOf returns where a leaf of a tree is in the text.
func (p *parser) spanOf(l leaf) source.Span { return spanOf(p.src, p.one(l)) }

// markFactor gives the word `factor` its own kind at the beginning of a statement that has neither ~ nor = outside of
// brackets: all other statements of names have one of these.
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

// markEvent gives the word `at` its own kind at the beginning of an event, `at t = …` or `at[d in D] t = …`: no other
// statement has a name behind a name, or behind a name with brackets.
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
