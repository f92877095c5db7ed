package stats

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// The plain functions follow the formulas of Vehtari et al. (2021) literally and share no intermediate results. Tests
// compare a Workspace with them.

func plainSummary(chains [][]float64) Summary {
	all := slices.Concat(chains...)
	s := Summary{Q5: Quantile(all, .05), Q50: Quantile(all, .5), Q95: Quantile(all, .95)}
	s.Mean, s.SD = stat.MeanStdDev(all, nil)
	halves := plainSplit(chains)
	s.MCSEMean = s.SD / math.Sqrt(plainESS(halves))
	z := plainScores(halves)
	s.ESSBulk = plainESS(z)
	s.ESSTail = lesser(plainESS(plainSplit(apply(chains, func(x float64) float64 { return atMost(x, s.Q5) }))),
		plainESS(plainSplit(apply(chains, func(x float64) float64 { return atMost(x, s.Q95) }))))
	folded := plainScores(plainSplit(apply(chains, func(x float64) float64 { return math.Abs(x - s.Q50) })))
	s.RHat = greater(plainRHat(z), plainRHat(folded))
	return s
}

func apply(chains [][]float64, f func(float64) float64) [][]float64 {
	out := make([][]float64, len(chains))
	for c, xs := range chains {
		for _, x := range xs {
			out[c] = append(out[c], f(x))
		}
	}
	return out
}

func atMost(x, q float64) float64 {
	if x <= q {
		return 1
	}
	return 0
}

func plainSplit(chains [][]float64) (halves [][]float64) {
	for _, c := range chains {
		halves = append(halves, c[:len(c)/2], c[(len(c)+1)/2:])
	}
	return halves
}

func plainScores(chains [][]float64) [][]float64 {
	all := slices.Concat(chains...)
	return apply(chains, func(x float64) float64 {
		var less, equal float64
		for _, y := range all {
			if y < x {
				less++
			} else if y == x {
				equal++
			}
		}
		return distuv.UnitNormal.Quantile((less + (equal+1)/2 - .375) / (float64(len(all)) + .25))
	})
}

func plainRHat(chains [][]float64) float64 {
	var means, variances []float64
	for _, c := range chains {
		m, v := stat.MeanVariance(c, nil)
		means, variances = append(means, m), append(variances, v)
	}
	n := float64(len(chains[0]))
	return math.Sqrt((n-1)/n + stat.Variance(means, nil)/stat.Mean(variances, nil))
}

func plainESS(chains [][]float64) float64 {
	n := len(chains[0])
	var means, variances []float64
	for _, c := range chains {
		m, v := stat.MeanVariance(c, nil)
		means, variances = append(means, m), append(variances, v)
	}
	within := stat.Mean(variances, nil)
	total := within*float64(n-1)/float64(n) + stat.Variance(means, nil)
	if total == 0 {
		return math.NaN()
	}
	rho := []float64{1}
	for t := 1; t < n; t++ {
		covariance := 0.0
		for c, xs := range chains {
			for i := range n - t {
				covariance += (xs[i] - means[c]) * (xs[i+t] - means[c]) / float64(n*len(chains))
			}
		}
		rho = append(rho, 1-(within-covariance)/total)
	}
	last := 0
	for last+5 < n && rho[last]+rho[last+1] > 0 {
		last += 2
	}
	tau, before := -1+max(rho[last], 0), math.Inf(1)
	for t := 0; t < last; t += 2 {
		before = min(before, rho[t]+rho[t+1])
		tau += 2 * before
	}
	size := float64(n * len(chains))
	return size / max(tau, 1/math.Log10(size))
}

// TestWorkspaceAgainstPlainFormulas summarises samples of different sizes, autocorrelations, ties and signs in one
// Workspace, and compares all results with the plain formulas to a relative 1e-11, since sums are in another order.
func TestWorkspaceAgainstPlainFormulas(t *testing.T) {
	rounded := func(unit float64) func(float64) float64 {
		return func(x float64) float64 { return math.Round(x/unit) * unit }
	}
	r := rand.New(rand.NewPCG(5, 5))
	zeros := apply(ar(9, .2, 3, 90), func(x float64) float64 {
		if math.Abs(x) < .8 {
			return math.Copysign(0, x) // zeros of both signs are ties
		}
		return x
	})
	samples := map[string][][]float64{
		"slow": ar(1, .98, 4, 300), "independent": ar(2, 0, 4, 250), "antithetic": ar(3, -.7, 2, 201),
		"ties": apply(ar(4, .5, 4, 151), rounded(.5)), "two values": apply(ar(5, .3, 3, 60), rounded(3)),
		"zeros": zeros, "huge": apply(ar(6, .9, 4, 99), func(x float64) float64 { return math.Exp(100 * x) }),
		"few": ar(7, 0, 1, 6), "odd": ar(8, .9, 5, 7),
		"apart": {ar(1, 0, 1, 40)[0], apply(ar(2, 0, 1, 40), func(x float64) float64 { return x + 9 })[0]},
	}
	for i := range 20 {
		samples[fmt.Sprintf("random %d", i)] = ar(uint64(100+i), 2*r.Float64()-1, 1+r.IntN(6), 6+r.IntN(300))
	}
	var w Workspace
	for name, chains := range samples {
		got, want := w.Summarize(chains), plainSummary(chains)
		for what, pair := range map[string][2]float64{
			"mean": {got.Mean, want.Mean}, "sd": {got.SD, want.SD}, "mcse": {got.MCSEMean, want.MCSEMean},
			"q5": {got.Q5, want.Q5}, "q50": {got.Q50, want.Q50}, "q95": {got.Q95, want.Q95},
			"bulk": {got.ESSBulk, want.ESSBulk}, "tail": {got.ESSTail, want.ESSTail}, "R-hat": {got.RHat, want.RHat},
		} {
			same := math.Abs(pair[0]-pair[1]) <= 1e-11*math.Abs(pair[1]) || math.IsNaN(pair[0]) && math.IsNaN(pair[1])
			if !same {
				t.Errorf("%s: %s is %.15g, the formulas give %.15g", name, what, pair[0], pair[1])
			}
		}
	}
}

func BenchmarkSummarize(b *testing.B) {
	for _, phi := range []float64{0, .5, .95} {
		b.Run(fmt.Sprint(phi), func(b *testing.B) {
			chains := ar(1, phi, 4, 1000)
			var w Workspace
			for b.Loop() {
				w.Summarize(chains)
			}
		})
	}
}
