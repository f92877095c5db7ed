package check

import (
	"ppl/compiler/frontend/model"
	"ppl/lang/source"
)

// A scope maps names to what they mean; order does not matter.
type scope struct {
	parent *scope
	names  map[string]*entity
	order  []*entity
	inst   *instance  // set on the outermost scope of a template's use, and of a network's call
	of     *arrayInfo // set on the scope of a left side: what is defined there
}

func newScope(parent *scope) *scope {
	return &scope{parent: parent, names: map[string]*entity{}}
}

func (s *scope) lookup(name string) *entity {
	for ; s != nil; s = s.parent {
		if e := s.names[name]; e != nil {
			e.read()
			return e
		}
	}
	return nil
}

func (s *scope) add(e *entity) {
	s.names[e.name] = e
	s.order = append(s.order, e)
}

// An entity is what a name means. Exactly one of array, expr, index, set, fn, dist, file, ode is set.
type entity struct {
	name  string
	at    source.Span
	used  bool
	array *arrayInfo
	expr  model.Expr // a function's argument
	index *model.Index
	set   *model.Set
	fn    *function
	outer []model.Expr // of an array inside a template: the plates it is read at
	dist  *passedDist  // a template's argument
	file  *scope       // an imported file
	ode   *trajectory
}

// within is the instance whose block a scope is part of, nil outside of templates.
func (s *scope) within() *instance {
	for ; s != nil; s = s.parent {
		if s.inst != nil {
			return s.inst
		}
	}
	return nil
}

// enclosing is the instance that a scope is part of, with what is being defined and the indices that are bound in
// between.
func (s *scope) enclosing() (inst *instance, path string, bound []*model.Index) {
	for ; s != nil; s = s.parent {
		var here []*model.Index
		for _, e := range s.order {
			if e.index != nil {
				here = append(here, e.index)
			}
		}
		if s.inst != nil {
			return s.inst, path, bound
		}
		bound = append(here, bound...)
		if s.of != nil {
			path = "." + s.of.Name + path
		}
	}
	return nil, "", nil
}
