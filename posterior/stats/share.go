package stats

import "math"

// shareErrors is the number of standard errors spanned by the interval from which shareError is computed (about 95 %).
const shareErrors = 2

// shareError returns the Monte Carlo standard error of a mean of draws with two values, such as indicators of an event.
// p is the share of one value and n the effective sample size. The result is half of the longer side of Wilson's score
// interval of two standard errors (Wilson, Journal of the American Statistical Association 22, 1927). The usual sd/√n
// is misleading for rare events: the standard deviation follows from the share, so a run that saw the event too rarely
// would also underestimate the error. If an event that should occur 20 times occurs 8 times, the truth is 4.2 of the
// usual standard errors away, but only 3 of these.
func shareError(p, n float64) float64 {
	const z = shareErrors
	half := math.Sqrt(p*(1-p)/n+z*z/(4*n*n)) / (1 + z*z/n)
	towardsMiddle := z * math.Abs(1-2*p) / (2 * n) / (1 + z*z/n)
	return math.Max(half+towardsMiddle, math.Sqrt(p*(1-p)/n))
}

// A pair counts draws that have at most two distinct values.
type pair struct {
	values [2]float64
	counts [2]int
	more   bool // whether there are more than two values
}

func (p *pair) add(x float64) {
	for k := range p.values {
		if p.counts[k] == 0 {
			p.values[k] = x
		}
		if p.values[k] == x {
			p.counts[k]++
			return
		}
	}
	p.more = true
}

// mcse returns the Monte Carlo standard error of the mean, given the standard deviation and the effective sample size
// n.
func (p *pair) mcse(sd, n float64) float64 {
	if p.more || p.counts[1] == 0 {
		return sd / math.Sqrt(n)
	}
	share := float64(p.counts[1]) / float64(p.counts[0]+p.counts[1])
	return math.Abs(p.values[1]-p.values[0]) * shareError(share, n)
}

// mcseOf returns the Monte Carlo standard error of the mean of draws, given their standard deviation and the effective
// sample size n.
func mcseOf(draws []float64, sd, n float64) float64 {
	var p pair
	for i := 0; i < len(draws) && !p.more; i++ {
		p.add(draws[i])
	}
	return p.mcse(sd, n)
}
