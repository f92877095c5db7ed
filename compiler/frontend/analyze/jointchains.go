package analyze

import (
	"slices"

	"ppl/compiler/frontend/model"
)

// joinChains finds which chains are summed out together, and the order of each chain. It fills Joint and Order of
// Array.Chain. Chains are summed out together if their values occur in the same term, or in terms that share a latent
// with one value for each element of a chain.
func joinChains(m *model.Model) {
	classes := alongChains(m)
	for _, t := range m.Terms {
		var together []*model.Array
		for _, r := range readsWithOwn(t) {
			if _, ok := classes[r.Latent]; ok {
				together = append(together, r.Latent)
			}
		}
		for _, a := range together[min(1, len(together)):] {
			unite(classes, together[0], a)
		}
	}
	for a, all := range classes {
		if a.Chain != nil {
			a.Chain.Joint = slices.DeleteFunc(slices.Clone(*all), func(b *model.Array) bool { return b.Chain == nil })
		}
	}
	for _, t := range m.Terms {
		ahead := farthest(t)
		for _, r := range t.Reads {
			if r.Latent.Chain != nil && len(r.Gaps) > 0 {
				r.Latent.Chain.Order = max(r.Latent.Chain.Order, ahead-r.Gaps[0])
			}
		}
	}
}

// alongChains returns a class for each chain, and for each latent with one value for each element of a chain. The class
// has one member, this latent.
func alongChains(m *model.Model) map[*model.Array]*[]*model.Array {
	along := map[*model.Array]int{} // maps an array to its axis that runs along a chain
	for _, t := range m.Terms {
		if t.Array.Chain != nil {
			along[t.Array] = t.Array.Chain.Axis
		}
	}
	for n := -1; n < len(along); {
		n = len(along)
		for _, t := range m.Terms {
			plates := chainPlates(t, along)
			for _, r := range readsWithOwn(t) {
				k := slices.IndexFunc(r.Plates, func(i *model.Index) bool {
					return i != nil && slices.Contains(plates, i)
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

// readsWithOwn returns a term's reads of latents. For the prior of a latent that is not a chain it adds a read of this
// latent, which Reads does not contain.
func readsWithOwn(t *model.Term) []model.LatentRead {
	if t.Kind != model.LatentPrior || t.Array.Chain != nil {
		return t.Reads
	}
	own := model.LatentRead{Latent: t.Array, Plates: t.Plates, Gather: make([]model.Expr, len(t.Plates))}
	return append(slices.Clone(t.Reads), own)
}

// chainPlates returns the plates of a term that determine which element of a chain it reads.
func chainPlates(t *model.Term, along map[*model.Array]int) (out []*model.Index) {
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

// unite merges two classes; members keep the order in which they appear in the source.
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

// farthest returns the largest gap at which a term reads a chain, that is, the gap of the latest element. If the term
// reads no chain, it returns a very small number.
func farthest(t *model.Term) int {
	far := -1 << 30
	for _, r := range t.Reads {
		if n := len(r.Gaps); n > 0 {
			far = max(far, r.Gaps[n-1])
		}
	}
	return far
}
