package adapt

import (
	"math"

	"ppl/infer/stats"
)

// GoalShare is the effective share of draws that runs aim at: the worst bulk ESS of 4,000 is to reach 1,000.
const GoalShare = 0.25

// Thin is how many iterations make a draw, most at the most, so that the effective share of draws is enough where that
// of iterations is share.
func Thin(share, enough float64, most int) int {
	return int(min(max(math.Ceil(enough/share), 1), float64(most)))
}

// WorstShare is the least effective share of iterations, over location and spread of all coordinates of what was seen:
// chain, iteration, coordinate.
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
