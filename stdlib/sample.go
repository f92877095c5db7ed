package stdlib

import (
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/stat/distuv"
)

// drawLogGamma draws the logarithm of a Gamma(shape, 1), because the draw itself would underflow for small shapes. It
// uses Γ(a) = Γ(a+1)·U^{1/a} (Marsaglia & Tsang 2000, section 6).
func drawLogGamma(r *rand.Rand, shape float64) float64 {
	if shape < 1 {
		return drawLogGamma(r, shape+1) - r.ExpFloat64()/shape
	}
	return math.Log(distuv.Gamma{Alpha: shape, Beta: 1, Src: r}.Rand())
}

func drawGamma(r *rand.Rand, shape float64) float64 { return math.Exp(drawLogGamma(r, shape)) }

// drawBeta draws X/(X+Y) of two gammas X and Y, computed on the log scale.
func drawBeta(r *rand.Rand, a, b float64) float64 {
	return 1 / (1 + math.Exp(drawLogGamma(r, b)-drawLogGamma(r, a)))
}

// drawPoisson and drawBinomial handle degenerate arguments themselves, before they call gonum.
func drawPoisson(r *rand.Rand, rate float64) float64 {
	if rate == 0 || math.IsInf(rate, 1) || math.IsNaN(rate) { // NaN may be 0 times an infinite mean
		return rate
	}
	return distuv.Poisson{Lambda: rate, Src: r}.Rand()
}

// drawManyCounts draws an approximate binomial or hypergeometric count between 0 and most. If the variance is large, it
// rounds a normal draw; the skewness that this neglects is at most .001. Otherwise it draws from a Poisson
// distribution, which is accurate only if the probability of each success is small.
func drawManyCounts(r *rand.Rand, mean, variance, most float64) float64 {
	if variance > 1e6 {
		return math.Max(0, math.Min(math.Round(mean+r.NormFloat64()*math.Sqrt(variance)), most))
	}
	return drawPoisson(r, mean)
}

func drawBinomial(r *rand.Rand, n, p float64) float64 {
	if n == 0 || p <= 0 {
		return 0
	}
	if math.IsNaN(p) { // p of a beta distribution with infinite shapes
		return p
	}
	if p >= 1 || math.IsInf(n, 1) {
		return n
	}
	if n > 1e12 { // log n! would have no digits after the decimal point
		if p > 0.5 {
			return n - drawManyCounts(r, n*(1-p), n*p*(1-p), n)
		}
		return drawManyCounts(r, n*p, n*p*(1-p), n)
	}
	return distuv.Binomial{N: n, P: p, Src: r}.Rand()
}

// drawDirichlet draws gammas and normalises them on the log scale.
func drawDirichlet(r *rand.Rand, concentration, out []float64) {
	for i, a := range concentration {
		out[i] = drawLogGamma(r, a)
	}
	softmax(out, out)
}

// drawIndex returns the 0-based index k with probability p[k] / Σp. If rounding errors leave no index, it returns the
// last one with positive probability.
func drawIndex(r *rand.Rand, p []float64) int {
	sum, last := 0.0, 0
	for k, w := range p {
		sum += w
		if w > 0 {
			last = k
		}
	}
	u := sum * r.Float64()
	for k, w := range p {
		u -= w
		if u < 0 && w > 0 {
			return k
		}
	}
	return last
}

// drawMultinomial draws each count as a binomial from the trials that remain after the earlier counts.
func drawMultinomial(r *rand.Rand, n float64, p, out []float64) {
	left := 0.0
	for _, w := range p {
		left += w
	}
	for k, w := range p {
		out[k] = n
		if k < len(p)-1 {
			out[k] = drawBinomial(r, n, w/left)
		}
		n, left = n-out[k], left-w
	}
}

// softmax writes exp(x) / Σ exp(x) to out.
func softmax(x, out []float64) {
	top, sum := math.Inf(-1), 0.0
	for _, v := range x {
		top = math.Max(top, v)
	}
	for i, v := range x {
		out[i] = math.Exp(v - top)
		sum += out[i]
	}
	for i := range out {
		out[i] /= sum
	}
}

func logistic(x float64) float64 { return 1 / (1 + math.Exp(-x)) }

// drawLowRank draws mu + W z + √v e, where a[1] = W. The number of columns of W follows from its length.
func drawLowRank(r *rand.Rand, a [][]float64, out []float64) {
	k := len(a[1]) / len(out)
	z := make([]float64, k)
	for j := range z {
		z[j] = r.NormFloat64()
	}
	for i := range out {
		out[i] = a[0][i] + math.Sqrt(a[2][i])*r.NormFloat64()
		for j, w := range a[1][i*k : (i+1)*k] {
			out[i] += w * z[j]
		}
	}
}
