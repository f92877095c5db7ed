package plan

import (
	"math"
	"slices"

	"ppl/autodiff"
	"ppl/compiler/density/evaluate"
	"ppl/compiler/density/marginalize"
	"ppl/compiler/frontend/model"
)

// An Order is a parameter whose elements are ordered, and the factor that normalises its density.
//
//	m[k in 1..3] ~ Normal(0, 1) ordered    the density is 3! times that of three independent elements, which are in
//	                                       this order with probability 1/3!: its integral is 1
//
// If the elements have different distributions, the integral is not known and Log is 0.
type Order struct {
	Parameter string
	Size      int // length of a vector
	Vectors   int
	Known     bool
	Log       float64 // log Size! times Vectors
}

// Orders lists the parameters whose elements are ordered.
func (p *Plan) Orders() (all []Order) {
	var e *evaluate.Evaluator
	for _, r := range p.layout.Regions {
		if !r.Term.Ordered {
			continue
		}
		if e == nil {
			theta := autodiff.New().Input("theta", p.Dim())
			e = p.layout.Evaluator(theta.Graph(), marginalize.Over(p.layout.Theta(theta)))
		}
		last := r.Term.Plates[len(r.Term.Plates)-1]
		o := Order{Parameter: r.Term.Array.Name, Size: e.Box(last.Set).Size(),
			Vectors: evaluate.Product(e.Shape(r.Plates, nil)), Known: alike(e, r.Term, last)}
		if o.Known {
			log, _ := math.Lgamma(float64(o.Size) + 1)
			o.Log = log * float64(o.Vectors)
		}
		all = append(all, o)
	}
	return all
}

// ordered adds to a log prior the constants that normalise the densities of ordered parameters.
func (p *Plan) ordered(prior autodiff.Node) autodiff.Node {
	for _, o := range p.Orders() {
		if o.Log != 0 {
			prior = autodiff.Add(prior, prior.Graph().Const(o.Log))
		}
	}
	return prior
}

// UnknownMass returns a parameter whose prior is not known to integrate to 1, or "" if there is none.
func (p *Plan) UnknownMass() string {
	if name := p.unnormalised(); name != "" {
		return name
	}
	for _, o := range p.Orders() {
		if !o.Known {
			return o.Parameter
		}
	}
	return ""
}

// alike reports whether the distribution of a term is the same at all values of an index. The bounds of ordered
// elements always are.
func alike(e *evaluate.Evaluator, t *model.Term, index *model.Index) bool {
	return !slices.ContainsFunc(t.Args, func(x model.Expr) bool { return slices.Contains(e.Expr(x).Bound, index) })
}

// unnormalised returns a parameter with an improper prior or a prior density given by a formula, or "" if there is
// none.
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
