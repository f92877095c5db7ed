package stats

import "math"

// MCSEOfGroups returns the Monte Carlo standard error of the mean of draws that come in independent groups, such as the
// walkers of replica exchange: √Σ(Σ(x − mean))²/n, where the inner sum is over the draws of a group (Cochran, Sampling
// Techniques, 1977, section 11; Liang and Zeger, Biometrika 73, 1986). It allows any dependence within a group.
// Autocorrelations of the chains would miss such dependence: chains consist of draws of many walkers in turn, and which
// walkers are in which mode changes over thousands of draws. The result is NaN if fewer than 16 groups have draws.
func MCSEOfGroups(groups [][]float64) float64 {
	const fewest = 16 // the relative error of the result is then √(1/(2·16))
	mean, n, some := 0.0, 0.0, 0.0
	for _, xs := range groups {
		for _, x := range xs {
			n++
			mean += (x - mean) / n
		}
		if len(xs) > 0 {
			some++
		}
	}
	if some < fewest {
		return math.NaN()
	}
	squares := 0.0
	for _, xs := range groups {
		sum := 0.0
		for _, x := range xs {
			sum += x - mean
		}
		squares += sum * sum
	}
	return math.Sqrt(squares*some/(some-1)) / n
}
