package autodiff

import "slices"

// manySlices is the number of slices of one array from which their gradients are concatenated into one array. If each
// were padded to the full array, graphs would grow with the square of the number of parameters.
const manySlices = 64

// slicesOf collects gradients of slices, for each array that has many slices.
type slicesOf map[int][]segment // keyed by the array's id

// A segment is a node that covers the positions from lo along an axis, for example the gradient of a slice.
type segment struct {
	axis, lo int
	Node
}

func (p segment) hi() int { return p.lo + p.Shape()[p.axis] }

// manyOf finds the arrays with ids up to last that have many active slices.
func manyOf(g *Graph, last int, active []bool) slicesOf {
	counts, many := map[int]int{}, slicesOf{}
	for i, n := range g.nodes[:last+1] {
		if x, ok := outermost(n); ok && active[i] {
			counts[x.id]++
			if counts[x.id] == manySlices {
				many[x.id] = nil
			}
		}
	}
	return many
}

// outermost returns the array of which n is a slice along the first axis only.
func outermost(n Node) (x Node, ok bool) {
	if !n.is(OpSlice) {
		return Node{}, false
	}
	x = n.args[0]
	return x, slices.Equal(n.Shape()[1:], x.Shape()[1:])
}

// keep stores the gradient bar of n if n is one of many slices of an array, and reports whether it is.
func (s slicesOf) keep(n, bar Node) bool {
	x, ok := outermost(n)
	if !ok {
		return false
	}
	parts, ok := s[x.id]
	if ok {
		s[x.id] = append(parts, segment{0, n.op.Lo[0], bar})
	}
	return ok
}

// joined returns the gradient of x through its slices, or an invalid node if there are none.
func (s slicesOf) joined(x Node) Node {
	return joinedParts(s[x.id], x.Shape())
}

// joinedParts returns the sum of parts in an array of the given shape, or an invalid node if there are none.
func joinedParts(parts []segment, shape []int) (sum Node) {
	slices.SortStableFunc(parts, func(a, b segment) int { return a.lo - b.lo })
	for _, row := range apart(parts) {
		contribute(&sum, inPlace(row, shape))
	}
	return sum
}

// apart distributes sorted parts over rows such that parts of a row do not overlap.
func apart(parts []segment) (rows [][]segment) {
	for _, p := range parts {
		k := slices.IndexFunc(rows, func(row []segment) bool { return row[len(row)-1].hi() <= p.lo })
		if k < 0 {
			k = len(rows)
			rows = append(rows, nil)
		}
		rows[k] = append(rows[k], p)
	}
	return rows
}

// inPlace concatenates parts, with zeros between them, to an array of the given shape.
func inPlace(row []segment, shape []int) Node {
	var parts []Node
	end, axis := 0, row[0].axis
	gap := func(to int) {
		if to > end {
			zeros := slices.Clone(shape)
			zeros[axis] = to - end
			parts = append(parts, row[0].Graph().Full(0, zeros...))
		}
	}
	for _, p := range row {
		gap(p.lo)
		parts = append(parts, p.Node)
		end = p.hi()
	}
	gap(shape[axis])
	return Concat(axis, parts...)
}
