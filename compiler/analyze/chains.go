package analyze

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"ppl/compiler/model"
)

// beside finds the chains that are summed out together: those whose values meet in a term, or in terms that share a
// latent with a value of its own for each place.
func beside(m *model.Model) {
	placed := placed(m)
	for _, t := range m.Terms {
		var meet []*model.Array
		for _, r := range readsWithOwn(t) {
			if _, ok := placed[r.Latent]; ok {
				meet = append(meet, r.Latent)
			}
		}
		for _, a := range meet[min(1, len(meet)):] {
			unite(placed, meet[0], a)
		}
	}
	for a, all := range placed {
		if a.Chain != nil {
			a.Chain.Joint = slices.DeleteFunc(slices.Clone(*all), func(b *model.Array) bool { return b.Chain == nil })
		}
	}
	for _, t := range m.Terms {
		reach := farthest(t)
		for _, r := range t.Reads {
			if r.Latent.Chain != nil && len(r.Gaps) > 0 {
				r.Latent.Chain.Order = max(r.Latent.Chain.Order, reach-r.Gaps[0])
			}
		}
	}
}

// placed are the chains, and the latents with a value of their own for each place of a chain, each alone as yet.
func placed(m *model.Model) map[*model.Array]*[]*model.Array {
	along := map[*model.Array]int{} // the axis that runs along a chain
	for _, t := range m.Terms {
		if t.Array.Chain != nil {
			along[t.Array] = t.Array.Chain.Axis
		}
	}
	for n := -1; n < len(along); {
		n = len(along)
		for _, t := range m.Terms {
			places := placesIn(t, along)
			for _, r := range readsWithOwn(t) {
				k := slices.IndexFunc(r.Plates, func(i *model.Index) bool {
					return i != nil && slices.Contains(places, i)
				})
				if _, known := along[r.Latent]; !known && k >= 0 {
					along[r.Latent] = k
				}
			}
		}
	}
	out := map[*model.Array]*[]*model.Array{}
	for a := range along {
		out[a] = &[]*model.Array{a}
	}
	return out
}

// readsWithOwn are a term's reads of latents; of a latent that is no chain, its law reads its value too.
func readsWithOwn(t *model.Term) []model.LatentRead {
	if t.Kind != model.LatentPrior || t.Array.Chain != nil {
		return t.Reads
	}
	own := model.LatentRead{Latent: t.Array, Plates: t.Plates, Gather: make([]model.Expr, len(t.Plates))}
	return append(slices.Clone(t.Reads), own)
}

// placesIn are the plates of a term that say where along a chain it reads.
func placesIn(t *model.Term, along map[*model.Array]int) (out []*model.Index) {
	for _, r := range readsWithOwn(t) {
		k, ok := along[r.Latent]
		switch {
		case !ok:
		case r.Gather[k] != nil:
			out = append(out, model.Indices(r.Gather[k])...)
		case r.Plates[k] != nil:
			out = append(out, r.Plates[k])
		}
	}
	return out
}

// unite joins two classes; members keep the order in which the source first names them.
func unite(classes map[*model.Array]*[]*model.Array, a, b *model.Array) {
	if classes[a] == classes[b] {
		return
	}
	all := append(*classes[a], *classes[b]...)
	slices.SortFunc(all, func(a, b *model.Array) int { return a.At.Start - b.At.Start })
	for _, x := range all {
		classes[x] = &all
	}
}

// farthest ahead that a term reads chains.
func farthest(t *model.Term) int {
	far := -1 << 30
	for _, r := range t.Reads {
		if n := len(r.Gaps); n > 0 {
			far = max(far, r.Gaps[n-1])
		}
	}
	return far
}

// reach says how far back a chain is read, and what is summed out with it.
func reach(a *model.Array) string {
	words := ""
	if a.Chain.Order > 1 {
		words = fmt.Sprintf(", order %d", a.Chain.Order)
	}
	for _, b := range a.Chain.Joint {
		if b != a {
			words += ", together with `" + b.Name + "`"
		}
	}
	return words
}

// A lagged value is that of a latent: of a chain, so many places back.
type lagged struct {
	array *model.Array
	lag   int
}

// valuesIn are the values that stand in a term by its reads, at lags from the plate along chains.
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

// chainTable is the largest table of a step of the forward algorithm: the values that leave the state go one by one,
// each from the factors that read it.
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
		for _, v := range leave(&factors, lagged{a, a.Chain.Order}) {
			values := valuesText(e.law(v.array))
			table, entries = append(table, values), entries*guess(values)
		}
		if entries > most {
			most, largest = entries, table
		}
	}
	return largest
}

// guess is a number of values; some number where data give it.
func guess(values string) float64 {
	if n, err := strconv.ParseFloat(values, 64); err == nil {
		return n
	}
	return 8
}

// chainFactors are the values of chains that stand together in the factors of a step, once other latents have been
// summed out.
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
		leave(&factors, v)
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

// leave joins the factors that read a value, and takes the value out; the joint table had all that is returned.
func leave(factors *[][]lagged, v lagged) []lagged {
	table := []lagged{v}
	var rest [][]lagged
	for _, f := range *factors {
		if !slices.Contains(f, v) {
			rest = append(rest, f)
			continue
		}
		for _, w := range f {
			if !slices.Contains(table, w) {
				table = append(table, w)
			}
		}
	}
	*factors = append(rest, table[1:])
	return table
}
