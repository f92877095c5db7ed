package stdlib

import (
	"math"
	"slices"

	ad "ppl/autodiff"
)

// An elimination is the result of Gauss–Jordan elimination with partial pivoting on square matrices A and right-hand
// sides B, of shapes [B…, N, N] and [B…, N, M] (Golub & Van Loan, Matrix Computations, 4th ed., section 3.4). The
// elimination is one scan over the columns. Gradients pass through its steps, with the choice of pivots held fixed.
type elimination struct {
	solved Node // A⁻¹B with its rows in another order
	pivot  Node // pivot of each row; 0 if no nonzero pivot was left
	column Node // column, counted from 0, in which each row was the pivot row
}

// unrolled is the greatest matrix size for which the steps are written out instead of scanned. Small matrices may be
// inside a recurrence.
const unrolled = 8

func eliminate(a, b Node) elimination {
	g, r, n, m := a.Graph(), a.Rank(), lastSize(a), lastSize(b)
	// Two more columns hold each row's pivot, and the pivot's column + 1.
	work := ad.Concat(r-1, a, b, g.Full(0, join(plates(a, 1), 2)...))
	at, mark := columnSteps(n, n+m+2)
	if n <= unrolled {
		for k := range n {
			work = eliminateColumn(work, constLast(work, at[k]), constLast(work, mark[k]))
		}
	} else {
		seqs := []Node{g.Data("at", slices.Concat(at...), n, n+m+2), g.Data("mark", slices.Concat(mark...), n, n+m+2)}
		rows := ad.Scan(work, seqs, nil, false, func(w Node, x, _ []Node) Node {
			return eliminateColumn(w, trailing(x[0], w.Shape()), trailing(x[1], w.Shape()))
		})
		work = lastRow(rows)
	}
	column := func(k int) Node { return sumLast(sliceLast(work, k, k+1), 1) }
	return elimination{sliceLast(work, n, n+m), column(n + m), plus(column(n+m+1), -1)}
}

// columnSteps returns for step k a vector at[k] with a 1 in column k, and a vector mark[k] with k+1 in the last column.
func columnSteps(n, width int) (at, mark [][]float64) {
	for k := range n {
		at, mark = append(at, make([]float64, width)), append(mark, make([]float64, width))
		at[k][k], mark[k][width-1] = 1, float64(k+1)
	}
	return at, mark
}

// eliminateColumn performs one step. In the column where at is 1 it makes the pivot's row 1 and all other rows 0.
func eliminateColumn(w, at, mark Node) Node {
	r, shape := w.Rank(), w.Shape()
	column := sumLast(ad.Mul(w, at), 1)
	chosen := firstLargest(column, sumLast(sliceLast(w, shape[r-1]-1, shape[r-1]), 1))
	here := spread(chosen, shape)
	row := ad.Sum(ad.Mul(here, w), r-2)
	pivot := ad.Sum(ad.Mul(chosen, column), r-2)
	safe := ad.Where(ad.Eq(pivot, num(pivot, 0)), num(pivot, 1), pivot)
	scaled := back(ad.Div(row, back(safe, row, []int{r - 2})), w, []int{r - 2})
	left := ad.Sub(w, ad.Mul(spread(column, shape), scaled))
	note := ad.Mul(back(pivot, w, []int{r - 2, r - 1}), constLast(w, pivotAt(shape[r-1])))
	return ad.Where(here, total(scaled, mark, note), left)
}

// pivotAt returns a vector of zeros with a 1 in the last column but one, which holds the pivots.
func pivotAt(width int) []float64 {
	at := make([]float64, width)
	at[width-2] = 1
	return at
}

// firstLargest returns 1 at the first element of largest absolute value along the last axis, else 0. It ignores
// elements that were taken before.
func firstLargest(x, taken Node) Node {
	last := []int{x.Rank() - 1}
	size := ad.Where(taken, num(x, -1), ad.Abs(x))
	index := trailing(x.Graph().Iota(lastSize(x)), x.Shape())
	among := ad.Where(ad.Eq(size, back(ad.Max(size, last...), x, last)), index, num(x, inf))
	return ad.Eq(index, back(ad.Min(among, last...), x, last))
}

// inverse returns the inverse of a square matrix, or NaNs if the matrix is singular or not finite.
func inverse(a Node) Node {
	e := eliminate(a, identityLike(a))
	column := ad.Broadcast(a.Graph().Iota(lastSize(a)), a.Shape(), []int{a.Rank() - 1})
	x := ad.MatMul(ad.Eq(spread(e.column, a.Shape()), column), e.solved, true, false)
	least := ad.Min(ad.Abs(e.pivot), e.pivot.Rank()-1)
	return onlyFinite(a, ad.Where(spread(ad.Lt(num(least, 0), least), x.Shape()), x, num(x, math.NaN())))
}

// logAbsDeterminant returns −∞ if a matrix is singular, and NaN if it is not finite.
func logAbsDeterminant(a Node) Node {
	return onlyFinite(a, sumLast(ad.Log(ad.Abs(pivotsOf(a).pivot)), 1))
}

// determinant returns the product of the pivots times the sign of the permutation, Π sign(c_j − c_i) over rows i < j.
// Its gradient is wrong if the determinant is 0.
func determinant(a Node) Node {
	e := pivotsOf(a)
	of := func(axis int) Node { return ad.Broadcast(e.column, a.Shape(), append(iota(0, a.Rank()-2), axis)) }
	r := a.Rank()
	row, col := of(r-2), of(r-1)
	i := a.Graph().Iota(lastSize(a))
	ordered := ad.Le(ad.Broadcast(i, a.Shape(), []int{r - 1}), ad.Broadcast(i, a.Shape(), []int{r - 2}))
	signs := ad.Where(ordered, num(a, 1), ad.Sign(ad.Sub(col, row)))
	return onlyFinite(a, ad.Mul(product(signs, lastAxes(signs, 2)), product(e.pivot, lastAxes(e.pivot, 1))))
}

func pivotsOf(a Node) elimination { return eliminate(a, a.Graph().Full(0, join(plates(a, 1), 0)...)) }

// onlyFinite returns x, or NaN for matrices a that are not finite.
func onlyFinite(a, x Node) Node {
	ok := ad.IsFinite(sumLast(ad.Abs(a), 2))
	return ad.Where(spread(ok, x.Shape()), x, num(x, math.NaN()))
}

// expSquarings is the number of squaring steps in matrixExp, which is therefore accurate for norms up to about 2⁴⁰.
const expSquarings = 40

// matrixExp returns exp(A) by scaling and squaring: it evaluates the Taylor polynomial of degree 16 at A/2^s, whose
// 1-norm is at most ½, and squares the result s times (Moler & Van Loan 2003, SIAM Review 45, 3). The scan always has
// expSquarings steps; those after the first s change nothing.
func matrixExp(a Node) Node {
	r := a.Rank()
	norm := ad.Max(ad.Sum(ad.Abs(a), r-2), r-2)
	halvings := ad.Maximum(num(norm, 0),
		ad.Ceil(plus(times(1/math.Ln2, ad.Log(ad.Maximum(norm, num(norm, 1e-300)))), 1)))
	scale := ad.Exp(times(-math.Ln2, halvings))
	small := ad.Mul(a, spread(scale, a.Shape()))
	sum := identityLike(a)
	for k := 16.0; k > 0; k-- {
		sum = ad.Add(identityLike(a), times(1/k, ad.MatMul(small, sum, false, false)))
	}
	g := a.Graph()
	rows := ad.Scan(sum, []Node{g.Iota(expSquarings)}, []Node{halvings}, false, func(x Node, k, s []Node) Node {
		more := ad.Lt(lift(k[0], 0, s[0].Shape(), nil), s[0])
		return ad.Where(spread(more, x.Shape()), ad.MatMul(x, x, false, false), x)
	})
	return onlyFinite(a, lastRow(rows))
}

// lastRow returns the last row of the result of a Scan.
func lastRow(rows Node) Node {
	lo, hi := make([]int, rows.Rank()), join(rows.Shape())
	lo[0] = hi[0] - 1
	return ad.Reshape(ad.Slice(rows, lo, hi), rows.Shape()[1:]...)
}
