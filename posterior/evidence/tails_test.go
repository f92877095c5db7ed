package evidence

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/floats"
)

// TestNoIntegral checks powers β of densities, which have a finite integral above a known β only.
func TestNoIntegral(t *testing.T) {
	each := func(f func(x float64) float64) func(x []float64) float64 {
		return func(x []float64) (sum float64) {
			for _, v := range x {
				sum += f(v)
			}
			return sum
		}
	}
	studentT := func(nu float64) func(x float64) float64 {
		return func(x float64) float64 { return -(nu + 1) / 2 * math.Log1p(x*x/nu) }
	}
	for _, c := range []struct {
		name  string
		least float64 // β at and below which there is no integral; 0 where there always is one
		log   func(x []float64) float64
	}{
		{"normals", 0, each(func(x float64) float64 { return -x * x / 2 })},
		{"exponentials", 0, each(func(x float64) float64 { return -math.Abs(x) })},
		{"logarithms of half-Cauchy numbers", 0,
			each(func(x float64) float64 { return x - math.Log1p(math.Exp(2*x)) })},
		{"Student's t, 2 degrees", 1.0 / 3, each(studentT(2))},
		{"Student's t, 30 degrees", 1.0 / 31, each(studentT(30))},
		{"multivariate t of 3 coordinates, 2 degrees", 3.0 / 5,
			func(x []float64) float64 { return -2.5 * math.Log1p(floats.Dot(x, x)/2) }},
		{"a coordinate of one degree", 1.0 / 2, func(x []float64) float64 {
			return studentT(1)(x[0]) - x[1]*x[1]/2 - x[2]*x[2]/2
		}},
		{"t priors of what a normal number measures", 0, func(x []float64) float64 {
			return each(studentT(1))(x) - floats.Dot(x, x)/2
		}},
		{"heavy on one side, in directions of two coordinates", 1.0 / 2, func(x []float64) float64 {
			return studentT(1)(x[0]) + studentT(4)(x[1]) + math.Min(x[0], 0) + math.Min(x[1], 0) - x[2]*x[2]
		}},
	} {
		r := rand.New(rand.NewPCG(1, 2))
		chains := make([][][]float64, 2)
		for k := range chains {
			for range 50 {
				chains[k] = append(chains[k], []float64{r.NormFloat64(), r.NormFloat64(), r.NormFloat64()})
			}
		}
		points := 0
		logDensity := func(at [][]float64) (out []float64, err error) {
			points += len(at)
			for _, x := range at {
				out = append(out, c.log(x))
			}
			return out, nil
		}
		for _, beta := range []float64{1e-3, c.least * .98, c.least * 1.02} {
			if beta == 0 {
				continue
			}
			why, err := NoIntegral(beta, chains, logDensity)
			if none := beta <= c.least; err != nil || (why != "") != none {
				t.Errorf("%s to the power of %.4f: %q %v", c.name, beta, why, err)
			}
			if points > TailPoints(3) {
				t.Errorf("%s: %d points", c.name, points)
			}
			points = 0
		}
	}
}
