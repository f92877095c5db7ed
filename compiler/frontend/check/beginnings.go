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
	if a.state != untouched || !isDefined(a) {
		return nil
	}
	cycle := c.cycles.Of(a)
	if len(cycle) == 0 || beginsItself(a, cycle) {
		return nil
	}
	for _, b := range cycle {
		if b != a && b.state == untouched && beginsItself(b, cycle) {
			all = append(all, b)
		}
	}
	slices.SortFunc(all, func(x, y *arrayInfo) int { return x.At.Start - y.At.Start })
	return all
}

// isDefined reports whether an array is defined by statements, as all that is in a cycle must be.
func isDefined(a *arrayInfo) bool { return a.decl == nil && len(a.defs) > 0 }

// beginsItself reports whether one of an array's statements reads nothing of the cycle that the array is in.
func beginsItself(a *arrayInfo, cycle []*arrayInfo) bool {
	return slices.ContainsFunc(a.defs, func(d define) bool {
		return !slices.ContainsFunc(readBy(a, d), func(b *arrayInfo) bool { return slices.Contains(cycle, b) })
	})
}

// readBy are the defined arrays that a statement of an array reads itself.
func readBy(a *arrayInfo, d define) (out []*arrayInfo) {
	for _, name := range slices.Sorted(maps.Keys(ast.Mentioned([]ast.Stmt{d.stmt}))) {
		if x := a.scope.lookup(name); x != nil && x.array != nil && isDefined(x.array) {
			out = append(out, x.array)
		}
	}
	return out
}

// readByDefinitions are the defined arrays that the statements of an array read themselves.
func readByDefinitions(a *arrayInfo) (out []*arrayInfo) {
	for _, d := range a.defs {
		out = append(out, readBy(a, d)...)
	}
	return out
}
