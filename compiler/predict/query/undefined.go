package query

import (
	"ppl/lang/ast"
)

// Undefined returns an expression that is true if the condition compares a value that is not a number (NaN), so that
// callers can distinguish this from a condition that is false:
//
//	log(mu) > 1 && !(s == 0)    log(mu) != log(mu) || 1 != 1 || s != s || 0 != 0
//
// It returns nil if the condition contains no comparison.
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

// notItself returns x != x, which is true only for NaN.
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
