package plan

import (
	"slices"

	"ppl/autodiff"
	"ppl/compiler/datasets/dataset"
	"ppl/compiler/density/evaluate"
	"ppl/compiler/frontend/model"
	"ppl/compiler/validate"
	"ppl/lang/diag"
	"ppl/lang/types"
)

// An Asked is a graph that computes expressions from saved draws. Variables describes Values; Reads are the inputs.
type Asked struct {
	Values    []autodiff.Node
	Variables []types.Variable
	Reads     []types.Variable
}

// Ask builds the graph of expressions about draws. Its inputs are saved arrays, by name; definitions are computed from
// them as in the model.
func Ask(d *dataset.Dataset, saved []types.Variable, xs []model.Expr) (asked Asked, ds []diag.Diagnostic) {
	var diags diag.List
	defer func() { ds = diags.All() }()
	defer evaluate.Recover()
	source := savedDraws{arrays: map[*model.Array]evaluate.Value{}, pieces: map[*model.Piece]evaluate.Value{}}
	e := evaluate.New(autodiff.New(), d, nil, source, &diags)
	fromDraws(e, source, saved, xs, &asked)
	if diags.HasErrors() {
		return Asked{}, nil
	}
	validate.CheckInsideOf(e, d.Model, xs)
	for _, x := range xs {
		v := e.Expr(x)
		asked.Values = append(asked.Values, autodiff.Reshape(v.Node, v.Node.Size()))
		asked.Variables = append(asked.Variables, e.Describe(&model.Array{Type: x.Info().Type}))
	}
	return asked, nil
}

// A savedDraws is a source for arrays that a run saved.
type savedDraws struct {
	evaluate.NoSource
	arrays map[*model.Array]evaluate.Value
	pieces map[*model.Piece]evaluate.Value // missing entries of imputed arrays
}

// Array returns a saved array.
func (s savedDraws) Array(_ *evaluate.Evaluator, a *model.Array) (evaluate.Value, bool) {
	v, ok := s.arrays[a]
	return v, ok
}

// Piece returns the missing entries of an array.
func (s savedDraws) Piece(_ *evaluate.Evaluator, p *model.Piece) (evaluate.Value, bool) {
	v, ok := s.pieces[p]
	return v, ok
}

// fromDraws creates inputs of the graph for the saved arrays that expressions read.
func fromDraws(e *evaluate.Evaluator, source savedDraws, saved []types.Variable, xs []model.Expr, asked *Asked) {
	seen := map[*model.Array]bool{}
	var read func(x model.Expr)
	array := func(x model.Expr, a *model.Array) {
		if seen[a] {
			return
		}
		seen[a] = true
		kept := slices.IndexFunc(saved, func(v types.Variable) bool { return v.Name == a.Name })
		switch {
		case a.Role == model.Imputed && len(e.Data.Imputed[a].At) == 0 || a.Role == model.Data:
		case kept >= 0:
			inputOf(e, source, x, a, saved[kept])
			asked.Reads = append(asked.Reads, saved[kept])
		case a.Role == model.Definition:
			for _, p := range a.Pieces {
				read(p.Value)
			}
		default:
			e.Fail(diag.SizesDiffer, x, "the run has no draws of `%s`: --keep left it out, or the model has "+
				"changed since", a.Name)
		}
	}
	read = func(x model.Expr) {
		model.Walk(x, func(x model.Expr) {
			if ref, ok := x.(*model.Ref); ok {
				array(x, ref.Array)
			}
		})
	}
	for _, x := range xs {
		read(x)
	}
}

// inputOf creates an input for an array, or for the missing entries of an imputed array.
func inputOf(e *evaluate.Evaluator, source savedDraws, x model.Expr, a *model.Array, v types.Variable) {
	of := a
	if a.Role == model.Imputed {
		of = e.Data.Imputed[a].Param
	}
	if shape := e.Shape(nil, of.Type.Axes); !slices.Equal(shape, v.Shape) {
		e.Fail(diag.SizesDiffer, x, "`%s` has the shape %v with these data, and %v in the run", a.Name, shape, v.Shape)
	}
	n := e.Graph.Input(v.Name, v.Shape...)
	if of == a {
		source.arrays[a] = evaluate.Value{Node: n, Axes: a.Type.Axes}
		return
	}
	h := e.Data.Imputed[a]
	source.pieces[h.Piece] = evaluate.Value{Node: n, Bound: h.Piece.Plates}
}

// IsTruth reports whether an expression's elements are booleans.
func IsTruth(x model.Expr) bool { return x.Info().Type.Elem == types.Bool }
