// Package stan parses Stan programs to a syntax tree, and determines the types of their expressions. It reports
// mistakes in Stan's terms:
//
//	p, ds := stan.Parse(source.New("model.stan", text))
//	info, more := stan.Check(p)
//
// The language is that of the Stan Reference Manual 2.36, with old forms that existing programs use: arrays as `real
// x[N]`, `<-`, comments with `#`, `increment_log_prob`. For each, a note gives the present form.
//
// lexer.go and limits.go split a text into tokens, participle parses them with grammar.go, and build.go converts the
// result to the tree of ast.go, with operator precedence. check.go, checkexpr.go and checkcall.go resolve names and
// types; signatures.go has the functions of Stan's library. Package translate converts such programs to models of ppl.
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
