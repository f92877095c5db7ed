package autodiff

import (
	"slices"
	"strconv"
)

// Stacked returns nodes with the values of roots, all of one graph. Many nodes that are computed alike are replaced by
// one array (see alike.go). The order of additions may change. Roots to which this does not apply are returned
// unchanged.
func Stacked(roots []Node) []Node {
	fs := newFamilies(roots[0].Graph(), roots)
	s := &stacker{families: fs, done: map[int]Node{}, joined: map[string]Node{}}
	if !fs.any() {
		return roots
	}
	out := make([]Node, len(roots))
	for k, r := range roots {
		out[k] = s.node(r)
	}
	return out
}

type stacker struct {
	*families
	done   map[int]Node    // maps a node id of the roots' graph to its replacement
	joined map[string]Node // maps ids of nodes to their concatenated elements
}

// node returns the replacement of n.
func (s *stacker) node(n Node) Node {
	if out, ok := s.done[n.id]; ok {
		return out
	}
	from, moved := s.moved(n)
	at := s.source(n)
	out := at.Node
	switch {
	case moved && at == from: // n stays unchanged
		out = n
	case moved || s.of[n.id].grouped():
		out = Reshape(s.elements(at, n.Size()), n.Shape()...)
	}
	s.done[n.id] = out
	return out
}

// source returns the spot of the elements of n's replacement.
func (s *stacker) source(n Node) spot {
	at := s.spots[n.id]
	if f := s.of[at.id]; f.grouped() {
		array := s.array(f) // this call also orders the members
		return spot{array, s.at[at.id]*at.Size() + at.first}
	}
	return spot{s.alone(at.Node), at.first}
}

// elements returns count elements of a flattened array, starting at a spot.
func (s *stacker) elements(at spot, count int) Node {
	return Slice(Reshape(at.Node, at.Size()), []int{at.first}, []int{at.first + count})
}

// alone replaces a node that does not move elements and is not computed as part of an array.
func (s *stacker) alone(n Node) Node {
	if out, ok := s.done[n.id]; ok {
		return out
	}
	out := n
	switch {
	case s.long[n.id]:
		out = s.summed(n)
	case n.is(OpConcat) && n.op.Axes[0] == 0 && len(n.args) >= leastAlike:
		out = Reshape(s.join(n.args), n.Shape()...)
	default:
		args := make([]Node, len(n.args))
		for k, a := range n.args {
			args[k] = s.node(a)
		}
		if !slices.Equal(args, n.args) {
			out = s.graph.add(*n.op, n.Shape(), args...)
		}
	}
	s.done[n.id] = out
	return out
}

// array computes all members of a family at once.
func (s *stacker) array(f *family) Node {
	if f.array.Valid() {
		return f.array
	}
	s.sort(f)
	n := f.members[0]
	args := make([]Node, len(s.args(n)))
	for k := range args {
		of := make([]Node, len(f.members))
		for i, m := range f.members {
			of[i] = s.args(m)[k]
		}
		args[k] = s.stack(of)
	}
	f.array = s.again(n, slices.Concat([]int{len(f.members)}, n.Shape()), args)
	return f.array
}

// again applies n's op to arguments that have an additional leading axis.
func (s *stacker) again(n Node, shape []int, args []Node) Node {
	switch c := n.op.Kind.class(); {
	case isSum(n):
		all := slices.Clone(s.sums[n.id])
		for k := range all {
			all[k].Node = args[k]
		}
		return all.total()
	case c == unary:
		return Unary(n.op.Kind, args[0])
	case c == binary:
		return Binary(n.op.Kind, args[0], args[1])
	case n.is(OpSelect):
		return Where(args[0], args[1], args[2])
	}
	return rearranged(n.op, shape, args, 1)
}

// sort orders the members of a family by what they read, so that most reads become contiguous.
func (s *stacker) sort(f *family) {
	reads := map[Node][]int{}
	for _, m := range f.members {
		for _, a := range s.args(m) {
			if !isNumbers(a) {
				at := s.source(a)
				reads[m] = append(reads[m], at.id, at.first)
			}
		}
	}
	slices.SortStableFunc(f.members, func(a, b Node) int { return slices.Compare(reads[a], reads[b]) })
	for i, m := range f.members {
		s.at[m.id] = i
	}
}

// stack concatenates nodes of one shape along a new leading axis.
func (s *stacker) stack(ns []Node) Node {
	shape := slices.Concat([]int{len(ns)}, ns[0].Shape())
	if !slices.ContainsFunc(ns, func(n Node) bool { return n != ns[0] }) {
		return Broadcast(s.node(ns[0]), shape, iota0(len(shape))[1:])
	}
	return Reshape(s.join(ns), shape...)
}

// summed rebuilds a sum in which many terms are of one family. These are summed as arrays.
func (s *stacker) summed(n Node) Node {
	grouped, others := s.byFamily(s.sums[n.id])
	var all sum
	for _, terms := range grouped {
		all = append(all, term{Sum(s.stack(terms.nodes()), 0), terms[0].negative})
	}
	for _, t := range others {
		all = append(all, term{s.node(t.Node), t.negative})
	}
	return all.total()
}

// mostRuns is the greatest number of runs of elements that are concatenated as slices. More runs are read by a Gather.
const mostRuns = 8

// A run is a sequence of consecutive elements of an array.
type run struct {
	spot
	count int
}

// join concatenates the elements of nodes.
func (s *stacker) join(ns []Node) Node {
	var key []byte
	for _, n := range ns {
		key = strconv.AppendInt(append(key, ' '), int64(n.id), 36)
	}
	out, ok := s.joined[string(key)]
	if !ok {
		out = s.read(s.runs(ns))
		s.joined[string(key)] = out
	}
	return out
}

// runs returns the runs that make up the elements of nodes. The elements of all constants are put into one array.
func (s *stacker) runs(ns []Node) (runs []run) {
	var known []float64
	for _, n := range ns {
		if isNumbers(n) {
			known = append(known, elementsOf(n)...)
		}
	}
	var given Node
	if len(known) > 0 {
		given = s.graph.Data("numbers", known, len(known))
	}
	next := 0
	for _, n := range ns {
		at := spot{given, next}
		if isNumbers(n) {
			next += n.Size()
		} else {
			at = s.source(n)
		}
		if last := len(runs) - 1; last >= 0 && runs[last].Node == at.Node &&
			runs[last].first+runs[last].count == at.first {
			runs[last].count += n.Size()
			continue
		}
		runs = append(runs, run{at, n.Size()})
	}
	return runs
}

// read returns the concatenated elements of runs.
func (s *stacker) read(runs []run) Node {
	sources, total := map[Node]run{}, 0 // maps each array to the range of its elements that are read
	var order []Node
	for _, r := range runs {
		total += r.count
		used, ok := sources[r.Node]
		if !ok {
			order, used = append(order, r.Node), r
		}
		end := max(used.first+used.count, r.first+r.count)
		used.first = min(used.first, r.first)
		used.count = end - used.first
		sources[r.Node] = used
	}
	if len(runs) <= mostRuns || len(order) > len(runs)/2 {
		return s.inRow(runs)
	}
	var all []run
	base, end := map[Node]int{}, 0
	for _, n := range order {
		base[n] = end - sources[n].first
		end += sources[n].count
		all = append(all, sources[n])
	}
	places := make([]float64, 0, total)
	for _, r := range runs {
		for i := range r.count {
			places = append(places, float64(base[r.Node]+r.first+i))
		}
	}
	return Gather(s.inRow(all), s.graph.Data("places", places, total))
}

// inRow concatenates runs as slices.
func (s *stacker) inRow(runs []run) Node {
	parts := make([]Node, len(runs))
	for k, r := range runs {
		parts[k] = s.elements(r.spot, r.count)
	}
	return Concat(0, parts...)
}
