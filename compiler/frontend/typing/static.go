package typing

import "ppl/compiler/frontend/model"

// Whether an expression depends on data only (is static) follows from its operands when it is created. A read of an
// array that is still being elaborated, such as `h[t-1]` in
//
//	h[1] = x[1]
//	h[t in 2..T] = a * h[t-1]
//
// is first recorded as depending on parameters, and corrected when all statements of the array are known: `h[1]` alone
// does not determine it.

// A settler finds the definitions that depend on data only, and sets Static of all expressions.
type settler struct {
	depends map[*model.Array]bool // arrays that depend on more than data
	open    map[*model.Array]bool // arrays still being elaborated
	seen    map[*model.Array]bool // arrays visited in this pass
	busy    map[*model.Array]bool // arrays whose statements are being visited
	assumed map[*model.Array]bool // arrays read while busy, which were assumed to be static
	visited map[model.Expr]bool
	changed bool // an array that was assumed to be static is not
}

// Settle sets Static of the expressions of the given definitions, of further expressions xs, and of the definitions
// that these read. open are the arrays that are still being elaborated; they count as depending on parameters unless
// they are data.
func Settle(open map[*model.Array]bool, arrays []*model.Array, xs ...model.Expr) {
	s := settler{depends: map[*model.Array]bool{}, open: open}
	for s.changed = true; s.changed; { // each pass finds at least one more array that is not static
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

// static sets and returns x.Static according to what is known in this pass about the arrays that x reads.
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

// array reports whether an array is data, or a definition that is not known in this pass to depend on anything else.
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

// SettleAll applies Settle to the entire model and to further expressions.
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
