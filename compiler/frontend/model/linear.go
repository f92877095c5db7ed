package model

import "slices"

// Linear decides from the form of expressions whether they are affine in everything that is not Constant. If x, y and b
// are parameters that are not constant, 2 * x[t-1] + b is affine, but x[t-1]^2 and x * y are not.
type Linear struct {
	Constant func(Expr) bool
	seen     map[*Array]bool // definitions already visited
}

// NewLinear returns a Linear with the given test for constant expressions.
func NewLinear(constant func(Expr) bool) Linear { return Linear{constant, map[*Array]bool{}} }

// In reports whether an expression is affine.
func (l Linear) In(x Expr) bool {
	if l.Constant(x) {
		return true
	}
	switch x := x.(type) {
	case *Ref:
		return l.array(x.Array)
	case *Subscript:
		return l.all(x.Children())
	case *Apply:
		return l.apply(x)
	case *Cond:
		return l.Constant(x.If) && l.In(x.Then) && l.In(x.Else)
	case *MatMul:
		return l.Constant(x.X) && l.In(x.Y) || l.Constant(x.Y) && l.In(x.X)
	case *Build:
		return l.In(x.Body)
	case *Reduce:
		return x.Row.Name == "sum" && l.In(x.X)
	}
	return false
}

func (l Linear) apply(x *Apply) bool {
	switch x.Name {
	case "+", "-":
		return l.all(x.Args)
	case "*":
		return slices.ContainsFunc(x.Args, l.Constant) && l.all(x.Args)
	case "/":
		return l.Constant(x.Args[1]) && l.In(x.Args[0])
	}
	return false
}

func (l Linear) all(xs []Expr) bool {
	return !slices.ContainsFunc(xs, func(x Expr) bool { return !l.In(x) })
}

// array reports whether an array is not a definition, or a definition whose pieces are all affine. It returns true for
// a definition that has been visited already: the first visit determines the answer.
func (l Linear) array(a *Array) bool {
	if l.seen[a] || a.Role != Definition {
		return true
	}
	l.seen[a] = true
	return !slices.ContainsFunc(a.Pieces, func(p *Piece) bool { return p.Value != nil && !l.In(p.Value) })
}

// Bends reports whether the scale of a parameter with plates depends on parameters, or its location is not affine in
// the parameters, as far as the form of the expressions shows. It returns false for parameters that cannot have
// coordinates relative to location and scale.
func (t *Term) Bends() bool {
	if !t.Relative() || t.Dist.Location+1 >= len(t.Args) {
		return false
	}
	linear := NewLinear(func(x Expr) bool { return x.Info().Static })
	return len(t.Plates) > 0 && !t.Scale().Info().Static || !linear.In(t.Args[t.Dist.Location])
}

// Scale returns the scale argument of a location-scale distribution, or the argument that determines the scale.
func (t *Term) Scale() Expr { return t.Args[t.Dist.Location+1] }
