package typing

import (
	"math"
	"strconv"

	"ppl/compiler/frontend/model"
	"ppl/lang/ast"
	"ppl/lang/types"
	"ppl/stdlib"
)

// Poison replaces an expression whose error was already reported, so that its uses report no further error.
func Poison(at ast.Node) model.Expr {
	return &model.Num{Value: math.NaN(), Fact: model.Fact{At: at.Span(), Static: true,
		Type: model.Type{Range: stdlib.Everything()}}}
}

// IsPoison reports whether an expression had an error.
func IsPoison(e model.Expr) bool {
	n, ok := e.(*model.Num)
	return ok && math.IsNaN(n.Value)
}

func anyPoison(es ...model.Expr) bool {
	for _, e := range es {
		if IsPoison(e) {
			return true
		}
	}
	return false
}

// Number returns an expression for a number.
func Number(v float64, at ast.Node) model.Expr {
	elem := types.Real
	if v == math.Trunc(v) {
		elem = types.Int
	}
	return &model.Num{Value: v, Fact: model.Fact{At: at.Span(), Static: true,
		Type: model.Type{Elem: elem, Range: stdlib.Range{Lo: v, Hi: v, Int: elem == types.Int}}}}
}

// IndexVar returns an expression that reads an index.
func IndexVar(i *model.Index, at ast.Node) model.Expr {
	return model.IndexValue(i, at.Span())
}

// AllStatic reports whether all expressions depend on data only.
func AllStatic(args ...model.Expr) bool {
	for _, a := range args {
		if !a.Info().Static {
			return false
		}
	}
	return true
}

// IsNumber reports whether the value of an expression is known without data.
func IsNumber(x model.Expr) bool {
	r := x.Info().Type.Range
	return x.Info().Static && r.Lo == r.Hi
}

// DataOf returns the data array if e is data or an element of data, or nil.
func DataOf(e model.Expr) *model.Array {
	switch e := e.(type) {
	case *model.Ref:
		if e.Array.Role == model.Data {
			return e.Array
		}
	case *model.Subscript:
		return DataOf(e.X)
	}
	return nil
}

// SetSize returns the number of elements of a set as an expression; for the range 1..m[i] it is m[i].
func SetSize(s *model.Set, at ast.Node) model.Expr {
	if lo, number := s.Lo.(*model.Num); number && lo.Value == 1 && len(s.Ragged) > 0 {
		return model.Copy(s.Hi)
	}
	return &model.SetSize{Set: s, Fact: model.Fact{At: at.Span(), Static: true,
		Type: model.Type{Elem: types.Int, Range: stdlib.Range{Lo: 0, Hi: math.Inf(1), Int: true}}}}
}

// sizeText writes the number of elements of a set: N, or (T - 2 + 1) for 2..T.
func sizeText(s *model.Set) string {
	n := model.AffineOf(s.Hi).Minus(model.AffineOf(s.Lo)).Plus(model.Affine{Const: 1})
	switch lo := model.AffineOf(s.Lo); {
	case n.IsConst():
		return strconv.FormatFloat(n.Const, 'g', -1, 64)
	case lo.IsConst() && lo.Const == 1:
		return s.Hi.Info().At.Text()
	}
	return "(" + s.Hi.Info().At.Text() + " - " + s.Lo.Info().At.Text() + " + 1)"
}

// HasPoison reports whether one of the slots had an error.
func HasPoison(slots []model.Slot) bool {
	for _, s := range slots {
		if s.At != nil && IsPoison(s.At) {
			return true
		}
	}
	return false
}
