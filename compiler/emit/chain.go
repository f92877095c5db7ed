package emit

import (
	"math"
	"slices"

	"ppl/autodiff"
	"ppl/compiler/model"
)

// previous is the value of a chain at the place before, as an index over the support; nil for a latent that is no chain.
func (e *emitter) previous(a *model.Array) *model.Index {
	if a.Chain == nil {
		return nil
	}
	if k := e.befores[a]; k != nil {
		return k
	}
	now := e.enumeration(a)
	e.befores[a] = &model.Index{Name: now.Name, Set: now.Set, ID: -1000 - len(e.befores)}
	return e.befores[a]
}

// latentAt is a latent's value where a term reads it: at the term's own place, or along a chain at the place before.
func (e *emitter) latentAt(a *model.Array, sub *model.Subscript) value {
	if a.Chain != nil && a.Chain.Axis < len(sub.Subs) {
		if _, c, ok := e.affine(sub.Subs[a.Chain.Axis].At); ok && c == -1 {
			return e.indexVar(e.previous(a))
		}
	}
	return e.indexVar(e.enumeration(a))
}

// atElements puts a term that reads one element of a chain at its place along the chain.
func (e *emitter) atElements(t *model.Term, v value) value {
	for _, r := range t.Reads {
		if c := r.Latent.Chain; c != nil && r.Plates[c.Axis] == nil && r.At != nil {
			v = e.atElement(v, e.ownPlates(r.Latent)[c.Axis], toInt(e.staticValues(r.At)[0]))
		}
	}
	return v
}

// alongChain lays a factor along the whole chain: 0 at places where it is not.
func (e *emitter) alongChain(a *model.Array, v value) value {
	whole := e.ownPlates(a)[a.Chain.Axis]
	for _, i := range e.times[a] {
		if slices.Contains(v.bound, i) {
			v = e.padBound(v, i, whole)
		}
	}
	return v
}

// padBound replaces a bound axis by a longer one, with zeros outside.
func (e *emitter) padBound(v value, i, whole *model.Index) value {
	k, part, all := slices.Index(v.bound, i), e.box(i.Set), e.box(whole.Set)
	before, after := make([]int, v.rank()), make([]int, v.rank())
	before[k], after[k] = part.lo-all.lo, all.hi-part.hi
	if before[k] < 0 || after[k] < 0 {
		e.diags.Errorf("E45", i.Set.Lo.Info().At, "index %s runs over %d..%d, but the chain over %d..%d", i.Name, part.lo, part.hi, all.lo, all.hi)
		panic(stop{})
	}
	bound := slices.Clone(v.bound)
	bound[k] = whole
	return value{autodiff.Pad(v.node, before, after), bound, v.axes}.sorted()
}

// atElement puts a density at one place of a chain.
func (e *emitter) atElement(v value, whole *model.Index, at int) value {
	all := e.box(whole.Set)
	n := autodiff.Reshape(v.node, append([]int{1}, v.node.Shape()...)...)
	before, after := make([]int, n.Rank()), make([]int, n.Rank())
	before[0], after[0] = at-all.lo, all.hi-at
	if before[0] < 0 || after[0] < 0 {
		bug("element %d of a chain over %d..%d", at, all.lo, all.hi)
	}
	return value{autodiff.Pad(n, before, after), append([]*model.Index{whole}, v.bound...), v.axes}.sorted()
}

// arranged spreads v over indices in an order of the caller's.
func (e *emitter) arranged(v value, order []*model.Index) Node {
	to := make([]int, len(v.bound))
	for k, i := range v.bound {
		to[k] = slices.Index(order, i)
	}
	return autodiff.Broadcast(v.node, e.shape(order, nil), to)
}

// forward sums a chain out by the forward algorithm in log space (Rabiner 1989, Proceedings of the IEEE 77, 257): with
// f_t(k) the factors at t and g_t(j, k) those that join t−1 and t, a_1 = f_1 and a_t(k) = f_t(k) + log Σ_j exp(a_{t−1}(j) + g_t(j, k)).
// The result is log Σ_k exp a_T(k), over whatever other axes the factors have.
func (e *emitter) forward(a *model.Array, parts []value, sets plateSets) value {
	now, before := e.enumeration(a), e.previous(a)
	t := e.ownPlates(a)[a.Chain.Axis]
	var single, pair []value
	for k, p := range parts {
		parts[k] = e.alongChain(a, p)
	}
	for _, p := range parts {
		if slices.Contains(p.bound, before) {
			pair = append(pair, p)
		} else {
			single = append(single, p)
		}
	}
	batch := slices.DeleteFunc(union(parts...), func(i *model.Index) bool { return i == t || i == now || i == before })
	e.checkBatch(a, batch, sets)
	f := e.arranged(e.sum(single), slices.Concat([]*model.Index{t}, batch, []*model.Index{now}))
	joint := slices.Concat([]*model.Index{t}, batch, []*model.Index{before, now})
	g := e.g.Full(0, e.shape(joint, nil)...)
	if len(pair) > 0 {
		g = e.arranged(e.sum(pair), joint)
	}
	e.recordChain(a, batch, value{f, nil, nil}, value{g, nil, nil}, sets)
	n := f.Shape()[0]
	first := cutAxis(f, 0, 0, 1)
	first = autodiff.Reshape(first, f.Shape()[1:]...)
	fold := e.outOf()
	b := len(batch)
	all := autodiff.Scan(first, []Node{cutAxis(f, 0, 1, n), cutAxis(g, 0, 1, n)}, nil, false, func(carry Node, x, _ []Node) Node {
		axes := make([]int, b+1)
		for k := range axes {
			axes[k] = k
		}
		spread := autodiff.Broadcast(carry, x[1].Shape(), axes) // over the value now; the carry's last axis is the value before
		return autodiff.Add(x[0], fold(autodiff.Add(spread, x[1]), b))
	})
	last := cutAxis(all, 0, n-1, n)
	last = autodiff.Reshape(last, f.Shape()[1:]...)
	return value{fold(last, b), batch, nil}
}

// checkBatch refuses chains that meet along their common time: their joint state would have to be summed.
func (e *emitter) checkBatch(a *model.Array, batch []*model.Index, sets plateSets) {
	for other, k := range e.enums {
		if other == a || !slices.Contains(batch, k) && !slices.Contains(batch, e.befores[other]) {
			continue
		}
		for _, i := range e.ownPlates(other) {
			if slices.Contains(e.times[a], sets.root(i)) || other.Chain != nil {
				e.diags.Errorf("E73", a.At, "chains `%s` and `%s` meet in one term: their joint states are not summed out by this version of ppl yet", a.Name, other.Name).
					Related(other.At, "the other chain")
				panic(stop{})
			}
		}
	}
}

// A chainTable has a chain's factors as numbers, [t, batch…, k] and [t, batch…, j, k].
type chainTable struct {
	batch   []*model.Index
	f, g    Node
	single  []float64
	pair    []float64
	n, k    int
	batches int
}

func (e *emitter) recordChain(a *model.Array, batch []*model.Index, f, g value, sets plateSets) {
	if e.posterior == nil {
		return
	}
	el := &eliminated{latent: a, value: e.enumeration(a), before: e.previous(a), chain: &chainTable{batch: batch, f: f.node, g: g.node}}
	for k, i := range e.ownPlates(a) {
		if isChainAxis(a, k) {
			el.time = i
		}
		el.plates = append(el.plates, sets.root(i))
	}
	for _, i := range batch {
		if !slices.Contains(el.plates, i) {
			el.others = append(el.others, i)
		}
	}
	for _, i := range e.times[a] {
		e.posterior.places = append(e.posterior.places, place{i, el.time, e.box(i.Set).lo - e.box(el.time.Set).lo})
	}
	e.posterior.order = append(e.posterior.order, el)
}

func (c *chainTable) eval(g *given) {
	c.single, c.pair = g.eval(c.f), g.eval(c.g)
	shape := c.f.Shape()
	c.n, c.k = shape[0], shape[len(shape)-1]
	c.batches = product(shape[1 : len(shape)-1])
}

// at says where a batch begins.
func (c *chainTable) row(g *given, pos map[*model.Index]int) int {
	return offset(c.batch, g.shape(c.batch, nil), pos)
}

func (c *chainTable) fAt(t, b, k int) float64 { return c.single[(t*c.batches+b)*c.k+k] }

func (c *chainTable) gAt(t, b, j, k int) float64 { return c.pair[((t*c.batches+b)*c.k+j)*c.k+k] }

// forward fills log weights of each value at each place given what came before: summed, or the best.
func (c *chainTable) forward(b int, most bool) [][]float64 {
	a := make([][]float64, c.n)
	for t := range a {
		a[t] = make([]float64, c.k)
		for k := range a[t] {
			a[t][k] = c.fAt(t, b, k)
			if t > 0 {
				a[t][k] += fold(c.into(a[t-1], t, b, k), most)
			}
		}
	}
	return a
}

// into are the log weights of the value before, given the value now.
func (c *chainTable) into(past []float64, t, b, k int) []float64 {
	w := make([]float64, c.k)
	for j := range w {
		w[j] = past[j] + c.gAt(t, b, j, k)
	}
	return w
}

func fold(w []float64, most bool) float64 {
	top := w[argmax(w)]
	if most || math.IsInf(top, 0) {
		return top
	}
	sum := 0.0
	for _, v := range w {
		sum += math.Exp(v - top)
	}
	return top + math.Log(sum)
}

// path picks the last value, then each before it given the one after: a draw of the whole path, or with the best weights the
// most probable path (Viterbi 1967, IEEE Transactions on Information Theory 13, 260).
func (c *chainTable) path(b int, most bool, pick func(logw []float64) int) []int {
	a, z := c.forward(b, most), make([]int, c.n)
	for t := c.n - 1; t >= 0; t-- {
		if t == c.n-1 {
			z[t] = pick(a[t])
		} else {
			z[t] = pick(c.into(a[t], t+1, b, z[t+1]))
		}
	}
	return z
}

// marginals of each place by forward and backward weights.
func (c *chainTable) marginals(b int) [][]float64 {
	a := c.forward(b, false)
	back := make([]float64, c.k)
	out := make([][]float64, c.n)
	for t := c.n - 1; t >= 0; t-- {
		w := make([]float64, c.k)
		for k := range w {
			w[k] = a[t][k] + back[k]
		}
		out[t] = normalized(w)
		if t == 0 {
			break
		}
		next := make([]float64, c.k)
		for j := range next {
			w := make([]float64, c.k)
			for k := range w {
				w[k] = c.gAt(t, b, j, k) + c.fAt(t, b, k) + back[k]
			}
			next[j] = fold(w, false)
		}
		back = next
	}
	return out
}
