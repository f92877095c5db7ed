package bench

import (
	"math"
	"math/rand/v2"
)

func generator() *rand.Rand { return rand.New(rand.NewPCG(1, 2)) }

func normals(r *rand.Rand, n int, scale float64) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = scale * r.NormFloat64()
	}
	return x
}

func rows(x []float64, d int) [][]float64 {
	var out [][]float64
	for len(x) > 0 {
		out, x = append(out, x[:d]), x[d:]
	}
	return out
}

// poisson returns a regression of n counts on 10 covariates.
func poisson(n int) Case {
	const d = 10
	r := generator()
	x, y, logFactorials := normals(r, n*d, 0.3), make([]float64, n), 0.0
	for i := range y {
		y[i] = float64(r.IntN(8))
		l, _ := math.Lgamma(y[i] + 1)
		logFactorials += l
	}
	return Case{Name: "poisson", Data: map[string]any{"x": rows(x, d), "y": y},
		hand:  [][]float64{x, y, {logFactorials}},
		sizes: map[string]int{"N": n, "D": d}}
}

// logistic returns a logistic regression with 10,000 outcomes and 20 covariates.
func logistic() Case {
	const n, d = 10000, 20
	r := generator()
	x, y := normals(r, n*d, 1), make([]float64, n)
	for i := range y {
		eta := 0.3*x[i*d] - 0.2*x[i*d+1]
		if r.Float64() < 1/(1+math.Exp(-eta)) {
			y[i] = 1
		}
	}
	return Case{Name: "logistic", Data: map[string]any{"x": rows(x, d), "y": y}, hand: [][]float64{x, y},
		sizes: map[string]int{"N": n, "D": d}}
}

// mixture returns the model and data of examples/five_modes.ppl.
func mixture() Case {
	weight, scale := []float64{0.30, 0.10, 0.25, 0.15, 0.20}, 0.5
	var level, inverse []float64
	for _, w := range weight {
		level = append(level, math.Log(w)-2*math.Log(scale))
		inverse = append(inverse, 1/(scale*scale))
	}
	center := []float64{0, 0, 4, 4, -4, 4, -4, -4, 4, -4}
	return Case{Name: "mixture", hand: [][]float64{weight, center, level, inverse},
		inside: map[string]any{"level": level, "center": rows(center, 2), "inverse": inverse},
		sizes:  map[string]int{"K": len(weight)}}
}

func eightSchools() Case {
	y, sigma := []float64{28, 8, -3, 7, -1, 1, 18, 12}, []float64{15, 10, 16, 11, 9, 11, 10, 18}
	var inverse []float64
	logs := 0.0
	for _, s := range sigma {
		inverse = append(inverse, 1/s)
		logs += math.Log(s)
	}
	return Case{Name: "eight_schools", hand: [][]float64{y, inverse, {logs}},
		inside: map[string]any{"y": y, "sigma": sigma},
		sizes:  map[string]int{"J": len(y)}}
}

// gaussianProcess returns a Gaussian process with 100 points.
func gaussianProcess() Case {
	const n = 100
	r := generator()
	x, y := make([]float64, n), normals(r, n, 0.3)
	for i := range x {
		x[i] = float64(i) / 5
		y[i] += math.Sin(x[i] / 2)
	}
	return Case{Name: "gp", Data: map[string]any{"x": x, "y": y}, hand: [][]float64{x, y},
		sizes: map[string]int{"N": n}}
}

// volatility returns a stochastic volatility model with 1,000 returns.
func volatility() Case {
	const n = 1000
	r := generator()
	y, h := make([]float64, n), 0.0
	for t := range y {
		h = 0.95*h + 0.25*r.NormFloat64()
		y[t] = math.Exp((h-1)/2) * r.NormFloat64()
	}
	return Case{Name: "volatility", Data: map[string]any{"y": y}, hand: [][]float64{y}, sizes: map[string]int{"T": n}}
}

// gaussian returns d independent normal variables.
func gaussian(d int) Case {
	scale := make([]float64, d)
	for i := range scale {
		scale[i] = 1 + float64(i%7)
	}
	return Case{Name: "gaussian", Data: map[string]any{"scale": scale}}
}
