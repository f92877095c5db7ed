package check

import (
	"ppl/compiler/frontend/model"
	"ppl/lang/ast"
	"ppl/lang/diag"
	"ppl/lang/types"
)

// label is the element of a set that has a name; data say which it is.
func label(set *model.Set, text *ast.String) model.Expr {
	return &model.Label{Set: set, Text: text.Value, Fact: model.Fact{At: text.Span(), Static: true,
		Type: model.Type{Elem: types.Int, Range: set.Values()}}}
}

// labelled is a comparison of an index with the name of an element: sex[i] == "M".
func (c *checker) labelled(s *scope, e *ast.Binary) (x, y model.Expr, ok bool) {
	if e.Op != "==" && e.Op != "!=" {
		return nil, nil, false
	}
	left, isLeft := e.X.(*ast.String)
	right, isRight := e.Y.(*ast.String)
	switch {
	case isRight && !isLeft:
		x = c.expr(s, e.X)
		y = c.labelOf(x, right)
	case isLeft && !isRight:
		y = c.expr(s, e.Y)
		x = c.labelOf(y, left)
	default:
		return nil, nil, false
	}
	return x, y, true
}

// labelOf is a name among those of the set whose elements x numbers.
func (c *checker) labelOf(x model.Expr, text *ast.String) model.Expr {
	if isPoison(x) {
		return poison(text)
	}
	if set := indexedSet(x); set != nil {
		return label(set, text)
	}
	c.errorf(diag.WrongKind, text.Span(), "`%s` does not number the elements of an index set, so it has no names to "+
		"compare with", x.Info().At.Text()).
		Help("compare an index, or data that are declared with one: `data sex[N]: index(S)`")
	return poison(text)
}

// indexedSet is the set that an index or data of type index(J) range over; nil for other values.
func indexedSet(x model.Expr) *model.Set {
	switch x := x.(type) {
	case *model.IndexVar:
		return x.Index.Set
	case *model.Ref:
		return x.Array.IndexOf
	case *model.Subscript:
		return indexedSet(x.X)
	}
	return nil
}
