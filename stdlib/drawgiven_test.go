package stdlib

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// givenArguments returns arguments for each form with Given, for events of four elements.
func givenArguments() map[string][][]float64 {
	cov := []float64{2, 0.8, 0.3, -0.2, 0.8, 1, 0.4, 0.1, 0.3, 0.4, 1.5, 0.6, -0.2, 0.1, 0.6, 1}
	chol := factor(cov, 4)
	corr := scaledCovariance([]float64{1 / math.Sqrt2, 1, 1 / math.Sqrt(1.5), 1}, cov, 4)
	mu := []float64{0.5, -1, 0.2, 0}
	return map[string][][]float64{
		"MvNormal/0": {mu, cov}, "MvNormal/1": {mu, chol}, "MvNormal/3": {{0.3}, {1, 2, 0.5, 1}, corr},
		"MvNormal/4":           {mu, {1, 0, 0.5, 0.3, -0.4, 1, 0.2, 0.8}, {0.5, 1, 0.2, 0.7}},
		"MvStudentT/0":         {{12}, mu, cov},
		"MvStudentT/1":         {{12}, mu, chol},
		"GaussianRandomWalk/0": {{0.4}, {0.7}},
	}
}

// TestGiven checks that a draw keeps its distribution if some elements are drawn again given the others.
func TestGiven(t *testing.T) {
	t.Parallel()
	known := []bool{true, false, true, false}
	for _, dist := range Dists() {
		for k, f := range dist.Forms {
			if f.Given == nil {
				continue
			}
			t.Run(fmt.Sprint(dist.Name, "/", k), func(t *testing.T) {
				args, ok := givenArguments()[fmt.Sprint(dist.Name, "/", k)]
				if !ok {
					t.Fatal("no arguments to test it with")
				}
				r := rand.New(rand.NewPCG(1, 2))
				var whole, again, wrong [][]float64
				for range 20000 {
					x, y := make([]float64, 4), make([]float64, 4)
					f.Sample(r, args, x)
					f.Sample(r, args, y)
					f.Given(r, args, known, y)
					z := slices.Clone(y)
					z[1] = y[1] + 0.1*(y[0]-y[1]) // a planted fault: it leans towards its neighbour
					whole, again, wrong = append(whole, x), append(again, y), append(wrong, z)
				}
				if d := farthestMoment(whole, again); d > 4.5 {
					t.Errorf("moments differ by %.1f standard errors", d)
				}
				if farthestMoment(whole, wrong) < 4.5 {
					t.Error("a draw that leans towards its neighbour would not be seen")
				}
			})
		}
	}
}

// farthestMoment returns the largest difference of means and of means of products of elements, in standard errors.
func farthestMoment(a, b [][]float64) (most float64) {
	moment := func(xs [][]float64, f func([]float64) float64) (mean, v float64) {
		for _, x := range xs {
			mean += f(x) / float64(len(xs))
		}
		for _, x := range xs {
			v += (f(x) - mean) * (f(x) - mean) / float64(len(xs))
		}
		return mean, v / float64(len(xs))
	}
	for i := range a[0] {
		for j := range a[0] {
			for _, f := range []func([]float64) float64{
				func(x []float64) float64 { return x[i] },
				func(x []float64) float64 { return x[i] * x[j] },
			} {
				ma, va := moment(a, f)
				mb, vb := moment(b, f)
				most = math.Max(most, math.Abs(ma-mb)/math.Sqrt(va+vb))
			}
		}
	}
	return most
}
