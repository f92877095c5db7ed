package stdlib

import (
	"fmt"
	"math"

	ad "ppl/autodiff"
	"ppl/lang/types"
)

// TransformOf returns the transform from unconstrained coordinates to a support, or nil if there is none (IntRange).
func TransformOf(k types.Kind) *Transform { return transformTable[k] }

// transformTable maps a support to its transform, a bijection from free coordinates onto the interior of the support.
// The log-Jacobian is that of the map to the coordinates in which densities on the support are written: all elements of
// an interval or an ordered vector, the first K−1 of a simplex, an orthonormal basis of the zero-sum hyperplane, the
// elements below the diagonal of a correlation or its factor, and these and the diagonal of a covariance or its factor.
// Only UnitVector is not a bijection: it has one free coordinate more than the sphere has dimensions. The additional
// one is the length of the free vector, to which the transform gives a distribution.
var transformTable = map[types.Kind]*Transform{
	types.RealLine:     {types.RealLine, sameShape, constrainReal, freeReal},
	types.Interval:     {types.Interval, sameShape, constrainInterval, freeInterval},
	types.Simplex:      {types.Simplex, oneLess, constrainSimplex, freeSimplex},
	types.Ordered:      {types.Ordered, sameShape, constrainOrdered, freeOrdered},
	types.ZeroSum:      {types.ZeroSum, oneLess, constrainZeroSum, freeZeroSum},
	types.Correlation:  {types.Correlation, belowDiagonal, constrainCorrelation, freeCorrelation},
	types.CholeskyCorr: {types.CholeskyCorr, belowDiagonal, constrainCholeskyCorr, freeCholeskyCorr},
	types.Covariance:   {types.Covariance, lowerTriangle, constrainCovariance, freeCovariance},
	types.CholeskyCov:  {types.CholeskyCov, lowerTriangle, constrainCholeskyCov, freeCholeskyCov},
	types.UnitVector:   {types.UnitVector, sameShape, constrainUnitVector, freeUnitVector},
}

func sameShape(event []int) []int { return event }

func oneLess(event []int) []int {
	k := len(event) - 1
	return join(event[:k], event[k]-1)
}

func belowDiagonal(event []int) []int {
	k := len(event) - 1
	return join(event[:k-1], event[k]*(event[k]-1)/2)
}

func lowerTriangle(event []int) []int {
	k := len(event) - 1
	return join(event[:k-1], event[k]*(event[k]+1)/2)
}

// end returns b, or the zero Node if b is a constant infinity.
func end(b Node) Node {
	if !b.Valid() {
		return Node{}
	}
	if v, ok := b.IsConst(); ok && math.IsInf(v, 0) {
		return Node{}
	}
	return b
}

func zeros(u Node, shape []int) Node { return u.Graph().Full(0, shape...) }

func constrainReal(u Node, event []int, _, _ Node) (x, logJac Node) {
	return u, zeros(u, plates(u, len(event)))
}

func freeReal(x []float64, _ []int, _, _ float64) ([]float64, error) {
	if err := inside(x, -inf, inf); err != nil {
		return nil, err
	}
	return append([]float64{}, x...), nil
}

// constrainInterval returns u, lo + eᵘ, hi − eᵘ, or lo + (hi − lo) σ(u). The last is computed from the nearer end so
// that x keeps its precision there. If lo > hi, the log-Jacobian is −∞.
func constrainInterval(u Node, event []int, lo, hi Node) (x, logJac Node) {
	lo, hi = end(lo), end(hi)
	switch {
	case lo.Valid() && hi.Valid():
		return scaledSigmoid(u, lo, hi)
	case lo.Valid():
		return ad.Add(lo, ad.Exp(u)), u
	case hi.Valid():
		return ad.Sub(hi, ad.Exp(u)), u
	}
	return constrainReal(u, event, lo, hi)
}

func scaledSigmoid(u, lo, hi Node) (x, logJac Node) {
	left := ad.Lt(u, num(u, 0))
	w, penalty := positiveOnly(ad.Sub(hi, lo))
	step := ad.Mul(w, ad.Sigmoid(ad.Where(left, u, ad.Neg(u))))
	x = ad.Where(left, ad.Add(lo, step), ad.Sub(hi, step))
	return x, total(penalty, ad.Log(w), ad.LogSigmoid(u), ad.LogSigmoid(ad.Neg(u)))
}

func freeInterval(x []float64, _ []int, lo, hi float64) ([]float64, error) {
	if err := inside(x, lo, hi); err != nil {
		return nil, err
	}
	u := make([]float64, len(x))
	for i, v := range x {
		u[i] = freeScalar(v, lo, hi)
	}
	return u, nil
}

func freeScalar(x, lo, hi float64) float64 {
	below, above := math.IsInf(lo, -1), math.IsInf(hi, 1)
	switch {
	case below && above:
		return x
	case above:
		return math.Log(x - lo)
	case below:
		return math.Log(hi - x)
	}
	return math.Log(x-lo) - math.Log(hi-x)
}

// inside returns an error if an element is not strictly between lo and hi.
func inside(x []float64, lo, hi float64) error {
	for i, v := range x {
		if !(lo < v && v < hi) {
			return fmt.Errorf("element %d is %g, not strictly between %g and %g", i+1, v, lo, hi)
		}
	}
	return nil
}
