package autodiff

import "slices"

// A sum is a list of terms, each of which is added or subtracted.
type sum []term

type term struct {
	Node
	negative bool
}

func (all sum) nodes() []Node {
	out := make([]Node, len(all))
	for k, t := range all {
		out[k] = t.Node
	}
	return out
}

// total returns the node of the sum.
func (all sum) total() Node {
	out := all[0].Node
	if all[0].negative {
		out = Neg(out)
	}
	for _, t := range all[1:] {
		if t.negative {
			out = Sub(out, t.Node)
		} else {
			out = Add(out, t.Node)
		}
	}
	return out
}

func isSum(n Node) bool { return n.is(OpAdd) || n.is(OpSub) }

// inner reports whether n is a sum that is used only as a term of another sum.
func (fs *families) inner(n Node) bool {
	return isSum(n) && fs.users[n.id] == 1 && isSum(fs.last[n.id])
}

// terms flattens a sum: inner sums are replaced by their terms.
func (fs *families) terms(n Node) (all sum) {
	var visit func(n Node, negative bool)
	visit = func(n Node, negative bool) {
		for k, a := range n.args {
			if sign := negative != (k == 1 && n.is(OpSub)); fs.inner(a) {
				visit(a, sign)
			} else {
				all = append(all, term{a, sign})
			}
		}
	}
	visit(n, false)
	return all
}

// sorted orders the terms of a sum by family and sign, so that the order of addition does not affect the sum's family.
func (fs *families) sorted(all sum) sum {
	slices.SortStableFunc(all, func(a, b term) int {
		if d := fs.of[a.id].id - fs.of[b.id].id; d != 0 {
			return d
		}
		return int(flag(a.negative)) - int(flag(b.negative))
	})
	return all
}

// byFamily groups terms of the same family and sign. grouped has the large groups, and others the remaining terms.
func (fs *families) byFamily(all sum) (grouped []sum, others sum) {
	type kind struct {
		*family
		negative bool
	}
	at, order := map[kind]sum{}, []kind{}
	for _, t := range all {
		k := kind{fs.of[t.id], t.negative}
		if at[k] == nil {
			order = append(order, k)
		}
		at[k] = append(at[k], t)
	}
	for _, k := range order {
		if len(at[k]) >= leastAlike {
			grouped = append(grouped, at[k])
		} else {
			others = append(others, at[k]...)
		}
	}
	return grouped, others
}
