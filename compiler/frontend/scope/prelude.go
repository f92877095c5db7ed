package scope

import (
	"fmt"
	"strings"
	"sync"

	"ppl/lang/ast"
	"ppl/lang/parse"
	"ppl/lang/source"
	"ppl/stdlib"
)

// Library returns the scope of the library functions that are written in the language; user names hide them. Each is
// parsed when a model first reads it: parsing all of them takes longer than most models, and most models need none.
func Library() *Scope {
	s := New(nil)
	for name, parsed := range LibraryStatements() {
		s.Add(&Entity{Name: name, Fn: &Function{Name: name, Scope: s, parsed: parsed}})
	}
	return s
}

// read parses a library function that has not been parsed yet. It ignores other entities.
func (e *Entity) read() {
	if e.Fn == nil || e.Fn.parsed == nil {
		return
	}
	switch st := e.Fn.parsed().(type) {
	case *ast.Define:
		e.Fn.Head, e.Fn.Stmt = st.Heads[0], st
	case *ast.Draw:
		e.Fn.Head, e.Fn.Draw = st.Heads[0], st
	}
	e.Fn.parsed = nil
	e.At, e.Fn.At = e.Fn.Head.Span(), e.Fn.Head.Span()
}

// LibraryStatements maps each library function to a function that parses it, once per process: an editor session checks
// a model at each keystroke. A statement starts at the beginning of a line.
var LibraryStatements = sync.OnceValue(func() map[string]func() ast.Stmt {
	statements := map[string]func() ast.Stmt{}
	lines := strings.SplitAfter(stdlib.Prelude, "\n")
	for first := 0; first < len(lines); {
		end := first + 1
		for end < len(lines) && !beginsStatement(lines[end]) {
			end++
		}
		if beginsStatement(lines[first]) {
			name, _, _ := strings.Cut(lines[first], "(")
			text := strings.Repeat("\n", first) + strings.Join(lines[first:end], "")
			statements[name] = sync.OnceValue(func() ast.Stmt { return libraryStatement(text) })
		}
		first = end
	}
	return statements
})

func beginsStatement(line string) bool {
	return line != "" && (line[0] >= 'a' && line[0] <= 'z' || line[0] >= 'A' && line[0] <= 'Z')
}

// libraryStatement parses one statement after empty lines, which give it the same position as in the prelude.
func libraryStatement(text string) ast.Stmt {
	file, ds := parse.File(source.New("prelude.ppl", text))
	if len(ds) > 0 || len(file.Stmts) != 1 {
		panic(fmt.Sprintf("internal error: the prelude does not parse: %v:\n%s", ds, text))
	}
	return file.Stmts[0]
}
