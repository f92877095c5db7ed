// Package stan reads programs of Stan: their syntax tree, and the types of their expressions, with mistakes in Stan's
// terms:
//
//	p, ds := stan.Parse(source.New("model.stan", text))
//	ds = append(ds, stan.Check(p)...)
//
// The language is that of the Stan Reference Manual 2.36, and the old forms that its programs still have: arrays as
// `real x[N]`, `<-`, comments with `#`, `increment_log_prob`. A note says how each is written today.
//
// lexer.go and limits.go cut a text into tokens, participle parses them by grammar.go, and build.go makes the tree of
// ast.go with the precedence of operators. check.go and its siblings resolve names and types; signatures.go has the
// functions of Stan's library. Package translate makes models of ppl of such programs.
package stan

import (
	"ppl/lang/diag"
	"ppl/lang/source"
)

// Parse parses a program. If there are errors, the program is nil.
func Parse(src *source.File) (*Program, []diag.Diagnostic) {
	var ds diag.List
	tokens, comments := scan(src, &ds)
	if ds.HasErrors() || !withinLimits(src, tokens, &ds) {
		return nil, ds.All()
	}
	tree, err := parseTokens(src.Name, tokens)
	if err != nil {
		explainSyntax(src, tokens, err, &ds)
		return nil, ds.All()
	}
	b := &builder{src: src, diags: &ds}
	p := b.program(tree)
	p.Comments = comments
	if ds.HasErrors() {
		return nil, ds.All()
	}
	return p, ds.All()
}
