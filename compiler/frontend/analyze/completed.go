package analyze

import (
	"ppl/compiler/frontend/model"
)

// CompleteMissing finds discrete data whose missing entries only quantities drawn after inference read. These entries
// need not be summed out, since their probabilities sum to 1. They are drawn from their distribution at each draw of
// the parameters, so they may have infinitely many values. In
//
//	data n[T, D] missing
//	n[t in T, d in D] ~ Poisson(lambda[t] * p[d])
//	generate total[t in T] = sum(n[t])
//
// n becomes data without the missing entries. total reads another array, which holds the observed counts and, in place
// of the missing ones, drawn counts.
func CompleteMissing(m *model.Model) {
	read := model.Reached(m.PosteriorExprs()...)
	for _, a := range m.Arrays {
		if a.Role == model.Latent && a.Missing && !read[a] && !isQueried(m, a) {
			complete(m, a)
		}
	}
}

// isQueried reports whether the model contains a probability or the mode of a latent.
func isQueried(m *model.Model, latent *model.Array) (found bool) {
	eachExpr(m, func(x model.Expr) {
		switch x := x.(type) {
		case *model.Mode:
			found = found || x.Latent == latent
		case *model.Probability:
			found = found || x.Latent == latent
		}
	})
	return found
}

// eachExpr visits the expressions of terms and definitions, and all their subexpressions.
func eachExpr(m *model.Model, visit func(model.Expr)) {
	for _, t := range m.Terms {
		for _, x := range t.Exprs() {
			model.Walk(x, visit)
		}
	}
	for _, a := range m.Arrays {
		for _, p := range a.Pieces {
			model.Walk(p.Value, visit)
		}
	}
}

// complete makes a latent data again, and replaces all reads of it by reads of the completed array, which it creates.
func complete(m *model.Model, a *model.Array) {
	drawn := &model.Array{Name: a.Name, At: a.At, Role: model.Generated, Type: a.Type, NeedInt: a.NeedInt}
	completed := &model.Array{Name: a.Name, At: a.At, Role: model.Definition, Type: a.Type, NeedInt: a.NeedInt,
		Completes: a, Pieces: []*model.Piece{{At: a.At, Value: &model.Ref{Array: drawn,
			Fact: model.Fact{At: a.At, Type: a.Type}}}}}
	eachExpr(m, func(x model.Expr) {
		if ref, ok := x.(*model.Ref); ok && ref.Array == a {
			ref.Array = completed
		}
	})
	var draws []*model.Term
	for _, t := range m.Terms {
		if t.Kind == model.LatentPrior && t.Array == a {
			t.Kind = model.Likelihood
			draws = append(draws, replica(t, drawn))
		}
	}
	a.Role, a.Pieces = model.Data, nil
	m.Terms = append(draws, m.Terms...)
	m.Arrays = append(m.Arrays, drawn, completed)
}
