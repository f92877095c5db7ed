package ast

// Mentioned is the set of names that the expressions and distributions of statements and their blocks read.
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
			case *Draw:
				block(st.Block)
				if l := st.Dist; l != nil {
					Names(l.Base, visit)
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

// Names calls visit for every name in an expression.
func Names(e Expr, visit func(*Name)) {
	switch e := e.(type) {
	case *Name:
		visit(e)
	case *Paren:
		Names(e.X, visit)
	case *Unary:
		Names(e.X, visit)
	case *Binary:
		Names(e.X, visit)
		Names(e.Y, visit)
	case *Cond:
		Names(e.If, visit)
		Names(e.Then, visit)
		Names(e.Else, visit)
	case *Pipe:
		Names(e.X, visit)
		Names(e.To, visit)
	case *Call:
		for _, a := range e.Args {
			Names(a.Value, visit)
		}
	case *Index:
		Names(e.X, visit)
		for _, s := range e.Subs {
			SetNames(s, visit)
		}
	case *Member:
		Names(e.X, visit)
	case *List:
		for _, x := range e.Items {
			Names(x, visit)
		}
	case *Comprehension:
		for _, b := range e.Binders {
			SetNames(b.Set, visit)
		}
		Names(e.Body, visit)
	}
}

// SetNames calls visit for every name in a set.
func SetNames(s *Set, visit func(*Name)) {
	Names(s.Lo, visit)
	if s.Hi != nil {
		Names(s.Hi, visit)
	}
}
