package emit

import (
	"math"
	"slices"

	"ppl/autodiff"
	"ppl/compiler/model"
)

// An Occurrence says which value of a latent an axis of a factor stands for.
type Occurrence struct {
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
func (l *Latents) valueOf(e *Evaluator, o Occurrence) *model.Index {
	for k, known := range l.Values {
		if known == o {
			return k
		}
	}
	first := l.Index(e, o.latent)
	if o.kind == apart && o.at == 0 {
		return first
	}
	k := &model.Index{Name: first.Name, Set: first.Set, ID: -1 - len(l.Values)}
	l.Values[k] = o
	return k
}

// element is a latent's value where a term reads it.
func (l *Latents) element(e *Evaluator, a *model.Array, sub *model.Subscript) Value {
	own := l.Index(e, a)
	if a.Chain == nil || a.Chain.Axis >= len(sub.Subs) {
		return e.indexVar(own)
	}
	k := a.Chain.Axis
	x, b := sub.Subs[k].At, e.box(a.Type.Axes[k])
	e.checkGather(sub, k, pick{at: e.Expr(x)}, b)
	switch {
	case sub.Gap != nil:
		return e.indexVar(l.valueOf(e, Occurrence{a, apart, *sub.Gap}))
	case len(model.Indices(x)) == 0:
		return e.indexVar(l.valueOf(e, Occurrence{a, fixed, toInt(e.staticValues(x)[0])}))
	}
	return e.indexVar(own) // at its own place, or at one that data choose
}

// A Link is a factor along a chain: at each place lo..hi, over values at lags from it.
type Link struct {
	v      Value
	time   *model.Index // the axis of v along the places; nil if it is the same at each
	lo, hi int
}

// A Chain is what the forward algorithm sums out: the values of its members at each place, with as many before as terms
// reach back.
type Chain struct {
	elimination *elimination
	members     []*model.Array
	order       []int // of each member
	links       []Link
	batch       []*model.Index
	lo, hi      int
	times       []*model.Index // the place along each member
	begin       []int          // the first place of each member
}

// forward sums chains out together by the forward algorithm in log space (Rabiner 1989, Proceedings of the IEEE 77,
// 257). A step goes from the values at the places before to those at this one: a_t(now) = log Σ_leaving
// exp(a_{t−1}(before) + factors at t), where the values that leave are summed one by one, each over the factors that
// read it (for chains that do not read each other, the exact algorithm of Ghahramani and Jordan 1997, Machine Learning
// 29, 245). Values at places where a member has none, those before its first among them, are summed too, and their
// number taken off at the end.
func (e *elimination) forward(members []*model.Array, fs []Factor) Value {
	c := e.newChain(members, fs)
	e.checkTable(members[0], []Value{{Bound: c.state(0)}})
	e.steps.order = append(e.steps.order, c.step())
	axes := c.axes(0)
	carry := c.elimination.e.Graph.Full(0, c.elimination.e.shape(axes, nil)...)
	for _, part := range c.segments() {
		carry = c.along(part, carry)
	}
	sum := foldBound(Value{carry, axes, nil}.sorted(), c.state(0), e.reduction.fold)
	if extra := c.surplus(); extra != 0 && e.reduction.counts {
		sum.Node = autodiff.Sub(sum.Node, c.elimination.e.Graph.Const(extra))
	}
	return sum
}

func (e *elimination) newChain(members []*model.Array, fs []Factor) *Chain {
	c := &Chain{elimination: e, members: members, order: make([]int, len(members)), lo: math.MaxInt, hi: math.MinInt}
	for _, a := range members {
		b := e.e.box(a.Type.Axes[a.Chain.Axis])
		c.lo, c.hi = min(c.lo, b.Lo), max(c.hi, b.Hi)
	}
	var vs []Value
	for _, f := range fs {
		l := c.newLink(f)
		c.links, vs = append(c.links, l), append(vs, l.v)
		c.lo, c.hi = min(c.lo, l.lo), max(c.hi, l.hi)
	}
	c.batch = slices.DeleteFunc(union(vs...), func(i *model.Index) bool {
		_, lag := c.lag(i)
		return lag >= 0 || slices.ContainsFunc(c.links, func(l Link) bool { return l.time == i })
	})
	c.samePlates()
	return c
}

// lag is the member whose value an index stands for, and how many places back; −1 if it stands for none.
func (c *Chain) lag(i *model.Index) (member, lag int) {
	o, ok := c.elimination.latents.Values[i]
	if m := slices.Index(c.members, o.latent); ok && m >= 0 && o.kind == lagged {
		return m, o.at
	}
	return 0, -1
}

// samePlates refuses chains of which one has plates that another lacks: all elements of the one would stand in the
// state together.
func (c *Chain) samePlates() {
	for _, a := range c.members[1:] {
		if !slices.Equal(c.others(c.members[0]), c.others(a)) {
			c.elimination.e.Stop(c.elimination.e.Diags.Errorf("E73", c.members[0].At,
				"`%s` and `%s` meet in one term, but have different plates: all elements of the one would have to be "+
					"summed out together",
				c.members[0].Name, a.Name).Related(a.At, "`%s`", a.Name))
		}
	}
}

// others are a chain's plates, without the places.
func (c *Chain) others(a *model.Array) (out []*model.Index) {
	for k, i := range c.elimination.ownPlates(a) {
		if k != a.Chain.Axis {
			out = append(out, c.elimination.sets.root(i))
		}
	}
	slices.SortFunc(out, func(i, j *model.Index) int { return i.ID - j.ID })
	return out
}

// newLink finds where along the chain a factor stands, and names its values by their lags there.
func (c *Chain) newLink(f Factor) Link {
	times := c.timesOf(f)
	kinds, far := map[occurrenceKind]bool{}, math.MinInt
	for _, i := range f.Value.Bound {
		if o := c.elimination.latents.Values[i]; slices.Contains(c.members, o.latent) {
			kinds[o.kind], far = true, max(far, o.at)
		}
	}
	if kinds[fixed] && !kinds[apart] {
		f.Value, times = sumBound(f.Value, times...), nil
	}
	if len(kinds) > 1 || kinds[apart] && len(times) != 1 {
		c.twoPlaces()
	}
	l := Link{lo: far, hi: far}
	if len(times) == 1 {
		b := c.elimination.e.box(times[0].Set)
		l.lo, l.hi = b.Lo+far, b.Hi+far
		if slices.Contains(f.Value.Bound, times[0]) {
			l.time = times[0]
		}
	}
	bound := slices.Clone(f.Value.Bound)
	for k, i := range bound {
		if o := c.elimination.latents.Values[i]; slices.Contains(c.members, o.latent) {
			m := slices.Index(c.members, o.latent)
			c.order[m] = max(c.order[m], far-o.at)
			bound[k] = c.elimination.latents.valueOf(c.elimination.e, Occurrence{o.latent, lagged, far - o.at})
		}
	}
	l.v = Value{f.Value.Node, bound, nil}.sorted()
	return l
}

// timesOf are the indices of a factor that run along the members.
func (c *Chain) timesOf(f Factor) []*model.Index {
	var times []*model.Index
	if f.time != nil {
		times = append(times, f.time)
	}
	for _, a := range c.members {
		own := append(slices.Clone(c.elimination.times[a]), c.elimination.sets.root(c.elimination.ownPlates(a)[a.Chain.Axis]))
		for _, i := range f.Value.Bound {
			if slices.Contains(own, i) && !slices.Contains(times, i) {
				times = append(times, i)
			}
		}
	}
	return times
}

func (c *Chain) twoPlaces() {
	a := c.members[0]
	if len(c.members) > 1 {
		c.elimination.e.Stop(c.elimination.e.Diags.Errorf("E73", a.At, "`%s` and `%s` meet in one term at places that are no constant apart", a.Name,
			c.members[1].Name).
			Related(c.members[1].At, "`%s`", c.members[1].Name))
	}
	c.elimination.e.Stop(c.elimination.e.Diags.Errorf("E71", a.At, "`%s` cannot be summed out: two elements of it that are no constant apart meet "+
		"in one term", a.Name))
}

// state are the values that stand between two steps, seen from the place that is ago places after the last of them.
func (c *Chain) state(ago int) (out []*model.Index) {
	for m, a := range c.members {
		for lag := range c.order[m] {
			out = append(out, c.elimination.latents.valueOf(c.elimination.e, Occurrence{a, lagged, lag + ago}))
		}
	}
	return out
}

func (c *Chain) axes(ago int) []*model.Index { return slices.Concat(c.batch, c.state(ago)) }

// segments of places at which the same factors stand.
func (c *Chain) segments() (out []Box) {
	cuts := []int{c.lo, c.hi + 1}
	for _, l := range c.links {
		if l.lo <= l.hi {
			cuts = append(cuts, l.lo, l.hi+1)
		}
	}
	slices.Sort(cuts)
	cuts = slices.Compact(cuts)
	for k := range len(cuts) - 1 {
		out = append(out, Box{cuts[k], cuts[k+1] - 1})
	}
	return out
}

// along goes on from the state before a segment to that at its end.
func (c *Chain) along(part Box, carry Node) Node {
	var moving, still []Node
	var movingAxes, stillAxes [][]*model.Index
	for _, l := range c.links {
		switch {
		case part.Lo < l.lo || part.Hi > l.hi:
		case l.time == nil:
			still, stillAxes = append(still, l.v.Node), append(stillAxes, l.v.Bound)
		default:
			rest := slices.DeleteFunc(slices.Clone(l.v.Bound), func(i *model.Index) bool { return i == l.time })
			n := c.elimination.e.arranged(l.v, slices.Concat([]*model.Index{l.time}, rest))
			moving, movingAxes = append(moving, cutAxis(n, 0, part.Lo-l.lo, part.Hi-l.lo+1)), append(movingAxes, rest)
		}
	}
	step := func(carry Node, xs, shared []Node) Node {
		fs := []Value{Value{carry, c.axes(1), nil}.sorted()}
		for k, axes := range movingAxes {
			fs = append(fs, Value{xs[k], axes, nil})
		}
		for k, axes := range stillAxes {
			fs = append(fs, Value{shared[k], axes, nil})
		}
		return c.turn(fs)
	}
	n := part.Size()
	if n == 1 {
		for k, x := range moving {
			moving[k] = autodiff.Reshape(x, x.Shape()[1:]...)
		}
		return step(carry, moving, still)
	}
	if len(moving) == 0 {
		moving = []Node{c.elimination.e.Graph.Iota(n)}
	}
	all := autodiff.Scan(carry, moving, still, false, step)
	return autodiff.Reshape(cutAxis(all, 0, n, n+1), carry.Shape()...)
}

// turn joins the factors at one place, and lets the oldest value of each member go.
func (c *Chain) turn(fs []Value) Node {
	g := fs[0].Node.Graph()
	for m, a := range c.members {
		k := c.elimination.latents.valueOf(c.elimination.e, Occurrence{a, lagged, c.order[m]})
		var joined, rest []Value
		for _, f := range fs {
			if slices.Contains(f.Bound, k) {
				joined = append(joined, f)
			} else {
				rest = append(rest, f)
			}
		}
		if len(joined) == 0 { // a place where the member has no value
			joined = []Value{{g.Full(0, c.elimination.e.box(k.Set).Size()), []*model.Index{k}, nil}}
		}
		c.elimination.checkTable(a, joined)
		fs = append(rest, foldBound(c.elimination.e.sum(joined), []*model.Index{k}, c.elimination.reduction.fold))
	}
	return c.elimination.e.arranged(c.elimination.e.sum(fs), c.axes(0))
}

// surplus is the log of the number of values at places where members have none.
func (c *Chain) surplus() (s float64) {
	for m, a := range c.members {
		values, own := c.elimination.e.box(c.elimination.latents.Index(c.elimination.e, a).Set).Size(), c.elimination.e.box(a.Type.Axes[a.Chain.Axis]).Size()
		s += float64(c.order[m]+c.hi-c.lo+1-own) * math.Log(float64(values))
	}
	return s
}
