package stdlib

import (
	"errors"
	"fmt"
	"math"

	ad "ppl/autodiff"
)

// constrainZeroSum returns the vector with K−1 coordinates u in an orthonormal (Helmert) basis of the vectors that sum
// to 0, like Stan's sum_to_zero_vector: with w_n = u_n/√(n(n+1)), x_i = Σ_{n≥i} w_n − (i−1) w_{i−1}. The map is an
// isometry, so its log-Jacobian is 0.
func constrainZeroSum(u Node, event []int, _, _ Node) (x, logJac Node) {
	k := event[len(event)-1]
	if k == 1 {
		return zeros(u, join(plates(u, len(event)), event...)), zeros(u, plates(u, len(event)))
	}
	scale, times := make([]float64, k-1), make([]float64, k-1)
	for i := range scale {
		n := float64(i + 1)
		scale[i], times[i] = 1/math.Sqrt(n*(n+1)), n
	}
	w := perLast(u, scale)
	after := ad.CumSum(padLast(w, 0, 1), u.Rank()-1, true)
	return ad.Sub(after, padLast(perLast(w, times), 1, 0)), zeros(u, plates(u, len(event)))
}

func freeZeroSum(x []float64, _ []int, _, _ float64) ([]float64, error) {
	sum, size := 0.0, 0.0
	for _, v := range x {
		sum, size = sum+v, size+math.Abs(v)
	}
	if !(math.Abs(sum) <= 1e-8*(1+size)) {
		return nil, fmt.Errorf("the elements sum to %g, not 0", sum)
	}
	return Helmert(x), nil
}

// Helmert returns the coordinates of x in the basis of constrainZeroSum: u_n = (Σ_{i≤n} x_i − n x_{n+1}) / √(n(n+1)).
func Helmert(x []float64) []float64 {
	u, sum := make([]float64, len(x)-1), 0.0
	for i := range u {
		n := float64(i + 1)
		sum += x[i]
		u[i] = (sum - n*x[i+1]) / math.Sqrt(n*(n+1))
	}
	return u
}

// helmert applies Helmert along the last axis of a node.
func helmert(y Node) Node {
	n := lastSize(y)
	basis := make([]float64, 0, n*(n-1))
	for i := range n {
		unit := make([]float64, n)
		unit[i] = 1
		basis = append(basis, Helmert(unit)...)
	}
	rows := ad.Reshape(y, y.Size()/n, n)
	return ad.Reshape(ad.MatMul(rows, y.Graph().Data("basis", basis, n, n-1), false, false),
		join(plates(y, 1), n-1)...)
}

// FromHelmert returns the vector that sums to 0 and has the coordinates u in the basis of Helmert.
func FromHelmert(u []float64) []float64 {
	x, after := make([]float64, len(u)+1), 0.0
	for i := len(u); i > 0; i-- {
		n := float64(i)
		w := u[i-1] / math.Sqrt(n*(n+1))
		x[i] = after - n*w
		after += w
	}
	x[0] = after
	return x
}

// constrainSimplex returns the inverse isometric log-ratio: the softmax of a zero-sum vector y = V u. It treats all
// elements alike, and log x = y − logsumexp y keeps its digits near the corners. The log-Jacobian is ½ log K + Σ log x
// (Egozcue et al. 2003, Mathematical Geology 35, 279; the determinant is K ∏x on the hyperplane, whose projection on
// K−1 coordinates shrinks volume by √K).
func constrainSimplex(u Node, event []int, lo, hi Node) (x, logJac Node) {
	y, _ := constrainZeroSum(u, event, lo, hi)
	return Softmax(y)
}

// Softmax returns the simplex vector whose logarithms are y plus a constant. logJac is the log-Jacobian of the map from
// the K−1 coordinates of the zero-sum vector y.
func Softmax(y Node) (x, logJac Node) {
	logX := ad.Sub(y, spread(ad.LogSumExp(y, y.Rank()-1), y.Shape()))
	return ad.Exp(logX), plus(sumLast(logX, 1), 0.5*math.Log(float64(lastSize(y))))
}

func freeSimplex(x []float64, _ []int, _, _ float64) ([]float64, error) {
	y, sum := make([]float64, len(x)), 0.0
	for i, v := range x {
		if !(v > 0) {
			return nil, fmt.Errorf("element %d is %g; the elements of a simplex must be positive", i+1, v)
		}
		y[i], sum = math.Log(v), sum+v
	}
	if math.Abs(sum-1) > 1e-8 {
		return nil, fmt.Errorf("the elements sum to %g, not 1", sum)
	}
	return Helmert(y), nil
}

// constrainOrdered adds up increments. Without bounds, u₁ is the first element and the increments are e^{u_k}. With one
// bound, all increments are e^{u_k}, counted from the bound. With two bounds, the K+1 gaps form a simplex.
func constrainOrdered(u Node, event []int, lo, hi Node) (x, logJac Node) {
	lo, hi = end(lo), end(hi)
	last := u.Rank() - 1
	switch {
	case lo.Valid() && hi.Valid():
		return orderedBetween(u, event, lo, hi)
	case lo.Valid():
		return ad.Add(spread(lo, u.Shape()), ad.CumSum(ad.Exp(u), last, false)), sumLast(u, 1)
	case hi.Valid():
		return ad.Sub(spread(hi, u.Shape()), ad.CumSum(ad.Exp(u), last, true)), sumLast(u, 1)
	case lastSize(u) == 1:
		return u, zeros(u, plates(u, 1))
	}
	first, steps := sliceLast(u, 0, 1), sliceLast(u, 1, lastSize(u))
	return ad.CumSum(ad.Concat(last, first, ad.Exp(steps)), last, false), sumLast(steps, 1)
}

func orderedBetween(u Node, event []int, lo, hi Node) (x, logJac Node) {
	k := event[len(event)-1]
	gaps, logJac := constrainSimplex(u, []int{k + 1}, Node{}, Node{})
	w, penalty := positiveOnly(ad.Sub(hi, lo))
	share := sliceLast(ad.CumSum(gaps, u.Rank()-1, false), 0, k)
	x = ad.Add(spread(lo, share.Shape()), ad.Mul(spread(w, share.Shape()), share))
	return x, total(penalty, times(float64(k), ad.Log(w)), logJac)
}

func freeOrdered(x []float64, event []int, lo, hi float64) ([]float64, error) {
	if err := inside(x, lo, hi); err != nil {
		return nil, err
	}
	for i := 1; i < len(x); i++ {
		if x[i] <= x[i-1] {
			return nil, fmt.Errorf("element %d (%g) is not greater than element %d (%g)", i+1, x[i], i, x[i-1])
		}
	}
	switch {
	case !math.IsInf(lo, -1) && !math.IsInf(hi, 1):
		return Helmert(logs(gaps(x, lo, hi))), nil
	case !math.IsInf(lo, -1):
		return logs(gaps(x, lo, hi)[:len(x)]), nil
	case !math.IsInf(hi, 1):
		return logs(gaps(x, lo, hi)[1:]), nil
	}
	return append([]float64{x[0]}, logs(gaps(x, lo, hi)[1:len(x)])...), nil
}

// gaps returns x₁ − lo, x₂ − x₁, …, hi − x_K.
func gaps(x []float64, lo, hi float64) []float64 {
	g, before := make([]float64, 0, len(x)+1), lo
	for _, v := range x {
		g, before = append(g, v-before), v
	}
	return append(g, hi-before)
}

func logs(x []float64) []float64 {
	y := make([]float64, len(x))
	for i, v := range x {
		y[i] = math.Log(v)
	}
	return y
}

var errNotCorrelation = errors.New("not a correlation matrix: it must be symmetric and positive definite with ones " +
	"on the diagonal")

// constrainUnitVector returns x = y / r with r = |y| for n free coordinates y, since a sphere has no single chart. The
// length r has a chi distribution with n degrees of freedom, independent of x. The log-Jacobian includes the log
// density of r: −r²/2 − log(2^{n/2−1} Γ(n/2)). So a uniform direction has independent standard normal coordinates
// (Muller 1959, Communications of the ACM 2, 19; Stan Reference Manual, "Unit vector").
func constrainUnitVector(u Node, event []int, _, _ Node) (x, logJac Node) {
	n := float64(event[len(event)-1])
	r2 := sumLast(square(u), 1)
	gamma, _ := math.Lgamma(n / 2)
	return ad.Div(u, spread(ad.Sqrt(r2), u.Shape())), plus(times(-0.5, r2), -(n/2-1)*ln2-gamma)
}

// freeUnitVector returns x as its own free vector, of length 1.
func freeUnitVector(x []float64, _ []int, _, _ float64) ([]float64, error) {
	r2 := 0.0
	for _, v := range x {
		r2 += v * v
	}
	if !(math.Abs(r2-1) <= 1e-8) {
		return nil, fmt.Errorf("the squares sum to %g, not 1", r2)
	}
	return append([]float64{}, x...), nil
}
