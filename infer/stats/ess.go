package stats

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/dsp/fourier"
	"gonum.org/v1/gonum/mathext"
	"gonum.org/v1/gonum/stat"
)

// ESSBulk is the effective sample size of rank-normalised draws: how well the centre of the distribution is known.
func ESSBulk(chains [][]float64) float64 {
	if !sane(chains) {
		return math.NaN()
	}
	return ess(zScale(split(chains)))
}

// ESSTail is the lesser effective sample size of the 5 % and the 95 % quantile.
func ESSTail(chains [][]float64) float64 {
	return lesser(ESSQuantile(chains, .05), ESSQuantile(chains, .95))
}

// lesser is the smaller of the values that are not NaN.
func lesser(lo, hi float64) float64 {
	if math.IsNaN(lo) {
		return hi
	}
	if math.IsNaN(hi) {
		return lo
	}
	return min(lo, hi)
}

// ESSMean is the effective sample size of the draws as they are, for the mean.
func ESSMean(chains [][]float64) float64 {
	if !sane(chains) {
		return math.NaN()
	}
	return ess(split(chains))
}

// ESSQuantile is the effective sample size for quantile p: that of the indicators x ≤ q_p.
func ESSQuantile(chains [][]float64, p float64) float64 {
	if !sane(chains) {
		return math.NaN()
	}
	return essBelow(chains, Quantile(slices.Concat(chains...), p))
}

// essBelow is the effective sample size of the indicators x ≤ q.
func essBelow(chains [][]float64, q float64) float64 {
	below := apply(chains, func(x float64) float64 {
		if x <= q {
			return 1
		}
		return 0
	})
	if constant(slices.Concat(below...)) {
		return math.NaN() // q is the greatest draw: its indicator says nothing
	}
	return ess(split(below))
}

// MCSEMean is the Monte Carlo standard error of the mean, sd/√ESS; 0 for constant draws.
func MCSEMean(chains [][]float64) float64 {
	all := slices.Concat(chains...)
	if constant(all) {
		return 0
	}
	return stat.StdDev(all, nil) / math.Sqrt(ESSMean(chains))
}

// MCSESD is the Monte Carlo standard error of the standard deviation, by the delta method on the variance.
func MCSESD(chains [][]float64) float64 {
	if !sane(chains) {
		return math.NaN()
	}
	mean := stat.Mean(slices.Concat(chains...), nil)
	squares := apply(chains, func(x float64) float64 { return (x - mean) * (x - mean) })
	all := slices.Concat(squares...)
	variance := stat.Mean(all, nil)
	varVariance := stat.PopVariance(all, nil) / ESSMean(squares)
	return math.Sqrt(varVariance / variance / 4)
}

// MCSEQuantile is the Monte Carlo standard error of quantile p: half the width of the interval that covers it
// as ±1 standard error would, taken from the Beta distribution of p's rank (section 4.4 of the paper).
func MCSEQuantile(chains [][]float64, p float64) float64 {
	n := ESSQuantile(chains, p)
	if math.IsNaN(n) {
		return math.NaN()
	}
	sorted := slices.Sorted(slices.Values(slices.Concat(chains...)))
	size := float64(len(sorted))
	at := func(tail float64) float64 { return size * mathext.InvRegIncBeta(n*p+1, n*(1-p)+1, tail) }
	lo := max(int(math.Floor(at(oneSigma))), 1)
	hi := min(int(math.Ceil(at(1-oneSigma))), len(sorted))
	return (sorted[hi-1] - sorted[lo-1]) / 2
}

const oneSigma = 0.15865525393145707 // Φ(−1)

// ess is S/τ with τ = −1 + 2 Σ ρ_t over Geyer's initial monotone sequence (Geyer 1992, "Practical Markov chain Monte
// Carlo"), plus the next even term where it is positive, which lowers the variance for antithetic chains.
func ess(chains [][]float64) float64 {
	total := float64(len(chains) * len(chains[0]))
	rho, last := initialMonotone(autocorrelation(chains))
	tau := -1 + rho[last]
	for _, r := range rho[:last] {
		tau += 2 * r
	}
	return total / max(tau, 1/math.Log10(total)) // antithetic chains are believed up to S·log₁₀ S
}

// autocorrelation estimates ρ_t from all chains together: 1 − (W − mean of the chains' autocovariances at t) / var⁺.
func autocorrelation(chains [][]float64) []float64 {
	n := float64(len(chains[0]))
	means, within := moments(chains)
	total := within * (n - 1) / n
	if len(chains) > 1 {
		total += stat.Variance(means, nil)
	}
	rho := meanAutocovariance(chains)
	for t := range rho {
		rho[t] = 1 - (within-rho[t])/total
	}
	rho[0] = 1
	return rho
}

// initialMonotone cuts the correlations where the sum of a pair (ρ_2k, ρ_2k+1) stops being positive and lets pairs
// never grow. It returns them in place; last is the even index after the last pair kept.
func initialMonotone(rho []float64) (seq []float64, last int) {
	for last+5 < len(rho) && rho[last]+rho[last+1] > 0 {
		last += 2
	}
	rho[last] = max(rho[last], 0)
	for t := 2; t < last; t += 2 {
		before := rho[t-2] + rho[t-1]
		if rho[t]+rho[t+1] > before {
			rho[t], rho[t+1] = before/2, before/2
		}
	}
	return rho, last
}

// meanAutocovariance averages the chains' autocovariances (sums divided by n at every lag), by FFT over twice the
// length.
func meanAutocovariance(chains [][]float64) []float64 {
	n := len(chains[0])
	fft := fourier.NewFFT(fastLength(2 * n))
	padded := make([]float64, fft.Len())
	coefficients := make([]complex128, fft.Len()/2+1)
	mean := make([]float64, n)
	for _, c := range chains {
		center(padded, c)
		fft.Coefficients(coefficients, padded)
		for i, z := range coefficients {
			coefficients[i] = complex(real(z)*real(z)+imag(z)*imag(z), 0)
		}
		fft.Sequence(padded, coefficients)
		for t := range mean {
			mean[t] += padded[t] / float64(fft.Len()) / float64(n) / float64(len(chains))
		}
	}
	return mean
}

// center writes c less its mean, then zeros.
func center(padded, c []float64) {
	m := stat.Mean(c, nil)
	clear(padded)
	for i, x := range c {
		padded[i] = x - m
	}
}

// fastLength is the power of two from n on.
func fastLength(n int) int {
	for p := 1; ; p *= 2 {
		if p >= n {
			return p
		}
	}
}
