package ppl_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os/exec"
	"strings"
	"testing"
)

// The header of an `if` decides and changes nothing: a plain assignment before the condition is a line of its own. What
// declares a variable of the header, and err and ok, may stand there.
func TestIfHeaders(t *testing.T) {
	out, err := exec.Command("git", "ls-files", "*.go").Output()
	if err != nil {
		t.Skip(err)
	}
	for _, name := range strings.Fields(string(out)) {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, at := range changingHeaders(file) {
			t.Errorf("%s: write the statement before `if` on a line of its own", set.Position(at))
		}
	}
}

func TestChangingHeaders(t *testing.T) {
	for header, want := range map[string]int{
		"n++; n > 1": 1, "n = f(); n > 1": 1, "x.n += 2; x.n > 1": 1, "f(); n > 1": 1, "n > 1": 0, "n := f(); n > 1": 0,
		"n, err = f(); err != nil": 0, "n, x.ok = f(); n > 1": 1,
	} {
		text := "package p; func g() { if " + header + " { } else if n++; n > 2 { } }"
		file, err := parser.ParseFile(token.NewFileSet(), "", text, 0)
		if err != nil {
			t.Fatal(err)
		}
		if got := len(changingHeaders(file)); got != want {
			t.Errorf("%s: %d headers found", header, got)
		}
	}
}

// changingHeaders finds headers with a statement that could stand before `if`; it cannot before `else if`.
func changingHeaders(file *ast.File) (found []token.Pos) {
	chained := map[ast.Node]bool{}
	ast.Inspect(file, func(n ast.Node) bool {
		if s, ok := n.(*ast.IfStmt); ok {
			chained[s.Else] = true
			if s.Init != nil && !chained[s] && changes(s.Init) {
				found = append(found, s.If)
			}
		}
		return true
	})
	return found
}

func changes(s ast.Stmt) bool {
	a, ok := s.(*ast.AssignStmt)
	if !ok {
		return true
	}
	for _, x := range a.Lhs {
		if id, ok := x.(*ast.Ident); ok && (id.Name == "err" || id.Name == "ok") {
			return false
		}
	}
	return a.Tok != token.DEFINE
}
