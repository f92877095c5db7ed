package main

import (
	"math"

	"gonum.org/v1/gonum/mat"
)

// slopes draws 24 lines whose intercepts and slopes have correlation -0.5.
func slopes(r random) study {
	const groups, n, sigma, correlation = 24, 240, 0.7, -0.5
	mu, tau := []float64{2, -1}, []float64{1, 0.6}
	var line []float64
	for range groups {
		u, v := r.normal(0, 1), r.normal(0, 1)
		w := correlation*u + math.Sqrt(1-correlation*correlation)*v
		line = append(line, mu[0]+tau[0]*u, mu[1]+tau[1]*w)
	}
	group, x := cycle(n, groups), rounded(r.normals(n, 0, 1))
	y := vector(n, func(i int) float64 { g := i % groups; return r.normal(line[2*g]+line[2*g+1]*x[i], sigma) })
	return study{
		map[string]table{"slopes.csv": {"group,x,y", [][]float64{group, x, y}}},
		map[string][]float64{"mu": mu, "tau": tau, "line": line, "sigma": {sigma}},
	}
}

func calibration(r random) study {
	const n, centre, spread, a, b, sigma, wrong = 100, 5, 1.5, 1, 1, 1, 0.5
	x := r.normals(n, centre, spread)
	seen := vector(n, func(i int) float64 { return r.normal(x[i], wrong) })
	y := vector(n, func(i int) float64 { return r.normal(a+b*x[i], sigma) })
	return study{
		map[string]table{"calibration.csv": {"x_seen,y", [][]float64{seen, y}}},
		map[string][]float64{"centre": {centre}, "spread": {spread}, "x": x, "a": {a}, "b": {b}, "sigma": {sigma}},
	}
}

func health(r random) study {
	const n, middle, spread, smokers, sigma, missing = 120, 45, 12, 0.3, 6, 1.0 / 6
	b := []float64{120, 0.6, 8}
	age, smoker := r.normals(n, middle, spread), vector(n, func(int) float64 { return r.bernoulli(smokers) })
	pressure := vector(n, func(i int) float64 { return r.normal(b[0]+b[1]*(age[i]-45)+b[2]*smoker[i], sigma) })
	for i := range n {
		if r.bernoulli(missing) == 1 {
			age[i] = math.NaN()
		}
		if r.bernoulli(missing) == 1 {
			smoker[i] = math.NaN()
		}
	}
	return study{
		map[string]table{"health.csv": {"pressure,age,smoker", [][]float64{pressure, age, smoker}}},
		map[string][]float64{"middle": {middle}, "spread": {spread}, "smokers": {smokers}, "b": b, "sigma": {sigma}},
	}
}

// curve draws a Gaussian process at points of 0..10 with a gap, and at the points where the model predicts.
func curve(r random) study {
	const n, size, length, noise = 24, 1.5, 1.0, 0.3
	x := vector(n, func(i int) float64 {
		at := 4 * float64(i) / (n/2 - 1)
		if i >= n/2 {
			at = 6 + 4*float64(i-n/2)/(n/2-1)
		}
		return round(at)
	})
	all := append(append([]float64{}, x...), 4.5, 5, 5.5, 10.5, 11)
	f := r.process(all, size, length)
	y := vector(n, func(i int) float64 { return r.normal(f[i], noise) })
	return study{
		map[string]table{"curve.csv": {"x,y", [][]float64{x, y}}},
		map[string][]float64{"size": {size}, "length": {length}, "noise": {noise}, "f": f},
	}
}

// process draws a Gaussian process with squared-exponential covariance at points x.
func (r random) process(x []float64, size, length float64) []float64 {
	cov := mat.NewSymDense(len(x), nil)
	for i := range x {
		for j := range i + 1 {
			cov.SetSym(i, j, size*size*math.Exp(-math.Pow((x[i]-x[j])/length, 2)/2)+1e-6*bools(i == j))
		}
	}
	var chol mat.Cholesky
	if !chol.Factorize(cov) {
		panic("the covariance is not positive definite")
	}
	var l mat.TriDense
	chol.LTo(&l)
	var f mat.VecDense
	f.MulVec(&l, mat.NewVecDense(len(x), r.normals(len(x), 0, 1)))
	return f.RawVector().Data
}

// crash draws the coefficients of both Hilbert-space processes from the model's priors.
func crash(r random) study {
	const n, level, scale = 200, -10.0, 2.5
	time := vector(n, func(int) float64 { return round(60 * r.Float64()) })
	f, g := r.hilbert(40, 0.3), r.hilbert(0.8, 0.5)
	acceleration := vector(n, func(i int) float64 {
		x := 2*time[i]/60 - 1
		return r.normal(level+series(f, x), math.Exp(scale+series(g, x)))
	})
	return study{
		map[string]table{"crash.csv": {"time,acceleration", [][]float64{time, acceleration}}},
		map[string][]float64{"level": {level}, "log_scale": {scale},
			"f.spread": {40}, "f.length": {0.3}, "f.z": f, "g.spread": {0.8}, "g.length": {0.5}, "g.z": g},
	}
}

const edge, waves = 1.5, 12

func wave(b int) float64 { return math.Pi * float64(b+1) / (2 * edge) }

func (r random) hilbert(spread, length float64) []float64 {
	return vector(waves, func(b int) float64 {
		return r.normal(0, spread*math.Sqrt(math.Sqrt(2*math.Pi)*length)*math.Exp(-math.Pow(length*wave(b), 2)/4))
	})
}

func series(z []float64, x float64) (sum float64) {
	for b := range z {
		sum += z[b] * math.Sin(wave(b)*(x+edge)) / math.Sqrt(edge)
	}
	return sum
}
