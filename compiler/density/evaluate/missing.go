package evaluate

import (
	"math"

	"ppl/autodiff"
	"ppl/compiler/frontend/model"
)

// imputed returns data with the parameter of its missing values inserted.
func (e *Evaluator) imputed(a *model.Array) Value {
	h, seen := e.Data.Imputed[a], e.DataArray(a)
	if len(h.At) == 0 {
		return seen
	}
	number := make([]float64, seen.Node.Size())
	for k, i := range h.At {
		number[i] = float64(k)
	}
	at := e.Graph.Data(a.Name+" missing", number, seen.Node.Shape()...)
	return Value{autodiff.Where(e.Observed(a).Node, seen.Node, autodiff.Gather(e.Piece(h.Param, h.Piece).Node,
		at)), nil, a.Type.Axes}
}

// Observed returns a value that is 1 where an array has data, and 0 where values are missing.
func (e *Evaluator) Observed(a *model.Array) Value {
	d := e.Data.Arrays[a]
	mask := make([]float64, d.Values.Len())
	for i, v := range d.Values.All() {
		if !math.IsNaN(v) {
			mask[i] = 1
		}
	}
	return Value{e.Graph.Data(a.Name+" observed", mask, d.Shape...), nil, a.Type.Axes}
}
