package scope

import (
	"ppl/compiler/frontend/model"
	"ppl/lang/source"
)

// A Scope maps names to their meaning; the order of definitions does not matter.
type Scope struct {
	Parent *Scope
	Names  map[string]*Entity
	Order  []*Entity
	Inst   *Instance // set on the outermost scope of a template's use or of a network's call
	Of     *Array    // set on the scope of a left-hand side: the array defined there
}

// New returns an empty scope inside parent, which is nil for the outermost scope.
func New(parent *Scope) *Scope {
	return &Scope{Parent: parent, Names: map[string]*Entity{}}
}

// Lookup returns the meaning of a name in a scope or in the scopes around it, or nil.
func (s *Scope) Lookup(name string) *Entity {
	for ; s != nil; s = s.Parent {
		if e := s.Names[name]; e != nil {
			e.read()
			return e
		}
	}
	return nil
}

// Add adds a name to a scope.
func (s *Scope) Add(e *Entity) {
	s.Names[e.Name] = e
	s.Order = append(s.Order, e)
}

// An Entity is the meaning of a name. At most one of Array, Expr, Index, Set, Fn, Dist, File and Ode is set.
type Entity struct {
	Name  string
	At    source.Span
	Used  bool
	Array *Array
	Expr  model.Expr // argument of a function, or poison
	Index *model.Index
	Set   *model.Set
	Fn    *Function
	Outer []model.Expr // for an array inside a template, the subscripts of its first axes
	Dist  *PassedDist  // argument of a template
	File  *Scope       // an imported file
	Ode   *Trajectory
}

// Within returns the instance whose block contains a scope, or nil outside templates.
func (s *Scope) Within() *Instance {
	for ; s != nil; s = s.Parent {
		if s.Inst != nil {
			return s.Inst
		}
	}
	return nil
}

// Enclosing returns the instance that contains a scope, the names being defined between the instance and the scope,
// each after a dot, and the indices bound there. It returns nil outside templates.
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
