package main

import (
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/stat/distuv"
)

// A random draws from the distributions that the studies use.
type random struct{ *rand.Rand }

func (r random) normal(mean, sd float64) float64 { return mean + sd*r.NormFloat64() }

func (r random) normals(n int, mean, sd float64) []float64 {
	return vector(n, func(int) float64 { return r.normal(mean, sd) })
}

func (r random) bernoulli(p float64) float64 {
	if r.Float64() < p {
		return 1
	}
	return 0
}

// poisson counts the events of a Poisson process with exponential waiting times.
func (r random) poisson(rate float64) (n float64) {
	for t := r.ExpFloat64(); t < rate; t += r.ExpFloat64() {
		n++
	}
	return n
}

func (r random) gamma(shape, rate float64) float64 {
	return distuv.Gamma{Alpha: shape, Beta: rate, Src: r}.Rand()
}

func vector(n int, f func(i int) float64) []float64 {
	out := make([]float64, n)
	for i := range out {
		out[i] = f(i)
	}
	return out
}

// cycle returns n group numbers: 1, 2, …, groups, 1, …
func cycle(n, groups int) []float64 {
	return vector(n, func(i int) float64 { return float64(i%groups + 1) })
}

func sigmoid(x float64) float64 { return 1 / (1 + math.Exp(-x)) }

// round rounds to four decimals, the precision of the files.
func round(x float64) float64 { return math.Round(x*1e4) / 1e4 }

func rounded(xs []float64) []float64 {
	return vector(len(xs), func(i int) float64 { return round(xs[i]) })
}

func bools(b bool) float64 {
	if b {
		return 1
	}
	return 0
}
