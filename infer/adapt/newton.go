package adapt

import (
	"math"

	"gonum.org/v1/gonum/floats"
)

// Newton climbs to a mode by Newton's steps with the curvature that differences of gradients show, and fits a normal at
// each point. It sees how wide the target is in directions in which a climb by gradients has hardly moved.
//
//	n := adapt.NewNewton(start)
//	for !n.Done {
//		fit, err := n.Step(noise, evaluate)
//	}
//
// All of it is data, so that it can be saved between two steps.
type Newton struct {
	At    []float64
	Steps []float64 // of the differences that the next curvature is taken by
	Round int
	Done  bool
}

const (
	newtonRounds  = 6
	newtonLengths = 16 // of a step that are tried
)

// NewNewton begins at a point with a density.
func NewNewton(at []float64) Newton {
	return Newton{At: at, Steps: DifferenceSteps(at)}
}

// Step fits a normal at the present point, whose draws from standard normal numbers give it a bound, and goes to the
// highest of some points on the way to its mean. It takes two gradients for each coordinate, one for each draw, and 16.
func (n *Newton) Step(noise [][]float64, evaluate Evaluator) (Fit, error) {
	nothing := Fit{Bound: math.Inf(-1)}
	n.Round++
	height, gradient, curvature, err := Curvature(n.At, AllOf(len(n.At)), n.Steps, evaluate)
	if err != nil {
		return nothing, err
	}
	for i := range n.Steps {
		if c := math.Abs(curvature.At(i, i)); c > 0 {
			n.Steps[i] = 0.01 / math.Sqrt(c)
		}
	}
	fit, ok := FitAt(n.At, gradient, curvature)
	if !ok {
		n.Done = true
		return nothing, nil
	}
	draws := fit.Draws(noise)
	n.Done = draws == nil
	if n.Done {
		return nothing, nil
	}
	at := pointsToward(n.At, fit.Mean)
	density, _, err := evaluate(append(draws, at...))
	if err != nil {
		return nothing, err
	}
	fit.Score(noise, density[:len(noise)])
	along := density[len(noise):]
	highest := floats.MaxIdx(along)
	n.At = at[highest]
	n.Done = !(along[highest] > height) || fit.IsNear(gradient) || n.Round == newtonRounds
	return fit, nil
}

// pointsToward returns the points at 1, 1/2, 1/4 and so on of the way.
func pointsToward(from, to []float64) (out [][]float64) {
	share := 1.0
	for range newtonLengths {
		x := make([]float64, len(from))
		for j := range x {
			x[j] = from[j] + share*(to[j]-from[j])
		}
		out, share = append(out, x), share/2
	}
	return out
}
