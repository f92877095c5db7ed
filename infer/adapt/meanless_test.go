package adapt

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"ppl/lang/types"
)

// TestMeanless checks that Cauchy distributions have no mean, even if no walker was farther out than five widths and if
// another coordinate affects the density, and that Student's t with two degrees of freedom, normal and Laplace
// distributions have one. Coordinates of parameters in an interval, and those without a walker far out, are not
// examined.
func TestMeanless(t *testing.T) {
	student := func(nu float64) func(x float64) float64 {
		return func(x float64) float64 { return -(nu + 1) / 2 * math.Log1p(x*x/nu) }
	}
	normal := func(x float64) float64 { return -x * x / 2 }
	laplace := func(x float64) float64 { return -math.Abs(x) }
	densities := []func(float64) float64{student(1), student(2), normal, laplace, student(1), student(1), student(0.5)}
	coordinates := make([]types.Coordinate, len(densities))
	for j := range coordinates {
		coordinates[j].Parameter = string(rune('a' + j))
	}
	coordinates[4].Lower, coordinates[4].Upper = true, true
	evaluated := 0
	evaluate := func(at [][]float64) (density []float64, gradient [][]float64, err error) {
		for _, x := range at {
			sum := 0.0
			for j, f := range densities {
				sum += f(x[j])
			}
			sum -= (x[0] - x[1]) * (x[0] - x[1]) / 2e20 // matters only beyond the examined range
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
	found, _, err := Meanless(visited, coordinates, false, evaluate)
	if err != nil || !slices.Equal(found, []int{0, 6}) {
		t.Errorf("without a mean: %v, %v", found, err)
	}
	if evaluated > (5*2+1)*2*tailsSeen {
		t.Errorf("%d evaluations", evaluated)
	}
}

// TestMeanlessImproper checks targets whose walkers are all far out, so that none is far from the others. A density
// that falls like 1/|x| must be found to have no integral if the target may be improper. One that falls like 1/|x|^1.5
// has an integral, so nothing is reported.
func TestMeanlessImproper(t *testing.T) {
	for _, power := range []float64{1, 1.5} {
		evaluate := func(at [][]float64) (density []float64, gradient [][]float64, err error) {
			for _, x := range at {
				density = append(density, -power/2*math.Log1p(x[0]*x[0]))
			}
			return density, nil, nil
		}
		r := rand.New(rand.NewPCG(1, 1))
		var visited [][]float64
		for range 100 {
			visited = append(visited, []float64{1e4 * (2*r.Float64() - 1)})
		}
		for _, improper := range []bool{true, false} {
			noMean, noIntegral, err := Meanless(visited, make([]types.Coordinate, 1), improper, evaluate)
			if err != nil || len(noMean) > 0 || len(noIntegral) > 0 != (improper && power == 1) {
				t.Errorf("1/|x|^%v, improper %v: %v, %v, %v", power, improper, noMean, noIntegral, err)
			}
		}
	}
}

// TestMeanlessTogetherAndPositive checks arrays and positive parameters. An array with a joint t distribution has no
// mean for one degree of freedom, which no single coordinate shows, and a mean for two; a normal coordinate next to it
// has a mean. Half-Cauchy and InverseGamma(½, 1) have no mean, in both directions of the line; half-t with two degrees
// of freedom, InverseGamma(2, 1) and a gamma distribution have one.
func TestMeanlessTogetherAndPositive(t *testing.T) {
	together := func(nu float64) func(x []float64) float64 {
		return func(x []float64) float64 {
			sum := 0.0
			for _, v := range x {
				sum += v * v
			}
			return -(nu + float64(len(x))) / 2 * math.Log1p(sum/nu)
		}
	}
	positive := func(logDensity func(s float64) float64) func(x []float64) float64 {
		return func(x []float64) float64 { return logDensity(math.Exp(x[0])) + x[0] }
	}
	inverseGamma := func(a float64) func(x []float64) float64 {
		return positive(func(s float64) float64 { return -(a+1)*math.Log(s) - 1/s })
	}
	real, above, below := types.Coordinate{}, types.Coordinate{Lower: true}, types.Coordinate{Upper: true}
	for name, c := range map[string]struct {
		dim     int
		density func(x []float64) float64
		of      types.Coordinate
		want    bool
	}{
		"t, 1":               {4, together(1), real, true},
		"t, 2":               {4, together(2), real, false},
		"half Cauchy":        {1, positive(func(s float64) float64 { return -math.Log1p(s * s) }), above, true},
		"half Cauchy, below": {1, positive(func(s float64) float64 { return -math.Log1p(s * s) }), below, true},
		"half t, 2":          {1, positive(func(s float64) float64 { return -1.5 * math.Log1p(s*s/2) }), above, false},
		"inverse gamma, .5":  {1, inverseGamma(.5), above, true},
		"inverse gamma, 2":   {1, inverseGamma(2), above, false},
		"gamma":              {1, positive(func(s float64) float64 { return math.Log(s) - s }), above, false},
		// the density rises again towards the second mode: measured from the median it would seem not to fall
		"modes 10⁶ apart": {1, func(x []float64) float64 {
			first, second := -x[0]*x[0]/.2, -(x[0]-13.8)*(x[0]-13.8)/.2
			return math.Max(first, second)
		}, above, false},
	} {
		coordinates := slices.Repeat([]types.Coordinate{c.of}, c.dim)
		for j := range coordinates {
			coordinates[j].Parameter = fmt.Sprintf("x[%d]", j+1)
		}
		coordinates = append(coordinates, types.Coordinate{Parameter: "normal"})
		evaluate := func(at [][]float64) (density []float64, gradient [][]float64, err error) {
			for _, x := range at {
				density = append(density, c.density(x[:c.dim])-x[c.dim]*x[c.dim]/2)
			}
			return density, nil, nil
		}
		r := rand.New(rand.NewPCG(1, 1))
		var visited [][]float64
		for range 100 {
			x := make([]float64, c.dim+1)
			for j := range x {
				x[j] = 2*r.Float64() - 1
			}
			visited = append(visited, x)
		}
		visited[50] = slices.Repeat([]float64{5}, c.dim+1)
		visited[70][0] = 13.8
		found, _, err := Meanless(visited, coordinates, false, evaluate)
		var want []int
		if c.want {
			want = []int{0, 1, 2, 3}[:c.dim]
		}
		if err != nil || !slices.Equal(found, want) {
			t.Errorf("%s: without a mean: %v, %v", name, found, err)
		}
	}
}
