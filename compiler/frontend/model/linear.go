package model

import "slices"

// Linear says, as far as form shows, which expressions are linear (with a constant) in what is not Constant: of
// parameters 2 * x[t-1] + b is, x[t-1]^2 and x * y are not.
type Linear struct {
	Constant func(Expr) bool
	seen     map[*Array]bool // definitions that were entered, each once
}

// NewLinear knows what is constant.
func NewLinear(constant func(Expr) bool) Linear { return Linear{constant, map[*Array]bool{}} }

// In reports whether an expression is linear.
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

// array is true of a parameter, and of a definition whose pieces are linear. One that is being looked at reads itself,
// and is what its other parts are.
func (l Linear) array(a *Array) bool {
	if l.seen[a] || a.Role != Definition {
		return true
	}
	l.seen[a] = true
	return !slices.ContainsFunc(a.Pieces, func(p *Piece) bool { return p.Value != nil && !l.In(p.Value) })
}

// Bends reports of a parameter that may have coordinates relative to location and scale whether the scale of several
// elements is a parameter, or their location a curved function of some, as far as its form shows.
func (t *Term) Bends() bool {
	if !t.Relative() || t.Dist.Location+1 >= len(t.Args) {
		return false
	}
	linear := NewLinear(func(x Expr) bool { return x.Info().Static })
	return len(t.Plates) > 0 && !t.Scale().Info().Static || !linear.In(t.Args[t.Dist.Location])
}

// Scale returns the argument that is the scale of a distribution with location and scale, or says it.
func (t *Term) Scale() Expr { return t.Args[t.Dist.Location+1] }
