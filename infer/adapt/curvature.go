package adapt

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// An Evaluator returns the log density of a target and its gradient at each position.
type Evaluator func(at [][]float64) (density []float64, gradient [][]float64, err error)

// DifferenceSteps returns steps for Curvature at a point x, if the scales of coordinates are unknown.
func DifferenceSteps(x []float64) []float64 {
	steps := make([]float64, len(x))
	for j, v := range x {
		steps[j] = 1e-4 * math.Max(1, math.Abs(v))
	}
	return steps
}

// Curvature returns the log density at x, and its gradient and −∇∇ᵀ along the coordinates in over. It uses central
// differences of gradients with the given step for each of these coordinates.
func Curvature(x []float64, over []int, steps []float64, evaluate Evaluator) (density float64, gradient []float64,
	precision *mat.SymDense, err error) {
	at := [][]float64{x}
	for k, j := range over {
		up, down := slices.Clone(x), slices.Clone(x)
		up[j] += steps[k]
		down[j] -= steps[k]
		at = append(at, up, down)
	}
	densities, gradients, err := evaluate(at)
	if err != nil {
		return 0, nil, nil, err
	}
	along := func(i, k int) float64 {
		return (gradients[1+2*i][over[k]] - gradients[2+2*i][over[k]]) / (2 * steps[i])
	}
	precision = mat.NewSymDense(len(over), nil)
	for i := range over {
		gradient = append(gradient, gradients[0][over[i]])
		for k := i; k < len(over); k++ {
			precision.SetSym(i, k, -(along(i, k)+along(k, i))/2)
		}
	}
	return densities[0], gradient, precision, nil
}
