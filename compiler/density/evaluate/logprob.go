package evaluate

import (
	"slices"

	"ppl/autodiff"
	"ppl/compiler/frontend/model"
	"ppl/lang/diag"
	"ppl/lang/types"
	"ppl/stdlib"
)

// vectorLogprob returns the log density of one multivariate value: all own axes of x and of the arguments belong to it.
func (e *Evaluator) vectorLogprob(x *model.LogProb, f func(x Node, args []Node) Node) Value {
	at, args := e.Expr(x.X), e.Exprs(x.Args)
	e.ArgumentSizes(x.Dist, x.Form, x.Args, x.X.Info().At.Text(), at, args)
	bound := Union(append([]Value{at}, args...)...)
	nodes := make([]Node, len(args))
	for i, a := range args {
		nodes[i] = e.AlignLoosely(a, bound, a.Axes)
	}
	return e.Full(f(e.AlignLoosely(at, bound, at.Axes), nodes), bound, nil)
}

func (e *Evaluator) logprob(x *model.LogProb) Value {
	f := x.Form.LogProb
	switch x.Name {
	case "logcdf":
		f = x.Form.LogCDF
	case "quantile":
		f = x.Form.Quantile
	case "cdf":
		f = func(v Node, args []Node) Node {
			if p := x.Form.LogCDF(v, args); p.Valid() {
				return autodiff.Exp(p)
			}
			return Node{}
		}
	}
	if x.OfVectors() {
		return e.vectorLogprob(x, f)
	}
	args := append(slices.Clone(x.Args), x.X)
	return e.elementwise(x, e.Exprs(args), func(n []Node) Node {
		p := f(n[len(n)-1], n[:len(n)-1])
		e.notInStep(x, x.Name)
		if !p.Valid() {
			e.Fail(diag.NoCDF, x, "the distribution function of %s is a sum whose length depends on a parameter here",
				x.Dist.Name)
		}
		return p
	})
}

// ArgumentSizes reports an error if the size of a vector or matrix argument does not match the event of x; `text` is x
// as written in the model. Arguments of integers (pairs of neighbours) have independent sizes.
func (e *Evaluator) ArgumentSizes(d *stdlib.Dist, f *stdlib.Form, exprs []model.Expr, text string, x Value,
	args []Value) {
	event := x.ShapeOfAxes()
	for i, a := range args {
		form := f.Args[i]
		if n := a.ShapeOfAxes(); form.Size > 0 && len(n) > 0 && n[len(n)-1] != form.Size {
			e.Stop(e.Diags.Errorf(diag.AxesDiffer, exprs[i].Info().At, "`%s` of %s has %d elements for %d "+
				"distributions", form.Name, d.Name, n[len(n)-1], form.Size))
		}
		if form.Rank == 0 || len(event) == 0 || form.Domain.Kind == types.IntRange {
			continue
		}
		sizes := a.ShapeOfAxes()
		if form.Columns && len(sizes) > 0 {
			sizes = sizes[:len(sizes)-1]
		}
		for _, n := range sizes {
			if !slices.Contains(event, n) {
				e.Stop(e.Diags.Errorf(diag.AxesDiffer, exprs[i].Info().At,
					"`%s` of %s has an axis of %d elements, but `%s` has %d", form.Name, d.Name, n, text,
					event[len(event)-1]).
					Help("give both the same size: `%s` of `%s` needs one element for each element of `%s`", form.Name,
						d.Name,
						text))
			}
		}
	}
}
