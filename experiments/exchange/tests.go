package main

import (
	"math"
	"math/rand/v2"

	"ppl/infer/compensation"
)

// A test decides swaps. Estimates use more rows until their variance is at most `most`.
type test struct {
	name     string
	most     float64
	exact    bool // all rows are used
	infinite bool // the variance is computed as if rows were drawn with replacement
	accept   func(e estimate, r *rand.Rand) bool
}

func tests() []test {
	return []test{
		{name: "Metropolis, all rows", exact: true, accept: metropolis},
		ignoring(),
		{name: "Barker, noise ignored", most: math.Inf(1), accept: barker},
		penaltyAsIs(),
		{name: "penalty, σ² ≤ 1", most: 1, accept: penalty},
		clamped(),
		compensated(),
		{name: "Barker compensated as in the paper, σ² ≤ .2", most: .2,
			accept: compensating(.2, compensation.New(.2, 10, 3))},
		{name: "Barker compensated, σ² ≤ 1, no finite population correction", most: 1, infinite: true,
			accept: exactly()},
	}
}

func ignoring() test {
	return test{name: "Metropolis, noise ignored", most: math.Inf(1), accept: metropolis}
}
func penaltyAsIs() test {
	return test{name: "penalty, whatever σ²", most: math.Inf(1), accept: penalty}
}
func clamped() test {
	return test{name: "Barker compensated, clamped", most: math.Inf(1), accept: exactly()}
}
func compensated() test {
	return test{name: "Barker compensated, σ² ≤ 1", most: 1, accept: exactly()}
}

func metropolis(e estimate, r *rand.Rand) bool { return r.Float64() < math.Exp(e.delta) }

func barker(e estimate, r *rand.Rand) bool { return r.Float64() < 1/(1+math.Exp(-e.delta)) }

// penalty subtracts half the variance, and a correction because the variance is itself estimated.
func penalty(e estimate, r *rand.Rand) bool {
	return r.Float64() < math.Exp(e.delta-e.variance/2-e.variance*e.variance/(4*(e.rows+1)))
}

func exactly() func(estimate, *rand.Rand) bool {
	return compensating(1, compensation.New(1, math.Inf(1), 8))
}

// compensating adds normal noise up to variance `most`, and then the variable that makes the sum logistic.
func compensating(most float64, dist compensation.Distribution) func(estimate, *rand.Rand) bool {
	return func(e estimate, r *rand.Rand) bool {
		fill := math.Sqrt(math.Max(most-e.variance, 0)) * r.NormFloat64()
		return e.delta+fill+dist.Quantile(r.Float64()) > 0
	}
}

// A skew is a distribution of the differences of rows, with mean 0 and variance 1.
type skew struct {
	name string
	draw func(r *rand.Rand) float64
}

func skews() []skew {
	return []skew{
		{"normal", (*rand.Rand).NormFloat64},
		{"exponential", func(r *rand.Rand) float64 { return r.ExpFloat64() - 1 }},
		{"lognormal", func(r *rand.Rand) float64 {
			return (math.Exp(r.NormFloat64()) - math.Exp(.5)) / math.Sqrt(math.Exp(2)-math.Exp(1))
		}},
	}
}

// balance estimates log E[accept | Δ = 1] − log E[accept | Δ = −1] from trials. The estimate at −1 is that of the
// reverse swap, with new rows. Tests get the variance estimated from the rows, as in practice.
func balance(x test, s skew, variance float64, trials int) float64 {
	r, sums := rand.New(rand.NewPCG(1, 3)), map[float64]float64{}
	for range trials {
		for _, delta := range []float64{1, -1} {
			sum, square := 0.0, 0.0
			for range firstBatch {
				v := s.draw(r)
				sum, square = sum+v, square+v*v
			}
			// the difference of a row changes sign with the direction
			noise := math.Sqrt(variance/firstBatch) * sum * delta
			seen := variance * (square - sum*sum/firstBatch) / (firstBatch - 1)
			if x.accept(estimate{delta: delta + noise, variance: seen, rows: firstBatch}, r) {
				sums[delta]++
			}
		}
	}
	return math.Log(sums[1] / sums[-1])
}
