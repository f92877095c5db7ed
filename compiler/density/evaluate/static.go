package evaluate

import (
	"ppl/autodiff"
	"ppl/compiler/datasets/dataset"
	"ppl/compiler/frontend/model"
	"ppl/lang/diag"
	"ppl/lang/types"
)

// Static evaluates an expression that depends on data only. It can be called while data are being bound, when some
// sizes are not determined yet.
func Static(b *dataset.Dataset, x model.Expr) (shape []int, values []float64, ds []diag.Diagnostic) {
	var diags diag.List
	defer func() { ds = diags.All() }()
	defer Recover()
	e := New(autodiff.New(), b, nil, NoSource{}, &diags)
	v := e.Expr(x)
	return v.Node.Shape(), autodiff.Eval(nil, v.Node)[0], nil
}

// SetBox returns the smallest range that contains a set.
func SetBox(b *dataset.Dataset, s *model.Set) (ends [2]int, ds []diag.Diagnostic) {
	var diags diag.List
	defer func() { ds = diags.All() }()
	defer Recover()
	box := New(autodiff.New(), b, nil, NoSource{}, &diags).Box(s)
	return [2]int{box.Lo, box.Hi}, nil
}

// SetSize returns the number of elements of a set.
func SetSize(b *dataset.Dataset, s *model.Set) (int, []diag.Diagnostic) {
	ends, ds := SetBox(b, s)
	return Box{ends[0], ends[1]}.Size(), ds
}

// Describe returns the description of an array as it is stored in a run directory.
func Describe(d *dataset.Dataset, a *model.Array) (v types.Variable, ds []diag.Diagnostic) {
	var diags diag.List
	defer func() { ds = diags.All() }()
	defer Recover()
	return New(autodiff.New(), d, nil, NoSource{}, &diags).Describe(a), nil
}
