package emit

import (
	"math"
	"slices"

	"ppl/autodiff"
	"ppl/compiler/model"
)

// An occurrence says which value of a latent an axis of a factor stands for.
type occurrence struct {
	latent *model.Array
	kind   occurrenceKind
	at     int
}

type occurrenceKind uint8

const (
	// of a chain, at this distance from the factor's own place; of other latents, the value itself
	apart  occurrenceKind = iota
	fixed                 // of a chain, at this place
	lagged                // of a chain, so many places before that of a step of the forward algorithm
)

// valueOf is the index over the support that represents an occurrence.
func (l *latents) valueOf(e *emitter, o occurrence) *model.Index {
	for k, known := range l.values {
		if known == o {
			return k
		}
	}
	first := l.index(e, o.latent)
	if o.kind == apart && o.at == 0 {
		return first
	}
	k := &model.Index{Name: first.Name, Set: first.Set, ID: -1 - len(l.values)}
	l.values[k] = o
	return k
}

// element is a latent's value where a term reads it.
func (l *latents) element(e *emitter, a *model.Array, sub *model.Subscript) value {
	own := l.index(e, a)
	if a.Chain == nil || a.Chain.Axis >= len(sub.Subs) {
		return e.indexVar(own)
	}
	k := a.Chain.Axis
	x, b := sub.Subs[k].At, e.box(a.Type.Axes[k])
	e.checkGather(sub, k, pick{at: e.expr(x)}, b)
	switch {
	case sub.Gap != nil:
		return e.indexVar(l.valueOf(e, occurrence{a, apart, *sub.Gap}))
	case len(model.Indices(x)) == 0:
		return e.indexVar(l.valueOf(e, occurrence{a, fixed, toInt(e.staticValues(x)[0])}))
	}
	return e.indexVar(own) // at its own place, or at one that data choose
}

// arranged spreads v over indices in an order of the caller's.
func (e *emitter) arranged(v value, order []*model.Index) Node {
	to := make([]int, len(v.bound))
	for k, i := range v.bound {
		to[k] = slices.Index(order, i)
	}
	return autodiff.Broadcast(v.node, e.shape(order, nil), to)
}

// A link is a factor along a chain: at each place lo..hi, over values at lags from it.
type link struct {
	v      value
	time   *model.Index // the axis of v along the places; nil if it is the same at each
	lo, hi int
}

// A chain is what the forward algorithm sums out: the values of its members at each place, with as many before as terms
// reach back.
type chain struct {
	by      *elimination
	members []*model.Array
	order   []int // of each member
	links   []link
	batch   []*model.Index
	lo, hi  int
	times   []*model.Index // the place along each member
	begin   []int          // the first place of each member
}

// forward sums chains out together by the forward algorithm in log space (Rabiner 1989, Proceedings of the IEEE 77,
// 257). A step goes from the values at the places before to those at this one: a_t(now) = log Σ_leaving
// exp(a_{t−1}(before) + factors at t), where the values that leave are summed one by one, each over the factors that
// read it (for chains that do not read each other, the exact algorithm of Ghahramani and Jordan 1997, Machine Learning
// 29, 245). Values at places where a member has none, those before its first among them, are summed too, and their
// number taken off at the end.
func (e *elimination) forward(members []*model.Array, fs []factor) value {
	c := e.newChain(members, fs)
	e.checkTable(members[0], []value{{bound: c.state(0)}})
	e.steps.order = append(e.steps.order, c.step())
	axes := c.axes(0)
	carry := c.by.e.g.Full(0, c.by.e.shape(axes, nil)...)
	for _, part := range c.segments() {
		carry = c.along(part, carry)
	}
	sum := foldBound(value{carry, axes, nil}.sorted(), c.state(0), e.reduction.fold)
	if extra := c.surplus(); extra != 0 && e.reduction.counts {
		sum.node = autodiff.Sub(sum.node, c.by.e.g.Const(extra))
	}
	return sum
}

func (e *elimination) newChain(members []*model.Array, fs []factor) *chain {
	c := &chain{by: e, members: members, order: make([]int, len(members)), lo: math.MaxInt, hi: math.MinInt}
	for _, a := range members {
		b := e.e.box(a.Type.Axes[a.Chain.Axis])
		c.lo, c.hi = min(c.lo, b.lo), max(c.hi, b.hi)
	}
	var vs []value
	for _, f := range fs {
		l := c.newLink(f)
		c.links, vs = append(c.links, l), append(vs, l.v)
		c.lo, c.hi = min(c.lo, l.lo), max(c.hi, l.hi)
	}
	c.batch = slices.DeleteFunc(union(vs...), func(i *model.Index) bool {
		_, lag := c.lag(i)
		return lag >= 0 || slices.ContainsFunc(c.links, func(l link) bool { return l.time == i })
	})
	c.samePlates()
	return c
}

// lag is the member whose value an index stands for, and how many places back; −1 if it stands for none.
func (c *chain) lag(i *model.Index) (member, lag int) {
	o, ok := c.by.latents.values[i]
	if m := slices.Index(c.members, o.latent); ok && m >= 0 && o.kind == lagged {
		return m, o.at
	}
	return 0, -1
}

// samePlates refuses chains of which one has plates that another lacks: all elements of the one would stand in the
// state together.
func (c *chain) samePlates() {
	for _, a := range c.members[1:] {
		if !slices.Equal(c.others(c.members[0]), c.others(a)) {
			c.by.e.stop(c.by.e.diags.Errorf("E73", c.members[0].At,
				"`%s` and `%s` meet in one term, but have different plates: all elements of the one would have to be "+
					"summed out together",
				c.members[0].Name, a.Name).Related(a.At, "`%s`", a.Name))
		}
	}
}

// others are a chain's plates, without the places.
func (c *chain) others(a *model.Array) (out []*model.Index) {
	for k, i := range c.by.ownPlates(a) {
		if k != a.Chain.Axis {
			out = append(out, c.by.sets.root(i))
		}
	}
	slices.SortFunc(out, func(i, j *model.Index) int { return i.ID - j.ID })
	return out
}

// newLink finds where along the chain a factor stands, and names its values by their lags there.
func (c *chain) newLink(f factor) link {
	times := c.timesOf(f)
	kinds, far := map[occurrenceKind]bool{}, math.MinInt
	for _, i := range f.v.bound {
		if o := c.by.latents.values[i]; slices.Contains(c.members, o.latent) {
			kinds[o.kind], far = true, max(far, o.at)
		}
	}
	if kinds[fixed] && !kinds[apart] {
		f.v, times = sumBound(f.v, times...), nil
	}
	if len(kinds) > 1 || kinds[apart] && len(times) != 1 {
		c.twoPlaces()
	}
	l := link{lo: far, hi: far}
	if len(times) == 1 {
		b := c.by.e.box(times[0].Set)
		l.lo, l.hi = b.lo+far, b.hi+far
		if slices.Contains(f.v.bound, times[0]) {
			l.time = times[0]
		}
	}
	bound := slices.Clone(f.v.bound)
	for k, i := range bound {
		if o := c.by.latents.values[i]; slices.Contains(c.members, o.latent) {
			m := slices.Index(c.members, o.latent)
			c.order[m] = max(c.order[m], far-o.at)
			bound[k] = c.by.latents.valueOf(c.by.e, occurrence{o.latent, lagged, far - o.at})
		}
	}
	l.v = value{f.v.node, bound, nil}.sorted()
	return l
}

// timesOf are the indices of a factor that run along the members.
func (c *chain) timesOf(f factor) []*model.Index {
	var times []*model.Index
	if f.time != nil {
		times = append(times, f.time)
	}
	for _, a := range c.members {
		own := append(slices.Clone(c.by.times[a]), c.by.sets.root(c.by.ownPlates(a)[a.Chain.Axis]))
		for _, i := range f.v.bound {
			if slices.Contains(own, i) && !slices.Contains(times, i) {
				times = append(times, i)
			}
		}
	}
	return times
}

func (c *chain) twoPlaces() {
	a := c.members[0]
	if len(c.members) > 1 {
		c.by.e.stop(c.by.e.diags.Errorf("E73", a.At, "`%s` and `%s` meet in one term at places that are no constant apart", a.Name,
			c.members[1].Name).
			Related(c.members[1].At, "`%s`", c.members[1].Name))
	}
	c.by.e.stop(c.by.e.diags.Errorf("E71", a.At, "`%s` cannot be summed out: two elements of it that are no constant apart meet "+
		"in one term", a.Name))
}

// state are the values that stand between two steps, seen from the place that is ago places after the last of them.
func (c *chain) state(ago int) (out []*model.Index) {
	for m, a := range c.members {
		for lag := range c.order[m] {
			out = append(out, c.by.latents.valueOf(c.by.e, occurrence{a, lagged, lag + ago}))
		}
	}
	return out
}

func (c *chain) axes(ago int) []*model.Index { return slices.Concat(c.batch, c.state(ago)) }

// segments of places at which the same factors stand.
func (c *chain) segments() (out []box) {
	cuts := []int{c.lo, c.hi + 1}
	for _, l := range c.links {
		if l.lo <= l.hi {
			cuts = append(cuts, l.lo, l.hi+1)
		}
	}
	slices.Sort(cuts)
	cuts = slices.Compact(cuts)
	for k := range len(cuts) - 1 {
		out = append(out, box{cuts[k], cuts[k+1] - 1})
	}
	return out
}

// along goes on from the state before a segment to that at its end.
func (c *chain) along(part box, carry Node) Node {
	var moving, still []Node
	var movingAxes, stillAxes [][]*model.Index
	for _, l := range c.links {
		switch {
		case part.lo < l.lo || part.hi > l.hi:
		case l.time == nil:
			still, stillAxes = append(still, l.v.node), append(stillAxes, l.v.bound)
		default:
			rest := slices.DeleteFunc(slices.Clone(l.v.bound), func(i *model.Index) bool { return i == l.time })
			n := c.by.e.arranged(l.v, slices.Concat([]*model.Index{l.time}, rest))
			moving, movingAxes = append(moving, cutAxis(n, 0, part.lo-l.lo, part.hi-l.lo+1)), append(movingAxes, rest)
		}
	}
	step := func(carry Node, xs, shared []Node) Node {
		fs := []value{value{carry, c.axes(1), nil}.sorted()}
		for k, axes := range movingAxes {
			fs = append(fs, value{xs[k], axes, nil})
		}
		for k, axes := range stillAxes {
			fs = append(fs, value{shared[k], axes, nil})
		}
		return c.turn(fs)
	}
	n := part.size()
	if n == 1 {
		for k, x := range moving {
			moving[k] = autodiff.Reshape(x, x.Shape()[1:]...)
		}
		return step(carry, moving, still)
	}
	if len(moving) == 0 {
		moving = []Node{c.by.e.g.Iota(n)}
	}
	all := autodiff.Scan(carry, moving, still, false, step)
	return autodiff.Reshape(cutAxis(all, 0, n, n+1), carry.Shape()...)
}

// turn joins the factors at one place, and lets the oldest value of each member go.
func (c *chain) turn(fs []value) Node {
	g := fs[0].node.Graph()
	for m, a := range c.members {
		k := c.by.latents.valueOf(c.by.e, occurrence{a, lagged, c.order[m]})
		var joined, rest []value
		for _, f := range fs {
			if slices.Contains(f.bound, k) {
				joined = append(joined, f)
			} else {
				rest = append(rest, f)
			}
		}
		if len(joined) == 0 { // a place where the member has no value
			joined = []value{{g.Full(0, c.by.e.box(k.Set).size()), []*model.Index{k}, nil}}
		}
		c.by.checkTable(a, joined)
		fs = append(rest, foldBound(c.by.e.sum(joined), []*model.Index{k}, c.by.reduction.fold))
	}
	return c.by.e.arranged(c.by.e.sum(fs), c.axes(0))
}

// surplus is the log of the number of values at places where members have none.
func (c *chain) surplus() (s float64) {
	for m, a := range c.members {
		values, own := c.by.e.box(c.by.latents.index(c.by.e, a).Set).size(), c.by.e.box(a.Type.Axes[a.Chain.Axis]).size()
		s += float64(c.order[m]+c.hi-c.lo+1-own) * math.Log(float64(values))
	}
	return s
}
