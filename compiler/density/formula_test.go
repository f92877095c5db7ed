package density_test

import (
	"math"
	"testing"

	"ppl/compiler/compilertest"
)

// TestModifiersOfFormulas checks that the weight of a row multiplies a log density given by a formula, and that
// elements outside the bounds make it -inf, for one term per row and for one term for all rows.
func TestModifiersOfFormulas(t *testing.T) {
	t.Parallel()
	const head = "data y[N] = [0.5, 1, 3], w[N] = [1, 2, 3], top[N] = [1, 1, 4]\nm ~ Normal(0, 1)\n"
	square := func(x float64) float64 { return -(x - 0.5) * (x - 0.5) / 2 }
	a, b, c := square(0.5), square(1), square(3)
	for _, test := range []struct {
		name, statement string
		want            float64
	}{
		{"weights", "y[i in N] ~ Density(-(y[i] - m)^2 / 2) weight w[i]", a + 2*b + 3*c},
		{"inside", "y[i in N] ~ Density(-(y[i] - m)^2 / 2) in 0..top[i]", a + b + c},
		{"end by a parameter", "y[i in N] ~ Density(-(y[i] - m)^2 / 2) in 0..2 + m", math.Inf(-1)},
		{"one term inside", "y ~ Density(-sum((y - m)^2) / 2) in 0..3", a + b + c},
		{"one term above", "y ~ Density(-sum((y - m)^2) / 2) in 0..2", math.Inf(-1)},
		{"one term below", "y ~ Density(-sum((y - m)^2) / 2) in 0.7..3", math.Inf(-1)},
	} {
		p := compilertest.Load(t, head+test.statement+"\n")
		if _, got, _ := compilertest.Density(p, []float64{0.5}); got != test.want &&
			!(math.Abs(got-test.want) < 1e-12) {
			t.Errorf("%s: log likelihood %g, want %g", test.name, got, test.want)
		}
	}
}
