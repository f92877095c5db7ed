package adapt

import (
	"math"

	"gonum.org/v1/gonum/floats"
)

// Newton climbs to a mode by Newton's method, with the curvature from differences of gradients, and fits a normal at
// each point. It detects how wide the target is even in directions in which an ascent by gradients hardly moved.
//
//	n := adapt.NewNewton(start)
//	for !n.Done {
//		fit, err := n.Step(noise, evaluate)
//	}
//
// The struct is plain data, so it can be saved between two steps.
type Newton struct {
	At    []float64
	Steps []float64 // steps of the differences for the next curvature
	Round int
	Done  bool
}

const (
	newtonRounds  = 6
	newtonLengths = 16 // number of fractions of a Newton step that are tried
)

// NewNewton returns a Newton that starts at a point of finite density.
func NewNewton(at []float64) Newton {
	return Newton{At: at, Steps: DifferenceSteps(at)}
}

// Step fits a normal at the current point, and estimates its evidence lower bound from draws made of noise. Then it
// moves to the highest of 16 points on the line to the normal's mean. It evaluates one gradient at the current point,
// two for each coordinate, one for each draw, and 16 on the line. If no normal can be fitted, it sets Done and returns
// a Fit with the bound −∞.
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

// pointsToward returns points at 1, 1/2, 1/4, … of the distance between from and to.
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
