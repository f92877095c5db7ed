package stats

import "math"

// MCSEOfGroups returns the Monte Carlo standard error of the mean of draws that come in independent groups, such as
// those of the walkers of replica exchange: √Σ(Σ(x − mean))²/n, the inner sum over the draws of a group (Cochran,
// Sampling Techniques, 1977, section 11; Liang and Zeger, Biometrika 73, 1986). What draws of a group have in common
// may last as long as it likes. In the chains that walkers form as they take turns at temperature 1, that is hard to
// see: which of many walkers are in which mode changes over thousands of draws, and from one draw to the next it hardly
// shows. NaN where fewer groups than a few have draws.
func MCSEOfGroups(groups [][]float64) float64 {
	const fewest = 16 // √(1/2·16) of the error is its own error
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
