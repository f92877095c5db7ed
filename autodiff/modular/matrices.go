package modular

import "ppl/autodiff"

func matMul(n autodiff.Node, a, b []Residue) []Residue {
	out := make([]Residue, n.Size())
	for k := range autodiff.Stack(n) {
		x, y := autodiff.GridOf(n.Args()[0], a, k, n.Op().TransA), autodiff.GridOf(n.Args()[1], b, k, n.Op().TransB)
		to := autodiff.GridOf(n, out, k, false)
		for i := range x.Rows {
			for j := range y.Cols {
				sum := Residue(0)
				for l := range x.Cols {
					sum = sum.Plus(x.At(i, l).Times(y.At(l, j)))
				}
				to.Set(i, j, sum)
			}
		}
	}
	return out
}

// triSolve solves by substitution, from the first row, or from the last row if the factor is transposed.
func triSolve(n autodiff.Node, l, b []Residue) []Residue {
	out := make([]Residue, n.Size())
	for k := range autodiff.Stack(n) {
		factor := autodiff.GridOf(n.Args()[0], l, k, n.Op().TransA)
		from, to := autodiff.GridOf(n.Args()[1], b, k, false), autodiff.GridOf(n, out, k, false)
		for step := range factor.Rows {
			i, lo, hi := step, 0, step
			if n.Op().TransA {
				i = factor.Rows - 1 - step
				lo, hi = i+1, factor.Rows
			}
			over := factor.At(i, i).Inverse()
			for c := range from.Cols {
				sum := from.At(i, c)
				for j := lo; j < hi; j++ {
					sum = sum.Minus(factor.At(i, j).Times(to.At(j, c)))
				}
				to.Set(i, c, sum.Times(over))
			}
		}
	}
	return out
}

// cholesky returns a lower triangle for each matrix whose elements are arbitrary functions of the matrix.
func cholesky(n autodiff.Node, a []Residue) []Residue {
	out := make([]Residue, n.Size())
	for k := range autodiff.Stack(n) {
		to := autodiff.GridOf(n, out, k, false)
		of := hash(uint64(autodiff.OpCholesky), a[k*to.Rows*to.Cols:][:to.Rows*to.Cols]...)
		for i := range to.Rows {
			for j := 0; j <= i; j++ {
				to.Set(i, j, hash(uint64(of), Residue(i), Residue(j)))
			}
		}
	}
	return out
}
