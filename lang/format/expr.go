package format

import (
	"fmt"

	"ppl/lang/ast"
)

// expr prints an expression. If tight is set, as in bounds of ranges and in subscripts, arithmetic has no spaces.
func (p *printer) expr(e ast.Expr, tight bool) {
	switch e := e.(type) {
	case *ast.Number:
		p.WriteString(e.Text)
	case *ast.String:
		p.WriteString(e.Text)
	case *ast.Name:
		p.WriteString(e.Name)
	case *ast.Unary:
		p.WriteString(e.Op)
		p.expr(e.X, tight)
	case *ast.Binary:
		p.expr(e.X, tight)
		p.WriteString(spaced(e.Op, tight))
		p.expr(e.Y, tight)
	case *ast.Cond:
		p.expr(e.If, tight)
		p.WriteString(" ? ")
		p.expr(e.Then, tight)
		p.WriteString(" : ")
		p.expr(e.Else, tight)
	case *ast.Pipe:
		p.expr(e.X, tight)
		p.WriteString(" -> ")
		p.expr(e.To, tight)
	case *ast.Paren:
		p.WriteByte('(')
		p.expr(e.X, tight)
		p.WriteByte(')')
	case *ast.Call:
		p.expr(e.Fun, tight)
		p.WriteByte('(')
		list(p, e.Args, p.arg)
		p.WriteByte(')')
	case *ast.Index:
		p.expr(e.X, tight)
		p.axes(e.Subs)
	case *ast.Member:
		p.expr(e.X, tight)
		p.WriteString("." + e.Name.Name)
	case *ast.List:
		p.WriteByte('[')
		list(p, e.Items, func(item ast.Expr) { p.expr(item, false) })
		p.WriteByte(']')
	case *ast.Comprehension:
		p.comprehension(e)
	default:
		panic(fmt.Sprintf("internal error: expression %T", e))
	}
}

// spaced returns an infix operator with its surrounding spaces.
func spaced(op string, tight bool) string {
	switch op {
	case "^":
		return op
	case "+", "-", "*", "/", "@", "%":
		if tight {
			return op
		}
	}
	return " " + op + " "
}

func (p *printer) arg(a *ast.Arg) {
	if a.Name != nil {
		p.WriteString(a.Name.Name + " = ")
	}
	p.expr(a.Value, false)
}

func (p *printer) comprehension(c *ast.Comprehension) {
	open, closed := "[", "]"
	if c.Bare {
		open, closed = "", ""
	}
	p.WriteString(open)
	list(p, c.Binders, func(b *ast.Binder) {
		p.WriteString(b.Index.Name + " in ")
		p.set(b.Set)
	})
	p.WriteString(": ")
	p.expr(c.Body, false)
	p.WriteString(closed)
}
