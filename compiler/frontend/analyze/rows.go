package analyze

import (
	"fmt"
	"slices"

	"ppl/compiler/frontend/model"
	"ppl/lang/diag"
)

// Rows finds the plates over which log ℓ is a sum of terms that are independent given the parameters
// (lang/REFERENCE.md, minibatches). It uses only the form of subscripts. The valid plates of each observation are a row
// set, which includes all other observations over the same plates. One of the row sets is chosen later, when sizes are
// known. Rows fills Model.RowSets, or Model.Couplings if there are none.
func Rows(m *model.Model, diags *diag.List) {
	parts := components(m)
	for _, p := range parts {
		for _, t := range p.terms {
			if t.Kind != model.Likelihood {
				continue
			}
			if f := rowSet(m, p, t); f != nil && !slices.ContainsFunc(m.RowSets, f.set.SameAxes) {
				m.RowSets = append(m.RowSets, f.with(parts, p))
			}
		}
	}
	many := func(w model.Coupling) bool { return len(w.Of.Plates) > 0 }
	m.Couplings = eachOnce(m.Couplings)
	if len(m.RowSets) > 0 {
		m.Couplings = nil
	} else if slices.ContainsFunc(m.Couplings, many) {
		m.Couplings = slices.DeleteFunc(m.Couplings, func(w model.Coupling) bool { return !many(w) })
	}
	refuseBatches(m, diags)
}

// refuseBatches reports an error if minibatches are requested for a model without row sets.
func refuseBatches(m *model.Model, diags *diag.List) {
	for _, call := range m.Infer {
		for _, arg := range call.Args {
			if arg.Name != "batch" || arg.Value == "auto" || len(m.RowSets) > 0 {
				continue
			}
			for _, w := range m.Couplings {
				diags.Errorf(w.Code, w.At, "minibatch refused: %s", w.Text).Related(arg.At,
					"minibatches are requested here").
					Help("leave `batch` out: gradients then use all data")
			}
		}
	}
}

// rowSet returns a finder of the row set over the plates of an observation. It leaves out invalid plates, and returns
// nil if none is valid. It adds the reasons to Model.Couplings.
func rowSet(m *model.Model, p *component, of *model.Term) *rowFinder {
	var plates []*model.Index
	for _, i := range of.Plates {
		if len(i.Set.Ragged) == 0 {
			plates = append(plates, i)
		}
	}
	if len(plates) == 0 {
		m.Couplings = append(m.Couplings, single(of))
	}
	for len(plates) > 0 {
		f := newRowFinder(p, plates, of)
		f.component(p, plates)
		if len(f.broken) == 0 {
			return f
		}
		for k := len(plates) - 1; k >= 0; k-- {
			if w := f.broken[k]; w != nil {
				m.Couplings = append(m.Couplings, *w)
				plates = slices.Delete(slices.Clone(plates), k, k+1)
			}
		}
	}
	return nil
}

// eachOnce removes couplings with the same text as an earlier one. A model may have one for each statement.
func eachOnce(all []model.Coupling) []model.Coupling {
	seen := map[string]bool{}
	return slices.DeleteFunc(all, func(w model.Coupling) bool {
		was := seen[w.Text]
		seen[w.Text] = true
		return was
	})
}

// single returns the coupling of an observation without plates.
func single(t *model.Term) model.Coupling {
	w := model.Coupling{Code: diag.OneEvent, At: t.At, Of: t}
	switch name := t.At.Text(); {
	case t.Density != nil:
		w.Text = fmt.Sprintf("`%s ~ Density(…)` is one term for all its data", name)
	case len(t.Event) > 0:
		w.Text = fmt.Sprintf("`%s ~ %s(…)` is one event over %s", name, t.Dist.Name, t.Event[0].Name)
	default:
		w.Text = fmt.Sprintf("`%s` is one number, not a product over rows", name)
	}
	return w
}

// A component is a set of terms that share latents, directly or through other terms. Plates at which they read the same
// axis of a latent are merged into classes (union-find); the class of an index is its root.
type component struct {
	terms   []*model.Term
	latents []*model.Array
	parent  map[*model.Index]*model.Index
}

func (p *component) class(i *model.Index) *model.Index {
	for p.parent[i] != nil {
		i = p.parent[i]
	}
	return i
}

func (p *component) merge(i, j *model.Index) {
	i, j = p.class(i), p.class(j)
	if i != j {
		p.parent[i] = j
	}
}

// components groups the observations and the priors of latents by the latents that they read.
func components(m *model.Model) (parts []*component) {
	of := map[*model.Array]*component{}
	for _, t := range m.Terms {
		if t.Kind != model.Likelihood && t.Kind != model.LatentPrior {
			continue
		}
		p := &component{parent: map[*model.Index]*model.Index{}}
		parts = append(parts, p)
		for _, z := range append(readLatents(t), latentOf(t)...) {
			if q := of[z]; q != nil && q != p {
				p.absorb(q)
				parts = slices.DeleteFunc(parts, func(r *component) bool { return r == q })
			} else if q == nil {
				p.latents = append(p.latents, z)
			}
			for _, z := range p.latents {
				of[z] = p
			}
		}
		p.terms = append(p.terms, t)
	}
	for _, p := range parts {
		p.mergePlates()
	}
	return parts
}

func latentOf(t *model.Term) []*model.Array {
	if t.Kind == model.LatentPrior {
		return []*model.Array{t.Array}
	}
	return nil
}

func (p *component) absorb(q *component) {
	p.terms, p.latents = append(p.terms, q.terms...), append(p.latents, q.latents...)
}

// mergePlates merges the plates at which terms read the same axis of a latent, except the axis of a chain, because a
// term may read two elements of a chain.
func (p *component) mergePlates() {
	for _, z := range p.latents {
		first := make([]*model.Index, len(z.Type.Axes))
		for _, t := range p.terms {
			for k, i := range latentPlates(t, z) {
				switch {
				case i == nil || z.Chain != nil && z.Chain.Axis == k:
				case first[k] == nil:
					first[k] = i
				default:
					p.merge(i, first[k])
				}
			}
		}
	}
}

// latentPlates returns the plates at which a term reads each axis of a latent. It is nil if the term does not read it;
// an entry is nil if data choose the element.
func latentPlates(t *model.Term, z *model.Array) []*model.Index {
	for _, r := range t.Reads {
		if r.Latent == z {
			return r.Plates
		}
	}
	if t.Kind == model.LatentPrior && t.Array == z {
		if len(t.Plates) == len(z.Type.Axes) {
			return t.Plates
		}
		if t.Piece != nil {
			var out []*model.Index
			for _, s := range t.Piece.Slots {
				out = append(out, s.Index)
			}
			return out
		}
	}
	return nil
}

// component follows all terms of a component, with plates[k] bound to coordinate k.
func (f *rowFinder) component(p *component, plates []*model.Index) {
	f.term = f.set.Of
	for coord, i := range plates {
		for _, z := range p.latents {
			f.latent(p, z, coord, i)
		}
	}
	for _, t := range p.terms {
		f.term = t
		enter(f, f.set.Terms, t, true)
		for coord, i := range plates {
			k := slices.IndexFunc(t.Plates, func(j *model.Index) bool { return p.class(j) == p.class(i) })
			if k < 0 {
				f.breaks(coord, diag.JoinsRows, t.At, "`%s` belongs to all rows over %s at once", t.At.Text(),
					i.Set.Name)
				continue
			}
			if t.Kind == model.LatentPrior && !t.Plates[k].Set.Same(i.Set) {
				f.breaks(coord, diag.JoinsRows, t.At, "`%s` is the distribution of some of the rows over %s alone",
					t.At.Text(), i.Set.Name)
				continue
			}
			f.bind(t.Plates[k], coord)
		}
	}
	if len(f.broken) > 0 {
		return
	}
	for _, t := range p.terms {
		f.termAtRow(t)
	}
}

// latent records why a coordinate with plate i is invalid if rows share the latent: plate i runs along its chain, or
// some term does not read the latent at plate i.
func (f *rowFinder) latent(p *component, z *model.Array, coord int, i *model.Index) {
	if z.Chain != nil && slices.ContainsFunc(p.terms, func(t *model.Term) bool {
		j := plateAt(latentPlates(t, z), z.Chain.Axis)
		return j != nil && p.class(j) == p.class(i)
	}) {
		f.breaks(coord, diag.JoinsRows, transition(p, z).At, "`%s[%s-1]` joins rows %s-1 and %s of `%s`; only "+
			"entire sequences are independent", z.Name, i.Name, i.Name, i.Name, f.set.Of.Array.Name)
		return
	}
	for _, t := range p.terms {
		reads := latentPlates(t, z)
		if len(z.Type.Axes) > 0 && reads == nil {
			continue
		}
		if !slices.ContainsFunc(reads, func(j *model.Index) bool { return j != nil && p.class(j) == p.class(i) }) {
			f.breaks(coord, diag.JoinsRows, z.At, "`%s` has no value for each row over %s, so rows of `%s` share it",
				z.Name, i.Set.Name, f.set.Of.Array.Name)
			return
		}
	}
}

// transition returns a term that reads chain z at two lags, or else any term that reads it.
func transition(p *component, z *model.Array) (found *model.Term) {
	for _, t := range p.terms {
		for _, r := range t.Reads {
			if r.Latent == z && (found == nil || len(r.Gaps) > 1) {
				found = t
			}
		}
	}
	return found
}

// plateAt returns plate k, or nil if there is none.
func plateAt(plates []*model.Index, k int) *model.Index {
	if k >= len(plates) {
		return nil
	}
	return plates[k]
}

// termAtRow follows the expressions of a term, and invalidates coordinates for terms that cannot be evaluated by row.
func (f *rowFinder) termAtRow(t *model.Term) {
	f.term = t
	for _, s := range t.Event {
		f.breakProportional(s, diag.OneEvent, t.At, func() string { return single(t).Text })
	}
	for _, x := range append([]model.Expr{t.Value}, t.Exprs()...) {
		f.visit(x, nil)
	}
	if t.Array.Role == model.Imputed && len(t.Reads) > 0 {
		f.breakAll(diag.JoinsRows, t.At, "missing entries of `%s` are parameters, and their distribution reads an "+
			"unknown that is summed out", t.Array.Name)
	}
	for _, r := range t.Reads {
		if slices.ContainsFunc(r.Gather, func(x model.Expr) bool { return x != nil }) {
			f.breakAll(diag.JoinsRows, t.At, "data choose elements of `%s`, which rows of `%s` may share",
				r.Latent.Name, t.Array.Name)
		}
	}
}

// with adds the other components with an observation over the same sets if all coordinates remain valid. It returns the
// row set.
func (f *rowFinder) with(parts []*component, first *component) *model.RowSet {
	for _, p := range parts {
		if p == first {
			continue
		}
		for _, t := range p.terms {
			plates := matching(t, f.set.Axes)
			if t.Kind != model.Likelihood || plates == nil {
				continue
			}
			f.try(func() { f.component(p, plates) })
			break
		}
	}
	f.set.Inside = f.withStatics()
	return f.set
}

// matching returns distinct plates of a term over the given sets, in their order, or nil if a set has no plate.
func matching(t *model.Term, axes []*model.Set) (plates []*model.Index) {
	for _, s := range axes {
		k := slices.IndexFunc(t.Plates, func(i *model.Index) bool {
			return i.Set.Same(s) && len(i.Set.Ragged) == 0 && !slices.Contains(plates, i)
		})
		if k < 0 {
			return nil
		}
		plates = append(plates, t.Plates[k])
	}
	return plates
}
