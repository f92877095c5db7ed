package stopping

import (
	"math"
	"slices"

	"ppl/posterior/stats"
	"ppl/posterior/store"
)

// Covers reports whether the draws of a run also cover the places where the chains of another run were: the median of
// every quantity in each chain must be in the range of the run's draws. Chains that agree may all have missed what
// another run found. Chains of the other run that had not reached the posterior are ignored; see onTheWay.
func Covers(run, other *store.Run) (bool, error) {
	skip, err := onTheWay(run, other)
	if err != nil {
		return false, err
	}
	for _, v := range run.Layout.Posterior {
		here, err := run.Draws(v.Name)
		if err != nil {
			return false, err
		}
		there, err := other.Draws(v.Name)
		if err != nil {
			return false, err
		}
		for i := range v.Size() {
			low, high := math.Inf(1), math.Inf(-1)
			for _, c := range here {
				xs := element(c, i, v.Size())
				low, high = min(low, slices.Min(xs)), max(high, slices.Max(xs))
			}
			for chain, c := range there {
				m := stats.Quantile(element(c, i, v.Size()), 0.5)
				if !skip[chain] && (m < low || m > high) {
					return false, nil
				}
			}
		}
	}
	return true, nil
}

// element returns one element of each draw of a chain.
func element(chain []float64, i, size int) (xs []float64) {
	for ; i < len(chain); i += size {
		xs = append(xs, chain[i])
	}
	return xs
}

// onTheWay reports which chains of another run had not reached the posterior. Their log densities are so far below
// those of the run, by 20 plus 5 for each quantity, that no volume compensates for it.
func onTheWay(run, other *store.Run) ([]bool, error) {
	const density = "lp"
	skip := make([]bool, other.Layout.Chains)
	if !run.HasStat(density) || !other.HasStat(density) {
		return skip, nil
	}
	here, err := run.Stats(density)
	if err != nil {
		return nil, err
	}
	there, err := other.Stats(density)
	lowest, margin := math.Inf(1), 20.0
	for _, v := range run.Layout.Posterior {
		margin += 5 * float64(v.Size())
	}
	for _, c := range here {
		lowest = min(lowest, slices.Min(c))
	}
	for chain, c := range there {
		skip[chain] = stats.Quantile(c, 0.5) < lowest-margin
	}
	return skip, err
}
