package scope

import (
	"ppl/compiler/frontend/model"
	"ppl/lang/source"
)

// A Scope maps names to what they mean; order does not matter.
type Scope struct {
	Parent *Scope
	Names  map[string]*Entity
	Order  []*Entity
	Inst   *Instance // set on the outermost scope of a template's use, and of a network's call
	Of     *Array    // set on the scope of a left side: what is defined there
}

// New returns an empty scope inside another one, nil for the outermost.
func New(parent *Scope) *Scope {
	return &Scope{Parent: parent, Names: map[string]*Entity{}}
}

// Lookup returns what a name means in a scope or in those around it; nil if it is not known.
func (s *Scope) Lookup(name string) *Entity {
	for ; s != nil; s = s.Parent {
		if e := s.Names[name]; e != nil {
			e.read()
			return e
		}
	}
	return nil
}

// Add enters a name.
func (s *Scope) Add(e *Entity) {
	s.Names[e.Name] = e
	s.Order = append(s.Order, e)
}

// An Entity is what a name means. Exactly one of Array, Expr, Index, Set, Fn, Dist, File and Ode is set.
type Entity struct {
	Name  string
	At    source.Span
	Used  bool
	Array *Array
	Expr  model.Expr // a function's argument
	Index *model.Index
	Set   *model.Set
	Fn    *Function
	Outer []model.Expr // of an array inside a template: the plates it is read at
	Dist  *PassedDist  // a template's argument
	File  *Scope       // an imported file
	Ode   *Trajectory
}

// Within returns the instance whose block a scope is part of, nil outside of templates.
func (s *Scope) Within() *Instance {
	for ; s != nil; s = s.Parent {
		if s.Inst != nil {
			return s.Inst
		}
	}
	return nil
}

// Enclosing returns the instance that a scope is part of, with what is being defined and the indices that are bound in
// between.
func (s *Scope) Enclosing() (inst *Instance, path string, bound []*model.Index) {
	for ; s != nil; s = s.Parent {
		var here []*model.Index
		for _, e := range s.Order {
			if e.Index != nil {
				here = append(here, e.Index)
			}
		}
		if s.Inst != nil {
			return s.Inst, path, bound
		}
		bound = append(here, bound...)
		if s.Of != nil {
			path = "." + s.Of.Name + path
		}
	}
	return nil, "", nil
}
