package parse_test

import (
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"ppl/lang/ast"
	"ppl/lang/parse"
	"ppl/lang/source"
)

// checkSpans checks the position of every node: its text, parsed alone, gives an equal node, and is inside the text of
// the node's parent.
func checkSpans(t *testing.T, f *ast.File) {
	t.Helper()
	for _, s := range f.Stmts {
		walk(reflect.ValueOf(s), s.Span(), func(n any, at, above source.Span) {
			if at.Start < above.Start || at.End > above.End {
				t.Errorf("%s:%d: %T %q is not within %q", f.Source.Name, at.Line(), n, at.Text(), above.Text())
			}
			checkText(t, n, at)
		})
	}
	for _, c := range f.Comments {
		if c.Text != c.At.Text() {
			t.Errorf("comment %q at %q", c.Text, c.At.Text())
		}
	}
}

func checkText(t *testing.T, n any, at source.Span) {
	t.Helper()
	var again any
	switch n := n.(type) {
	case ast.Ident:
		if n.Name != at.Text() {
			t.Errorf("name %s at %q", n.Name, at.Text())
		}
		return
	case *ast.Binary:
		if n.OpAt.Text() != n.Op {
			t.Errorf("operator %s at %q", n.Op, n.OpAt.Text())
		}
		again = exprOf(t, "("+at.Text()+"\n)", inParens)
	case *ast.Comprehension:
		text := at.Text()
		if n.Bare {
			text = "f(" + text + "\n)"
			again = exprOf(t, text, func(e ast.Expr) any { return e.(*ast.Call).Args[0].Value })
			break
		}
		again = exprOf(t, "("+text+"\n)", inParens)
	case ast.Expr:
		again = exprOf(t, "("+at.Text()+"\n)", inParens)
	case *ast.Set:
		again = exprOf(t, "x["+at.Text()+"\n]", func(e ast.Expr) any { return e.(*ast.Index).Subs[0] })
	case *ast.Arg:
		again = exprOf(t, "f("+at.Text()+"\n)", func(e ast.Expr) any { return e.(*ast.Call).Args[0] })
	case *ast.Distribution:
		again = clean(t, "law", "x ~ "+at.Text()).Stmts[0].(*ast.Draw).Dist
	case *ast.Head:
		again = clean(t, "head", at.Text()+" = 0").Stmts[0].(*ast.Define).Heads[0]
	case *ast.Slot:
		again = clean(t, "slot", "x["+at.Text()+"\n] = 0").Stmts[0].(*ast.Define).Heads[0].Slots[0]
	case *ast.Param:
		again = clean(t, "param", "x("+at.Text()+"\n) = 0").Stmts[0].(*ast.Define).Heads[0].Params[0]
	case *ast.Decl:
		again = clean(t, "decl", "data "+at.Text()).Stmts[0].(*ast.Data).Decls[0]
	case *ast.Range:
		again = clean(t, "range", "x ~ D in "+at.Text()).Stmts[0].(*ast.Draw).Dist.In
	case *ast.Block:
		again = clean(t, "block", "x() = "+at.Text()).Stmts[0].(*ast.Define).Block
	case *ast.Binder:
		again = exprOf(t, "["+at.Text()+"\n: 0]", func(e ast.Expr) any { return e.(*ast.Comprehension).Binders[0] })
	case ast.Stmt:
		again = clean(t, "statement", at.Text()).Stmts[0]
	default:
		t.Fatalf("no check for %T", n)
	}
	if d := cmp.Diff(n, again, cmpopts.IgnoreTypes(ast.Place{}, source.Span{})); d != "" {
		t.Errorf("%T has the text %q:\n%s", n, at.Text(), d)
	}
}

func exprOf(t *testing.T, text string, part func(ast.Expr) any) any {
	t.Helper()
	e, ds := parse.Expr(source.New("expr", text))
	if len(ds) > 0 {
		t.Fatal(render(ds))
	}
	return part(e)
}

func inParens(e ast.Expr) any { return e.(*ast.Paren).X }

// walk visits every node below v with its span and the span of its parent.
func walk(v reflect.Value, above source.Span, visit func(n any, at, above source.Span)) {
	switch v.Kind() {
	case reflect.Interface:
		if !v.IsNil() {
			walk(v.Elem(), above, visit)
		}
	case reflect.Pointer:
		if v.IsNil() {
			return
		}
		if id, ok := v.Interface().(*ast.Ident); ok {
			visit(*id, id.At, above)
			return
		}
		if n, ok := v.Interface().(ast.Node); ok {
			visit(n, n.Span(), above)
			above = n.Span()
		}
		fields(v.Elem(), above, visit)
	case reflect.Slice:
		for i := range v.Len() {
			walk(v.Index(i), above, visit)
		}
	case reflect.Struct:
		if id, ok := v.Interface().(ast.Ident); ok {
			visit(id, id.At, above)
		}
	}
}

func fields(v reflect.Value, above source.Span, visit func(n any, at, above source.Span)) {
	for i := range v.NumField() {
		walk(v.Field(i), above, visit)
	}
}
