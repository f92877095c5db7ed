package renhd

import (
	"math"

	"ppl/infer/stats"
)

// What thinning aims at: the worst bulk ESS of 4,000 draws is to reach 1,000, with a margin, since a pilot can be lucky.
const (
	goalESS  = 0.25
	margin   = 1.5
	mostThin = 20
	pilot    = 250
)

// thin decides how many iterations make a draw. Where it is not given it comes from a pilot of the sampler as it will run: the worst
// effective share of iterations over all that is saved.
func (k *keeper) thin() error {
	k.report.Thin = max(k.options.Thin, 1)
	if k.options.Thin > 0 || k.options.Warmup == 0 {
		return nil
	}
	size := 0
	var seen [][][]float64 // by chain and iteration
	for i := range pilot {
		if err := k.sweep(); err != nil {
			return err
		}
		if err := k.readValues(); err != nil {
			return err
		}
		if i == 0 {
			size = k.walkers.exe.Size("values")
			seen = make([][][]float64, k.walkers.chains)
		}
		for chain := range seen {
			lane := k.walkers.cold(chain)
			seen[chain] = append(seen[chain], append([]float64(nil), k.values[lane*size:(lane+1)*size]...))
		}
	}
	k.report.Thin = thinning(seen, size)
	k.report.Divergences, k.totalSteps = 0, 0
	k.trail = make([]trail, k.walkers.chains)
	return nil
}

// thinning is the number of iterations a draw needs, for the location and for the spread of everything saved.
func thinning(seen [][][]float64, size int) int {
	worst, n := 1.0, 0
	for _, xs := range seen {
		n += len(xs)
	}
	for j := range size {
		x := coordinate(seen, j)
		for _, ess := range []float64{stats.ESSBulk(x), stats.ESSBulk(fold(x))} {
			if share := ess / float64(n); share < worst {
				worst = share
			}
		}
	}
	return int(min(max(math.Ceil(margin*goalESS/worst), 1), mostThin))
}

// fold is |x − median|.
func fold(chains [][]float64) [][]float64 {
	var all []float64
	for _, c := range chains {
		all = append(all, c...)
	}
	median := stats.Quantile(all, 0.5)
	out := make([][]float64, len(chains))
	for i, c := range chains {
		for _, x := range c {
			out[i] = append(out[i], math.Abs(x-median))
		}
	}
	return out
}
