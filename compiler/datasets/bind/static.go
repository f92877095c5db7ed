package bind

import (
	"math"

	"ppl/compiler/datasets/dataset"
	"ppl/compiler/density/evaluate"
	"ppl/compiler/frontend/model"
	"ppl/lang/diag"
)

// static evaluates an expression that depends on the data that are known so far.
func static(d *dataset.Dataset, x model.Expr) (shape []int, values []float64, ds []diag.Diagnostic) {
	return evaluate.Static(d, x)
}

// number evaluates a scalar; if that is impossible, it reports an error and returns NaN.
func number(d *dataset.Dataset, diags *diag.List, x model.Expr) float64 {
	_, values, ds := static(d, x)
	diags.Add(ds...)
	if len(values) == 0 {
		return math.NaN()
	}
	return values[0]
}
