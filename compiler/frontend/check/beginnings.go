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
	cycle := c.cycles.of(a)
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

// cycles finds the defined arrays that read each other, themselves or through others (Tarjan 1972, SIAM Journal on
// Computing 1, 146). Each array is visited once, however many ask for its cycle.
type cycles struct {
	found map[*arrayInfo]*reached
	stack []*arrayInfo // of arrays whose cycle is not complete
}

// A reached array has a number by the order of visits, and the lowest number that it leads to of those on the stack.
type reached struct {
	number, low int
	open        bool // it is on the stack
	cycle       []*arrayInfo
}

// of returns the arrays that read a and are read by it, with a; none if a is in no cycle.
func (c *cycles) of(a *arrayInfo) []*arrayInfo {
	if c.found[a] == nil {
		c.visit(a)
	}
	return c.found[a].cycle
}

func (c *cycles) visit(a *arrayInfo) *reached {
	n := len(c.found)
	r := &reached{number: n, low: n, open: true}
	c.found[a] = r
	c.stack = append(c.stack, a)
	itself := false
	for _, d := range a.defs {
		for _, b := range readBy(a, d) {
			other := c.found[b]
			if other == nil {
				other = c.visit(b)
			}
			if itself = itself || a == b; other.open {
				r.low = min(r.low, other.low)
			}
		}
	}
	if r.low == r.number {
		c.complete(a, itself)
	}
	return r
}

// complete takes the arrays of a cycle from the stack, of which a was visited first. One array is a cycle if it reads
// itself.
func (c *cycles) complete(a *arrayInfo, itself bool) {
	from := len(c.stack) - 1
	for c.stack[from] != a {
		from--
	}
	members := slices.Clone(c.stack[from:])
	c.stack = c.stack[:from]
	for _, b := range members {
		c.found[b].open = false
		if itself || len(members) > 1 {
			c.found[b].cycle = members
		}
	}
}
