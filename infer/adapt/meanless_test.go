package adapt

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// A Cauchy distribution has no mean, also where no walker has been further out than five widths and where data of
// another coordinate count as well; Student's t with two degrees of freedom, a normal and a Laplace distribution have
// one, however far walkers have been. Coordinates of bounded parameters, and those without a walker far out, are not
// looked at.
func TestMeanless(t *testing.T) {
	student := func(nu float64) func(x float64) float64 {
		return func(x float64) float64 { return -(nu + 1) / 2 * math.Log1p(x*x/nu) }
	}
	normal := func(x float64) float64 { return -x * x / 2 }
	laplace := func(x float64) float64 { return -math.Abs(x) }
	densities := []func(float64) float64{student(1), student(2), normal, laplace, student(1), student(1), student(0.5)}
	bounded := []bool{false, false, false, false, true, false, false}
	evaluated := 0
	evaluate := func(at [][]float64) (density []float64, gradient [][]float64, err error) {
		for _, x := range at {
			sum := 0.0
			for j, f := range densities {
				sum += f(x[j])
			}
			sum -= (x[0] - x[1]) * (x[0] - x[1]) / 2e20 // far beyond what is looked at
			density = append(density, sum)
		}
		evaluated += len(at)
		return density, nil, nil
	}
	r := rand.New(rand.NewPCG(1, 1))
	var visited [][]float64
	for range 100 {
		x := make([]float64, len(densities))
		for j := range x {
			x[j] = 2*r.Float64() - 1
		}
		visited = append(visited, x)
	}
	for j := range densities {
		if j != 5 {
			visited[50][j] = 5
		}
	}
	found, err := Meanless(visited, bounded, evaluate)
	if err != nil || !slices.Equal(found, []int{0, 6}) {
		t.Errorf("without a mean: %v, %v", found, err)
	}
	if evaluated > 5*2*2*tailsSeen {
		t.Errorf("%d evaluations", evaluated)
	}
}
