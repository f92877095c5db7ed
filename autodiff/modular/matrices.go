package modular

import "ppl/autodiff"

// A matrix of a stack, read through strides.
type matrix struct {
	v          []Residue
	rows, cols int
	down, left int
}

func (m matrix) at(i, j int) Residue     { return m.v[i*m.down+j*m.left] }
func (m matrix) set(i, j int, v Residue) { m.v[i*m.down+j*m.left] = v }

// matrixOf is matrix b of the stack that a node's value v is; a single matrix is every one of them.
func matrixOf(n autodiff.Node, v []Residue, b int, transposed bool) matrix {
	shape := n.Shape()
	rows, cols := shape[len(shape)-2], shape[len(shape)-1]
	if len(shape) == 2 {
		b = 0
	}
	m := matrix{v[b*rows*cols : (b+1)*rows*cols], rows, cols, cols, 1}
	if transposed {
		m.rows, m.cols, m.down, m.left = m.cols, m.rows, m.left, m.down
	}
	return m
}

// stack is how many matrices a node's value has.
func stack(n autodiff.Node) int {
	shape := n.Shape()
	return n.Size() / max(1, shape[len(shape)-2]*shape[len(shape)-1])
}

func matMul(n autodiff.Node, a, b []Residue) []Residue {
	out := make([]Residue, n.Size())
	for k := range stack(n) {
		x, y := matrixOf(n.Args()[0], a, k, n.Op().TransA), matrixOf(n.Args()[1], b, k, n.Op().TransB)
		to := matrixOf(n, out, k, false)
		for i := range x.rows {
			for j := range y.cols {
				sum := Residue(0)
				for l := range x.cols {
					sum = sum.Plus(x.at(i, l).Times(y.at(l, j)))
				}
				to.set(i, j, sum)
			}
		}
	}
	return out
}

// triSolve solves by substitution: from the first row, or for a transposed factor from the last.
func triSolve(n autodiff.Node, l, b []Residue) []Residue {
	out := make([]Residue, n.Size())
	for k := range stack(n) {
		factor := matrixOf(n.Args()[0], l, k, n.Op().TransA)
		from, to := matrixOf(n.Args()[1], b, k, false), matrixOf(n, out, k, false)
		for step := range factor.rows {
			i, lo, hi := step, 0, step
			if n.Op().TransA {
				i = factor.rows - 1 - step
				lo, hi = i+1, factor.rows
			}
			over := factor.at(i, i).Inverse()
			for c := range from.cols {
				sum := from.at(i, c)
				for j := lo; j < hi; j++ {
					sum = sum.Minus(factor.at(i, j).Times(to.at(j, c)))
				}
				to.set(i, c, sum.Times(over))
			}
		}
	}
	return out
}

// cholesky is an arbitrary lower triangle for each matrix.
func cholesky(n autodiff.Node, a []Residue) []Residue {
	out := make([]Residue, n.Size())
	for k := range stack(n) {
		to := matrixOf(n, out, k, false)
		of := hash(uint64(autodiff.OpCholesky), matrixOf(n.Args()[0], a, k, false).v...)
		for i := range to.rows {
			for j := 0; j <= i; j++ {
				to.set(i, j, hash(uint64(of), Residue(i), Residue(j)))
			}
		}
	}
	return out
}

// scan runs a recurrence step by step.
func scan(n autodiff.Node, args [][]Residue) ([]Residue, error) {
	body, size, steps := n.Op().Body, n.Args()[0].Size(), n.Shape()[0]-1
	out, step := make([]Residue, n.Size()), NewRoutine(body.Next)
	inputs := map[string][]Residue{}
	for k, s := range body.Shared {
		inputs[s.Op().Name] = args[1+len(body.Xs)+k]
	}
	row := func(t int) []Residue { return out[t*size : (t+1)*size] }
	from, to, first := 0, 1, 0
	if n.Op().Reverse {
		from, to, first = 1, 0, steps
	}
	copy(row(first), args[0])
	for turn := range steps {
		t := turn
		if n.Op().Reverse {
			t = steps - 1 - turn
		}
		for k, x := range body.Xs {
			inputs[x.Op().Name] = args[1+k][t*x.Size() : (t+1)*x.Size()]
		}
		inputs[body.Carry.Op().Name] = row(t + from)
		next, err := step.Eval(inputs)
		if err != nil {
			return nil, err
		}
		copy(row(t+to), next[0])
	}
	return out, nil
}
