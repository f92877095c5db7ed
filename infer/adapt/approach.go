package adapt

import (
	"math"

	"gonum.org/v1/gonum/floats"
)

// An Approach climbs from a starting point of so low density that no trajectory makes progress. If a scale is the
// exponential of a sum, for example, the log density at the start may be −10²⁰⁰, with a gradient of that size. It uses
// Polyak's steps (Introduction to Optimization, 1987, section 5.3): the full step goes along the gradient to the point
// at which the log density would be 0 if it rose linearly. The fraction of this step that is used doubles after each
// success. If the log density is −eˣ, each full step divides it by e; if it is −x², each full step halves x:
//
//	a := adapt.NewApproach(start, density)
//	for !a.Done && a.Density < enough {
//		a.Report(density(a.Next()), gradient(a.Next()))
//	}
//
// The struct is plain data, so it can be saved between two evaluations.
type Approach struct {
	At       []float64
	Density  float64
	Gradient []float64 // gradient at At; nil before the first evaluation
	Fraction float64   // fraction of Polyak's step to use next
	Done     bool      // no further progress is possible
}

// NewApproach returns an Approach at a starting point with a known log density.
func NewApproach(start []float64, density float64) Approach {
	return Approach{At: start, Density: density, Fraction: 1}
}

// Next returns the point to evaluate.
func (a *Approach) Next() []float64 {
	out := scaled(a.At, 1)
	if a.Gradient == nil {
		return out
	}
	steepest := steepness(a.Gradient) // the gradient is divided by this, since its squared length may overflow
	along := scaled(a.Gradient, 1/steepest)
	add(out, along, a.Fraction*math.Abs(a.Density)/steepest/dot(along, along))
	return out
}

// Report updates the approach by the log density and the gradient at Next.
func (a *Approach) Report(density float64, gradient []float64) {
	const least = 1e-6
	slope := steepness(gradient)
	usable := !math.IsInf(density+slope, 0) && !math.IsNaN(density+slope)
	switch {
	case a.Gradient == nil:
		a.Gradient, a.Done = gradient, !usable || slope == 0
	case usable && density > a.Density:
		a.At, a.Density, a.Gradient, a.Fraction = a.Next(), density, gradient, 2*a.Fraction
		a.Done = slope == 0
	default:
		a.Fraction /= 4
		a.Done = a.Fraction < least
	}
}

// steepness returns the largest absolute component of the gradient. It is not finite if a component is not finite.
func steepness(gradient []float64) float64 { return floats.Norm(gradient, math.Inf(1)) }
