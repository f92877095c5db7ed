package analyze

import (
	"slices"
	"strings"

	"ppl/compiler/frontend/model"
	"ppl/lang/diag"
)

// Signs warns if the data do not determine a sign: if some parameters can change sign together without changing the
// joint density, the posterior is symmetric, and their posterior means, if they exist, are 0 for all data. In
//
//	slope[I], ability[P], hard[I] ~ Normal(0, 1)
//	right[p in P, i in I] ~ Bernoulli(logits = slope[i] * (ability[p] - hard[i]))
//
// the three arrays can change sign together. Each array of the model has an unknown bit that is 1 if it changes
// sign. Each expression has a parity, a sum of bits modulo 2: a product adds the parities of its factors, the operands
// of a sum must have the same parity, and the arguments of an exponential or of an observation's distribution must not
// change. A nonzero solution of these equations is such a symmetry. Signs fills Model.Mirrors with a basis of the
// solutions.
func Signs(m *model.Model, diags *diag.List) {
	p := &parities{bits: map[*model.Array]int{}, fixed: weightsOf(m)}
	for _, a := range m.Arrays {
		if a.Role == model.Parameter || a.Role == model.Definition {
			p.bit(a)
		}
	}
	for _, t := range m.Terms {
		if t.Kind == model.Likelihood || t.Kind == model.LatentPrior {
			p.unchanged(t.Exprs()...)
		}
	}
	informed := reachedByData(m)
	m.Mirrors = p.solutions()
	for _, flipped := range m.Mirrors {
		if slices.ContainsFunc(flipped, func(a *model.Array) bool { return informed[a] }) {
			warnSigns(diags, flipped)
		}
	}
}

func warnSigns(diags *diag.List, flipped []*model.Array) {
	names := make([]string, len(flipped))
	for i, a := range flipped {
		names[i] = "`" + a.Name + "`"
	}
	first := flipped[0]
	if len(flipped) == 1 {
		diags.Warnf(diag.UndeterminedSign, first.At, "the sign of %s is not determined: the density is the same with "+
			"the other sign, so the posterior has a mirror image", names[0]).
			Help("give it one sign: `%s ~ … in 0..inf`, or HalfNormal", first.Name)
		return
	}
	diags.Warnf(diag.UndeterminedSign, first.At, "the signs of %s are not determined: the density is the same if all "+
		"of them change, so the posterior has a mirror image", strings.Join(names, ", ")).
		Help("give one of them, or an element of it, one sign: `%s ~ … in 0..inf`, or LogNormal", first.Name)
}

// weightsOf returns the weights of networks. Their units may change sign by design, so no warning is given.
func weightsOf(m *model.Model) map[*model.Array]bool {
	out := map[*model.Array]bool{}
	for _, l := range m.Layers {
		for _, a := range l.Weights {
			out[a] = true
		}
	}
	return out
}

// parities collects the equations of the bits. Each equation states that a sum of bits is 0.
type parities struct {
	bits      map[*model.Array]int
	arrays    []*model.Array        // the array of each bit
	fixed     map[*model.Array]bool // arrays that are assumed not to change sign
	equations []parity
}

// bit returns the parity of an array. On the first call it adds the equations of the array's statements.
func (p *parities) bit(a *model.Array) parity {
	i, ok := p.bits[a]
	if !ok {
		i = len(p.arrays)
		p.bits[a] = i
		p.arrays = append(p.arrays, a)
		p.define(a)
	}
	return parity{i}
}

// same requires two parities to be equal, and returns their common value.
func (p *parities) same(a, b parity) parity {
	switch {
	case a == nil:
		return b
	case b == nil:
		return a
	}
	p.equations = append(p.equations, a.plus(b))
	return a
}

// unchanged requires expressions not to change sign.
func (p *parities) unchanged(xs ...model.Expr) {
	for _, x := range xs {
		if x != nil {
			p.same(p.of(x), even())
		}
	}
}

// define adds the equations of the statements that define or draw an array.
func (p *parities) define(a *model.Array) {
	if p.fixed[a] {
		p.same(p.bit(a), even())
	}
	for _, piece := range a.Pieces {
		switch {
		case piece.Term != nil:
			p.draw(a, piece.Term)
		case piece.Value != nil && !piece.Value.Info().Static:
			p.same(p.bit(a), p.of(piece.Value))
		case !isZeroValue(piece.Value):
			p.same(p.bit(a), even())
		}
	}
}

func isZeroValue(x model.Expr) bool {
	if f, ok := x.(*model.Fill); ok {
		x = f.Value
	}
	n, ok := x.(*model.Num)
	return ok && n.Value == 0
}

// symmetric lists the distributions that are symmetric about their argument `mu` or `loc`.
var symmetric = []string{"Normal", "StudentT", "Cauchy", "Laplace", "Logistic", "MvNormal", "MvStudentT"}

// draw adds the equations of a prior: an array with a symmetric prior may change sign together with the centre of the
// prior; an array with another prior may not change sign, except for Density.
func (p *parities) draw(a *model.Array, t *model.Term) {
	about := slices.IndexFunc(t.Exprs(), func(x model.Expr) bool { return x == centre(t) })
	for i, x := range t.Exprs() {
		if i == about {
			p.same(p.bit(a), p.of(x))
		} else if !mirrored(t) {
			p.unchanged(x)
		}
	}
	if about < 0 && !mirrored(t) && t.Density == nil || t.In != nil || t.Ordered {
		p.same(p.bit(a), even())
	}
}

// centre returns the argument about which a distribution is symmetric, or nil.
func centre(t *model.Term) model.Expr {
	if t.Dist == nil || !slices.Contains(symmetric, t.Dist.Name) {
		return nil
	}
	for k, arg := range t.Form.Args {
		if arg.Name == "mu" || arg.Name == "loc" {
			return t.Args[k]
		}
	}
	return nil
}

// mirrored reports whether a distribution is Uniform(-c, c) with a known number c.
func mirrored(t *model.Term) bool {
	if t.Dist == nil || t.Dist.Name != "Uniform" {
		return false
	}
	lo, hi := t.Args[0].Info().Type.Range, t.Args[1].Info().Type.Range
	return t.Args[0].Info().Static && t.Args[1].Info().Static && lo.Lo == lo.Hi && hi.Lo == hi.Hi && lo.Lo == -hi.Hi
}

// of returns the parity of an expression, and adds the equations that it requires.
func (p *parities) of(x model.Expr) parity {
	if n, ok := x.(*model.Num); ok && n.Value == 0 {
		return nil
	}
	if x.Info().Static {
		return even()
	}
	switch x := x.(type) {
	case *model.Ref:
		if x.Array.Role == model.Parameter || x.Array.Role == model.Definition {
			return p.bit(x.Array)
		}
		return even()
	case *model.Subscript:
		return p.of(x.X)
	case *model.Build:
		return p.of(x.Body)
	case *model.Fill:
		return p.of(x.Value)
	case *model.List:
		return p.all(x.Items)
	case *model.Concat:
		return p.all(x.Items)
	case *model.MatMul:
		return p.product(x.X, x.Y)
	case *model.Cond:
		p.unchanged(x.If)
		return p.all([]model.Expr{x.Then, x.Else})
	case *model.Reduce:
		switch x.Row.Name {
		case "sum", "mean":
			return p.of(x.X)
		case "sd", "var":
			p.of(x.X)
			return even()
		}
	case *model.Vector:
		if x.Name == "cumsum" {
			return p.of(x.X)
		}
	case *model.Apply:
		return p.apply(x)
	}
	p.unchanged(x.Children()...)
	return even()
}

var (
	oddFunctions  = []string{"tanh", "sin", "sinh", "asin", "asinh", "atan", "cbrt", "erf", "sign", "trunc", "round"}
	evenFunctions = []string{"abs", "square", "cos", "cosh"}
)

func (p *parities) apply(x *model.Apply) parity {
	switch {
	case x.Name == "+" || x.Name == "-" || slices.Contains(oddFunctions, x.Name):
		return p.all(x.Args)
	case x.Name == "*" || x.Name == "/":
		return p.product(x.Args[0], x.Args[1])
	case slices.Contains(evenFunctions, x.Name):
		p.of(x.Args[0])
		return even()
	case x.Name == "^":
		if n, ok := x.Args[1].(*model.Num); ok && n.Value == float64(int(n.Value)) {
			base := p.of(x.Args[0])
			if int(n.Value)%2 == 0 {
				return even()
			}
			return base
		}
	}
	p.unchanged(x.Args...)
	return even()
}

func (p *parities) all(xs []model.Expr) (out parity) {
	for _, x := range xs {
		out = p.same(out, p.of(x))
	}
	return out
}

func (p *parities) product(x, y model.Expr) parity {
	a, b := p.of(x), p.of(y)
	if a == nil || b == nil {
		return nil
	}
	return a.plus(b)
}

// solutions returns sets of parameters that may change sign together. Every other such set is a combination of these.
func (p *parities) solutions() (out [][]*model.Array) {
	for _, bits := range solve(len(p.arrays), p.equations) {
		var flipped []*model.Array
		for _, i := range bits {
			if a := p.arrays[i]; a.Role == model.Parameter {
				flipped = append(flipped, a)
			}
		}
		if len(flipped) > 0 {
			out = append(out, flipped)
		}
	}
	return out
}

// reachedByData returns the arrays that the distributions of observations read, directly or indirectly.
func reachedByData(m *model.Model) map[*model.Array]bool {
	var xs []model.Expr
	for _, t := range m.Terms {
		if t.Kind == model.Likelihood {
			xs = append(xs, t.Exprs()...)
		}
	}
	return model.Reached(xs...)
}
