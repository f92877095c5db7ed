package emit

import (
	"math"
	"slices"
	"strconv"

	"ppl/autodiff"
	"ppl/compiler/model"
	"ppl/lang/types"
	"ppl/stdlib"
)

// A factor is a term's log density over its plates (and over the values of latents it reads).
type factor struct {
	v      value
	lik    bool
	law    *model.Array       // whose law it is
	arrays []*model.Array     // observed arrays it speaks of
	reads  []model.LatentRead // those by gathers, until their latents are eliminated
	time   *model.Index       // of a chain's law: the plate that runs along the chain, which v lacks if the law is the same at each place
}

// term is the log density of a statement's value at its arguments. z, where valid, is the value in non-centred coordinates.
func (e *emitter) term(t *model.Term, z Node) value {
	ragged := slices.ContainsFunc(t.Plates, func(i *model.Index) bool { return len(i.Set.Ragged) > 0 })
	if ragged {
		defer e.underRanges(t.Plates)()
	}
	v := e.density(t, z)
	v.bound, v.node = e.overPlates(v, t)
	if ragged {
		v = e.masked(v, t.Plates, 0)
	}
	return v
}

// overPlates spreads a log density that does not change along some of its plates.
func (e *emitter) overPlates(v value, t *model.Term) ([]*model.Index, Node) {
	bound := union(v, value{bound: e.platesOf(t)})
	return bound, e.align(v, bound, nil)
}

// platesOf are the plates over which a term's density is spread: all, but of a chain's law the one along the chain, so that a law that is the same
// at each place is kept once.
func (e *emitter) platesOf(t *model.Term) []*model.Index {
	plates := e.plates(t.Plates)
	if time := chainPlate(t); time != nil && t.In == nil && t.Censored == nil {
		plates = slices.DeleteFunc(slices.Clone(plates), func(i *model.Index) bool { return i == time })
	}
	return plates
}

// chainPlate is the plate of a chain's law that runs along the chain, nil if there is none.
func chainPlate(t *model.Term) *model.Index {
	if t.Kind != model.LatentPrior || t.Array.Chain == nil {
		return nil
	}
	return t.Piece.Slots[t.Array.Chain.Axis].Index
}

func (e *emitter) density(t *model.Term, z Node) value {
	if t.Density != nil {
		return e.expr(t.Density)
	}
	if z.Valid() && t.Dist.Event > 0 {
		return value{standardNormal(z, t.Dist.Event), t.Plates, nil}
	}
	x, args := e.termValue(t), make([]value, len(t.Args))
	for i, a := range t.Args {
		args[i] = e.expr(a)
	}
	if z.Valid() {
		x = value{z, t.Plates, nil}
		args = e.standardArgs(t)
	}
	if t.ZeroSum {
		args[0] = value{node: e.g.Const(0)}
	}
	bound := union(append([]value{x, {bound: e.platesOf(t)}}, args...)...)
	xn, an := e.loose(x, bound, x.axes), make([]Node, len(args))
	for i, a := range args {
		an[i] = e.loose(a, bound, a.axes)
	}
	e.argumentSizes(t.Dist, t.Form, t.Args, t.At.Text(), x, args)
	lp := t.Form.LogProb(xn, an)
	if t.Censored != nil {
		lp = e.censored(t, xn, an, lp, bound)
	}
	if t.In != nil {
		lp = e.inside(t, xn, autodiff.Sub(lp, e.truncated(t, an, bound)), bound)
	}
	if t.ZeroSum {
		lp = e.zeroSum(t, lp, an)
	}
	return e.full(lp, bound, nil)
}

// argumentSizes refuses vectors and matrices whose sizes are none of the event's, x, which is written text. Arguments of integers (pairs of
// neighbours) have sizes of their own.
func (e *emitter) argumentSizes(d *stdlib.Dist, f *stdlib.Form, exprs []model.Expr, text string, x value, args []value) {
	event := x.shapeOfAxes()
	for i, a := range args {
		form := f.Args[i]
		if form.Rank == 0 || len(event) == 0 || form.Domain.Kind == types.IntRange {
			continue
		}
		sizes := a.shapeOfAxes()
		if form.Columns && len(sizes) > 0 {
			sizes = sizes[:len(sizes)-1]
		}
		for _, n := range sizes {
			if !slices.Contains(event, n) {
				e.fail("E40", exprs[i], "`%s` of %s has an axis of %d elements, but `%s` has %d", form.Name, d.Name, n, text, event[len(event)-1])
			}
		}
	}
}

// shapeOfAxes is the sizes of a value's own axes.
func (v value) shapeOfAxes() []int { return v.node.Shape()[len(v.bound):] }

func (e *emitter) termValue(t *model.Term) value {
	x := e.expr(t.Value)
	if t.Offset != nil {
		x.node = autodiff.Sub(x.node, e.expr(t.Offset).node)
	}
	return x
}

// zeroSum takes the degenerate normal's density in K − 1 dimensions: one normaliser fewer a vector, spread over its K elements.
func (e *emitter) zeroSum(t *model.Term, lp Node, args []Node) Node {
	last := t.Plates[len(t.Plates)-1]
	k := float64(e.box(last.Set).size())
	one := t.Form.LogProb(e.g.Const(0), args)
	return autodiff.Sub(lp, autodiff.Div(one, e.g.Const(k)))
}

// truncated is log P(lo ≤ V ≤ hi): 0 where the law has no distribution function (its normaliser is then a constant) or where
// the range is the whole support.
func (e *emitter) truncated(t *model.Term, args []Node, bound []*model.Index) Node {
	zero := e.g.Const(0)
	if t.Form.LogCDF == nil || t.Form.LogCCDF == nil || t.Dist.Improper {
		return zero
	}
	lo, hi := e.endNode(t, t.In.Lo, bound, t.Dist.Lo), e.endNode(t, t.In.Hi, bound, t.Dist.Hi)
	cdf := func(x Node) Node { return e.cumulative(t, t.Form.LogCDF(x, args)) }
	ccdf := func(x Node) Node { return e.cumulative(t, t.Form.LogCCDF(x, args)) }
	if lo.Valid() && t.Dist.Discrete() {
		lo = autodiff.Sub(lo, e.g.Const(1)) // P(V ≥ a) = P(V > a − 1)
	}
	switch {
	case lo.Valid() && hi.Valid():
		return logDiffExp(cdf(hi), cdf(lo), ccdf(lo), ccdf(hi))
	case lo.Valid():
		return ccdf(lo)
	case hi.Valid():
		return cdf(hi)
	}
	return zero
}

// inside is a truncated density: 0 outside the ends. Parameters cannot get there, since their transforms keep them inside.
func (e *emitter) inside(t *model.Term, x, lp Node, bound []*model.Index) Node {
	if t.Kind == model.Prior {
		return lp
	}
	never := e.g.Const(math.Inf(-1))
	if lo := e.endNode(t, t.In.Lo, bound, t.Dist.Lo); lo.Valid() {
		lp = autodiff.Where(autodiff.Le(lo, x), lp, never)
	}
	if hi := e.endNode(t, t.In.Hi, bound, t.Dist.Hi); hi.Valid() {
		lp = autodiff.Where(autodiff.Le(x, hi), lp, never)
	}
	return lp
}

// cumulative refuses a distribution function that is a sum over more values than are known from data.
func (e *emitter) cumulative(t *model.Term, n Node) Node {
	if !n.Valid() {
		e.diags.Errorf("E58", t.At, "the distribution function of %s is a sum whose length depends on a parameter here", t.Dist.Name).
			Help("give ends that depend on data only")
		panic(stop{})
	}
	return n
}

// endNode is a bound that cuts something, on the scale of termValue: invalid where it is infinite or at the end of the support.
func (e *emitter) endNode(t *model.Term, x model.Expr, bound []*model.Index, end float64) Node {
	v := e.expr(x)
	n := e.loose(v, union(value{bound: bound}, v), nil)
	if t.Offset != nil {
		n = autodiff.Sub(n, e.expr(t.Offset).node)
	}
	if c, ok := n.IsConst(); ok && (math.IsInf(c, 0) || c == end) {
		return Node{}
	}
	return n
}

// logDiffExp is log(F(b) − F(a)) from whichever tail is the smaller: the lower one's distribution function, or the upper one's.
func logDiffExp(cdfB, cdfA, ccdfA, ccdfB Node) Node {
	lower := logSub(cdfB, cdfA)
	upper := logSub(ccdfA, ccdfB)
	return autodiff.Where(autodiff.Lt(cdfB, ccdfA), lower, upper)
}

// logSub is log(eˣ − eʸ) for x ≥ y.
func logSub(x, y Node) Node {
	return autodiff.Add(x, autodiff.Log(autodiff.Neg(autodiff.Expm1(autodiff.Sub(y, x)))))
}

// censored: a value at or below the lower end says only V ≤ a, one at or above the upper end only V ≥ b.
func (e *emitter) censored(t *model.Term, x Node, args []Node, lp Node, bound []*model.Index) Node {
	if lo := e.endNode(t, t.Censored.Lo, bound, math.Inf(-1)); lo.Valid() && !(e.isConst(lo, t.Dist.Lo) && !t.Dist.Discrete()) {
		lp = autodiff.Where(autodiff.Le(x, lo), e.cumulative(t, t.Form.LogCDF(lo, args)), lp)
	}
	if hi := e.endNode(t, t.Censored.Hi, bound, math.Inf(1)); hi.Valid() {
		above := hi
		if t.Dist.Discrete() {
			above = autodiff.Sub(hi, e.g.Const(1))
		}
		lp = autodiff.Where(autodiff.Le(hi, x), e.cumulative(t, t.Form.LogCCDF(above, args)), lp)
	}
	return lp
}

func (e *emitter) isConst(n Node, v float64) bool {
	c, ok := n.IsConst()
	return ok && c == v
}

// ---- discrete latents ----

// plateSets merges the plates of terms that read a latent with the latent's own: a union-find over indices.
type plateSets map[*model.Index]*model.Index

func (s plateSets) root(i *model.Index) *model.Index {
	for s[i] != nil {
		i = s[i]
	}
	return i
}

func (s plateSets) merge(i, j *model.Index) {
	if a, b := s.root(i), s.root(j); a != b {
		if a.ID < b.ID {
			a, b = b, a
		}
		s[a] = b
	}
}

// enumeration is a latent's value as an index over its support.
func (e *emitter) enumeration(a *model.Array) *model.Index {
	if e.rows != nil {
		return e.rows.whole.enumeration(a)
	}
	t := e.latentTerm(a)
	k, begun := e.enums[a]
	switch {
	case k != nil:
		return k
	case begun:
		e.diags.Errorf("E70", t.At, "`%s` cannot be summed out: its support depends on its own values", a.Name).
			Help("begin it in a piece of its own that does not read it: `%s[1] ~ …`", a.Name)
		panic(stop{})
	}
	e.enums[a] = nil
	first, n := e.valuesOf(t)
	set := &model.Set{Name: a.Name, Lo: &model.Num{Value: float64(first)}, Hi: &model.Num{Value: float64(first + n - 1)}, Key: "values of " + a.Name}
	e.enums[a] = &model.Index{Name: a.Name, Set: set, ID: -1 - len(e.occurs)}
	e.occurs[e.enums[a]] = occurrence{latent: a}
	return e.enums[a]
}

// valuesOf is the first value and the number of values of a latent by one of its laws.
func (e *emitter) valuesOf(t *model.Term) (first, n int) {
	first, n = e.supportOf(t)
	if t.Offset != nil {
		first += int(t.Offset.(*model.Num).Value)
	}
	if t.In == nil {
		return first, n
	}
	lo, hi := slices.Min(e.staticValues(t.In.Lo)), slices.Max(e.staticValues(t.In.Hi))
	lo, hi = math.Max(math.Ceil(lo), float64(first)), math.Min(math.Floor(hi), float64(first+n-1))
	if hi-lo >= unbounded {
		e.diags.Errorf("E70", t.At, "`%s ~ %s(…) in …` cannot be summed out: it may take too many values", t.Array.Name, t.Dist.Name)
		panic(stop{})
	}
	return int(lo), max(0, int(hi-lo)+1)
}

// unbounded stands for the number of values of a law without an end, before it is cut by `in`.
const unbounded = 1 << 30

// supportOf is the support of a law before it is cut.
func (e *emitter) supportOf(t *model.Term) (first, n int) {
	if t.Dist.Enumerate == nil {
		if math.IsInf(t.Dist.Lo, -1) {
			return -unbounded, 2 * unbounded
		}
		return int(t.Dist.Lo), 2 * unbounded
	}
	args := make([]Node, len(t.Args))
	for i, x := range t.Args {
		args[i] = e.expr(x).node
	}
	first, n, ok := t.Dist.Enumerate(args)
	if !ok {
		e.diags.Errorf("E70", t.At, "`%s ~ %s(…)` cannot be summed out: its support is not known from data", t.Array.Name, t.Dist.Name)
		panic(stop{})
	}
	return first, n
}

// sameSupport refuses a latent whose pieces take different values.
func (e *emitter) sameSupport(t *model.Term) {
	set := e.enumeration(t.Array).Set
	all := e.box(set)
	if first, n := e.valuesOf(t); first != all.lo || n != all.size() {
		of := e.latentTerm(t.Array)
		e.diags.Errorf("E70", t.At, "`%s` cannot be summed out: it takes the values %d..%d here, but %d..%d elsewhere", t.Array.Name, first, first+n-1, all.lo, all.hi).
			Related(of.At, "elsewhere")
		panic(stop{})
	}
}

// factors evaluates terms of the density, with every one that reads a latent of theirs, and sums out the latents. What is left has plates only.
func (e *emitter) factors(terms []*model.Term, z map[*model.Term]Node) []factor {
	sets := plateSets{}
	for _, t := range terms {
		for _, r := range t.Reads {
			for k, i := range e.ownPlates(r.Latent) {
				if !isChainAxis(r.Latent, k) && r.Plates[k] != nil {
					sets.merge(r.Plates[k], i)
				}
			}
		}
	}
	var fs []factor
	for _, t := range terms {
		if t.Kind == model.LatentPrior && !e.drawn && e.rows == nil {
			e.sameSupport(t)
		}
		if t.Kind != model.Generate {
			for _, f := range e.factorsOf(t, e.term(t, z[t]), sets) {
				f.reads = gathers(t)
				fs = append(fs, f)
			}
		}
	}
	e.times = map[*model.Array][]*model.Index{}
	for _, t := range terms {
		for _, r := range t.Reads {
			if r.Latent.Chain != nil && r.Plates[r.Latent.Chain.Axis] != nil {
				e.times[r.Latent] = append(e.times[r.Latent], sets.root(r.Plates[r.Latent.Chain.Axis]))
			}
		}
	}
	for _, a := range innermostFirst(terms) {
		fs = e.eliminate(fs, a, sets)
	}
	return fs
}

func isChainAxis(a *model.Array, k int) bool { return a.Chain != nil && a.Chain.Axis == k }

// ownPlates are a latent's plates, axis by axis: those of its (first) law, and along a chain an index over all of it.
func (e *emitter) ownPlates(a *model.Array) []*model.Index {
	if own, ok := e.own[a]; ok {
		return own
	}
	t := e.latentTerm(a)
	own := slices.Clone(t.Plates)
	if a.Chain != nil {
		own = nil
		for k, s := range t.Piece.Slots {
			if k == a.Chain.Axis {
				own = append(own, &model.Index{Name: a.Name, Set: a.Type.Axes[k], ID: 1<<29 + len(e.own)})
			} else {
				own = append(own, s.Index)
			}
		}
	}
	e.own[a] = own
	return own
}

// factorsOf says where a term belongs. Data with missing entries count where they are observed; where they are parameters,
// the rest of their law is a prior.
func (e *emitter) factorsOf(t *model.Term, v value, sets plateSets) []factor {
	seen := factor{law: t.Array, lik: t.Kind == model.Likelihood, arrays: []*model.Array{t.Array}}
	switch {
	case t.Kind == model.LatentPrior && t.Array.Missing:
		seen.lik, v = true, e.evidence(t, v)
	case t.Array.Missing:
		whole, hole := e.splitMissing(t, v)
		seen.v = e.renamed(whole, sets)
		if t.Array.Role == model.Imputed {
			return []factor{seen, {law: t.Array, v: e.renamed(hole, sets)}}
		}
		return []factor{seen}
	}
	if !seen.lik {
		seen.arrays = nil
	}
	seen.v = e.renamed(v, sets)
	if time := chainPlate(t); time != nil {
		seen.time = sets.root(time)
	}
	return []factor{seen}
}

// latentTerm is the law that tells a latent's support: along a chain one that does not read the chain, if there is one.
func (e *emitter) latentTerm(a *model.Array) (found *model.Term) {
	for _, t := range e.b.Model.Terms {
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
		panic("internal error: latent without a law")
	}
	return found
}

// innermostFirst orders latents by their number of plates, most first; at equal numbers a chain comes after what hangs on it.
func innermostFirst(terms []*model.Term) (as []*model.Array) {
	for _, t := range terms {
		if a := leader(t.Array); t.Kind == model.LatentPrior && !slices.Contains(as, a) {
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
	for range as { // what hangs on the plates that choose a latent's elements comes before it
		for i := range as {
			for j := i + 1; j < len(as); j++ {
				if hangsOn(terms, as[j], as[i]) {
					as[i], as[j] = as[j], as[i]
				}
			}
		}
	}
	return as
}

// leader is the first of the chains that are summed out together with a; of what is no chain, itself.
func leader(a *model.Array) *model.Array { return together(a)[0] }

func together(a *model.Array) []*model.Array {
	if a.Chain == nil {
		return []*model.Array{a}
	}
	return a.Chain.Beside
}

// hangsOn reports whether w has a plate that chooses an element of z in some term: w[n] beside z[g[n]].
func hangsOn(terms []*model.Term, w, z *model.Array) bool {
	for _, t := range terms {
		var at, own []*model.Index
		for _, r := range t.Reads {
			switch leader(r.Latent) {
			case z:
				for _, x := range r.Gather {
					at = append(at, indicesIn(x)...)
				}
			case w:
				own = append(own, r.Plates...)
			}
		}
		if slices.ContainsFunc(own, func(i *model.Index) bool { return i != nil && slices.Contains(at, i) }) {
			return true
		}
	}
	return false
}

func indicesIn(x model.Expr) (out []*model.Index) {
	model.Walk(x, func(y model.Expr) {
		if v, ok := y.(*model.IndexVar); ok {
			out = append(out, v.Index)
		}
	})
	return out
}

// renamed replaces plates by the representatives of their sets.
func (e *emitter) renamed(v value, sets plateSets) value {
	to := make([]*model.Index, len(v.bound))
	for k, i := range v.bound {
		to[k] = sets.root(i)
	}
	return value{v.node, to, v.axes}.sorted()
}

// sorted brings bound axes to the order of their indices.
func (v value) sorted() value {
	perm := make([]int, v.rank())
	for k := range perm {
		perm[k] = k
	}
	slices.SortStableFunc(perm[:len(v.bound)], func(a, b int) int { return v.bound[a].ID - v.bound[b].ID })
	bound := make([]*model.Index, len(v.bound))
	for k := range bound {
		bound[k] = v.bound[perm[k]]
	}
	return value{autodiff.Permute(v.node, perm...), bound, v.axes}
}

// eliminate multiplies the factors that read a latent, each first over the plates the latent does not have, and sums over its values; those of
// chains that meet it, too.
func (e *emitter) eliminate(fs []factor, a *model.Array, sets plateSets) []factor {
	var rest, mine []factor
	joined := factor{law: a}
	for _, f := range fs {
		if !e.reads(f.v, together(a)) {
			rest = append(rest, f)
			continue
		}
		if a.Chain == nil && f.time != nil {
			f.v = value{e.align(f.v, union(f.v, value{bound: []*model.Index{f.time}}), nil), union(f.v, value{bound: []*model.Index{f.time}}), nil}
		}
		f.v, f.reads = e.byGroup(f, together(a), sets)
		f.v = e.overOwnPlates(f.v, a, sets)
		mine = append(mine, f)
		joined.lik = joined.lik || f.lik
		joined.arrays = append(joined.arrays, f.arrays...)
		joined.reads = append(joined.reads, f.reads...)
	}
	if a.Chain != nil {
		joined.v = e.forward(together(a), mine, sets)
		return append(rest, joined)
	}
	var parts []value
	for _, f := range mine {
		parts = append(parts, f.v)
	}
	now := e.enumeration(a)
	e.checkTable(a, parts)
	sum := e.sum(parts)
	e.recordElimination(a, now, sum, sets)
	joined.v = foldBound(sum, []*model.Index{now}, e.outOf())
	return append(rest, joined)
}

// reads reports whether a value depends on those of some latents.
func (e *emitter) reads(v value, as []*model.Array) bool {
	return slices.ContainsFunc(v.bound, func(i *model.Index) bool { return slices.Contains(as, e.occurs[i].latent) })
}

// checkTable refuses a table of an element with more entries than `infer sumout(limit = …)` allows.
func (e *emitter) checkTable(a *model.Array, parts []value) {
	entries, names := 1.0, ""
	for _, i := range union(parts...) {
		if i.ID < 0 {
			entries *= float64(e.box(i.Set).size())
			names += ", `" + i.Name + "`"
		}
	}
	if limit := e.sumoutLimit(); entries > float64(limit) {
		e.diags.Errorf("E73", a.At, "summing out%s needs a table of %.0f entries for each element (limit %d)", names[1:], entries, limit).
			Help("a larger limit is set by `infer sumout(limit = %.0f)`; the time of a gradient grows with it", entries)
		panic(stop{})
	}
}

// defaultSumoutLimit is the number of entries of the largest table for one element.
const defaultSumoutLimit = 65536

func (e *emitter) sumoutLimit() int {
	for _, call := range e.b.Model.Infer {
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

// byGroup adds up a factor that reads latents at elements chosen by data, z[g[n]]: what all n of one element say. The reads of other
// latents are left for later.
func (e *emitter) byGroup(f factor, as []*model.Array, sets plateSets) (value, []model.LatentRead) {
	v := f.v
	var later []model.LatentRead
	for _, r := range f.reads {
		if slices.Contains(as, r.Latent) {
			v = e.scatter(v, r, sets)
		} else {
			later = append(later, r)
		}
	}
	return v, later
}

// scatter replaces the plates that choose a latent's elements by the latent's own.
func (e *emitter) scatter(v value, r model.LatentRead, sets plateSets) value {
	var at []value
	var to []*model.Index
	for k, x := range r.Gather {
		if x != nil {
			p := e.renamed(e.expr(x), sets)
			origin := e.box(r.Latent.Type.Axes[k]).lo
			at = append(at, value{autodiff.Sub(p.node, e.g.Const(float64(origin))), p.bound, nil})
			to = append(to, sets.root(e.ownPlates(r.Latent)[k]))
		}
	}
	e.recordGroup(r, at, to)
	lead := union(at...)
	for k, i := range r.Plates {
		if i != nil && r.Gather[k] == nil && slices.Contains(lead, sets.root(i)) {
			e.diags.Errorf("E71", r.Latent.At, "`%s` is read at an index that also chooses another of its subscripts: not compiled by this version of ppl yet", r.Latent.Name)
			panic(stop{})
		}
	}
	e.freePair(v, r.Latent, lead, sets)
	v = value{e.align(v, union(v, value{bound: lead}), nil), union(v, value{bound: lead}), nil}
	rest := slices.DeleteFunc(slices.Clone(v.bound), func(i *model.Index) bool { return slices.Contains(lead, i) })
	n := e.arranged(v, slices.Concat(lead, rest))
	index := make([]Node, len(at))
	for k, p := range at {
		index[k] = e.arranged(p, lead)
		if !index[k].Static() {
			bug("a gather that is not known from data")
		}
		index[k] = e.g.Data("group", autodiff.Eval(nil, index[k])[0], index[k].Shape()...)
	}
	shape := e.shape(slices.Concat(to, rest), nil)
	return value{autodiff.ScatterAdd(shape, n, index...), slices.Concat(to, rest), nil}.sorted()
}

// outOf is how latents leave: summed, or maximised when the most probable values are wanted.
func (e *emitter) outOf() func(Node, ...int) Node {
	if e.most {
		return autodiff.Max
	}
	return autodiff.LogSumExp
}

// sum adds values over the union of their bound axes.
func (e *emitter) sum(parts []value) value {
	bound := union(parts...)
	var sum Node
	for i, p := range parts {
		n := e.align(p, bound, nil)
		if i == 0 {
			sum = n
		} else {
			sum = autodiff.Add(sum, n)
		}
	}
	return value{sum, bound, nil}
}

func (e *emitter) overOwnPlates(v value, a *model.Array, sets plateSets) value {
	own := map[*model.Index]bool{}
	if e.rows != nil { // each row has latents of its own
		own[e.rows.index] = true
	}
	for _, b := range together(a) {
		for _, i := range slices.Concat(e.ownPlates(b), e.times[b]) {
			own[sets.root(i)] = true
		}
	}
	for i := range e.occurs {
		own[i] = true
	}
	var extra []*model.Index
	for _, i := range v.bound {
		if !own[i] {
			extra = append(extra, i)
		}
	}
	e.freePair(v, a, extra, sets)
	return sumBound(v, extra...)
}

// freePair refuses to multiply over plates of another latent in the same factor: every element of the one meets every element of the other.
func (e *emitter) freePair(v value, a *model.Array, over []*model.Index, sets plateSets) {
	for _, k := range v.bound {
		b := e.occurs[k].latent
		if b == nil || b == a {
			continue
		}
		along := slices.Clone(e.times[b])
		for _, i := range e.ownPlates(b) {
			along = append(along, sets.root(i))
		}
		for _, i := range over {
			if slices.Contains(along, i) {
				e.diags.Errorf("E71", a.At, "`%s` and `%s` cannot be summed out: an element of `%s` meets many of `%s` along %s, and no order of summing keeps tables small",
					a.Name, b.Name, a.Name, b.Name, i.Set.Name).Related(b.At, "`%s`", b.Name).Help("make one of them an array over the plates of both, or a continuous parameter")
				panic(stop{})
			}
		}
	}
}
