package marginalize

import (
	"slices"
	"strconv"

	"ppl/autodiff"
	"ppl/compiler/density"
	"ppl/compiler/density/evaluate"
	"ppl/compiler/frontend/model"
	"ppl/lang/diag"
)

// A Reduction determines how latents are eliminated: summed, for the density, or maximised, for the most probable
// values.
type Reduction struct {
	fold   func(autodiff.Node, ...int) autodiff.Node
	counts bool // every value contributes, so the contribution of dummy values must be subtracted
}

// Summed returns the reduction for the density.
func Summed() Reduction { return Reduction{autodiff.LogSumExp, true} }

// Maximised returns the reduction for the most probable values.
func Maximised() Reduction { return Reduction{autodiff.Max, false} }

// An elimination eliminates latents from a list of factors, one after the other.
type elimination struct {
	E         *evaluate.Evaluator
	Latents   *Latents
	reduction Reduction
	sets      plateSets
	times     map[*model.Array][]*model.Index // plates that run along a chain, as representatives
	own       map[*model.Array][]*model.Index // a latent's plates, axis by axis
	steps     *Steps
}

// eliminate multiplies the factors that read a latent, each first over the plates that the latent does not have, and
// sums over the latent's values. Chains that are summed out together with the latent are eliminated with it.
func (e *elimination) eliminate(fs []density.Factor, a *model.Array) []density.Factor {
	var rest, mine []density.Factor
	joined := density.Factor{Of: a}
	for _, f := range fs {
		if !e.reads(f.Value, together(a)) {
			rest = append(rest, f)
			continue
		}
		if a.Chain == nil && f.Time != nil {
			f.Value = evaluate.Value{Node: e.E.Align(f.Value, evaluate.Union(f.Value,
				evaluate.Value{Bound: []*model.Index{f.Time}}), nil),
				Bound: evaluate.Union(f.Value, evaluate.Value{Bound: []*model.Index{f.Time}})}
		}
		f.Value, f.Reads = e.byGroup(f, together(a))
		f.Value = e.overOwnPlates(f.Value, a)
		mine = append(mine, f)
		joined.Likelihood = joined.Likelihood || f.Likelihood
		joined.Observed = append(joined.Observed, f.Observed...)
		for _, r := range f.Reads {
			joined.Reads = e.withRead(joined.Reads, r, a)
		}
	}
	if a.Chain != nil {
		joined.Value = e.forward(together(a), mine)
		return append(rest, joined)
	}
	var parts []evaluate.Value
	for _, f := range mine {
		parts = append(parts, f.Value)
	}
	now := e.Latents.Index(e.E, a)
	e.checkTable(a, parts)
	sum := e.E.Sum(parts)
	e.record(a, now, sum)
	joined.Value = evaluate.FoldBound(sum, []*model.Index{now}, e.reduction.fold)
	return append(rest, joined)
}

// reads reports whether a value depends on any of some latents.
func (e *elimination) reads(v evaluate.Value, as []*model.Array) bool {
	return slices.ContainsFunc(v.Bound,
		func(i *model.Index) bool { return slices.Contains(as, e.Latents.Values[i].Latent) })
}

// checkTable reports an error for a table of an element with more entries than `infer sumout(limit = …)` allows.
func (e *elimination) checkTable(a *model.Array, parts []evaluate.Value) {
	entries, names := 1.0, ""
	for _, i := range evaluate.Union(parts...) {
		if i.ID < 0 {
			entries *= float64(e.E.Box(i.Set).Size())
			names += ", `" + i.Name + "`"
		}
	}
	if limit := e.sumoutLimit(); entries > float64(limit) {
		e.E.Stop(e.E.Diags.Errorf(diag.TableTooLarge, a.At,
			"summing out%s needs a table of %.0f entries for each element (limit %d)",
			names[1:], entries, limit).
			Help("`infer sumout(limit = %.0f)` raises the limit; the time of a gradient grows with the table",
				entries))
	}
}

// defaultSumoutLimit is the largest allowed number of entries of the table for one element.
const defaultSumoutLimit = 65536

func (e *elimination) sumoutLimit() int {
	for _, call := range e.E.Data.Model.Infer {
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

// gathers lists a term's reads of latents at elements that data determine.
func gathers(t *model.Term) (out []model.LatentRead) {
	for _, r := range t.Reads {
		if slices.ContainsFunc(r.Gather, func(x model.Expr) bool { return x != nil }) {
			out = append(out, r)
		}
	}
	return out
}

// byGroup sums a factor that reads latents at elements chosen by data, z[g[n]], over all n with the same element. It
// returns the reads of other latents for a later elimination.
func (e *elimination) byGroup(f density.Factor, as []*model.Array) (evaluate.Value, []model.LatentRead) {
	v := f.Value
	var later []model.LatentRead
	for _, r := range f.Reads {
		if slices.Contains(as, r.Latent) {
			v = e.scatter(v, r)
		} else {
			later = append(later, r)
		}
	}
	return v, later
}

// withRead adds a read to the reads of factors that are joined because they read the latent `joins`. Each element that
// data choose is summed once, over the plates that choose it.
func (e *elimination) withRead(reads []model.LatentRead, r model.LatentRead, joins *model.Array) []model.LatentRead {
	for _, other := range reads {
		switch {
		case other.Latent != r.Latent:
		case e.sameElements(other, r):
			return reads
		default:
			e.E.Stop(e.E.Diags.Errorf(diag.NotSummable, r.Latent.At, "`%s` cannot be summed out: two different "+
				"elements of it occur together with one of `%s`", r.Latent.Name, joins.Name).Related(joins.At, "`%s`",
				joins.Name))
		}
	}
	return append(reads, r)
}

// sameElements reports whether data choose the same elements of a latent in two reads.
func (e *elimination) sameElements(a, b model.LatentRead) bool {
	for k, x := range a.Gather {
		y := b.Gather[k]
		if x == nil || y == nil {
			if x != y || e.sets.root(a.Plates[k]) != e.sets.root(b.Plates[k]) {
				return false
			}
			continue
		}
		p, q := renamed(e.E.Expr(x), e.sets), renamed(e.E.Expr(y), e.sets)
		at := autodiff.Eval(nil, p.Node, q.Node)
		if !slices.Equal(p.Bound, q.Bound) || !slices.Equal(at[0], at[1]) {
			return false
		}
	}
	return true
}

// scatter sums over the plates that choose a latent's elements; the latent's own plates replace them.
func (e *elimination) scatter(v evaluate.Value, r model.LatentRead) evaluate.Value {
	var at []evaluate.Value
	var to []*model.Index
	for k, x := range r.Gather {
		if x != nil {
			p := renamed(e.E.Expr(x), e.sets)
			origin := e.E.Box(r.Latent.Type.Axes[k]).Lo
			at = append(at, evaluate.Value{Node: autodiff.Sub(p.Node, e.E.Graph.Const(float64(origin))),
				Bound: p.Bound})
			to = append(to, e.sets.root(e.ownPlates(r.Latent)[k]))
		}
	}
	e.recordGroup(at, to)
	lead := evaluate.Union(at...)
	for k, i := range r.Plates {
		if i != nil && r.Gather[k] == nil && slices.Contains(lead, e.sets.root(i)) {
			e.E.Stop(e.E.Diags.Errorf(diag.NotSummable, r.Latent.At, "`%s` is read with an index that also determines "+
				"another of its subscripts, as in `%s[i, g[i]]`; this version of ppl does not support this yet",
				r.Latent.Name, r.Latent.Name))
		}
	}
	e.freePair(v, r.Latent, lead)
	v = evaluate.Value{Node: e.E.Align(v, evaluate.Union(v, evaluate.Value{Bound: lead}), nil),
		Bound: evaluate.Union(v, evaluate.Value{Bound: lead})}
	rest := slices.DeleteFunc(slices.Clone(v.Bound), func(i *model.Index) bool { return slices.Contains(lead, i) })
	n := e.E.Arranged(v, slices.Concat(lead, rest))
	index := make([]autodiff.Node, len(at))
	for k, p := range at {
		index[k] = e.E.Arranged(p, lead)
		if !index[k].Static() {
			evaluate.InternalErrorf("a gather that is not known from data")
		}
		index[k] = e.E.Graph.Data("group", autodiff.Eval(nil, index[k])[0], index[k].Shape()...)
	}
	shape := e.E.Shape(slices.Concat(to, rest), nil)
	return evaluate.Value{Node: autodiff.ScatterAdd(shape, n, index...), Bound: slices.Concat(to, rest)}.Sorted()
}

func (e *elimination) overOwnPlates(v evaluate.Value, a *model.Array) evaluate.Value {
	own := map[*model.Index]bool{}
	if e.E.Rows != nil { // each row has separate latents
		own[e.E.Rows.Batch()] = true
	}
	for _, b := range together(a) {
		for _, i := range slices.Concat(e.ownPlates(b), e.times[b]) {
			own[e.sets.root(i)] = true
		}
	}
	for i := range e.Latents.Values {
		own[i] = true
	}
	var extra []*model.Index
	for _, i := range v.Bound {
		if !own[i] {
			extra = append(extra, i)
		}
	}
	e.freePair(v, a, extra)
	return evaluate.SumBound(v, extra...)
}

// freePair reports an error for a product over plates of another latent in the same factor: every element of one latent
// would occur together with every element of the other.
func (e *elimination) freePair(v evaluate.Value, a *model.Array, over []*model.Index) {
	for _, k := range v.Bound {
		b := e.Latents.Values[k].Latent
		if b == nil || b == a {
			continue
		}
		along := slices.Clone(e.times[b])
		for _, i := range e.ownPlates(b) {
			along = append(along, e.sets.root(i))
		}
		for _, i := range over {
			if slices.Contains(along, i) {
				e.E.Stop(e.E.Diags.Errorf(diag.NotSummable, a.At,
					"`%s` and `%s` cannot be summed out: an element of `%s` occurs together with many of "+
						"`%s` along %s, and no order of summing keeps tables small",
					a.Name, b.Name, a.Name, b.Name, i.Set.Name).Related(b.At, "`%s`",
					b.Name).Help("make one of them an array over the plates of both, or a continuous parameter"))
			}
		}
	}
}
