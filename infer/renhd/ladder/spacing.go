package ladder

import (
	"math"

	"ppl/infer/dynamics"
	"ppl/infer/renhd/population"
)

// Geometric returns the inverse temperatures 1, 1/ratio, 1/ratio², ….
func Geometric(rungs int, ratio float64) []float64 {
	out := make([]float64, rungs)
	for j := range out {
		out[j] = math.Pow(ratio, -float64(j))
	}
	return out
}

// firstGuess returns inverse temperatures before anything is known about the target. On the energy path they are evenly
// spaced in log T up to hottest. On the likelihood path β falls to 0 like a fourth power, since most of the change of a
// likelihood happens at the smallest β.
func firstGuess(path dynamics.Path, rungs int, hottest float64) []float64 {
	if rungs == 1 {
		return []float64{1}
	}
	out := make([]float64, rungs)
	for j := range out {
		u := 1 - float64(j)/float64(rungs-1)
		if path == dynamics.Likelihood {
			out[j] = math.Pow(u, 4)
		} else {
			out[j] = math.Pow(hottest, u-1)
		}
	}
	return out
}

// Respace moves the rungs so that all neighbours reject equally (Syed et al. 2021, section 5.1); the ends remain. The
// cumulative rejection Λ(β), interpolated between the current rungs, is divided into equal parts. The number of rungs
// may change.
func Respace(betas, rates []float64, rungs int) []float64 {
	barrier := make([]float64, len(betas))
	for j, rate := range rates {
		barrier[j+1] = barrier[j] + math.Max(1-rate, 1e-3)
	}
	out := make([]float64, rungs)
	total, k := barrier[len(barrier)-1], 0
	for j := range out {
		goal := total * float64(j) / float64(rungs-1)
		for k+2 < len(barrier) && barrier[k+1] < goal {
			k++
		}
		u := (goal - barrier[k]) / (barrier[k+1] - barrier[k])
		out[j] = between(betas[k], betas[k+1], math.Min(math.Max(u, 0), 1))
	}
	out[0], out[rungs-1] = betas[0], betas[len(betas)-1]
	return out
}

// between interpolates geometrically, or linearly if b is 0.
func between(a, b, u float64) float64 {
	if b == 0 {
		return a * (1 - u)
	}
	return a * math.Pow(b/a, u)
}

// Barrier returns Λ = Σ (1 − rate).
func Barrier(rates []float64) float64 {
	sum := 0.0
	for _, r := range rates {
		sum += 1 - r
	}
	return sum
}

// Temperatures returns 1/β; the prior's is infinite.
func Temperatures(betas []float64) []float64 {
	out := make([]float64, len(betas))
	for j, b := range betas {
		out[j] = 1 / b
	}
	return out
}

// FirstBetas returns the inverse temperatures of n rungs before anything is known about the target.
func FirstBetas(s *population.Phase, n int) []float64 {
	if ratio := s.Settings().Ratio; ratio > 0 {
		return Geometric(n, ratio)
	}
	return firstGuess(s.System.Path, n, HottestGuess)
}

// HottestGuess is the hottest temperature of the first ladder on the energy path.
const HottestGuess = 16.0
