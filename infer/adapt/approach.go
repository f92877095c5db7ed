package adapt

import (
	"math"

	"gonum.org/v1/gonum/floats"
)

// An Approach climbs from a start that lies so far below the target that no trajectory gets on there: where a scale is
// the exponential of a sum, a start may have a log density of −10²⁰⁰, and a gradient as steep. Steps are those of
// Polyak (Introduction to Optimization, 1987, section 5.3): along the gradient to where the density would be zero if it
// rose linearly, a fraction of that which doubles after every success. An exponential rises by a factor of e with each
// step, and a parabola goes half the way:
//
//	a := adapt.NewApproach(start, density)
//	for !a.Done && a.Density < enough {
//		a.Report(density(a.Next()), gradient(a.Next()))
//	}
//
// All of it is data, so that it can be saved between two evaluations.
type Approach struct {
	At       []float64
	Density  float64
	Gradient []float64 // at At; nil before the first evaluation there
	Fraction float64   // of Polyak's step
	Done     bool      // it does not get on
}

// NewApproach begins at a start whose log density is known.
func NewApproach(start []float64, density float64) Approach {
	return Approach{At: start, Density: density, Fraction: 1}
}

// Next returns the point to evaluate.
func (a *Approach) Next() []float64 {
	out := scaled(a.At, 1)
	if a.Gradient == nil {
		return out
	}
	steepest := steepness(a.Gradient) // squares of gradients overflow
	along := scaled(a.Gradient, 1/steepest)
	add(out, along, a.Fraction*math.Abs(a.Density)/steepest/dot(along, along))
	return out
}

// Report takes in the log density and the gradient at Next.
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

// steepness returns the slope along the steepest coordinate; not finite where that of some coordinate is not.
func steepness(gradient []float64) float64 { return floats.Norm(gradient, math.Inf(1)) }
