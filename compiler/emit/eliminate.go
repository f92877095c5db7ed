package emit

import (
	"slices"
	"strconv"

	"ppl/autodiff"
	"ppl/compiler/model"
)

// A Reduction is how latents are eliminated: summed, for the density, or maximised, for the most probable values.
type Reduction struct {
	fold   func(Node, ...int) Node
	counts bool // every value counts, so that those at places that do not exist are taken off again
}

// Summed is the reduction for the density.
func Summed() Reduction { return Reduction{autodiff.LogSumExp, true} }

// Maximised is the reduction for the most probable values.
func Maximised() Reduction { return Reduction{autodiff.Max, false} }

// An elimination takes latents out of a list of factors, one after the other.
type elimination struct {
	e         *Evaluator
	latents   *Latents
	reduction Reduction
	sets      plateSets
	times     map[*model.Array][]*model.Index // plates that run along a chain, as representatives
	own       map[*model.Array][]*model.Index // a latent's plates, axis by axis
	steps     *Steps
}

// eliminate multiplies the factors that read a latent, each first over the plates the latent does not have, and sums
// over its values; those of chains that meet it, too.
func (e *elimination) eliminate(fs []Factor, a *model.Array) []Factor {
	var rest, mine []Factor
	joined := Factor{Of: a}
	for _, f := range fs {
		if !e.reads(f.Value, together(a)) {
			rest = append(rest, f)
			continue
		}
		if a.Chain == nil && f.time != nil {
			f.Value = Value{e.e.align(f.Value, union(f.Value, Value{Bound: []*model.Index{f.time}}), nil),
				union(f.Value, Value{Bound: []*model.Index{f.time}}), nil}
		}
		f.Value, f.reads = e.byGroup(f, together(a))
		f.Value = e.overOwnPlates(f.Value, a)
		mine = append(mine, f)
		joined.Likelihood = joined.Likelihood || f.Likelihood
		joined.Observed = append(joined.Observed, f.Observed...)
		joined.reads = append(joined.reads, f.reads...)
	}
	if a.Chain != nil {
		joined.Value = e.forward(together(a), mine)
		return append(rest, joined)
	}
	var parts []Value
	for _, f := range mine {
		parts = append(parts, f.Value)
	}
	now := e.latents.Index(e.e, a)
	e.checkTable(a, parts)
	sum := e.e.sum(parts)
	e.record(a, now, sum)
	joined.Value = foldBound(sum, []*model.Index{now}, e.reduction.fold)
	return append(rest, joined)
}

// reads reports whether a value depends on those of some latents.
func (e *elimination) reads(v Value, as []*model.Array) bool {
	return slices.ContainsFunc(v.Bound, func(i *model.Index) bool { return slices.Contains(as, e.latents.Values[i].latent) })
}

// checkTable refuses a table of an element with more entries than `infer sumout(limit = …)` allows.
func (e *elimination) checkTable(a *model.Array, parts []Value) {
	entries, names := 1.0, ""
	for _, i := range union(parts...) {
		if i.ID < 0 {
			entries *= float64(e.e.box(i.Set).Size())
			names += ", `" + i.Name + "`"
		}
	}
	if limit := e.sumoutLimit(); entries > float64(limit) {
		e.e.Stop(e.e.Diags.Errorf("E73", a.At, "summing out%s needs a table of %.0f entries for each element (limit %d)",
			names[1:], entries, limit).
			Help("a larger limit is set by `infer sumout(limit = %.0f)`; the time of a gradient grows with it", entries))
	}
}

// defaultSumoutLimit is the number of entries of the largest table for one element.
const defaultSumoutLimit = 65536

func (e *elimination) sumoutLimit() int {
	for _, call := range e.e.Data.Model.Infer {
		for _, arg := range call.Args {
			if call.Name == "sumout" && arg.Name == "limit" {
				if n, err := strconv.Atoi(arg.Value); err == nil {
					return n
				}
			}
		}
	}
	return defaultSumoutLimit
}

// gathers lists a term's reads of latents at elements that data choose.
func gathers(t *model.Term) (out []model.LatentRead) {
	for _, r := range t.Reads {
		if slices.ContainsFunc(r.Gather, func(x model.Expr) bool { return x != nil }) {
			out = append(out, r)
		}
	}
	return out
}

// byGroup adds up a factor that reads latents at elements chosen by data, z[g[n]]: what all n of one element say. The
// reads of other latents are left for later.
func (e *elimination) byGroup(f Factor, as []*model.Array) (Value, []model.LatentRead) {
	v := f.Value
	var later []model.LatentRead
	for _, r := range f.reads {
		if slices.Contains(as, r.Latent) {
			v = e.scatter(v, r)
		} else {
			later = append(later, r)
		}
	}
	return v, later
}

// scatter replaces the plates that choose a latent's elements by the latent's own.
func (e *elimination) scatter(v Value, r model.LatentRead) Value {
	var at []Value
	var to []*model.Index
	for k, x := range r.Gather {
		if x != nil {
			p := renamed(e.e.Expr(x), e.sets)
			origin := e.e.box(r.Latent.Type.Axes[k]).Lo
			at = append(at, Value{autodiff.Sub(p.Node, e.e.Graph.Const(float64(origin))), p.Bound, nil})
			to = append(to, e.sets.root(e.ownPlates(r.Latent)[k]))
		}
	}
	e.recordGroup(at, to)
	lead := union(at...)
	for k, i := range r.Plates {
		if i != nil && r.Gather[k] == nil && slices.Contains(lead, e.sets.root(i)) {
			e.e.Stop(e.e.Diags.Errorf("E71", r.Latent.At, "`%s` is read at an index that also chooses another of its "+
				"subscripts: not compiled by this version of ppl yet", r.Latent.Name))
		}
	}
	e.freePair(v, r.Latent, lead)
	v = Value{e.e.align(v, union(v, Value{Bound: lead}), nil), union(v, Value{Bound: lead}), nil}
	rest := slices.DeleteFunc(slices.Clone(v.Bound), func(i *model.Index) bool { return slices.Contains(lead, i) })
	n := e.e.arranged(v, slices.Concat(lead, rest))
	index := make([]Node, len(at))
	for k, p := range at {
		index[k] = e.e.arranged(p, lead)
		if !index[k].Static() {
			bug("a gather that is not known from data")
		}
		index[k] = e.e.Graph.Data("group", autodiff.Eval(nil, index[k])[0], index[k].Shape()...)
	}
	shape := e.e.shape(slices.Concat(to, rest), nil)
	return Value{autodiff.ScatterAdd(shape, n, index...), slices.Concat(to, rest), nil}.sorted()
}

func (e *elimination) overOwnPlates(v Value, a *model.Array) Value {
	own := map[*model.Index]bool{}
	if e.e.Rows != nil { // each row has latents of its own
		own[e.e.Rows.Batch()] = true
	}
	for _, b := range together(a) {
		for _, i := range slices.Concat(e.ownPlates(b), e.times[b]) {
			own[e.sets.root(i)] = true
		}
	}
	for i := range e.latents.Values {
		own[i] = true
	}
	var extra []*model.Index
	for _, i := range v.Bound {
		if !own[i] {
			extra = append(extra, i)
		}
	}
	e.freePair(v, a, extra)
	return sumBound(v, extra...)
}

// freePair refuses to multiply over plates of another latent in the same factor: every element of the one meets every
// element of the other.
func (e *elimination) freePair(v Value, a *model.Array, over []*model.Index) {
	for _, k := range v.Bound {
		b := e.latents.Values[k].latent
		if b == nil || b == a {
			continue
		}
		along := slices.Clone(e.times[b])
		for _, i := range e.ownPlates(b) {
			along = append(along, e.sets.root(i))
		}
		for _, i := range over {
			if slices.Contains(along, i) {
				e.e.Stop(e.e.Diags.Errorf("E71", a.At, "`%s` and `%s` cannot be summed out: an element of `%s` meets many of "+
					"`%s` along %s, and no order of summing keeps tables small",
					a.Name, b.Name, a.Name, b.Name, i.Set.Name).Related(b.At, "`%s`",
					b.Name).Help("make one of them an array over the plates of both, or a continuous parameter"))
			}
		}
	}
}
