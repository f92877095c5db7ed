package scope

import (
	"slices"
	"testing"

	"ppl/compiler/frontend/cycles"
	"ppl/compiler/frontend/model"
	"ppl/lang/ast"
	"ppl/lang/parse"
	"ppl/lang/source"
)

func parsed(t *testing.T, text string) *ast.File {
	t.Helper()
	file, _ := parse.File(source.New("m.ppl", text))
	return file
}

// A name in a block hides the same name of the file, which hides the same name of the library.
func TestLookup(t *testing.T) {
	library := New(nil)
	file := New(library)
	block := New(file)
	library.Add(&Entity{Name: "a"})
	library.Add(&Entity{Name: "b"})
	file.Add(&Entity{Name: "b"})
	block.Add(&Entity{Name: "c"})
	for name, want := range map[string]*Entity{"a": library.Names["a"], "b": file.Names["b"], "c": block.Names["c"]} {
		if got := block.Lookup(name); got != want {
			t.Errorf("%s is %p, want %p", name, got, want)
		}
	}
	if file.Lookup("c") != nil {
		t.Error("the file sees a name of the block")
	}
}

// Each function of the library is parsed when it is looked up, and has the name under which it is found.
func TestLibrary(t *testing.T) {
	library := Library()
	for name := range library.Names {
		e := library.Lookup(name)
		if e.Fn == nil || e.Fn.Head == nil || e.Fn.Head.Path[0].Name != name || e.Fn.Statement() == nil {
			t.Errorf("%s has no statement", name)
		}
	}
	if len(library.Names) < 10 {
		t.Errorf("only %d functions", len(library.Names))
	}
}

// A name that a statement that could not be parsed defines becomes poison, and other statements that define it are
// removed.
func TestWithoutDropped(t *testing.T) {
	file := parsed(t, "data y[N]\nmu ~ ~ Normal(0, 1)\nmu = 2\ny ~ Normal(mu, 1)\n")
	global := New(nil)
	if stmts := WithoutDropped(file, global); len(stmts) != 2 {
		t.Errorf("%d statements are left of data, mu = 2 and y, want 2", len(stmts))
	}
	if e := global.Names["mu"]; e == nil || e.Expr == nil {
		t.Error("mu is not known")
	}
}

// Beginnings returns those of the arrays that read each other that have a statement that reads none of them.
func TestBeginnings(t *testing.T) {
	for text, want := range map[string][]string{
		"K[t in T] = P[t]\nP[1] = 0\nP[t in 2..T] = P[t-1] * K[t-1]\n": {"P"},
		"K[t in T] = P[t]\nP[t in T] = K[t]\n":                         nil, // neither begins
		"K[t in T] = P[t]\nP[1] = 0\n":                                 nil, // no cycle
	} {
		global := New(nil)
		for _, st := range parsed(t, text).Stmts {
			def := st.(*ast.Define)
			head := def.Heads[0]
			name := head.Path[0].Name
			if global.Names[name] == nil {
				global.Add(&Entity{Name: name, Array: &Array{Scope: global,
					Array: &model.Array{Name: name, At: head.Span()}}})
			}
			a := global.Names[name].Array
			a.Defs = append(a.Defs, Define{Head: head, Stmt: def})
		}
		var got []string
		for _, a := range Beginnings(cycles.New(ReadByDefinitions), global.Names["K"].Array) {
			got = append(got, a.Name)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s begins with %v, want %v", text, got, want)
		}
	}
}
