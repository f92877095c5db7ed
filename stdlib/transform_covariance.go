package stdlib

import (
	"errors"
	"fmt"
	"math"

	ad "ppl/autodiff"
)

// Covariances are represented by their Cholesky factor L. The elements of L below the diagonal are free and the
// diagonal is e^u, row by row (Stan Reference Manual, "Covariance matrices" and "Cholesky factors of covariance
// matrices").

// constrainCholeskyCov returns the factor. Its log-Jacobian is Σ u_ii.
func constrainCholeskyCov(u Node, event []int, _, _ Node) (x, logJac Node) {
	x, logDiag := choleskyCov(u, event)
	return x, sumLast(logDiag, 1)
}

// constrainCovariance returns L Lᵀ. Its Jacobian includes that of the product, 2^D ∏ L_jj^{D−j+1}.
func constrainCovariance(u Node, event []int, _, _ Node) (x, logJac Node) {
	l, logDiag := choleskyCov(u, event)
	jac := ad.Add(sumLast(logDiag, 1), logProductJacobian(logDiag))
	return ad.MatMul(l, l, false, true), jac
}

// choleskyCov returns the factor and log L_jj, of shape plates + [D].
func choleskyCov(u Node, event []int) (l, logDiag Node) {
	d := event[len(event)-1]
	free := triangleToMatrix(u, d, 1)
	return ad.Where(triangle(u, free.Shape(), 0), ad.Exp(free), free), Diagonal(free)
}

// logProductJacobian returns the log-Jacobian of L ↦ L Lᵀ on lower triangles, computed from log L_jj (Muirhead 1982,
// Aspects of Multivariate Statistical Theory, theorem 2.1.9).
func logProductJacobian(logDiag Node) Node {
	d := lastSize(logDiag)
	power := make([]float64, d)
	for j := range power {
		power[j] = float64(d - j)
	}
	return plus(sumLast(perLast(logDiag, power), 1), float64(d)*ln2)
}

func freeCovariance(x []float64, event []int, lo, hi float64) ([]float64, error) {
	d := event[len(event)-1]
	if !symmetric(x, d) {
		return nil, errNotCovariance
	}
	l := factor(x, d)
	if math.IsNaN(l[0]) {
		return nil, errNotCovariance
	}
	return freeCholeskyCov(l, event, lo, hi)
}

// symmetric reports whether a matrix is symmetric up to 1e-8 of the greater of 1 and the element.
func symmetric(x []float64, d int) bool {
	for i, v := range x {
		if !(math.Abs(v-x[i%d*d+i/d]) <= 1e-8*math.Max(1, math.Abs(v))) {
			return false
		}
	}
	return true
}

func freeCholeskyCov(l []float64, event []int, _, _ float64) ([]float64, error) {
	d := event[len(event)-1]
	var u []float64
	for i, v := range l {
		switch row, col := i/d, i%d; {
		case col < row && !math.IsNaN(v):
			u = append(u, v)
		case col == row && v > 0:
			u = append(u, math.Log(v))
		case !(col > row && v == 0):
			return nil, fmt.Errorf("not a Cholesky factor: element [%d, %d] is %g; the diagonal must be positive and "+
				"the elements above it 0", row+1, col+1, v)
		}
	}
	return u, nil
}

var errNotCovariance = errors.New("not a covariance matrix: it must be symmetric and positive definite")
