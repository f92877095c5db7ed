package validate

import (
	"math"
	"slices"

	"ppl/autodiff"
	"ppl/compiler/frontend/model"
	"ppl/lang/diag"
)

// constantPredictor warns about a summand that is a parameter times data if the data factor is equal in all rows:
//
//	a + b * x[i]                          x is 2 in all rows: the data inform a + 2 b alone
//	a + b * (x[i] - mean(x)) / sd(x)      0 / 0
func (w *interceptFinder) constantPredictor(x model.Expr) {
	slope, known := slopeOf(x)
	if slope == nil || w.seen[slope] {
		return
	}
	read := w.constantData(known)
	if read == nil {
		return
	}
	value, ok := w.constant(known)
	if !ok {
		return
	}
	w.seen[slope] = true
	text, all := known.Info().At.Text(), w.e.Data.Arrays[read].Values.At(0)
	switch {
	case math.IsNaN(value):
		w.e.Diags.Warnf(diag.ConstantPredictor, known.Info().At, "`%s` is not a number, since `%s` is %g in all rows",
			text, read.Name, all).Related(read.At, "the data").Help("leave the predictor out: its standard " +
			"deviation is 0")
	case value == 0:
		w.e.Diags.Warnf(diag.ConstantPredictor, known.Info().At, "`%s` is 0 in all rows, since `%s` is %g in all: the "+
			"data do not inform `%s`", text, read.Name, all, slope.Name).Related(read.At, "the data").Help(
			"leave the predictor out")
	default:
		w.e.Diags.Warnf(diag.ConstantPredictor, known.Info().At, "the predictor `%s` is %g in all rows: the data do "+
			"not distinguish `%s` from the other terms of the sum", text, value, slope.Name).Related(read.At,
			"the data").
			Help("omit it, or check whether this is the right column")
	}
}

// slopeOf returns the factors of a product of a parameter (or an element of one) and an expression of data, or nil.
func slopeOf(x model.Expr) (slope *model.Array, known model.Expr) {
	product, ok := x.(*model.Apply)
	if !ok || product.Name != "*" || len(product.Args) != 2 {
		return nil, nil
	}
	for k, factor := range product.Args {
		if sub, ok := factor.(*model.Subscript); ok {
			factor = sub.X
		}
		ref, ok := factor.(*model.Ref)
		if ok && ref.Array.Role == model.Parameter && product.Args[1-k].Info().Static {
			return ref.Array, product.Args[1-k]
		}
	}
	return nil, nil
}

// constantData returns a data array with several equal values that an expression reads. It returns nil if the
// expression reads other arrays of data.
func (w *interceptFinder) constantData(x model.Expr) (found *model.Array) {
	for _, a := range readBy(x) {
		if a.Role != model.Data {
			continue
		}
		data, ok := w.e.Data.Arrays[a]
		switch {
		case !ok || data.Stream != nil || a.Missing:
			return nil
		case len(a.Type.Axes) == 0:
		case data.Values.Len() < 2 || a.IndexOf != nil:
			return nil
		default:
			first := data.Values.At(0)
			for _, v := range data.Values.All() {
				if v != first {
					return nil
				}
			}
			found = a
		}
	}
	return found
}

// constant returns the value that an expression has in all rows; ok is false if it varies or there is only one row.
func (w *interceptFinder) constant(x model.Expr) (value float64, ok bool) {
	v := w.e.Expr(x)
	if !v.Node.Static() {
		return 0, false
	}
	values := autodiff.Eval(nil, v.Node)[0]
	if len(v.Bound)+len(v.Axes) == 0 || len(values) < 2 {
		return 0, false
	}
	differs := func(y float64) bool { return y != values[0] && !(math.IsNaN(y) && math.IsNaN(values[0])) }
	return values[0], !slices.ContainsFunc(values, differs)
}
