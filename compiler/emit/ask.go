package emit

import (
	"slices"

	"ppl/autodiff"
	"ppl/compiler/dataset"
	"ppl/compiler/model"
	"ppl/lang/diag"
	"ppl/lang/types"
)

// Asked is expressions as functions of saved draws: Values, described by Variables, in a graph whose inputs are Reads.
type Asked struct {
	Values    []Node
	Variables []types.Variable
	Reads     []types.Variable
}

// Ask emits expressions about draws. The arrays that a run saved are inputs of the graph by their names; definitions are
// evaluated from them, as in the model.
func Ask(d *dataset.Dataset, saved []types.Variable, xs []model.Expr) (asked Asked, ds []diag.Diagnostic) {
	var diags diag.List
	defer func() { ds = diags.All() }()
	defer Recover()
	source := savedDraws{arrays: map[*model.Array]value{}, pieces: map[*model.Piece]value{}}
	e := newEmitter(autodiff.New(), d, nil, source, &diags)
	e.fromDraws(source, saved, xs, &asked)
	if diags.HasErrors() {
		return Asked{}, nil
	}
	for _, x := range xs {
		v := e.expr(x)
		asked.Values = append(asked.Values, autodiff.Reshape(v.node, v.node.Size()))
		asked.Variables = append(asked.Variables, e.variable(&model.Array{Type: x.Info().Type}))
	}
	return asked, nil
}

// A savedDraws is the source of arrays that a run kept.
type savedDraws struct {
	NoSource
	arrays map[*model.Array]value
	pieces map[*model.Piece]value // the missing entries of imputed arrays
}

// Array is an array that was kept.
func (s savedDraws) Array(_ *emitter, a *model.Array) (value, bool) {
	v, ok := s.arrays[a]
	return v, ok
}

// Piece is the missing entries of an array.
func (s savedDraws) Piece(_ *emitter, p *model.Piece) (value, bool) {
	v, ok := s.pieces[p]
	return v, ok
}

// fromDraws makes inputs of the saved arrays that expressions read, and refuses what no run keeps.
func (e *emitter) fromDraws(source savedDraws, saved []types.Variable, xs []model.Expr, asked *Asked) {
	seen := map[*model.Array]bool{}
	var read func(x model.Expr)
	array := func(x model.Expr, a *model.Array) {
		if seen[a] {
			return
		}
		seen[a] = true
		kept := slices.IndexFunc(saved, func(v types.Variable) bool { return v.Name == a.Name })
		switch {
		case a.Role == model.Imputed && len(e.data.Imputed[a].At) == 0 || a.Role == model.Data:
		case kept >= 0:
			e.input(source, x, a, saved[kept])
			asked.Reads = append(asked.Reads, saved[kept])
		case a.Role == model.Definition:
			for _, p := range a.Pieces {
				read(p.Value)
			}
		default:
			e.notKept(x, a)
		}
	}
	read = func(x model.Expr) {
		model.Walk(x, func(x model.Expr) {
			switch x := x.(type) {
			case *model.Ref:
				array(x, x.Array)
			case *model.Probability:
				array(x, x.Latent)
			case *model.Mode:
				array(x, x.Latent)
			}
		})
	}
	for _, x := range xs {
		read(x)
	}
}

// notKept refuses what can be had only where the model asks for it.
func (e *emitter) notKept(x model.Expr, a *model.Array) {
	text := x.Info().At.Text()
	e.diags.Errorf("E87", x.Info().At, "the run keeps no draws of `%s`", a.Name).Related(a.At, "it is a %s", a.Role).
		Help("keep what is wanted of it in the model, such as `generate kept = %s`, and sample again", text)
}

// input makes an array, or the missing entries of an imputed one, an input of the graph.
func (e *emitter) input(source savedDraws, x model.Expr, a *model.Array, v types.Variable) {
	of := a
	if a.Role == model.Imputed {
		of = e.data.Imputed[a].Param
	}
	if shape := e.shape(nil, of.Type.Axes); !slices.Equal(shape, v.Shape) {
		e.fail("E47", x, "`%s` has the shape %v with these data, and %v in the run", a.Name, shape, v.Shape)
	}
	n := e.g.Input(v.Name, v.Shape...)
	if of == a {
		source.arrays[a] = value{n, nil, a.Type.Axes}
		return
	}
	h := e.data.Imputed[a]
	source.pieces[h.Piece] = value{n, h.Piece.Plates, nil}
}

// IsTruth reports whether an expression's elements are true or false.
func IsTruth(x model.Expr) bool { return x.Info().Type.Elem == types.Bool }
