package check

import (
	"testing"

	"ppl/compiler/frontend/scope"
	"ppl/lang/ast"
	"ppl/lang/parse"
	"ppl/lang/source"
	"ppl/stdlib"
)

// Parsing each statement of the library separately gives the same statements, on the same lines, as parsing the file.
func TestLibraryStatements(t *testing.T) {
	whole, ds := parse.File(source.New("prelude.ppl", stdlib.Prelude))
	if len(ds) > 0 {
		t.Fatal(ds)
	}
	all := scope.LibraryStatements()
	if len(all) != len(whole.Stmts) {
		t.Errorf("%d functions, %d statements", len(all), len(whole.Stmts))
	}
	for _, st := range whole.Stmts {
		name := headOf(st).Path[0].Name
		parsed := all[name]
		if parsed == nil {
			t.Errorf("%s is missing", name)
			continue
		}
		if got := parsed(); got.Span().Text() != st.Span().Text() || got.Span().Line() != st.Span().Line() {
			t.Errorf("%s: line %d, not %d:\n%s", name, got.Span().Line(), st.Span().Line(), got.Span().Text())
		}
	}
}

func headOf(st ast.Stmt) *ast.Head {
	if st, ok := st.(*ast.Draw); ok {
		return st.Heads[0]
	}
	return st.(*ast.Define).Heads[0]
}
