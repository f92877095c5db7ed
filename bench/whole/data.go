package main

import (
	"math"
	"math/rand/v2"
)

// A target is a model with its data.
type target struct {
	Name   string
	Model  string // file in models, without its extension
	Size   int    // number of parameters
	Common []string
	Data   map[string]any
}

// targets returns the rows of the table, from 2 to 10,000 parameters. All data are simulated, except those of eight
// schools.
func targets() []target {
	return []target{
		{"normal", "normal", 2, []string{"mu", "sigma"}, normal()},
		{"gp", "gp", 3, []string{"rho", "alpha", "sigma"}, gaussianProcess()},
		{"mixture", "mixture", 5, []string{"mu", "sigma", "theta"}, mixture()},
		{"lotka", "lotka", 8, []string{"theta", "start", "sigma"}, lotka()},
		{"schools", "schools", 10, []string{"mu", "tau", "theta"}, map[string]any{
			"y": []int{28, 8, -3, 7, -1, 1, 18, 12}, "sigma": []int{15, 10, 16, 11, 9, 11, 10, 18}}},
		{"hierarchy 13", "hierarchy", 13, []string{"mu", "tau", "sigma", "theta"}, hierarchy(10)},
		{"logistic", "logistic", 20, []string{"b"}, logistic()},
		{"spline", "spline", 42, []string{"tau", "sigma", "b"}, spline()},
		{"hierarchy 103", "hierarchy", 103, []string{"mu", "tau", "sigma", "theta"}, hierarchy(100)},
		{"radon", "radon", 175, []string{"mu_a", "mu_b", "sigma_a", "sigma_b", "sigma_y", "a", "b"}, radon()},
		{"item", "item", 340, []string{"ability", "sharp", "hard"}, item()},
		{"volatility", "volatility", 1003, []string{"mu", "phi", "s", "h"}, volatility(1000)},
		{"hierarchy 1,003", "hierarchy", 1003, []string{"mu", "tau", "sigma", "theta"}, hierarchy(1000)},
		{"hierarchy 3,003", "hierarchy", 3003, []string{"mu", "tau", "sigma", "theta"}, hierarchy(3000)},
		{"hierarchy 10,000", "hierarchy", 10000, []string{"mu", "tau", "sigma", "theta"}, hierarchy(9997)},
	}
}

func generator() *rand.Rand { return rand.New(rand.NewPCG(20, 1)) }

// filled returns n values, f(0) to f(n-1).
func filled[T any](n int, f func(i int) T) []T {
	out := make([]T, n)
	for i := range out {
		out[i] = f(i)
	}
	return out
}

func normal() map[string]any {
	r := generator()
	return map[string]any{"y": filled(50, func(int) float64 { return 3 + 2*r.NormFloat64() })}
}

// hierarchy returns groups of five observations.
func hierarchy(groups int) map[string]any {
	r := generator()
	mean := filled(groups, func(int) float64 { return 1 + r.NormFloat64() })
	return map[string]any{"J": groups, "group": filled(5*groups, func(i int) int { return 1 + i/5 }),
		"y": filled(5*groups, func(i int) float64 { return mean[i/5] + r.NormFloat64() })}
}

// radon returns 919 homes in 85 counties of very different sizes.
func radon() map[string]any {
	const homes, counties = 919, 85
	r := generator()
	a := filled(counties, func(int) float64 { return 1.5 + 0.3*r.NormFloat64() })
	b := filled(counties, func(int) float64 { return -0.7 + 0.3*r.NormFloat64() })
	county := filled(homes, func(i int) int {
		if i < 2*counties {
			return 1 + i%counties
		}
		return 1 + int(counties*math.Pow(r.Float64(), 2.5))
	})
	floor := filled(homes, func(int) int {
		if r.Float64() < 0.17 {
			return 1
		}
		return 0
	})
	return map[string]any{"J": counties, "county": county, "floor": floor, "y": filled(homes, func(i int) float64 {
		return a[county[i]-1] + b[county[i]-1]*float64(floor[i]) + 0.75*r.NormFloat64()
	})}
}

func matrix(rows, columns int, f func() float64) [][]float64 {
	return filled(rows, func(int) []float64 { return filled(columns, func(int) float64 { return f() }) })
}

// heads returns 1 with probability 1/(1 + e^-logit), and otherwise 0.
func heads(r *rand.Rand, logit float64) int {
	if r.Float64() < 1/(1+math.Exp(-logit)) {
		return 1
	}
	return 0
}

func logistic() map[string]any {
	r := generator()
	x := matrix(10_000, 20, r.NormFloat64)
	return map[string]any{"x": x, "y": filled(len(x), func(i int) int { return heads(r, 0.3*x[i][0]-0.2*x[i][1]) })}
}

func item() map[string]any {
	const pupils, questions = 300, 20
	r := generator()
	sharp := filled(questions, func(int) float64 { return math.Exp(0.3 * r.NormFloat64()) })
	hard := filled(questions, func(int) float64 { return r.NormFloat64() })
	return map[string]any{"correct": filled(pupils, func(int) []int {
		ability := r.NormFloat64()
		return filled(questions, func(i int) int { return heads(r, sharp[i]*(ability-hard[i])) })
	})}
}

// spline returns a curve at 500 points, and a basis of 40 cubic B-splines with equally spaced knots.
func spline() map[string]any {
	const points, splines = 500, 40
	r := generator()
	at := func(i int) float64 { return (float64(i) + 0.37) / points }
	return map[string]any{
		"basis": filled(points, func(i int) []float64 {
			return filled(splines, func(k int) float64 { return cubic(at(i)*(splines-3) - float64(k) + 3) })
		}),
		"y": filled(points, func(i int) float64 { return math.Sin(9*at(i)) + at(i) + 0.3*r.NormFloat64() })}
}

// cubic returns the cubic B-spline with the knots 0 to 4.
func cubic(x float64) float64 {
	if x <= 0 || x >= 4 {
		return 0
	}
	sum, sign := 0.0, 1.0
	for k, choose := range []float64{1, 4, 6, 4, 1} {
		sum += sign * choose * math.Pow(max(x-float64(k), 0), 3)
		sign = -sign
	}
	return sum / 6
}

func gaussianProcess() map[string]any {
	r := generator()
	x := filled(60, func(i int) float64 { return -10 + 20*float64(i)/59 })
	y := filled(len(x), func(i int) float64 { return 2*math.Sin(x[i]/3) + 0.4*r.NormFloat64() })
	return map[string]any{"x": x, "y": y}
}

// volatility returns a series from a stochastic volatility model.
func volatility(steps int) map[string]any {
	const mu, phi, s = -1.0, 0.95, 0.25
	r := generator()
	h := mu + s/math.Sqrt(1-phi*phi)*r.NormFloat64()
	return map[string]any{"y": filled(steps, func(int) float64 {
		h = mu + phi*(h-mu) + s*r.NormFloat64()
		return math.Exp(h/2) * r.NormFloat64()
	})}
}

func mixture() map[string]any {
	r := generator()
	return map[string]any{"y": filled(1000, func(int) float64 {
		if r.Float64() < 0.4 {
			return -2.5 + r.NormFloat64()
		}
		return 2.5 + 1.2*r.NormFloat64()
	})}
}

// lotka returns counts of hares and lynxes for 20 years and for the year before them. The solution is by Heun's method
// with small steps.
func lotka() map[string]any {
	const years, steps = 20, 1000
	r := generator()
	noisy := func(x float64) float64 { return x * math.Exp(0.25*r.NormFloat64()) }
	u, v := 33.0, 6.0
	slope := func(u, v float64) (float64, float64) { return (0.55 - 0.028*v) * u, (0.024*u - 0.8) * v }
	first := []float64{noisy(u), noisy(v)}
	y := filled(years, func(int) []float64 {
		for range steps {
			du, dv := slope(u, v)
			eu, ev := slope(u+du/steps, v+dv/steps)
			u, v = u+(du+eu)/2/steps, v+(dv+ev)/2/steps
		}
		return []float64{noisy(u), noisy(v)}
	})
	return map[string]any{"t": filled(years, func(i int) int { return i + 1 }), "first": first, "y": y}
}
