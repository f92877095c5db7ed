package typing

import "ppl/compiler/frontend/model"

// Whether an expression depends on data only is noted when it is made, from its parts. A read of an array that is still
// being elaborated, as `h[t-1]` in
//
//	h[1] = x[1]
//	h[t in 2..T] = a * h[t-1]
//
// is noted as depending on parameters, and settled when all statements of the array are known: `h[1]` alone does not
// decide.

// A settler finds the definitions that depend on data only, and records it in all expressions that they lead to.
type settler struct {
	depends map[*model.Array]bool // arrays that depend on something else than data
	open    map[*model.Array]bool // still being elaborated
	seen    map[*model.Array]bool // arrays that were visited in this turn
	busy    map[*model.Array]bool // whose statements are being visited
	assumed map[*model.Array]bool // that were read while they were busy: taken to depend on data only
	visited map[model.Expr]bool
	changed bool // an array that was assumed to depend on data only does not
}

// Settle records for expressions of some definitions, for further expressions, and for all that they read, whether they
// depend on data only.
func Settle(open map[*model.Array]bool, arrays []*model.Array, xs ...model.Expr) {
	s := settler{depends: map[*model.Array]bool{}, open: open}
	for s.changed = true; s.changed; { // each turn finds at least one more array that depends on parameters
		s.changed, s.seen, s.visited = false, map[*model.Array]bool{}, map[model.Expr]bool{}
		s.busy, s.assumed = map[*model.Array]bool{}, map[*model.Array]bool{}
		for _, a := range arrays {
			s.array(a)
		}
		for _, x := range xs {
			s.static(x)
		}
	}
}

// static records whether x depends on data only, as far as is known of the arrays that it reads.
func (s *settler) static(x model.Expr) bool {
	if x == nil {
		return true
	}
	if s.visited[x] {
		return x.Info().Static
	}
	s.visited[x] = true
	static := true
	for _, y := range x.Children() {
		static = s.static(y) && static
	}
	switch x := x.(type) {
	case *model.Ref:
		static = s.array(x.Array)
	case *model.StateAt, *model.StateNow, *model.TimeNow, *model.Probability, *model.Mode:
		static = false
	}
	x.Info().Static = static
	return static
}

// array reports whether an array is data, or a definition that is not known to depend on anything else.
func (s *settler) array(a *model.Array) bool {
	if a.Role != model.Definition || s.open[a] {
		return a.Role == model.Data
	}
	if s.seen[a] {
		s.assumed[a] = s.assumed[a] || s.busy[a] && !s.depends[a]
		return !s.depends[a]
	}
	s.seen[a], s.busy[a] = true, true
	for _, p := range a.Pieces {
		for _, x := range p.Exprs() {
			if !s.static(x) && x == p.Value && !s.depends[a] {
				s.depends[a], s.changed = true, s.changed || s.assumed[a]
			}
		}
	}
	s.busy[a] = false
	return !s.depends[a]
}

// SettleAll settles the whole model, and further expressions.
func SettleAll(m *model.Model, all ...model.Expr) {
	for _, a := range m.Arrays {
		if a.Role != model.Definition {
			all = append(all, a.Exprs()...)
		}
	}
	for _, t := range m.Terms {
		all = append(all, t.Exprs()...)
	}
	Settle(nil, m.Arrays, all...)
}
