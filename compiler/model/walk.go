package model

// Walk calls visit on e and on every expression inside it, parents first; referenced arrays are not entered.
func Walk(e Expr, visit func(Expr)) {
	if e == nil {
		return
	}
	visit(e)
	for _, x := range Children(e) {
		Walk(x, visit)
	}
}

// Children lists the direct subexpressions of e.
func Children(e Expr) []Expr {
	switch e := e.(type) {
	case *Apply:
		return e.Args
	case *Cond:
		return []Expr{e.If, e.Then, e.Else}
	case *Subscript:
		out := []Expr{e.X}
		for _, s := range e.Subs {
			if s.At != nil {
				out = append(out, s.At)
			}
			if s.Range != nil {
				out = append(out, s.Range.Lo, s.Range.Hi)
			}
		}
		return out
	case *Reduce:
		return append(bounds(e.Over), e.X)
	case *Build:
		return append(bounds(e.Over), e.Body)
	case *List:
		return e.Items
	case *Probability:
		return []Expr{e.If}
	case *StateAt:
		out := []Expr{e.Time}
		if e.State.System != nil {
			for _, s := range e.State.System.States {
				out = append(out, s.Init, s.Rhs)
			}
		}
		return out
	case *Concat:
		return e.Items
	case *MatMul:
		return []Expr{e.X, e.Y}
	case *Fill:
		return []Expr{e.Value}
	case *Vector:
		return []Expr{e.X}
	case *LogProb:
		return append(append([]Expr{}, e.Args...), e.X)
	}
	return nil
}

func bounds(over []*Index) (out []Expr) {
	for _, i := range over {
		out = append(out, i.Set.Lo, i.Set.Hi)
	}
	return out
}

// Exprs are the expressions of a term that its density is made of, but for the value itself.
func (t *Term) Exprs() []Expr {
	out := append([]Expr{}, t.Args...)
	if t.Density != nil {
		out = append(out, t.Density)
	}
	for _, b := range []*Bounds{t.In, t.Censored} {
		if b != nil {
			out = append(out, b.Lo, b.Hi)
		}
	}
	return out
}

// Exprs are all expressions of an array's declaration and of the statements that define it, those of its axes and
// plates among them.
func (a *Array) Exprs() []Expr {
	out := setExprs(a.Type.Axes...)
	if a.IndexOf != nil {
		out = append(out, setExprs(a.IndexOf)...)
	}
	if a.Bounds != nil {
		out = append(out, a.Bounds.Lo, a.Bounds.Hi)
	}
	for _, p := range a.Pieces {
		out = append(out, p.Exprs()...)
	}
	return append(out, a.Value, a.MissingCode)
}

// Exprs are all expressions of a piece, those of its plates among them.
func (p *Piece) Exprs() []Expr {
	out := append(bounds(p.Plates), p.Value)
	for _, s := range p.Slots {
		out = append(out, s.At)
	}
	if p.Term != nil {
		out = append(out, p.Term.Exprs()...)
	}
	return out
}

func setExprs(sets ...*Set) (out []Expr) {
	for _, s := range sets {
		out = append(out, s.Lo, s.Hi)
	}
	return out
}

// Arrays lists the arrays that expressions read.
func Arrays(xs ...Expr) (out []*Array) {
	for _, x := range xs {
		Walk(x, func(y Expr) {
			switch y := y.(type) {
			case *Ref:
				out = append(out, y.Array)
			case *Mode:
				out = append(out, y.Latent)
			}
		})
	}
	return out
}
