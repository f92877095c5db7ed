package autodiff

import (
	"slices"
	"strconv"
)

// A model may be written as thousands of statements, each about one number. What is computed alike for many of them is
// computed for all of them at once, as an array with a leading axis, so that programs have loops instead of as many
// instructions as the model has statements:
//
//	a1 ~ Normal(0, 1)  …  a5000 ~ Normal(0, 1)        the 5000 squares are one square of an array of 5000
//
// Two nodes are of one family if they are the same op of arguments that are of one family; all numbers are, and all
// parts of one array. (For instructions of processors: Larsen and Amarasinghe, Exploiting superword level parallelism
// with multimedia instruction sets, 2000.)

const (
	// leastAlike is the number of nodes from which they become an array, and of equal terms from which they are summed
	// as one.
	leastAlike = 32
	// mostElements is the size of a node above which its own loops are worth their code.
	mostElements = 1 << 10
)

// A family is the nodes that are computed alike.
type family struct {
	id      int
	members []Node
	stacks  bool // its nodes are elementwise ops, or rearrange or reduce elements
	array   Node // all members, one below the other; none until it is built
}

func (f *family) grouped() bool { return f.stacks && len(f.members) >= leastAlike }

// A spot is where the elements of a node are in the flattened elements of another.
type spot struct {
	Node
	first int
}

// families are those of the nodes that roots need.
type families struct {
	graph *Graph
	named map[string]*family
	of    []*family    // by node
	at    []int        // by node: which member it is
	spots []spot       // by node: where its elements are if it only moves those of another; else itself
	sums  map[int]sum  // by node: the terms of sums
	long  map[int]bool // by node: sums with many terms of one family
	users []int        // by node
	last  map[int]Node // by node: its user, the last one of several
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

// any reports whether there is something to gain.
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

// place puts a node into its family.
func (fs *families) place(n Node) {
	fs.spots[n.id] = fs.spotOf(n)
	if fs.inner(n) {
		fs.of[n.id] = &family{} // never looked at: what adds it takes its terms
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

// key is equal for nodes of one family.
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

// args returns the terms of a sum, or n's arguments; those that can be swapped are in the order of their families.
func (fs *families) args(n Node) []Node {
	if all, ok := fs.sums[n.id]; ok {
		return all.nodes()
	}
	if !n.op.Kind.commutes() || fs.of[n.args[0].id].id <= fs.of[n.args[1].id].id {
		return n.args
	}
	return []Node{n.args[1], n.args[0]}
}

// isNumbers reports whether n is given by few numbers.
func isNumbers(n Node) bool { return (n.is(OpConst) || n.is(OpData)) && n.Size() <= mostElements }

// elementsOf returns the elements of a node that isNumbers reports.
func elementsOf(n Node) []float64 {
	if n.is(OpConst) {
		return slices.Repeat([]float64{n.op.Value}, n.Size())
	}
	return n.op.Values.Doubles()
}

// stackable reports small nodes whose op can be applied to many arguments at once, one below the other.
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

// moved reports where the elements of a node are if it only reads those of another in their order.
func (fs *families) moved(n Node) (spot, bool) {
	at := fs.spots[n.id]
	return at, at.Node != n
}

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
