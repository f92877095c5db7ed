package scope

import (
	"maps"
	"slices"

	"ppl/compiler/frontend/cycles"
	"ppl/lang/ast"
)

// Series that read each other take their axes from the statement for their first elements. In
//
//	K[t in T] = P[t] / s
//	P[1] = [1, 0]
//	P[t in 2..T] = P[t-1] * K[t-1, 1]
//
// P[1] shows that P has two elements for each t, and so does K. P is elaborated first even if K is read first.

// Beginnings returns the arrays in a cycle of reads with a that have a statement that reads no array of the cycle, in
// order of their positions in the file. They must be elaborated before a. Beginnings returns nil if a has such a
// statement itself, is in no cycle, or is already elaborated.
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

// isDefined reports whether an array is defined by statements. Only such arrays can be in a cycle.
func isDefined(a *Array) bool { return a.Decl == nil && len(a.Defs) > 0 }

// beginsItself reports whether one of an array's statements reads no array of the cycle.
func beginsItself(a *Array, cycle []*Array) bool {
	return slices.ContainsFunc(a.Defs, func(d Define) bool {
		return !slices.ContainsFunc(readBy(a, d), func(b *Array) bool { return slices.Contains(cycle, b) })
	})
}

// readBy returns the defined arrays that a statement reads directly.
func readBy(a *Array, d Define) (out []*Array) {
	for _, name := range slices.Sorted(maps.Keys(ast.Mentioned([]ast.Stmt{d.Stmt}))) {
		if x := a.Scope.Lookup(name); x != nil && x.Array != nil && isDefined(x.Array) {
			out = append(out, x.Array)
		}
	}
	return out
}

// ReadByDefinitions returns the defined arrays that the statements of an array read directly.
func ReadByDefinitions(a *Array) (out []*Array) {
	for _, d := range a.Defs {
		out = append(out, readBy(a, d)...)
	}
	return out
}
