package stats

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestTailShape counts the samples of 4,000 draws, out of 40, whose TailShape is above .7. Student's t with ν degrees
// of freedom has k = 1/ν. Nearly all samples from the Cauchy distribution must count, and almost none with ν = 2 or
// from distributions with lighter tails or several modes.
func TestTailShape(t *testing.T) {
	source := rand.NewPCG(4, 4)
	r := rand.New(source)
	student := func(nu int) func() float64 {
		return func() float64 {
			chi := 0.0
			for range nu {
				z := r.NormFloat64()
				chi += z * z
			}
			return r.NormFloat64() / math.Sqrt(chi/float64(nu))
		}
	}
	for name, c := range map[string]struct {
		draw        func() float64
		least, most int // samples whose shape is above .7
	}{
		"Cauchy":      {student(1), 38, 40},
		"t2":          {student(2), 0, 2},
		"t4":          {student(4), 0, 0},
		"normal":      {r.NormFloat64, 0, 0},
		"exponential": {r.ExpFloat64, 0, 0},
		"log-normal":  {func() float64 { return math.Exp(1.2 * r.NormFloat64()) }, 0, 3},
		"rare mode": {func() float64 { // what a mode with 3 % of the draws holds of a density
			if r.IntN(100) < 3 {
				return 1 / (1 + math.Exp(-38-4*r.NormFloat64())) // 1 for most
			}
			return math.Exp(-20 + 4*r.NormFloat64())
		}, 0, 0},
		"spike and slab": {func() float64 { // 6 % of the draws are twelve times as wide
			if r.IntN(100) < 6 {
				return .25 * r.NormFloat64()
			}
			return .02 * r.NormFloat64()
		}, 0, 0},
		"narrow mode": {func() float64 { // half of the draws are three hundred times as near to the median
			return r.NormFloat64() / []float64{1, 300}[r.IntN(2)]
		}, 0, 0},
		"a few astronomically far": {func() float64 {
			if r.IntN(1500) == 0 {
				return math.Exp(25 + 15*r.Float64())
			}
			return 2*r.Float64() - 1
		}, 34, 40},
		"hardly a mode": {func() float64 { // draws in it are one in four hundred
			if r.IntN(400) == 0 {
				return -5 + .5*r.NormFloat64()
			}
			return 5 + .2*r.NormFloat64()
		}, 0, 1},
		"few values": {func() float64 { return float64(r.IntN(2) * r.IntN(2) * 50) }, 0, 0},
	} {
		source.Seed(4, 4) // cases come in any order
		for _, reff := range []float64{1, .2} {
			heavy := 0
			for range 40 {
				xs := make([]float64, 4000)
				for i := range xs {
					xs[i] = c.draw()
				}
				slices.Sort(xs)
				if TailShape(xs, reff) > .7 {
					heavy++
				}
			}
			if heavy < c.least || heavy > c.most {
				t.Errorf("%s: heavy in %d samples of 40, %v of them effective", name, heavy, reff)
			}
		}
	}
}
