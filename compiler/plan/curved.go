package plan

import (
	"slices"

	"ppl/compiler/model"
)

// curved reports whether a value is a curved function of parameters, as far as its form shows: 2 * x[t-1] + b is not,
// x[t-1]^2 and x * y are.
func curved(x model.Expr) bool {
	c := curvature{seen: map[*model.Array]bool{}}
	return !c.affine(x)
}

// A curvature walks the definitions that a value reads, each once.
type curvature struct{ seen map[*model.Array]bool }

func (c curvature) affine(x model.Expr) bool {
	if x.Info().Static {
		return true
	}
	switch x := x.(type) {
	case *model.Ref:
		return c.affineArray(x.Array)
	case *model.Subscript:
		return c.allAffine(x.Children())
	case *model.Apply:
		return c.affineApply(x)
	case *model.Cond:
		return x.If.Info().Static && c.affine(x.Then) && c.affine(x.Else)
	case *model.MatMul:
		return x.X.Info().Static && c.affine(x.Y) || x.Y.Info().Static && c.affine(x.X)
	case *model.Build:
		return c.affine(x.Body)
	case *model.Reduce:
		return x.Row.Name == "sum" && c.affine(x.X)
	}
	return false
}

func (c curvature) affineApply(x *model.Apply) bool {
	constant := func(a model.Expr) bool { return a.Info().Static }
	switch x.Name {
	case "+", "-":
		return c.allAffine(x.Args)
	case "*":
		return slices.ContainsFunc(x.Args, constant) && c.allAffine(x.Args)
	case "/":
		return constant(x.Args[1]) && c.affine(x.Args[0])
	}
	return false
}

func (c curvature) allAffine(xs []model.Expr) bool {
	for _, x := range xs {
		if !c.affine(x) {
			return false
		}
	}
	return true
}

// affineArray is true of a parameter, and of a definition whose pieces are affine. One that is being looked at reads
// itself, and is what its other parts are.
func (c curvature) affineArray(a *model.Array) bool {
	if c.seen[a] || a.Role != model.Definition {
		return true
	}
	c.seen[a] = true
	for _, p := range a.Pieces {
		if p.Value != nil && !c.affine(p.Value) {
			return false
		}
	}
	return true
}
