package stopping

import (
	"math"
	"slices"

	"ppl/posterior/stats"
	"ppl/posterior/store"
)

// Covers reports whether the draws of a run are also where each chain of another run was, by the middle of every
// quantity. Chains that agree in a run may all have missed what chains of another have found. Those of another that
// were on their way, at densities that no volume makes up for, say nothing.
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

// element returns one element of the draws of a chain.
func element(chain []float64, i, size int) (xs []float64) {
	for ; i < len(chain); i += size {
		xs = append(xs, chain[i])
	}
	return xs
}

// onTheWay reports which chains of another run are hopelessly below the densities of a run: by a factor of e⁵ for each
// quantity.
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
