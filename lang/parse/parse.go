// Package parse turns the text of a model into its syntax tree, LANGUAGE sections 1 and 2. Characters become tokens
// (scan.go); brackets are matched and the tokens cut into statements (cut.go), so that a mistake in one does not hide
// those in others; participle parses each statement by the grammar in grammar.go; tree.go and expr.go make the tree,
// climbing operator precedence over participle's flat lists; mistakes.go words what is wrong.
package parse

import (
	"github.com/alecthomas/participle/v2"
	"github.com/alecthomas/participle/v2/lexer"

	"ppl/lang/ast"
	"ppl/lang/diag"
	"ppl/lang/source"
)

// File parses a whole file. With errors among the diagnostics the tree holds the statements without one.
func File(src *source.File) (*ast.File, []diag.Diagnostic) {
	p := &parser{src: src, unit: "statement"}
	f := &ast.File{Source: src, Lost: ast.Lost{Heads: map[string]bool{}, Names: map[string]bool{}}}
	s := scan(src, &p.diags)
	f.Comments = s.comments
	if lone, ok := match(src, s.tokens, &p.diags); ok {
		p.cutting = cut(src, s.tokens, lone)
		f.Stmts = p.topLevel(p.pieces, f.Lost)
	}
	return f, p.diags.All()
}

// Expr parses one expression, such as a line given to the REPL. With errors among the diagnostics it may be nil.
func Expr(src *source.File) (ast.Expr, []diag.Diagnostic) {
	p := &parser{src: src, unit: "expression"}
	tokens := scan(src, &p.diags).tokens
	lone, ok := match(src, tokens, &p.diags)
	if !ok {
		return nil, p.diags.All()
	}
	p.cutting = cut(src, tokens, lone)
	return p.onlyExpr(), p.diags.All()
}

// A parser holds one file's statements on their way to the tree.
type parser struct {
	cutting
	src     *source.File
	unit    string // what a piece is, "statement" or "expression"
	diags   diag.List
	dropped int // statements so far that did not parse
}

func (p *parser) topLevel(pieces []piece, lost ast.Lost) []ast.Stmt {
	var stmts []ast.Stmt
	for _, piece := range pieces {
		if s := p.top(piece); s != nil {
			stmts = append(stmts, s)
		} else {
			lose(piece, lost)
		}
	}
	return stmts
}

// top is a statement that stands in no block; nil where it has a mistake.
func (p *parser) top(piece piece) ast.Stmt {
	s, ok := p.piece(piece)
	switch {
	case !ok:
		return nil
	case s.Return != nil:
		p.diags.Errorf("E00", p.at(s.Tokens[:1]), "`return` stands only at the end of a block `{ … }`")
		return nil
	}
	return p.statement(s)
}

// lose notes the names of a statement that was dropped. Its left side ends at the first ~ or =, in brackets or not: a
// bracket that is not closed may hide it. Without one it defines something only as data.
func lose(piece piece, lost ast.Lost) {
	var heads []string
	depth, left, defines := 0, true, false
	for _, t := range piece.tokens {
		depth += step(t)
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
		p.diags.Errorf("E00", at, "expected an expression")
		return nil
	case len(p.pieces) > 1:
		p.diags.Errorf("E00", p.at(p.pieces[1].tokens), "expected one expression, found a second line")
		return nil
	}
	e, ok := parseWith(p, expressions(), p.pieces[0])
	if !ok {
		return nil
	}
	return p.expr(e)
}

// piece parses the tokens of one statement. Where it has a mistake the blocks in it are searched for theirs.
func (p *parser) piece(piece piece) (*statement, bool) {
	s, ok := parseWith(p, statements(), piece)
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

// parseWith runs participle over one piece and reports what it finds wrong.
func parseWith[G any](p *parser, grammar *participle.Parser[G], piece piece) (*G, bool) {
	if piece.broken {
		return nil, false
	}
	if t, far := farthest(piece.tokens); far {
		p.diags.Errorf("E00", spanOf(p.src, t), "this expression has more than %d tokens", reach).
			Help("name parts of it by definitions of their own")
		return nil, false
	}
	last := end(piece.tokens[len(piece.tokens)-1])
	tokens, err := lexer.Upgrade(&stream{piece.tokens, last})
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

// at is the place of a run of tokens.
func (p *parser) at(tokens []token) source.Span {
	if len(tokens) == 0 {
		panic("internal error: a node without tokens")
	}
	return spanOf(p.src, tokens[0]).To(spanOf(p.src, tokens[len(tokens)-1]))
}

func (p *parser) place(n node) ast.Place { return ast.Place{At: p.at(n.Tokens)} }
