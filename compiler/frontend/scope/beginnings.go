package scope

import (
	"maps"
	"slices"

	"ppl/compiler/frontend/cycles"
	"ppl/lang/ast"
)

// Series that read each other take their axes from the statement that begins one of them: in
//
//	K[t in T] = P[t] / s
//	P[1] = [1, 0]
//	P[t in 2..T] = P[t-1] * K[t-1, 1]
//
// P[1] shows that P has two elements for each t, and so K has. Whichever is read first, P is elaborated first.

// Beginnings returns the arrays in a cycle of reads with a, in the order of their names, that a statement begins: it
// reads nothing of the cycle. There are none if a has such a statement itself, or is in no cycle.
func Beginnings(among *cycles.Finder[*Array], a *Array) (all []*Array) {
	if a.State != Untouched || !isDefined(a) {
		return nil
	}
	cycle := among.Of(a)
	if len(cycle) == 0 || beginsItself(a, cycle) {
		return nil
	}
	for _, b := range cycle {
		if b != a && b.State == Untouched && beginsItself(b, cycle) {
			all = append(all, b)
		}
	}
	slices.SortFunc(all, func(x, y *Array) int { return x.At.Start - y.At.Start })
	return all
}

// isDefined reports whether an array is defined by statements, as all that is in a cycle must be.
func isDefined(a *Array) bool { return a.Decl == nil && len(a.Defs) > 0 }

// beginsItself reports whether one of an array's statements reads nothing of the cycle that the array is in.
func beginsItself(a *Array, cycle []*Array) bool {
	return slices.ContainsFunc(a.Defs, func(d Define) bool {
		return !slices.ContainsFunc(readBy(a, d), func(b *Array) bool { return slices.Contains(cycle, b) })
	})
}

// readBy returns the defined arrays that a statement of an array reads itself.
func readBy(a *Array, d Define) (out []*Array) {
	for _, name := range slices.Sorted(maps.Keys(ast.Mentioned([]ast.Stmt{d.Stmt}))) {
		if x := a.Scope.Lookup(name); x != nil && x.Array != nil && isDefined(x.Array) {
			out = append(out, x.Array)
		}
	}
	return out
}

// ReadByDefinitions returns the defined arrays that the statements of an array read themselves.
func ReadByDefinitions(a *Array) (out []*Array) {
	for _, d := range a.Defs {
		out = append(out, readBy(a, d)...)
	}
	return out
}
