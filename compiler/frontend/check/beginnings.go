package check

import (
	"maps"
	"slices"

	"ppl/lang/ast"
)

// Series that read each other take their axes from the statement that begins one of them: in
//
//	K[t in T] = P[t] / s
//	P[1] = [1, 0]
//	P[t in 2..T] = P[t-1] * K[t-1, 1]
//
// P[1] says that P has two elements for each t, and so K has. Whichever is read first, P is elaborated first.

// beginnings are the arrays in a cycle of reads with a, in the order of their names, that a statement begins: it reads
// nothing of the cycle. There are none if a has such a statement itself, or is in no cycle.
func (c *checker) beginnings(a *arrayInfo) (all []*arrayInfo) {
	if a.state != untouched || !isDefined(a) || beginsItself(a) {
		return nil
	}
	reached := definedReads(a)
	if !reached[a] {
		return nil
	}
	for b := range reached {
		if b != a && b.state == untouched && beginsItself(b) && definedReads(b)[a] {
			all = append(all, b)
		}
	}
	slices.SortFunc(all, func(x, y *arrayInfo) int { return x.At.Start - y.At.Start })
	return all
}

// isDefined reports whether an array is defined by statements, as all that is in a cycle must be.
func isDefined(a *arrayInfo) bool { return a.decl == nil && len(a.defs) > 0 }

// beginsItself reports whether one of an array's statements reads nothing that leads back to it.
func beginsItself(a *arrayInfo) bool {
	return slices.ContainsFunc(a.defs, func(d define) bool { return !readsOf(a.scope, []ast.Stmt{d.stmt})[a] })
}

// definedReads are the defined arrays that an array's statements read, themselves or through others.
func definedReads(a *arrayInfo) map[*arrayInfo]bool {
	var stmts []ast.Stmt
	for _, d := range a.defs {
		stmts = append(stmts, d.stmt)
	}
	return readsOf(a.scope, stmts)
}

func readsOf(s *scope, stmts []ast.Stmt) map[*arrayInfo]bool {
	seen := map[*arrayInfo]bool{}
	for todo := slices.Sorted(maps.Keys(ast.Mentioned(stmts))); len(todo) > 0; todo = todo[1:] {
		x := s.lookup(todo[0])
		if x == nil || x.array == nil || seen[x.array] || !isDefined(x.array) {
			continue
		}
		seen[x.array] = true
		for _, d := range x.array.defs {
			todo = append(todo, slices.Sorted(maps.Keys(ast.Mentioned([]ast.Stmt{d.stmt})))...)
		}
	}
	return seen
}
