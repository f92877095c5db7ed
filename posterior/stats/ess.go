package stats

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/dsp/fourier"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mathext"
	"gonum.org/v1/gonum/stat"
)

// ESSBulk returns the effective sample size of rank-normalised draws, which measures how well the centre of the
// distribution is known.
func ESSBulk(chains [][]float64) float64 {
	bulk, _ := new(Workspace).LocationAndSpread(chains)
	return bulk
}

// LocationAndSpread returns two effective sample sizes: of rank-normalised draws (ESSBulk), and of rank-normalised
// distances from the median.
func (w *Workspace) LocationAndSpread(chains [][]float64) (location, spread float64) {
	if !sane(chains) {
		return math.NaN(), math.NaN()
	}
	h := w.sortHalves(chains)
	location, spread = w.ess(w.normalScores(h.draws), h.parts), math.NaN()
	if folded := w.foldedScores(h.draws); folded != nil {
		spread = w.ess(folded, h.parts)
	}
	return location, spread
}

// ESSTail returns the smaller of the effective sample sizes for the 5 % and the 95 % quantiles.
func ESSTail(chains [][]float64) float64 {
	if !sane(chains) {
		return math.NaN()
	}
	w := new(Workspace)
	return w.essTail(w.sortHalves(chains))
}

func (w *Workspace) essTail(h halves) float64 {
	return lesser(w.essQuantile(h, .05), w.essQuantile(h, .95))
}

// lesser returns the smaller value, ignoring NaN.
func lesser(lo, hi float64) float64 {
	if math.IsNaN(lo) {
		return hi
	}
	if math.IsNaN(hi) {
		return lo
	}
	return min(lo, hi)
}

// ESSMean returns the effective sample size for the mean of the draws, without rank normalisation.
func ESSMean(chains [][]float64) float64 { return new(Workspace).ESSMean(chains) }

// ESSMean is the function ESSMean, with reused memory.
func (w *Workspace) ESSMean(chains [][]float64) float64 {
	if !sane(chains) {
		return math.NaN()
	}
	h := w.takeHalves(chains)
	return w.ess(w.draws[:h.draws], h.parts)
}

// ESSQuantile returns the effective sample size for quantile p: that of the indicator x ≤ q_p.
func ESSQuantile(chains [][]float64, p float64) float64 {
	if !sane(chains) {
		return math.NaN()
	}
	w := new(Workspace)
	return w.essQuantile(w.sortHalves(chains), p)
}

func (w *Workspace) essQuantile(h halves, p float64) float64 {
	q := SortedQuantile(w.sorted, p)
	if q >= w.sorted[len(w.sorted)-1] {
		return math.NaN() // the indicator is 1 for all draws, so it has no effective sample size
	}
	w.below = grow(w.below, h.draws)
	for i, x := range w.draws[:h.draws] {
		w.below[i] = 0
		if x <= q {
			w.below[i] = 1
		}
	}
	return w.ess(w.below, h.parts)
}

// MCSEMean returns the Monte Carlo standard error of the mean: 0 for constant draws, sd/√ESS for draws of more than two
// values. For two values it is the error of the share of one of them (shareError) times their distance.
func MCSEMean(chains [][]float64) float64 {
	all := slices.Concat(chains...)
	if constant(all) {
		return 0
	}
	return mcseOf(all, stat.StdDev(all, nil), ESSMean(chains))
}

// MCSESD returns the Monte Carlo standard error of the standard deviation, by the delta method applied to the variance.
func MCSESD(chains [][]float64) float64 {
	if !sane(chains) {
		return math.NaN()
	}
	mean := stat.Mean(slices.Concat(chains...), nil)
	squares := make([][]float64, len(chains))
	for c, xs := range chains {
		for _, x := range xs {
			squares[c] = append(squares[c], (x-mean)*(x-mean))
		}
	}
	all := slices.Concat(squares...)
	variance := stat.Mean(all, nil)
	varVariance := stat.PopVariance(all, nil) / ESSMean(squares)
	return math.Sqrt(varVariance / variance / 4)
}

// MCSEQuantile returns the Monte Carlo standard error of quantile p: half the width of its central 68 % interval, from
// the Beta distribution of p's rank (Vehtari et al. 2021, section 4.4).
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

// ess returns S/τ, where S is the number of draws, in parts of equal length, and τ = −1 + 2 Σ ρ_t over Geyer's initial
// monotone sequence (Geyer 1992, "Practical Markov chain Monte Carlo"). The next even term is added if it is positive,
// which lowers the variance for antithetic chains.
func (w *Workspace) ess(draws []float64, parts int) float64 {
	size, _ := w.essOf(w.correlate(draws, parts), float64(len(draws)))
	return size
}

// essOf is ess for a given correlogram. It also returns the lag up to which correlations are summed.
func (w *Workspace) essOf(c correlogram, draws float64) (size float64, last int) {
	rho, last := w.initialMonotone(c)
	tau := -1 + rho[last]
	for _, r := range rho[:last] {
		tau += 2 * r
	}
	return draws / max(tau, 1/math.Log10(draws)), last // limits the size for antithetic chains to S·log₁₀ S
}

// initialMonotone returns the correlations up to the lag at which the sum of a pair (ρ_2k, ρ_2k+1) is no longer
// positive, and limits each pair to the sum of the previous one. last is the even index after the last pair kept.
func (w *Workspace) initialMonotone(c correlogram) (rho []float64, last int) {
	for last+5 < c.n && c.at(last)+c.at(last+1) > 0 {
		last += 2
	}
	c.at(last)
	rho = w.rho
	rho[last] = max(rho[last], 0)
	for t := 2; t < last; t += 2 {
		before := rho[t-2] + rho[t-1]
		if rho[t]+rho[t+1] > before {
			rho[t], rho[t+1] = before/2, before/2
		}
	}
	return rho, last
}

// A correlogram estimates ρ_t from all parts together: 1 − (W − mean of the parts' autocovariances at t) / var⁺. It
// computes lags on demand, because draws that mix well need few: the first lags by sums of products, then all others by
// a Fourier transform.
type correlogram struct {
	work          *Workspace // its rho holds the lags computed so far
	parts, n      int        // number of parts, and of draws in each; lags are below n
	within, total float64
}

// lagsBySums is the number of lags from which the transform is faster, as measured for 8 parts of 500 draws.
const lagsBySums = 48

func (w *Workspace) correlate(draws []float64, parts int) correlogram {
	n := len(draws) / parts
	means, within := moments(draws, parts)
	total := within * float64(n-1) / float64(n)
	if parts > 1 {
		total += stat.Variance(means, nil)
	}
	w.centre(draws, means)
	w.rho = append(w.rho[:0], 1)
	return correlogram{w, parts, n, within, total}
}

// centre sets w.centred to the draws minus the mean of their part.
func (w *Workspace) centre(draws, means []float64) {
	n := len(draws) / len(means)
	w.centred = grow(w.centred, len(draws))
	for p, m := range means {
		to := w.centred[p*n : (p+1)*n]
		for i, x := range draws[p*n : (p+1)*n] {
			to[i] = x - m
		}
	}
}

// at returns ρ_t, for t < n.
func (c *correlogram) at(t int) float64 {
	for len(c.work.rho) <= t && len(c.work.rho) < lagsBySums {
		c.add(c.covarianceBySum(len(c.work.rho)))
	}
	if len(c.work.rho) <= t {
		for _, covariance := range c.work.covariances(c.parts)[len(c.work.rho):] {
			c.add(covariance)
		}
	}
	return c.work.rho[t]
}

func (c *correlogram) add(covariance float64) {
	c.work.rho = append(c.work.rho, 1-(c.within-covariance)/c.total)
}

// covarianceBySum returns the mean of the parts' autocovariances at lag t (sums divided by n at every lag).
func (c *correlogram) covarianceBySum(t int) (mean float64) {
	for p := range c.parts {
		xs := c.work.centred[p*c.n : (p+1)*c.n]
		mean += floats.Dot(xs[:c.n-t], xs[t:])
	}
	return mean / float64(c.n*c.parts)
}

// covariances returns the mean autocovariance of the parts of w.centred at all lags. It multiplies Fourier transforms
// of twice the length, so that the end does not wrap around to the start.
func (w *Workspace) covariances(parts int) []float64 {
	n := len(w.centred) / parts
	length := fastLength(2 * n)
	if w.fft == nil || w.fft.Len() != length {
		w.fft, w.padded = fourier.NewFFT(length), make([]float64, length)
		w.coefficients, w.power = make([]complex128, length/2+1), make([]complex128, length/2+1)
	}
	clear(w.power)
	for p := range parts {
		clear(w.padded[copy(w.padded, w.centred[p*n:(p+1)*n]):])
		for i, z := range w.fft.Coefficients(w.coefficients, w.padded) {
			w.power[i] += complex(real(z)*real(z)+imag(z)*imag(z), 0)
		}
	}
	w.fft.Sequence(w.padded, w.power)
	floats.Scale(1/(float64(length)*float64(n)*float64(parts)), w.padded)
	return w.padded[:n]
}

// fastLength returns the smallest power of two that is at least n.
func fastLength(n int) int {
	for p := 1; ; p *= 2 {
		if p >= n {
			return p
		}
	}
}
