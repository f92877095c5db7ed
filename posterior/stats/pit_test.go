package stats

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// TestPITOfDiscreteData checks that the PIT of calibrated predictions of outcomes 0 and 1, and of counts, is uniform:
// the distance of its distribution function from that of the uniform distribution is below the 99.9 % point of the
// Kolmogorov-Smirnov test. If ties count half, it is far above.
func TestPITOfDiscreteData(t *testing.T) {
	t.Parallel()
	const rows, draws = 5000, 400
	for name, drawBy := range map[string]func(r *rand.Rand, rate float64) float64{
		"outcomes": func(r *rand.Rand, rate float64) float64 { return distuv.Bernoulli{P: rate / 4, Src: r}.Rand() },
		"counts":   func(r *rand.Rand, rate float64) float64 { return distuv.Poisson{Lambda: rate, Src: r}.Rand() },
	} {
		r := rand.New(rand.NewPCG(1, 2))
		draw := func(rate float64) float64 { return drawBy(r, rate) }
		random, half := make([]float64, rows), make([]float64, rows)
		for i := range rows {
			rate := 4 * r.Float64()
			y, predicted := draw(rate), make([]float64, draws)
			for d := range predicted {
				predicted[d] = draw(rate)
			}
			random[i], half[i] = PIT(predicted, y, Tie(i)), PIT(predicted, y, .5)
		}
		bound := 1.95 / math.Sqrt(rows)
		if d := distanceFromUniform(random); d > bound {
			t.Errorf("%s: distance %.3f, bound %.3f", name, d, bound)
		}
		if d := distanceFromUniform(half); d < 1.5*bound {
			t.Errorf("%s: distance %.3f if ties count half: the test cannot fail", name, d)
		}
	}
}

// distanceFromUniform returns the Kolmogorov-Smirnov distance of numbers from a uniform distribution.
func distanceFromUniform(xs []float64) float64 {
	uniform := make([]float64, 1000)
	for k := range uniform {
		uniform[k] = (float64(k) + .5) / 1000
	}
	return stat.KolmogorovSmirnov(slices.Sorted(slices.Values(xs)), nil, uniform, nil)
}
