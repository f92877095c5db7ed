// Package marginalize eliminates discrete latents from the density: it sums over their values, or takes the maximum.
//
//	z[i in N] ~ Bernoulli(p)             factors: log p(z[i]), log p(y[i] | z[i]), over the axes i and z
//	y[i in N] ~ Normal(m[z[i]], 1)       result:  log Σ_z p(z[i]) p(y[i] | z[i]), over the axis i
//
// Latents are eliminated one after the other (Koller and Friedman 2009, Probabilistic Graphical Models, chapter 9),
// chains by the forward algorithm (Rabiner 1989, Proceedings of the IEEE 77, 257). The returned steps hold what
// simulation needs to draw the latents again.
package marginalize

import (
	"slices"

	"ppl/autodiff"
	"ppl/compiler/density"
	"ppl/compiler/density/evaluate"
	"ppl/compiler/frontend/model"
)

// Factors evaluates terms of the density and eliminates the latents that they read. The returned factors have only
// plates as axes; the steps record the order in which the latents were eliminated, and from which factors.
func Factors(e *evaluate.Evaluator, terms []*model.Term, z map[*model.Term]density.Coordinates, latents *Latents,
	by Reduction) ([]density.Factor, *Steps) {
	out := &elimination{E: e, Latents: latents, reduction: by, sets: plateSets{}, steps: &Steps{Of: latents},
		times: map[*model.Array][]*model.Index{}, own: map[*model.Array][]*model.Index{}}
	for _, t := range terms {
		for _, r := range t.Reads {
			for k, i := range out.ownPlates(r.Latent) {
				if !isChainAxis(r.Latent, k) && r.Plates[k] != nil && r.Plates[k].Set.Same(i.Set) {
					out.sets.merge(r.Plates[k], i)
				}
			}
		}
	}
	var fs []density.Factor
	for _, t := range terms {
		if t.Kind == model.LatentPrior && e.Rows == nil {
			latents.sameSupport(e, t)
		}
		if t.Kind != model.Generate {
			for _, f := range out.factorsOf(t, density.Term(e, t, z[t])) {
				f.Reads = gathers(t)
				fs = append(fs, f)
			}
		}
	}
	for _, t := range terms {
		for _, r := range t.Reads {
			if r.Latent.Chain != nil && r.Plates[r.Latent.Chain.Axis] != nil {
				out.times[r.Latent] = append(out.times[r.Latent], out.sets.root(r.Plates[r.Latent.Chain.Axis]))
			}
		}
	}
	for _, a := range innermostFirst(terms) {
		fs = out.eliminate(fs, a)
	}
	return fs, out.steps
}

func isChainAxis(a *model.Array, k int) bool { return a.Chain != nil && a.Chain.Axis == k }

// ownPlates returns a latent's plates, axis by axis: those of its (first) distribution, and an index over the entire
// axis along a chain or if that distribution covers only a part of the axis.
func (e *elimination) ownPlates(a *model.Array) []*model.Index {
	if own, ok := e.own[a]; ok {
		return own
	}
	var own []*model.Index
	p := latentTerm(e.E, a).Piece
	for k, s := range p.Slots {
		if isChainAxis(a, k) || !p.Covers(a, k) {
			own = append(own, &model.Index{Name: a.Name, Set: a.Type.Axes[k], ID: 1<<29 + len(e.own)<<4 + k})
		} else {
			own = append(own, s.Index)
		}
	}
	e.own[a] = own
	return own
}

// overParts extends the log density of a distribution of a part of a latent over all of the latent's plates; it is 0 at
// elements outside the part.
func (e *elimination) overParts(t *model.Term, v evaluate.Value) evaluate.Value {
	for k, s := range t.Piece.Slots {
		if isChainAxis(t.Array, k) || t.Piece.Covers(t.Array, k) {
			continue
		}
		axis, part := e.E.Box(t.Array.Type.Axes[k]), e.E.Box(s.Set())
		own := e.ownPlates(t.Array)[k]
		at := slices.Index(v.Bound, s.Index)
		if s.Index == nil {
			at = len(v.Bound)
			v = evaluate.Value{Node: autodiff.Reshape(v.Node, append(slices.Clone(v.Node.Shape()), 1)...),
				Bound: append(slices.Clone(v.Bound), nil)}
		}
		before, after := make([]int, v.Rank()), make([]int, v.Rank())
		before[at], after[at] = part.Lo-axis.Lo, axis.Hi-part.Hi
		bound := slices.Clone(v.Bound)
		bound[at] = own
		v = evaluate.Value{Node: autodiff.Pad(v.Node, before, after), Bound: bound}.Sorted()
	}
	return v
}

// factorsOf returns the factors of a term. Data with missing entries contribute where they are observed. If the missing
// entries are parameters, the rest of their density is a separate factor, a prior.
func (e *elimination) factorsOf(t *model.Term, v evaluate.Value) []density.Factor {
	if t.Kind == model.LatentPrior {
		v = e.overParts(t, v)
	}
	seen := density.Factor{Of: t.Array, Likelihood: t.Kind == model.Likelihood, Observed: []*model.Array{t.Array}}
	switch {
	case t.Kind == model.LatentPrior && t.Array.Missing:
		seen.Likelihood, v = true, density.Evidence(e.E, t, v)
	case t.Array.Missing:
		whole, missing := density.SplitMissing(e.E, t, v)
		seen.Value = renamed(whole, e.sets)
		if t.Array.Role == model.Imputed {
			return []density.Factor{seen, {Of: t.Array, Value: renamed(missing, e.sets)}}
		}
		return []density.Factor{seen}
	}
	if !seen.Likelihood {
		seen.Observed = nil
	}
	seen.Value = renamed(v, e.sets)
	if time := density.ChainPlate(t); time != nil {
		seen.Time = e.sets.root(time)
	}
	return []density.Factor{seen}
}

// latentTerm returns the distribution that determines a latent's support: for a chain, one that does not read the
// chain, if there is one.
func latentTerm(e *evaluate.Evaluator, a *model.Array) (found *model.Term) {
	for _, t := range e.Data.Model.Terms {
		if t.Kind != model.LatentPrior || t.Array != a {
			continue
		}
		past := slices.ContainsFunc(t.Reads, func(r model.LatentRead) bool { return r.Latent == a && len(r.Gaps) > 1 })
		if !past {
			return t
		}
		if found == nil {
			found = t
		}
	}
	if found == nil {
		panic("internal error: latent without a distribution")
	}
	return found
}

// innermostFirst orders latents by their number of plates, most first. Among equal numbers a chain comes after latents
// that depend on it.
func innermostFirst(terms []*model.Term) (as []*model.Array) {
	seen := map[*model.Array]bool{}
	for _, t := range terms {
		if a := leader(t.Array); t.Kind == model.LatentPrior && !seen[a] {
			seen[a] = true
			as = append(as, a)
		}
	}
	key := func(a *model.Array) int {
		if a.Chain != nil {
			return 1 - 2*len(a.Type.Axes)
		}
		return -2 * len(a.Type.Axes)
	}
	slices.SortStableFunc(as, func(a, b *model.Array) int { return key(a) - key(b) })
	pairs := choosingPairs(terms)
	for range as { // a latent with a plate that chooses elements of another comes before that one
		if len(pairs) == 0 || !putBefore(as, pairs) {
			break
		}
	}
	return as
}

// putBefore swaps latents so that the first of each of the pairs comes before the second, and reports whether it moved
// any. Two latents that depend on each other would be swapped forever.
func putBefore(as []*model.Array, pairs map[[2]*model.Array]bool) (moved bool) {
	for i := range as {
		for j := i + 1; j < len(as); j++ {
			if pairs[[2]*model.Array{as[j], as[i]}] {
				as[i], as[j] = as[j], as[i]
				moved = true
			}
		}
	}
	return moved
}

// leader returns the first of the chains that are summed out together with a; for other latents, a itself.
func leader(a *model.Array) *model.Array { return together(a)[0] }

func together(a *model.Array) []*model.Array {
	if a.Chain == nil {
		return []*model.Array{a}
	}
	return a.Chain.Joint
}

// choosingPairs returns the pairs (w, z) of latents such that, in some term, a plate of w chooses the element of z:
// w[n] together with z[g[n]].
func choosingPairs(terms []*model.Term) map[[2]*model.Array]bool {
	pairs := map[[2]*model.Array]bool{}
	for _, t := range terms {
		for _, z := range gathers(t) {
			var at []*model.Index
			for _, x := range z.Gather {
				at = append(at, model.Indices(x)...)
			}
			for _, w := range t.Reads {
				chooses := func(i *model.Index) bool { return i != nil && slices.Contains(at, i) }
				if leader(w.Latent) != leader(z.Latent) && slices.ContainsFunc(w.Plates, chooses) {
					pairs[[2]*model.Array{leader(w.Latent), leader(z.Latent)}] = true
				}
			}
		}
	}
	return pairs
}

// renamed replaces plates by the representatives of their sets.
func renamed(v evaluate.Value, sets plateSets) evaluate.Value {
	to := make([]*model.Index, len(v.Bound))
	for k, i := range v.Bound {
		to[k] = sets.root(i)
	}
	return evaluate.Value{Node: v.Node, Bound: to, Axes: v.Axes}.Sorted()
}
