package analyze

import (
	"math"
	"slices"
	"strconv"

	"ppl/compiler/frontend/model"
)

// A lagged is the value of a latent that a term reads. For a chain, it is the value at a lag; for other latents, lag is
// 0.
type lagged struct {
	array *model.Array
	lag   int
}

// valuesIn returns the values of latents that a term reads. For chains, the lag is the distance back from the plate.
func valuesIn(reads []model.LatentRead) (out []lagged) {
	for _, r := range reads {
		if len(r.Gaps) == 0 || r.Latent.Chain == nil {
			out = append(out, lagged{r.Latent, 0})
			continue
		}
		for _, gap := range r.Gaps {
			out = append(out, lagged{r.Latent, -gap})
		}
	}
	return out
}

// chainTable returns the shape of the largest table in one step of the forward algorithm: for each axis the number of
// values as text. A step sums out the oldest value of each chain, one chain after another, from the product of the
// factors that read it.
func (e elimination) chainTable(chain *model.Chain) (largest []string) {
	factors := e.chainFactors(chain)
	var state []lagged
	for _, a := range chain.Joint {
		for lag := range a.Chain.Order {
			state = append(state, lagged{a, lag + 1})
		}
	}
	factors = append(factors, state)
	most := 0.0
	for _, a := range chain.Joint {
		var table []string
		entries := 1.0
		for _, v := range sumOut(&factors, lagged{a, a.Chain.Order}) {
			values := valuesText(e.prior(v.array))
			table, entries = append(table, values), entries*assumedCount(values)
		}
		if entries > most {
			most, largest = entries, table
		}
	}
	return largest
}

// assumedCount returns a number of values given as text, for comparing the sizes of tables. If only data give the
// number, it returns 8.
func assumedCount(values string) float64 {
	if n, err := strconv.ParseFloat(values, 64); err == nil {
		return n
	}
	return 8
}

// chainFactors returns the factors of a step, each as the list of values of chains that occur in it. Latents that are
// summed out before the chains no longer occur in them. Lags are relative to the latest value in each factor.
func (e elimination) chainFactors(chain *model.Chain) (factors [][]lagged) {
	var before []lagged
	for _, t := range e.m.Terms {
		var f []lagged
		for _, v := range valuesIn(readsWithOwn(t)) {
			switch {
			case slices.Contains(chain.Joint, v.array):
				f = append(f, v)
			case v.array.Chain == nil && !later(v.array, chain.Joint[0]):
				f, before = append(f, v), append(before, v)
			}
		}
		factors = append(factors, f)
	}
	for _, v := range before {
		sumOut(&factors, v)
	}
	for _, f := range factors {
		nearest := math.MaxInt
		for _, v := range f {
			nearest = min(nearest, v.lag)
		}
		for k := range f {
			f[k].lag -= nearest
		}
	}
	return factors
}

// sumOut replaces the factors that contain v by their product summed over v. It returns the values in the product; v is
// the first.
func sumOut(factors *[][]lagged, v lagged) []lagged {
	table := []lagged{v}
	var others [][]lagged
	for _, f := range *factors {
		if !slices.Contains(f, v) {
			others = append(others, f)
			continue
		}
		for _, w := range f {
			if !slices.Contains(table, w) {
				table = append(table, w)
			}
		}
	}
	*factors = append(others, table[1:])
	return table
}
