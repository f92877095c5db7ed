package query

import (
	"ppl/lang/ast"
)

// Undefined returns an expression that holds where a condition compares something that is not a number, so that it is
// false for no other reason:
//
//	log(mu) > 1 && !(s == 0)    log(mu) != log(mu) || 1 != 1 || s != s || 0 != 0
//
// It is nil if the condition compares nothing.
func Undefined(condition ast.Expr) ast.Expr {
	switch x := condition.(type) {
	case *ast.Paren:
		return Undefined(x.X)
	case *ast.Unary:
		return Undefined(x.X)
	case *ast.Binary:
		switch x.Op {
		case "&&", "||":
			return either(Undefined(x.X), Undefined(x.Y))
		case "==", "!=", "<", "<=", ">", ">=":
			return either(notItself(x.X), notItself(x.Y))
		}
	}
	return nil
}

// notItself is x != x, which holds of what is not a number alone.
func notItself(x ast.Expr) ast.Expr {
	return &ast.Binary{Place: ast.Place{At: x.Span()}, Op: "!=", OpAt: x.Span(), X: x, Y: x}
}

func either(x, y ast.Expr) ast.Expr {
	switch {
	case x == nil:
		return y
	case y == nil:
		return x
	}
	return &ast.Binary{Place: ast.Place{At: x.Span()}, Op: "||", OpAt: x.Span(), X: x, Y: y}
}
