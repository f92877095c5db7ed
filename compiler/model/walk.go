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
