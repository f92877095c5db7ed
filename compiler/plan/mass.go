package plan

import (
	"math"
	"slices"

	"ppl/autodiff"
	"ppl/compiler/density/evaluate"
	"ppl/compiler/density/marginalize"
	"ppl/compiler/frontend/model"
)

// PriorMass is the logarithm of the integral of the prior as it is evaluated. It is 0 but for `ordered` elements: in
//
//	m[k in 1..3] ~ Normal(0, 1) ordered
//
// the density is that of three independent elements, which are in order with probability 1/3!. Where the integral is
// not known, unknown is a parameter that is the reason.
func (p *Plan) PriorMass() (log float64, unknown string) {
	if name := p.unnormalised(); name != "" {
		return 0, name
	}
	theta := autodiff.New().Input("theta", p.Dim())
	e := p.layout.Evaluator(theta.Graph(), marginalize.Over(p.layout.Theta(theta)))
	for _, r := range p.layout.Regions {
		if !r.Term.Ordered {
			continue
		}
		last := r.Term.Plates[len(r.Term.Plates)-1]
		if !alike(e, r.Term, last) {
			return 0, r.Term.Array.Name
		}
		n := e.Box(last.Set).Size()
		orders, _ := math.Lgamma(float64(n) + 1)
		log -= orders * float64(evaluate.Product(e.Shape(r.Plates, nil)))
	}
	return log, ""
}

// alike reports whether the distribution of a term is the same at all values of an index. Bounds of ordered elements
// always are.
func alike(e *evaluate.Evaluator, t *model.Term, index *model.Index) bool {
	return !slices.ContainsFunc(t.Args, func(x model.Expr) bool { return slices.Contains(e.Expr(x).Bound, index) })
}

// unnormalised is a parameter whose prior is improper, or a density of the user's; empty where there is none.
func (p *Plan) unnormalised() string {
	for _, r := range p.layout.Regions {
		if r.Term.Dist == nil || r.Term.Dist.Improper {
			return r.Term.Array.Name
		}
	}
	for _, t := range p.layout.Data.Model.Terms {
		if t.Kind == model.Prior && t.Density != nil {
			return t.Array.Name
		}
	}
	return ""
}
