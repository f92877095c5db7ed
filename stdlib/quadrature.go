package stdlib

import (
	"math"

	"gonum.org/v1/gonum/integrate/quad"
)

// A Quadrature has points X and weights W such that Σ W[k] f(X[k]) approximates the integral of f.
type Quadrature struct{ X, W []float64 }

// quadraturePoints is the number of points of UnitQuadrature. It gives 12 digits for smooth functions with a few peaks
// or waves.
const quadraturePoints = 61

// UnitQuadrature returns the Gauss–Legendre rule for the integral from 0 to 1.
func UnitQuadrature() Quadrature {
	q := Quadrature{make([]float64, quadraturePoints), make([]float64, quadraturePoints)}
	quad.Legendre{}.FixedLocations(q.X, q.W, 0, 1)
	return q
}

// HalfLineQuadrature returns a rule for the integral from 0 to infinity: the trapezium rule in t for x = exp(π/2 sinh
// t) (Takahasi & Mori 1974, Publications of the RIMS 9, 721). The points range from 1e-14 to 1e14 in size, so that the
// scale of f hardly matters.
func HalfLineQuadrature() Quadrature {
	return doubleExponential(func(u float64) (x, slope float64) { return math.Exp(u), math.Exp(u) })
}

// LineQuadrature returns a rule for the integral from −infinity to infinity, like HalfLineQuadrature with x = sinh(π/2
// sinh t).
func LineQuadrature() Quadrature {
	return doubleExponential(func(u float64) (x, slope float64) { return math.Sinh(u), math.Cosh(u) })
}

func doubleExponential(of func(u float64) (x, slope float64)) Quadrature {
	const last, half = 3.7, 110
	const h = last / half
	var q Quadrature
	for k := -half; k <= half; k++ {
		t := float64(k) * h
		x, slope := of(math.Pi / 2 * math.Sinh(t))
		q.X, q.W = append(q.X, x), append(q.W, h*slope*math.Pi/2*math.Cosh(t))
	}
	return q
}
