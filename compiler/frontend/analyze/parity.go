package analyze

import (
	"maps"
	"slices"
)

// A parity is a sum of bits modulo 2, as a list of the numbers of the bits in ascending order. Nil is the parity of the
// constant 0, which is compatible with any parity.
type parity []int

// even returns the empty sum: the parity of an expression that never changes sign.
func even() parity { return parity{} }

// plus returns the sum modulo 2: the bits that are in exactly one of the two.
func (p parity) plus(q parity) parity {
	out := make(parity, 0, len(p)+len(q))
	for len(p) > 0 && len(q) > 0 {
		switch {
		case p[0] < q[0]:
			out, p = append(out, p[0]), p[1:]
		case p[0] > q[0]:
			out, q = append(out, q[0]), q[1:]
		default:
			p, q = p[1:], q[1:]
		}
	}
	return append(append(out, p...), q...)
}

// solve returns a basis of the solutions of equations for n bits. Each equation states that a sum of bits is 0. A
// solution is a list of the bits that are 1. solve returns nil if the computation would take too long.
//
// Nearly all equations state that two bits are equal or that one bit is 0. Sets of equal bits (union-find) solve these;
// Gaussian elimination solves the others.
func solve(n int, equations []parity) [][]int {
	sets := newEqualBits(n)
	left := sets.merge(equations)
	rows, ok := eliminate(left)
	if !ok {
		return nil
	}
	ones := map[int][]int{} // maps a free bit to the bits that are 1 in its solution
	for bit := range n {
		switch set := sets.find(bit); {
		case set == sets.zero():
		case rows[set] != nil:
			for _, free := range rows[set][1:] {
				ones[free] = append(ones[free], bit)
			}
		default:
			ones[set] = append(ones[set], bit)
		}
	}
	var out [][]int
	for _, free := range slices.Sorted(maps.Keys(ones)) {
		out = append(out, ones[free])
	}
	return out
}

// equalBits is a union-find structure over bits. The root of a set is its largest bit; bit n is the constant 0.
type equalBits struct{ next []int }

func newEqualBits(n int) *equalBits {
	e := &equalBits{make([]int, n+1)}
	for i := range e.next {
		e.next[i] = i
	}
	return e
}

func (e *equalBits) zero() int { return len(e.next) - 1 }

// find returns the root of a bit's set, and shortens the path to it.
func (e *equalBits) find(bit int) int {
	for e.next[bit] != bit {
		e.next[bit] = e.next[e.next[bit]]
		bit = e.next[bit]
	}
	return bit
}

// named returns a sum with each bit replaced by the root of its set, and without bits that are 0.
func (e *equalBits) named(p parity) parity {
	var out parity
	for _, bit := range p {
		if name := e.find(bit); name != e.zero() {
			out = out.plus(parity{name})
		}
	}
	return out
}

// merge applies the equations between at most two sets, until no such equations remain, and returns the other
// equations.
func (e *equalBits) merge(equations []parity) []parity {
	for {
		var left []parity
		for _, q := range equations {
			switch q = e.named(q); len(q) {
			case 0:
			case 1:
				e.next[q[0]] = e.zero()
			case 2:
				e.next[q[0]] = q[1]
			default:
				left = append(left, q)
			}
		}
		if len(left) == len(equations) {
			return left
		}
		equations = left
	}
}

// maxSteps limits the number of bits that an elimination adds.
const maxSteps = 20_000_000

// A solver performs Gaussian elimination. rows maps a bit to the row whose first bit it is; steps counts added bits.
type solver struct {
	rows  map[int]parity
	steps int
}

// reduce adds rows to q so that q has no bit, from position from on, that is the first bit of a row. It stops early
// after maxSteps.
func (e *solver) reduce(q parity, from int) parity {
	for at := from; at < len(q) && e.steps <= maxSteps; {
		row := e.rows[q[at]]
		if row == nil {
			at++
			continue
		}
		e.steps += len(q) + len(row)
		q = q.plus(row) // bits before at remain: all bits of row are at least its first
	}
	return q
}

// eliminate returns equations in reduced row echelon form: the first bit of each row is in no other row. ok is false if
// this would take too long.
func eliminate(equations []parity) (rows map[int]parity, ok bool) {
	e := &solver{rows: map[int]parity{}}
	for _, q := range equations {
		q = e.reduce(q, 0)
		if len(q) > 0 {
			e.rows[q[0]] = q
		}
	}
	for _, first := range slices.Backward(slices.Sorted(maps.Keys(e.rows))) {
		e.rows[first] = e.reduce(e.rows[first], 1)
	}
	return e.rows, e.steps <= maxSteps
}
