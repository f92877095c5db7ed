package ast

// Mentioned returns the names in the values of definitions, and in distributions, factors and events, including those
// in blocks. Index sets of left sides and names of called functions are not included.
func Mentioned(stmts []Stmt) map[string]bool {
	names := map[string]bool{}
	visit := func(n *Name) { names[n.Name] = true }
	var walk func([]Stmt)
	block := func(b *Block) {
		if b != nil {
			walk(b.Stmts)
			Names(b.Return, visit)
		}
	}
	walk = func(stmts []Stmt) {
		for _, st := range stmts {
			switch st := st.(type) {
			case *Define:
				Names(st.Value, visit)
				block(st.Block)
			case *Factor:
				Names(st.Value, visit)
			case *Event:
				for _, e := range []Expr{st.When, st.Target, st.Amount} {
					Names(e, visit)
				}
			case *Draw:
				block(st.Block)
				if l := st.Dist; l != nil {
					Names(l.Base, visit)
					for _, e := range []Expr{l.Weight, l.UpTo, l.Rounded} {
						Names(e, visit)
					}
					for _, r := range []*Range{l.In, l.Censored} {
						if r != nil {
							Names(r.Lo, visit)
							Names(r.Hi, visit)
						}
					}
				}
			}
		}
	}
	walk(stmts)
	return names
}

// Names calls visit for every name in an expression, except the names of called functions.
func Names(e Expr, visit func(*Name)) {
	Walk(e, func(x Expr) {
		if n, ok := x.(*Name); ok {
			visit(n)
		}
	})
}

// Walk calls visit for an expression and every expression inside it, parents first, except the names of called
// functions.
func Walk(e Expr, visit func(Expr)) {
	if e == nil {
		return
	}
	visit(e)
	for _, x := range children(e) {
		Walk(x, visit)
	}
}

func children(e Expr) (out []Expr) {
	sets := func(s *Set) {
		out = append(out, s.Lo)
		if s.Hi != nil {
			out = append(out, s.Hi)
		}
	}
	switch e := e.(type) {
	case *Paren:
		return []Expr{e.X}
	case *Unary:
		return []Expr{e.X}
	case *Binary:
		return []Expr{e.X, e.Y}
	case *Cond:
		return []Expr{e.If, e.Then, e.Else}
	case *Pipe:
		return []Expr{e.X, e.To}
	case *Call:
		for _, a := range e.Args {
			out = append(out, a.Value)
		}
	case *Index:
		out = append(out, e.X)
		for _, s := range e.Subs {
			sets(s)
		}
	case *Member:
		return []Expr{e.X}
	case *List:
		return e.Items
	case *Comprehension:
		for _, b := range e.Binders {
			sets(b.Set)
		}
		out = append(out, e.Body)
	}
	return out
}

// SetNames calls visit for every name in a set.
func SetNames(s *Set, visit func(*Name)) {
	Names(s.Lo, visit)
	if s.Hi != nil {
		Names(s.Hi, visit)
	}
}
