package stats

import "math"

// shareErrors is how many standard errors the interval has from which shareError is taken: those of 95 %.
const shareErrors = 2

// shareError returns the Monte Carlo standard error of a mean if draws have two values, such as those of whether an
// event occurs, by the share of one of these in n effective draws: half of the longer side of Wilson's score interval
// of two standard errors (Wilson, Journal of the American Statistical Association 22, 1927). The standard deviation of
// such draws follows from the share itself. So a run that has seen a rare event too seldom would take the error to be
// too small as well: by sd/√n, 8 occurrences instead of 20 are off by 4.2 standard errors, by this by 3.
func shareError(p, n float64) float64 {
	const z = shareErrors
	half := math.Sqrt(p*(1-p)/n+z*z/(4*n*n)) / (1 + z*z/n)
	towardsMiddle := z * math.Abs(1-2*p) / (2 * n) / (1 + z*z/n)
	return math.Max(half+towardsMiddle, math.Sqrt(p*(1-p)/n))
}

// A pair is what draws of at most two values are.
type pair struct {
	values [2]float64
	counts [2]int
	more   bool // there are others
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

// mcse is that of the mean of draws with a standard deviation, of which n are effective.
func (p *pair) mcse(sd, n float64) float64 {
	if p.more || p.counts[1] == 0 {
		return sd / math.Sqrt(n)
	}
	share := float64(p.counts[1]) / float64(p.counts[0]+p.counts[1])
	return math.Abs(p.values[1]-p.values[0]) * shareError(share, n)
}

// mcseOf returns the Monte Carlo standard error of the mean of draws with a standard deviation, of which n are
// effective.
func mcseOf(draws []float64, sd, n float64) float64 {
	var p pair
	for i := 0; i < len(draws) && !p.more; i++ {
		p.add(draws[i])
	}
	return p.mcse(sd, n)
}
