package autodiff

import "slices"

// manySlices is the number of slices of one array from which their gradients are joined into one array. Padding each
// to the whole array would make graphs grow with the square of the number of parameters.
const manySlices = 64

// slicesOf collects the gradients of the slices of arrays that have many.
type slicesOf map[int][]segment // by the array's id

// A segment is what stands along an axis from lo on, such as the gradient of a slice.
type segment struct {
	axis, lo int
	Node
}

func (p segment) hi() int { return p.lo + p.Shape()[p.axis] }

// manyOf finds the arrays up to node last that have many active slices.
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

// outermost returns the array of which n is a slice along the outermost axis only.
func outermost(n Node) (x Node, ok bool) {
	if !n.is(OpSlice) {
		return Node{}, false
	}
	x = n.args[0]
	return x, slices.Equal(n.Shape()[1:], x.Shape()[1:])
}

// keep takes the gradient of a slice, and reports whether it is one of many.
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

// joined returns the gradient of x through its slices; none if there are none.
func (s slicesOf) joined(x Node) Node {
	return joinedParts(s[x.id], x.Shape())
}

// joinedParts returns the sum of parts in an array of that shape; none if there are none.
func joinedParts(parts []segment, shape []int) (sum Node) {
	slices.SortStableFunc(parts, func(a, b segment) int { return a.lo - b.lo })
	for _, row := range apart(parts) {
		contribute(&sum, inPlace(row, shape))
	}
	return sum
}

// apart distributes sorted parts over rows in which none overlaps another.
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

// inPlace joins parts, and zeros between them, to an array of that shape.
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
