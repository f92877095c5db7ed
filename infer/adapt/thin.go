package adapt

import (
	"math"

	"ppl/infer/stats"
)

// EnoughShare is the effective share of iterations that needs no thinning: the worst bulk ESS of 4,000 draws is to reach 1,000, with a margin of
// two, since what one has seen of a sampler can be lucky.
const EnoughShare = 0.5

// Thin is how many iterations make a draw, most at the most, when so large a share of them is effective.
func Thin(share float64, most int) int {
	return int(min(max(math.Ceil(EnoughShare/share), 1), float64(most)))
}

// WorstShare is the least effective share of iterations, over location and spread of all coordinates of what was seen: chain, iteration,
// coordinate.
func WorstShare(seen [][][]float64) float64 {
	worst, n := 1.0, float64(len(seen)*len(seen[0]))
	for j := range seen[0][0] {
		x := make([][]float64, len(seen))
		for c, points := range seen {
			for _, p := range points {
				x[c] = append(x[c], p[j])
			}
		}
		for _, ess := range []float64{stats.ESSBulk(x), stats.ESSBulk(stats.Fold(x))} {
			if ess/n < worst { // not so for NaN, the ESS of a constant
				worst = ess / n
			}
		}
	}
	return worst
}
