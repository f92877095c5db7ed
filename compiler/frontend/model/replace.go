package model

import "slices"

// Replace replaces each direct subexpression x of e by f(x), including the bounds of ragged sets.
func Replace(e Expr, f func(Expr) Expr) {
	all := func(xs []Expr) {
		for i, x := range xs {
			xs[i] = f(x)
		}
	}
	sets := func(over []*Index) {
		for _, i := range over {
			i.Set.replace(f)
		}
	}
	switch e := e.(type) {
	case *Label:
		e.Set.replace(f)
	case *Apply:
		all(e.Args)
	case *Cond:
		e.If, e.Then, e.Else = f(e.If), f(e.Then), f(e.Else)
	case *Subscript:
		e.X = f(e.X)
		for k, s := range e.Subs {
			if s.At != nil {
				e.Subs[k].At = f(s.At)
			}
			if s.Range != nil {
				s.Range.replace(f)
			}
		}
	case *Reduce:
		sets(e.Over)
		e.X = f(e.X)
	case *Build:
		sets(e.Over)
		e.Body = f(e.Body)
	case *List:
		all(e.Items)
	case *Concat:
		all(e.Items)
	case *MatMul:
		e.X, e.Y = f(e.X), f(e.Y)
	case *Fill:
		e.Value = f(e.Value)
	case *Random:
		e.X, e.By = f(e.X), f(e.By)
	case *Vector:
		e.X = f(e.X)
	case *LogProb:
		all(e.Args)
		e.X = f(e.X)
	case *Probability:
		e.If, e.Read = f(e.If), f(e.Read)
	case *StateAt:
		e.Time = f(e.Time)
	case *Num, *IndexVar, *SizeOf, *SetSize, *Ref, *Mode, *StateNow, *TimeNow:
	default:
		panic("internal error: Replace has no case for this kind of expression")
	}
}

// replace replaces the bounds of a ragged set by f of them. It ignores sets whose bounds read no index.
func (s *Set) replace(f func(Expr) Expr) {
	if len(s.Ragged) == 0 {
		return
	}
	*s = *NewSet(s.Name, f(s.Lo), f(s.Hi))
}

// Copy returns an independent copy of an expression: Replace on one does not change the other. Indices that the
// expression binds are copied too.
func Copy(e Expr) Expr { return copier{}.copy(e) }

// A copier maps each index that the copied expression binds to its copy.
type copier map[*Index]*Index

func (r copier) copy(e Expr) Expr {
	if e == nil {
		return nil
	}
	c := r.shallow(e)
	Replace(c, r.copy)
	return c
}

// shallow returns a new expression with the same subexpressions. Leaves that Replace does not change are shared.
func (r copier) shallow(e Expr) Expr {
	switch e := e.(type) {
	case *IndexVar:
		c := *e
		if i := r[e.Index]; i != nil {
			c.Index = i
		}
		return &c
	case *Ref: // its type may change later
		c := *e
		return &c
	case *Label:
		c := *e
		c.Set = e.Set.copied()
		return &c
	case *Apply:
		c := *e
		c.Args = slices.Clone(e.Args)
		return &c
	case *Cond:
		c := *e
		return &c
	case *Subscript:
		c := *e
		c.Subs = slices.Clone(e.Subs)
		for k, s := range c.Subs {
			if s.Range != nil {
				c.Subs[k].Range = s.Range.copied()
			}
		}
		return &c
	case *Reduce:
		c := *e
		c.Over = r.bind(e.Over)
		return &c
	case *Build:
		c := *e
		c.Over = r.bind(e.Over)
		return &c
	case *List:
		c := *e
		c.Items = slices.Clone(e.Items)
		return &c
	case *Concat:
		c := *e
		c.Items = slices.Clone(e.Items)
		return &c
	case *MatMul:
		c := *e
		return &c
	case *Fill:
		c := *e
		return &c
	case *Random:
		c := *e
		return &c
	case *Vector:
		c := *e
		return &c
	case *LogProb:
		c := *e
		c.Args = slices.Clone(e.Args)
		return &c
	case *Probability:
		c := *e
		return &c
	case *StateAt:
		c := *e
		return &c
	}
	return e
}

// bind copies indices and records the copies. Replace then rewrites the bounds of their sets, which may read earlier
// indices.
func (r copier) bind(over []*Index) (out []*Index) {
	for _, i := range over {
		c := *i
		c.Set = i.Set.copied()
		r[i] = &c
		out = append(out, &c)
	}
	return out
}

// At returns the set with x substituted for index i in its bounds.
func (s *Set) At(i *Index, x Expr) *Set {
	return NewSet(s.Name, Put(Copy(s.Lo), i, x), Put(Copy(s.Hi), i, x))
}

// Put substitutes copies of x for an index that e reads. It changes e.
func Put(e Expr, i *Index, x Expr) Expr {
	if v, ok := e.(*IndexVar); ok && v.Index == i {
		return Copy(x)
	}
	Replace(e, func(y Expr) Expr { return Put(y, i, x) })
	return e
}

func (s *Set) copied() *Set {
	c := *s
	return &c
}
