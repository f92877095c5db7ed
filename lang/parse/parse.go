// Package parse converts the text of a model to its syntax tree (package ast):
//
//	y ~ Normal(mu, 1)        Draw{Heads: y, Dist: Call{Normal, mu, 1}}
//
// It works in steps, so that a mistake in one statement does not hide mistakes in others:
//
//   - scan.go splits the text into tokens.
//   - cut.go matches brackets and splits the tokens into statements.
//   - participle (github.com/alecthomas/participle) parses each statement by the grammar in grammar.go.
//   - tree.go and expr.go build the tree, applying operator precedence to participle's flat lists.
//   - mistakes.go and words.go explain unexpected tokens, and foreignfile.go files in another language.
package parse

import (
	"github.com/alecthomas/participle/v2"
	"github.com/alecthomas/participle/v2/lexer"

	"ppl/lang/ast"
	"ppl/lang/diag"
	"ppl/lang/source"
)

// File parses an entire file. If there are errors, the tree contains only the statements without errors. For a file in
// another language, there is one error.
func File(src *source.File) (*ast.File, []diag.Diagnostic) {
	p := &parser{src: src, unit: "statement", forms: map[string]*statement{}}
	f := &ast.File{Source: src, Dropped: ast.Dropped{Heads: map[string]bool{}, Names: map[string]bool{}}}
	s := scan(src, &p.diags)
	f.Comments = s.comments
	if lone, ok := match(src, s.tokens, &p.diags); ok {
		p.cutText = cut(src, s.tokens, lone)
		f.Stmts = p.topLevel(p.pieces, f.Dropped)
	}
	if p.diags.HasErrors() {
		if ds := foreignFile(src); ds != nil {
			return f, ds
		}
	}
	return f, p.diags.All()
}

// Expr parses one expression, such as a line of the REPL. If there are errors, the expression may be nil.
func Expr(src *source.File) (ast.Expr, []diag.Diagnostic) {
	p := &parser{src: src, unit: "expression"}
	tokens := scan(src, &p.diags).tokens
	lone, ok := match(src, tokens, &p.diags)
	if !ok {
		return nil, p.diags.All()
	}
	p.cutText = cut(src, tokens, lone)
	return p.onlyExpr(), p.diags.All()
}

// A parser converts the statements of one file.
type parser struct {
	cutText
	src     *source.File
	unit    string // "statement" or "expression", for messages
	diags   diag.List
	dropped int                   // number of statements that did not parse so far
	forms   map[string]*statement // maps the form of a statement to its parse tree
	tokens  []token               // tokens of the statement that is being converted
}

func (p *parser) topLevel(pieces []piece, lost ast.Dropped) []ast.Stmt {
	var stmts []ast.Stmt
	for _, piece := range pieces {
		if s := p.top(piece); s != nil {
			stmts = append(stmts, s)
		} else {
			recordDropped(piece, lost)
		}
	}
	return stmts
}

// top returns a statement outside of all blocks, or nil if it has an error.
func (p *parser) top(piece piece) ast.Stmt {
	s, ok := p.piece(piece)
	switch {
	case !ok:
		return nil
	case s.Return != nil:
		p.diags.Errorf(diag.Syntax, p.spanOf(s.Tokens[0]), "`return` is allowed only at the end of a block `{ … }`")
		return nil
	}
	return p.statement(s)
}

// recordDropped records the names that are defined or used in a statement that failed to parse, to suppress errors that
// follow from it. The left side ends at the first ~ or =, even inside brackets, because an unclosed bracket may contain
// it. A statement without ~ or = defines names only if it declares data.
func recordDropped(piece piece, lost ast.Dropped) {
	var heads []string
	depth, left, defines := 0, true, false
	for _, t := range piece.tokens {
		depth += depthChange(t)
		switch {
		case t.Type == name:
			lost.Names[t.Value] = true
			if left && depth <= 0 {
				heads = append(heads, t.Value)
			}
		case t.Type == punct && (t.Value == "~" || t.Value == "="):
			left, defines = false, true
		case t.Type == keyword && t.Value == "data":
			defines = true
		}
	}
	for _, h := range heads {
		if defines {
			lost.Heads[h] = true
		}
	}
}

func (p *parser) onlyExpr() ast.Expr {
	switch {
	case p.diags.HasErrors():
		return nil
	case len(p.pieces) == 0:
		at := source.Span{File: p.src, Start: len(p.src.Text), End: len(p.src.Text)}
		p.diags.Errorf(diag.Syntax, at, "expected an expression")
		return nil
	case len(p.pieces) > 1:
		p.diags.Errorf(diag.Syntax, p.at(p.pieces[1].tokens), "expected one expression, found a second line")
		return nil
	}
	e, ok := parseWith(p, expressions(), p.pieces[0])
	if !ok {
		return nil
	}
	p.tokens = p.pieces[0].tokens
	return p.expr(e)
}

// piece parses the tokens of one statement. If it has an error, the blocks in it are still parsed to report their
// errors.
func (p *parser) piece(piece piece) (*statement, bool) {
	s, ok := p.statementOf(piece)
	p.tokens = piece.tokens
	if !ok {
		p.dropped++
		for _, t := range piece.tokens {
			if t.Type == body {
				p.statements(t)
			}
		}
	}
	return s, ok
}

// parseWith parses one piece with participle and reports its mistake.
func parseWith[G any](p *parser, grammar *participle.Parser[G], piece piece) (*G, bool) {
	if t, far := farthest(piece.tokens); far {
		p.diags.Errorf(diag.Syntax, spanOf(p.src, t), "this expression has more than %d tokens", maxTokens).
			Help("define parts of it as separate names")
		return nil, false
	}
	tokens, err := lexer.Upgrade(&stream{leaves(piece.tokens), len(piece.tokens)})
	if err != nil {
		panic("internal error: " + err.Error())
	}
	tree, err := grammar.ParseFromLexer(tokens)
	if err != nil {
		p.mistake(piece.tokens, err)
		return nil, false
	}
	return tree, true
}

// at returns the span of consecutive tokens.
func (p *parser) at(tokens []token) source.Span {
	if len(tokens) == 0 {
		panic("internal error: a node without tokens")
	}
	return spanOf(p.src, tokens[0]).To(spanOf(p.src, tokens[len(tokens)-1]))
}

func (p *parser) placeOf(n node) ast.Place { return ast.Place{At: p.at(p.written(n.Tokens))} }
