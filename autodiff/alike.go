package autodiff

import (
	"slices"
	"strconv"
)

// A model may consist of thousands of statements, each about one number. This file finds nodes that are computed alike.
// Stacked (stack.go) then computes them as one array with a leading axis, so that programs have loops instead of
// separate instructions for each statement:
//
//	a1 ~ Normal(0, 1)  …  a5000 ~ Normal(0, 1)        the 5000 squares are one square of an array of 5000
//
// Two nodes of the same shape are of one family if they apply the same op to arguments of the same families. All small
// constants and data of one shape are of one family, and so are slices of one shape of an array. (For processor
// instructions: Larsen and Amarasinghe, Exploiting superword level parallelism with multimedia instruction sets, 2000.)

const (
	// leastAlike is the least number of nodes that are worth computing as one array, and of terms that are worth
	// summing as one array.
	leastAlike = 32
	// mostElements is the greatest size of a node that is stacked. Larger nodes keep their own loops.
	mostElements = 1 << 10
)

// A family is a set of nodes that are computed alike.
type family struct {
	id      int
	members []Node
	stacks  bool // the op can be applied to stacked arguments
	array   Node // all members stacked along a leading axis; invalid until built
}

func (f *family) grouped() bool { return f.stacks && len(f.members) >= leastAlike }

// A spot is the position of a node's elements among the flattened elements of another node.
type spot struct {
	Node
	first int
}

// families holds the families of all nodes that roots depend on.
type families struct {
	graph *Graph
	named map[string]*family
	of    []*family    // maps a node id to its family
	at    []int        // maps a node id to its index in the family
	spots []spot       // maps a node id to the spot of the consecutive elements that it reads, or to the node itself
	sums  map[int]sum  // maps the id of a sum to its terms
	long  map[int]bool // ids of sums with many terms of one family
	users []int        // maps a node id to its number of users
	last  map[int]Node // maps a node id to its last user
}

func newFamilies(g *Graph, roots []Node) *families {
	n := len(g.nodes)
	fs := &families{graph: g, named: map[string]*family{}, of: make([]*family, n), at: make([]int, n),
		spots: make([]spot, n), sums: map[int]sum{}, long: map[int]bool{},
		users: make([]int, n), last: map[int]Node{}}
	live := g.ancestors(roots)
	for _, r := range roots {
		fs.users[r.id] += 2
	}
	for _, n := range live {
		for _, a := range n.args {
			fs.users[a.id]++
			fs.last[a.id] = n
		}
	}
	for _, n := range live {
		fs.place(n)
	}
	return fs
}

// any reports whether stacking would change anything.
func (fs *families) any() bool {
	if len(fs.long) > 0 {
		return true
	}
	for _, f := range fs.named {
		if f.grouped() {
			return true
		}
	}
	return false
}

// place assigns a node to its family.
func (fs *families) place(n Node) {
	fs.spots[n.id] = fs.spotOf(n)
	if fs.inner(n) {
		fs.of[n.id] = &family{} // never read: the outer sum has its terms
		return
	}
	if isSum(n) {
		all := fs.sorted(fs.terms(n))
		grouped, _ := fs.byFamily(all)
		fs.sums[n.id] = all
		if len(grouped) > 0 && n.Size() <= mostElements {
			fs.long[n.id] = true
		}
	}
	key, stacks := fs.key(n)
	f, ok := fs.named[key]
	if !ok {
		f = &family{id: len(fs.named), stacks: stacks}
		fs.named[key] = f
	}
	fs.of[n.id], fs.at[n.id] = f, len(f.members)
	f.members = append(f.members, n)
}

// key returns a key that is the same for all nodes of one family. stacks reports whether the family can be stacked.
func (fs *families) key(n Node) (key string, stacks bool) {
	at, moved := fs.moved(n)
	text := make([]byte, 0, 64)
	number := func(x int) { text = strconv.AppendInt(append(text, ' '), int64(x), 36) }
	list := func(xs []int) {
		number(len(xs))
		for _, x := range xs {
			number(x)
		}
	}
	switch {
	case isNumbers(n):
		text = append(text, 'n')
	case moved && fs.of[at.id].stacks && at.Size() < leastAlike:
		text = append(text, 'm')
		list([]int{fs.of[at.id].id, at.first})
	case moved:
		text = append(text, 'p')
		number(at.id)
	case fs.sums[n.id] != nil && !fs.long[n.id] && fs.stackable(n):
		stacks = true
		text = append(text, 'a', byte('0'+flag(n.single)))
		for _, t := range fs.sums[n.id] {
			list([]int{fs.of[t.id].id, int(flag(t.negative))})
		}
	case fs.sums[n.id] == nil && fs.stackable(n):
		stacks = true
		text = append(text, 's')
		list([]int{int(n.op.Kind), int(flag(n.op.Reverse)), int(flag(n.single))})
		list(n.op.Axes)
		list(n.op.Lo)
		list(n.op.Hi)
		for _, x := range fs.args(n) {
			number(fs.of[x.id].id)
		}
	default:
		text = append(text, 'o')
		number(n.id)
	}
	list(n.Shape())
	return string(text), stacks
}

func flag(b bool) uint8 {
	if b {
		return 1
	}
	return 0
}

// args returns the terms of a sum, or n's arguments. Arguments of commutative ops are ordered by family.
func (fs *families) args(n Node) []Node {
	if all, ok := fs.sums[n.id]; ok {
		return all.nodes()
	}
	if !n.op.Kind.commutes() || fs.of[n.args[0].id].id <= fs.of[n.args[1].id].id {
		return n.args
	}
	return []Node{n.args[1], n.args[0]}
}

// isNumbers reports whether n is a small constant or small data.
func isNumbers(n Node) bool { return (n.is(OpConst) || n.is(OpData)) && n.Size() <= mostElements }

// elementsOf returns the elements of a node for which isNumbers holds.
func elementsOf(n Node) []float64 {
	if n.is(OpConst) {
		return slices.Repeat([]float64{n.op.Value}, n.Size())
	}
	return n.op.Values.Doubles()
}

// stackable reports whether n is small and its op can be applied to stacked arguments.
func (fs *families) stackable(n Node) bool {
	if n.Size() > mostElements || slices.ContainsFunc(n.args, func(a Node) bool { return a.Size() > mostElements }) {
		return false
	}
	switch n.op.Kind {
	case OpSelect, OpBroadcast, OpPermute, OpPad, OpConcat, OpSum, OpMax, OpMin, OpLogSumExp, OpCumSum:
		return true
	}
	c := n.op.Kind.class()
	return c == unary || c == binary
}

// moved returns the spot of n's elements, and reports whether n only reads consecutive elements of another node.
func (fs *families) moved(n Node) (spot, bool) {
	at := fs.spots[n.id]
	return at, at.Node != n
}

// spotOf returns the spot of the elements that a reshape or slice reads, if they are consecutive, and otherwise n
// itself.
func (fs *families) spotOf(n Node) spot {
	if !n.is(OpReshape) && !n.is(OpSlice) {
		return spot{n, 0}
	}
	x := n.args[0]
	first := 0
	if n.is(OpSlice) {
		step, whole := 1, true
		for k := n.Rank() - 1; k >= 0; k-- {
			if !whole && n.Shape()[k] > 1 {
				return spot{n, 0}
			}
			first += step * n.op.Lo[k]
			step *= x.Shape()[k]
			whole = whole && n.Shape()[k] == x.Shape()[k]
		}
	}
	return spot{fs.spots[x.id].Node, fs.spots[x.id].first + first}
}
