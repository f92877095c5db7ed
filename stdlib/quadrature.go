package stdlib

import (
	"math"

	"gonum.org/v1/gonum/integrate/quad"
)

// A Quadrature has points in x and weights w for which Σ w[k] f(x[k]) is about the integral of f.
type Quadrature struct{ X, W []float64 }

// quadraturePoints is enough for 12 digits of smooth functions with a few peaks or waves.
const quadraturePoints = 61

// UnitQuadrature is for the integral from 0 to 1, by Gauss and Legendre.
func UnitQuadrature() Quadrature {
	q := Quadrature{make([]float64, quadraturePoints), make([]float64, quadraturePoints)}
	quad.Legendre{}.FixedLocations(q.X, q.W, 0, 1)
	return q
}

// HalfLineQuadrature is for the integral from 0 to infinity and LineQuadrature from −infinity to infinity: the
// trapezium rule after x = exp(π/2 sinh t) and x = sinh(π/2 sinh t) (Takahasi & Mori 1974, Publications of the RIMS 9,
// 721). The points range from 1e-14 to 1e14 by size, so that the scale of f hardly matters.
func HalfLineQuadrature() Quadrature {
	return doubleExponential(func(u float64) (x, slope float64) { return math.Exp(u), math.Exp(u) })
}

// LineQuadrature is described at HalfLineQuadrature.
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
