package model

import "slices"

// Walk calls visit on e and on every expression inside it, parents first. It does not enter referenced arrays.
func Walk(e Expr, visit func(Expr)) { walk(e, Expr.Children, visit) }

// WalkNow is like Walk, but does not enter the equations of systems: of a state at a given time it visits only the
// time. On a right-hand side of a differential equation it thus visits the expressions that are read at the present
// time.
func WalkNow(e Expr, visit func(Expr)) {
	walk(e, func(e Expr) []Expr {
		if at, ok := e.(*StateAt); ok {
			return []Expr{at.Time}
		}
		return e.Children()
	}, visit)
}

func walk(e Expr, below func(Expr) []Expr, visit func(Expr)) {
	if e == nil {
		return
	}
	visit(e)
	for _, x := range below(e) {
		walk(x, below, visit)
	}
}

// The methods below return the children of each kind of expression. If an expression binds indices, the bounds of their
// sets are children, too. The first kinds have no children.

func (*Num) Children() []Expr      { return nil }
func (*IndexVar) Children() []Expr { return nil }
func (*SizeOf) Children() []Expr   { return nil }
func (*SetSize) Children() []Expr  { return nil }
func (*Ref) Children() []Expr      { return nil }
func (*Mode) Children() []Expr     { return nil }
func (*StateNow) Children() []Expr { return nil }
func (*TimeNow) Children() []Expr  { return nil }

func (e *Label) Children() []Expr       { return setExprs(e.Set) }
func (e *Apply) Children() []Expr       { return e.Args }
func (e *Cond) Children() []Expr        { return []Expr{e.If, e.Then, e.Else} }
func (e *Reduce) Children() []Expr      { return append(bounds(e.Over), e.X) }
func (e *Build) Children() []Expr       { return append(bounds(e.Over), e.Body) }
func (e *List) Children() []Expr        { return e.Items }
func (e *Concat) Children() []Expr      { return e.Items }
func (e *MatMul) Children() []Expr      { return []Expr{e.X, e.Y} }
func (e *Fill) Children() []Expr        { return []Expr{e.Value} }
func (e *Random) Children() []Expr      { return []Expr{e.X, e.By} }
func (e *Vector) Children() []Expr      { return []Expr{e.X} }
func (e *LogProb) Children() []Expr     { return append(slices.Clone(e.Args), e.X) }
func (e *Probability) Children() []Expr { return []Expr{e.If} }

// Children returns the subscripted expression, then each subscript.
func (e *Subscript) Children() []Expr {
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
}

// Children returns the time and the equations of the state's system, because the value depends on all of them. Before
// systems are joined it returns only the time.
func (e *StateAt) Children() []Expr {
	out := []Expr{e.Time}
	if e.State.System != nil {
		for _, s := range e.State.System.States {
			out = append(out, s.Exprs()...)
		}
	}
	return out
}

func bounds(over []*Index) (out []Expr) {
	for _, i := range over {
		out = append(out, i.Set.Lo, i.Set.Hi)
	}
	return out
}

// Exprs returns the expressions that a term's density depends on, except the value itself.
func (t *Term) Exprs() []Expr {
	out := append([]Expr{}, t.Args...)
	if t.Density != nil {
		out = append(out, t.Density)
	}
	for _, b := range t.Ranges() {
		out = append(out, b.Lo, b.Hi)
	}
	for _, x := range []Expr{t.UpTo, t.Rounded, t.Weight} {
		if x != nil {
			out = append(out, x)
		}
	}
	if t.Given != nil {
		out = append(out, t.Given.Known, t.Given.Values)
	}
	return out
}

// PosteriorExprs returns the expressions that the posterior density reads directly: those of its terms, of the bounds
// of ragged axes, and of systems, because all queries of a system share one solution.
func (m *Model) PosteriorExprs() (out []Expr) {
	for _, t := range m.Terms {
		if t.Kind != Generate {
			out = append(out, t.Exprs()...)
		}
	}
	for _, r := range m.Ragged { // their bounds decide which elements exist
		out = append(out, r.Inner.Lo, r.Inner.Hi)
	}
	for _, s := range m.Systems {
		out = append(out, s.T0)
		for _, st := range s.States {
			out = append(out, st.Exprs()...)
		}
		for _, q := range s.Queries {
			out = append(out, q.Time)
		}
	}
	return out
}

// Reached returns the arrays that expressions read, directly or through other arrays.
func Reached(xs ...Expr) map[*Array]bool {
	out := map[*Array]bool{}
	var visit func(xs []Expr)
	visit = func(xs []Expr) {
		for _, a := range Arrays(xs...) {
			if !out[a] {
				out[a] = true
				visit(a.Exprs())
			}
		}
	}
	visit(xs)
	return out
}

// Exprs returns all expressions of an array's declaration and of the statements that define it, including those of its
// axes and plates.
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

// Exprs returns all expressions of a piece, including those of its plates.
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

// Arrays lists the arrays that expressions read directly.
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
