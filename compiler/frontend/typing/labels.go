package typing

import (
	"ppl/compiler/frontend/model"
	"ppl/lang/ast"
	"ppl/lang/diag"
	"ppl/lang/types"
)

// Label returns an expression for the element of a set with a given name; data determine its position.
func Label(set *model.Set, text *ast.String) model.Expr {
	return &model.Label{Set: set, Text: text.Value, Fact: model.Fact{At: text.Span(), Static: true,
		Type: model.Type{Elem: types.Int, Range: set.Values()}}}
}

// LabelOf returns an expression for the element with label text of the index set of x, or poison after an error.
func (c *Context) LabelOf(x model.Expr, text *ast.String) model.Expr {
	if IsPoison(x) {
		return Poison(text)
	}
	if set := indexedSet(x); set != nil {
		return Label(set, text)
	}
	c.Errorf(diag.WrongKind, text.Span(), "`%s` cannot be compared with a label: its values are not elements of an "+
		"index set", x.Info().At.Text()).
		Help("compare an index, or data of type index: `data sex[N]: index(S)`")
	return Poison(text)
}

// indexedSet returns the set of an index, or of data of type index(J), or nil for other values.
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
