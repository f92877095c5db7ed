package stdlib

import (
	"math"

	ad "ppl/autodiff"
)

// Correlation matrices are represented by canonical partial correlations z = tanh u, one for each element below the
// diagonal, row by row (Lewandowski, Kurowicka & Joe 2009; Stan Reference Manual, "Cholesky factors of correlation
// matrices"): L_ij = z_ij ∏_{k<j} √(1 − z_ik²), where z_ii = 1.

// constrainCholeskyCorr returns the factor. Its log-Jacobian is Σ_{j<i} [log(1 − z_ij²) + Σ_{k<j} ½ log(1 − z_ik²)].
func constrainCholeskyCorr(u Node, event []int, _, _ Node) (x, logJac Node) {
	x, logJac, _ = choleskyCorr(u, event)
	return x, logJac
}

// constrainCorrelation returns L Lᵀ. The diagonal is set to 1, since rounding would give 1 ± 1e-16. The Jacobian
// includes that of the product, ∏ L_jj^{D−j}.
func constrainCorrelation(u Node, event []int, _, _ Node) (x, logJac Node) {
	l, logJac, logDiag := choleskyCorr(u, event)
	x = ad.Where(triangle(u, l.Shape(), 0), num(u, 1), ad.MatMul(l, l, false, true))
	return x, ad.Add(logJac, logCorrelationJacobian(logDiag))
}

// logCorrelationJacobian returns the log-Jacobian of L ↦ L Lᵀ, from the elements below the diagonal of the factor to
// those of the correlation. It is computed from log L_jj.
func logCorrelationJacobian(logDiag Node) Node {
	d := lastSize(logDiag)
	power := make([]float64, d)
	for j := range power {
		power[j] = float64(d - 1 - j)
	}
	return sumLast(perLast(logDiag, power), 1)
}

// choleskyCorr returns the factor, the log-Jacobian, and log L_jj of shape plates + [D].
func choleskyCorr(u Node, event []int) (l, logJac, logDiag Node) {
	d := event[len(event)-1]
	shape := join(plates(u, 1), d, d)
	if d == 1 {
		return u.Graph().Full(1, shape...), zeros(u, plates(u, 1)), zeros(u, shape[:len(shape)-1])
	}
	free := triangleToMatrix(u, d, 0)
	half := halfLogSech2(free)
	before := padLast(sliceLast(ad.CumSum(half, half.Rank()-1, false), 0, d-1), 1, 0)
	below, eye := triangle(u, shape, -1), triangle(u, shape, 0)
	l = ad.Mul(ad.Add(ad.Tanh(free), eye), ad.Exp(ad.Mul(before, ad.Add(below, eye))))
	logJac = sumLast(ad.Add(times(2, half), ad.Mul(below, before)), 2)
	return l, logJac, sumLast(half, 1)
}

// halfLogSech2 returns ½ log(1 − tanh² u) = −log cosh u = log 2 − u − log(1 + e^{−2u}).
func halfLogSech2(u Node) Node {
	return ad.Neg(plus(ad.Add(u, ad.Softplus(times(-2, u))), -ln2))
}

// triangleToMatrix puts the last axis row by row into the lower triangle of a matrix of zeros: below the diagonal if
// diag = 0, including the diagonal if diag = 1.
func triangleToMatrix(u Node, d, diag int) Node {
	n := lastSize(u)
	count := u.Size() / n
	index := make([]float64, 0, u.Size())
	for p := range count {
		for i := range d {
			for j := range i + diag {
				index = append(index, float64((p*d+i)*d+j))
			}
		}
	}
	at := u.Graph().Data("below", index, u.Size())
	flat := ad.ScatterAdd([]int{count * d * d}, ad.Reshape(u, u.Size()), at)
	return ad.Reshape(flat, join(plates(u, 1), d, d)...)
}

// triangle returns a mask of 0 and 1: 1 below the diagonal if which = −1, and 1 on the diagonal if which = 0.
func triangle(u Node, shape []int, which int) Node {
	d := shape[len(shape)-1]
	mask := make([]float64, d*d)
	for i := range mask {
		if row, col := i/d, i%d; (which == 0 && col == row) || (which < 0 && col < row) {
			mask[i] = 1
		}
	}
	return trailing(u.Graph().Data("triangle", mask, d, d), shape)
}

func freeCorrelation(x []float64, event []int, lo, hi float64) ([]float64, error) {
	d := event[len(event)-1]
	if !symmetric(x, d) {
		return nil, errNotCorrelation
	}
	for i := range d {
		if math.Abs(x[i*d+i]-1) > 1e-8 {
			return nil, errNotCorrelation
		}
	}
	l := factor(x, d)
	if math.IsNaN(l[0]) {
		return nil, errNotCorrelation
	}
	return freeCholeskyCorr(l, event, lo, hi)
}

func freeCholeskyCorr(l []float64, event []int, _, _ float64) ([]float64, error) {
	d := event[len(event)-1]
	var u []float64
	for i := range d {
		left := 1.0
		for j := range i {
			z := l[i*d+j] / math.Sqrt(left)
			u = append(u, math.Atanh(z))
			left -= l[i*d+j] * l[i*d+j]
		}
		if !(l[i*d+i] > 0) || math.Abs(left-l[i*d+i]*l[i*d+i]) > 1e-8 {
			return nil, errNotCorrelation
		}
	}
	return u, nil
}
