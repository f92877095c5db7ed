package main

import (
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"ppl/experiments/lab"
	"ppl/infer/compensation"
	"ppl/posterior/stats"
)

// A way is a method for drawing n values of a distribution. chain means that the draws are dependent.
type way struct {
	name  string
	chain bool
	draw  func(dist compensation.Distribution, r *rand.Rand, n int) []float64
}

func ways() []way {
	return []way{{"quantiles in closed form (ppl)", false, quantiles}, {"a table of 4000 quantiles", false, lookups},
		{"rejection from the logistic distribution", false, rejection},
		{"slice sampling (Gibbs)", true, slicing}, {"Hamiltonian Monte Carlo", true, hamiltonian},
		{"random-walk Metropolis", true, walk}}
}

// prices returns the table of the speed of draws.
func prices() string {
	const n, rounds = 200_000, 5
	dist := compensation.New(0.2, 10, 3)
	r, rates := rand.New(rand.NewPCG(1, 1)), map[string][]float64{}
	for range rounds {
		for _, w := range ways() {
			began := time.Now()
			zs := w.draw(dist, r, n)
			took := time.Since(began).Seconds()
			rates[w.name] = append(rates[w.name], effective(w, zs)/took)
		}
	}
	t := lab.Table{Columns: []string{"draws by", "independent draws a second", "ppl's over these"}}
	ours := lab.Median(rates[ways()[0].name])
	for _, w := range ways() {
		t.Add(w.name, lab.Median(rates[w.name]), ours/lab.Median(rates[w.name]))
	}
	return t.String()
}

// effective returns the effective sample size: the minimum of those for the mean and the mean square.
func effective(w way, zs []float64) float64 {
	if !w.chain {
		return float64(len(zs))
	}
	squares := make([]float64, len(zs))
	for i, z := range zs {
		squares[i] = z * z
	}
	return math.Min(float64(len(zs)), math.Min(stats.ESSMean([][]float64{zs}), stats.ESSMean([][]float64{squares})))
}

func repeat(n int, draw func() float64) []float64 {
	zs := make([]float64, n)
	for i := range zs {
		zs[i] = draw()
	}
	return zs
}

func quantiles(dist compensation.Distribution, r *rand.Rand, n int) []float64 {
	return repeat(n, func() float64 { return dist.Quantile(r.Float64()) })
}

// lookups draws cells of equal width by binary search in a table of the CDF, as Seita et al. do. The time includes the
// construction of the table.
func lookups(dist compensation.Distribution, r *rand.Rand, n int) []float64 {
	const cells, edge = 4000, 10.0
	table := make([]float64, cells)
	for i := range table {
		table[i] = dist.CDF(-edge + 2*edge*float64(i+1)/cells)
	}
	return repeat(n, func() float64 {
		i, _ := slices.BinarySearch(table, r.Float64())
		return -edge + 2*edge*(float64(i)+0.5)/cells
	})
}

// rejection proposes from the logistic distribution. The bound is the maximal ratio of the densities, with a small
// margin.
func rejection(dist compensation.Distribution, r *rand.Rand, n int) []float64 {
	logistic, bound := compensation.New(0, math.Inf(1), 1), 0.0
	for z := -20.0; z <= 0; z += 0.01 {
		bound = math.Max(bound, 1.001*dist.Density(z)/logistic.Density(z))
	}
	return repeat(n, func() float64 {
		for {
			u := r.Float64()
			z := math.Log(u) - math.Log1p(-u)
			if r.Float64()*bound*logistic.Density(z) < dist.Density(z) {
				return z
			}
		}
	})
}

// slicing is slice sampling (Neal 2003): Gibbs sampling of a point and a height below the density. Intervals start with
// width 4 and are stepped out.
func slicing(dist compensation.Distribution, r *rand.Rand, n int) []float64 {
	z := 0.0
	return repeat(n, func() float64 {
		height := r.Float64() * dist.Density(z)
		lo := z - 4*r.Float64()
		hi := lo + 4
		for dist.Density(lo) > height {
			lo -= 4
		}
		for dist.Density(hi) > height {
			hi += 4
		}
		for {
			x := lo + (hi-lo)*r.Float64()
			if dist.Density(x) > height {
				z = x
				return z
			}
			if x < z {
				lo = x
			} else {
				hi = x
			}
		}
	})
}

// hamiltonian takes eight leapfrog steps per draw. Forces are finite differences of the log density.
func hamiltonian(dist compensation.Distribution, r *rand.Rand, n int) []float64 {
	const h, steps, tiny = 0.45, 8, 1e-4
	potential := func(z float64) float64 { return -math.Log(dist.Density(z)) }
	force := func(z float64) float64 { return (potential(z-tiny) - potential(z+tiny)) / (2 * tiny) }
	z := 0.0
	return repeat(n, func() float64 {
		x, p := z, r.NormFloat64()
		before := potential(x) + p*p/2
		step := h * (0.8 + 0.4*r.Float64())
		p += step / 2 * force(x)
		for k := range steps {
			x += step * p
			if k < steps-1 {
				p += step * force(x)
			}
		}
		p += step / 2 * force(x)
		if r.Float64() < math.Exp(before-potential(x)-p*p/2) {
			z = x
		}
		return z
	})
}

func walk(dist compensation.Distribution, r *rand.Rand, n int) []float64 {
	z := 0.0
	return repeat(n, func() float64 {
		if x := z + 4*r.NormFloat64(); r.Float64()*dist.Density(z) < dist.Density(x) {
			z = x
		}
		return z
	})
}
