package scope

import (
	"slices"

	"ppl/compiler/frontend/typing"
	"ppl/lang/ast"
	"ppl/lang/source"
)

// A file may contain statements that could not be parsed (dropped). The others are still checked, so that one mistake
// does not hide the next. Names that a dropped statement may define cause no further errors.

// WithoutDropped returns the statements of a file except those that define a name on the left-hand side of a dropped
// statement. Such names, and other names defined by the same statements, become poison in scope global, except data.
func WithoutDropped(f *ast.File, global *Scope) []ast.Stmt {
	known, dropped := Declared(f.Stmts), map[string]bool{}
	for name := range f.Dropped.Heads {
		dropped[name] = !known[name]
	}
	stmts := slices.Clone(f.Stmts)
	for n := -1; n != len(stmts); {
		n = len(stmts)
		stmts = slices.DeleteFunc(stmts, func(st ast.Stmt) bool {
			heads := HeadsOf(st)
			if !slices.ContainsFunc(heads, func(h *ast.Head) bool { return dropped[h.Path[0].Name] }) {
				return false
			}
			for _, h := range heads {
				dropped[h.Path[0].Name] = !known[h.Path[0].Name]
			}
			return true
		})
	}
	at := ast.Place{At: source.Span{File: f.Source}}
	for name, is := range dropped {
		if is {
			global.Names[name] = &Entity{Name: name, At: at.At, Used: true, Expr: typing.Poison(at)}
		}
	}
	return stmts
}

// Declared returns the names that data statements declare.
func Declared(stmts []ast.Stmt) map[string]bool {
	names := map[string]bool{}
	for _, st := range stmts {
		if data, ok := st.(*ast.Data); ok {
			for _, d := range data.Decls {
				names[d.Name.Name] = true
			}
		}
	}
	return names
}

// HeadsOf returns the left-hand sides of a statement.
func HeadsOf(st ast.Stmt) []*ast.Head {
	switch st := st.(type) {
	case *ast.Define:
		return st.Heads
	case *ast.Draw:
		return st.Heads
	}
	return nil
}
