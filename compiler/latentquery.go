package compiler

import (
	"math/rand/v2"
	"slices"

	"ppl/compiler/frontend/check"
	"ppl/compiler/frontend/model"
	"ppl/compiler/plan"
	"ppl/lang/ast"
	"ppl/lang/diag"
	"ppl/lang/source"
	"ppl/lang/types"
)

// A Completion is a question about discrete unknowns, which a run sums out and does not save. It is answered like
// `generate answer = …` in the model: given a draw of the parameters, the unknowns are drawn jointly (or their
// probabilities or jointly most probable values are computed) and the expression is evaluated. With the same random
// numbers as the run's generate statements, the unknowns are the same as in these statements.
type Completion struct {
	program *Program
	at      [2]int // positions of the answer and of its condition among the values of a draw
	size    [2]int // number of values of each; 0 for no condition
}

// readsLatents reports whether expressions read discrete unknowns that a run does not save.
func readsLatents(saved []types.Variable, xs []model.Expr) (found bool) {
	seen := map[*model.Array]bool{}
	var read func(x model.Expr)
	read = func(x model.Expr) {
		model.Walk(x, func(x model.Expr) {
			switch x := x.(type) {
			case *model.Probability, *model.Mode:
				found = true
			case *model.Ref:
				a := x.Array
				if seen[a] || slices.ContainsFunc(saved, func(v types.Variable) bool { return v.Name == a.Name }) {
					return
				}
				seen[a] = true
				found = found || a.Role == model.Latent
				if a.Role == model.Definition {
					for _, p := range a.Pieces {
						read(p.Value)
					}
				}
			}
		})
	}
	for _, x := range xs {
		read(x)
	}
	return found
}

// answerName returns the name of the answer (k = 0) or of the condition (k = 1). The space keeps it distinct from all
// names of models.
func answerName(k int) string { return []string{"answer ", "condition "}[k] }

// complete adds expressions to the model as generated quantities, and compiles it. The variable describes the first
// expression.
func (q *Inquiry) complete(xs []ast.Expr) (*Completion, types.Variable, []diag.Diagnostic) {
	f := *q.file
	f.Stmts = q.statements()
	for k, x := range xs {
		head := &ast.Head{Place: ast.Place{At: x.Span()}, Path: []ast.Ident{ident(answerName(k), x.Span())}}
		f.Stmts = append(f.Stmts, &ast.Define{Place: ast.Place{At: x.Span()}, Generate: true, Heads: []*ast.Head{head},
			Value: x})
	}
	m, ds := check.File(&f, importLoader())
	ds = errorsAmong(ds)
	if diag.HasErrors(ds) {
		return nil, types.Variable{}, ds
	}
	p, ds := plan.NewPlan(q.data.For(m))
	ds = errorsAmong(ds)
	if diag.HasErrors(ds) {
		return nil, types.Variable{}, ds
	}
	late := p.NewCompleterOf(func(name string) bool { return name == answerName(0) || name == answerName(1) })
	c, v := &Completion{program: &Program{Plan: p, after: late}}, types.Variable{}
	at := 0
	for _, s := range p.Saved() {
		for k := range xs {
			if s.Name == answerName(k) {
				c.at[k], c.size[k] = at, s.Size()
			}
		}
		if s.Name == answerName(0) {
			v = s
		}
		at += s.Size()
	}
	v.Name = ""
	return c, v, nil
}

func ident(name string, at source.Span) ast.Ident {
	return ast.Ident{Place: ast.Place{At: at}, Name: name}
}

// Saved describes the values of a draw; Answer takes its parameters as input.
func (c *Completion) Saved() []types.Variable { return c.program.Saved() }

// Answer completes a draw with the layout of Saved. It returns the elements of the answer, and the condition, which is
// empty if there is none.
func (c *Completion) Answer(r *rand.Rand, values []float64) (elements, condition []float64) {
	c.program.Complete(r, values)
	return values[c.at[0] : c.at[0]+c.size[0]], values[c.at[1] : c.at[1]+c.size[1]]
}
