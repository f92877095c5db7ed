package evaluate_test

import (
	"encoding/json"
	"math/rand/v2"
	"slices"
	"testing"

	"ppl/compiler/compilertest"
)

// TestGradientsOfLargeRecurrences compares gradients of recurrent layers with differences. Their products are so large
// that the reverse scan omits the cotangents of gates, and joins the cotangents of their slices. One model reads only
// the last row, the others read all rows.
func TestGradientsOfLargeRecurrences(t *testing.T) {
	if testing.Short() {
		t.Skip("long: skipped by -short")
	}
	const rows, steps, wide = 32, 3, 4
	source := rand.New(rand.NewPCG(3, 4))
	x := make([][][]float64, rows)
	y := make([]float64, rows)
	for i := range x {
		y[i] = source.NormFloat64()
		x[i] = make([][]float64, steps)
		for k := range x[i] {
			for range wide {
				x[i][k] = append(x[i][k], source.NormFloat64())
			}
		}
	}
	text, err := json.Marshal(map[string]any{"x": x, "y": y})
	if err != nil {
		t.Fatal(err)
	}
	for _, layers := range []string{"lstm(32) -> last -> dense(1) -> first", "lstm(32) -> flatten -> dense(1) -> first",
		"gru(32) -> flatten -> dense(1) -> first"} {
		p := compilertest.LoadWith(t, `data x[N, T, D], y[N]
f(v[T, D]) = v -> `+layers+`
f.weights ~ Normal(0, 1)
y[i in N] ~ Normal(f(x[i]), 1)`, string(text))
		theta := make([]float64, p.Dim())
		for i := range theta {
			theta[i] = 0.3 * source.NormFloat64()
		}
		prior, likelihood, gradient := compilertest.Density(p, theta)
		for range 25 {
			const h = 1e-4
			k := source.IntN(len(theta))
			at := func(by float64) float64 {
				moved := slices.Clone(theta)
				moved[k] += by
				a, b, _ := compilertest.Density(p, moved)
				return a - prior + b - likelihood
			}
			slope := (8*(at(h)-at(-h)) - at(2*h) + at(-2*h)) / (12 * h)
			if !compilertest.Near(gradient[k], slope, 1e-6) {
				t.Errorf("%s: coordinate %d has %v, differences %v", layers, k, gradient[k], slope)
			}
		}
	}
}
