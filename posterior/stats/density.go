package stats

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
)

// Density estimates the density of draws at n equidistant points: a sum of normal kernels with Silverman's bandwidth
// (Density estimation for statistics and data analysis, 1986, section 3.4.2). If draws end abruptly, as those of a
// positive quantity at 0, the curve ends there and kernels are reflected; otherwise it extends three bandwidths beyond
// the draws. Draws that are not finite are ignored. The result is nil if all draws are equal, or fewer than two.
func Density(draws []float64, n int) (x, y []float64) {
	xs := slices.Sorted(slices.Values(draws))
	xs = slices.DeleteFunc(xs, func(v float64) bool { return math.IsNaN(v) || math.IsInf(v, 0) })
	if len(xs) < 2 || xs[0] == xs[len(xs)-1] {
		return nil, nil
	}
	lo, hi := xs[0], xs[len(xs)-1]
	spread := stat.StdDev(xs, nil)
	if quartiles := (SortedQuantile(xs, .75) - SortedQuantile(xs, .25)) / 1.34; quartiles > 0 {
		spread = math.Min(spread, quartiles)
	}
	h := math.Max(0.9*spread*math.Pow(float64(len(xs)), -.2), (hi-lo)/float64(4*n))
	peak := kernels(xs, SortedQuantile(xs, .5), h)
	from, to := lo, hi
	wallLo, wallHi := 2*kernels(xs, lo, h) > abrupt*peak, 2*kernels(xs, hi, h) > abrupt*peak
	if !wallLo {
		from -= 3 * h
	}
	if !wallHi {
		to += 3 * h
	}
	x, y = make([]float64, n), make([]float64, n)
	for i := range x {
		x[i] = from + (to-from)*float64(i)/float64(n-1)
		y[i] = kernels(xs, x[i], h)
		if wallLo {
			y[i] += kernels(xs, 2*lo-x[i], h)
		}
		if wallHi {
			y[i] += kernels(xs, 2*hi-x[i], h)
		}
	}
	return x, y
}

// abrupt is the smallest ratio of the density at the outermost draw to that at the median at which draws end abruptly.
const abrupt = 0.25

// kernels returns the density estimate at a point, without kernels farther than five bandwidths, which are negligible.
func kernels(sorted []float64, at, h float64) float64 {
	from, _ := slices.BinarySearch(sorted, at-5*h)
	sum := 0.0
	for _, v := range sorted[from:] {
		z := (v - at) / h
		if z > 5 {
			break
		}
		sum += math.Exp(-z * z / 2)
	}
	return sum / (h * math.Sqrt(2*math.Pi) * float64(len(sorted)))
}

// Autocorrelation estimates the autocorrelations of a chain at lags 0 to most, or fewer if the chain is short. It
// returns nil if the chain has fewer than six draws, or draws that are all equal or not finite.
func Autocorrelation(chain []float64, most int) []float64 {
	if !sane([][]float64{chain}) {
		return nil
	}
	w := new(Workspace)
	w.centre(chain, []float64{stat.Mean(chain, nil)})
	covariance := w.covariances(1)
	out := make([]float64, min(most+1, len(covariance)))
	for t := range out {
		out[t] = covariance[t] / covariance[0]
	}
	return out
}
