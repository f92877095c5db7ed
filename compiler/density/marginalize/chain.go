package marginalize

import (
	"math"
	"slices"

	"ppl/autodiff"
	"ppl/compiler/density"
	"ppl/compiler/density/evaluate"
	"ppl/compiler/frontend/model"
	"ppl/lang/diag"
)

// A factor reads a latent at one place or several; each of these reads is an axis of the factor, over the latent's
// values. In a chain the axes of a factor at time t are identified by their distance from t, so that all times share
// one table:
//
//	z[t in 2..T] ~ Categorical(A[z[t-1]])   axes: z at distance 0, z at distance −1
//	y[t in T] ~ Normal(m[z[t]], 1)          axis:  z at distance 0
//	x ~ Normal(z[1], 1)                     axis:  z fixed at 1, for this one factor
//	elimination, a step from t-1 to t       axes: z at distance 0, and z at lag 1, which is summed out

// An Occurrence identifies the value of a latent that an axis of a factor represents.
type Occurrence struct {
	Latent *model.Array
	Kind   occurrenceKind
	At     int
}

type occurrenceKind uint8

const (
	// a chain at distance At from the factor's own place; for other latents, the value itself
	atDistance occurrenceKind = iota
	Fixed                     // a chain at place At
	lagged                    // a chain At places before the place of a step of the forward algorithm
)

// valueOf returns the index over the support that represents an occurrence.
func (l *Latents) valueOf(e *evaluate.Evaluator, o Occurrence) *model.Index {
	for k, known := range l.Values {
		if known == o {
			return k
		}
	}
	first := l.Index(e, o.Latent)
	if o.Kind == atDistance && o.At == 0 {
		return first
	}
	k := &model.Index{Name: first.Name, Set: first.Set, ID: -1 - len(l.Values)}
	l.Values[k] = o
	return k
}

// element returns a latent's value at the place where a term reads it.
func (l *Latents) element(e *evaluate.Evaluator, a *model.Array, sub *model.Subscript) evaluate.Value {
	own := l.Index(e, a)
	if a.Chain == nil || a.Chain.Axis >= len(sub.Subs) {
		return e.IndexVar(own)
	}
	k := a.Chain.Axis
	x, b := sub.Subs[k].At, e.Box(a.Type.Axes[k])
	e.CheckGather(sub, k, evaluate.Pick{At: e.Expr(x)}, b)
	switch {
	case sub.Gap != nil:
		return e.IndexVar(l.valueOf(e, Occurrence{a, atDistance, *sub.Gap}))
	case len(model.Indices(x)) == 0:
		return e.IndexVar(l.valueOf(e, Occurrence{a, Fixed, evaluate.ToInt(e.StaticValues(x)[0])}))
	}
	return e.IndexVar(own) // at its own place, or at a place that data determine
}

// A Link is a factor along a chain: it applies at each place lo..hi, to the values at some lags from it.
type Link struct {
	V      evaluate.Value
	Time   *model.Index // the axis of V along the places; nil if V is the same at each place
	Lo, Hi int
}

// A Chain holds the latents that the forward algorithm sums out: the values of its members at each place, and at as
// many earlier places as terms read.
type Chain struct {
	Elimination *elimination
	Members     []*model.Array
	Order       []int // for each member, the largest lag at which it is read
	Links       []Link
	Batch       []*model.Index
	Lo, Hi      int
	Times       []*model.Index // for each member, the index of its places
	Begin       []int          // the first place of each member
}

// forward sums out chains together by the forward algorithm in log space (Rabiner 1989, Proceedings of the IEEE 77,
// 257). A step computes the values at one place from those at the places before: a_t(now) = log Σ_leaving
// exp(a_{t−1}(before) + factors at t). The leaving values are summed one by one, each over the factors that read it
// (for chains that do not read each other, this is the exact algorithm of Ghahramani and Jordan 1997, Machine Learning
// 29, 245). At places where a member has no value, such as those before its first, a dummy value is summed too; the log
// of the number of dummy values is subtracted at the end.
func (e *elimination) forward(members []*model.Array, fs []density.Factor) evaluate.Value {
	c := e.newChain(members, fs)
	e.checkTable(members[0], []evaluate.Value{{Bound: c.state(0)}})
	e.steps.Order = append(e.steps.Order, c.step())
	axes := c.axes(0)
	carry := c.Elimination.E.Graph.Full(0, c.Elimination.E.Shape(axes, nil)...)
	for _, part := range c.segments() {
		carry = c.runSegment(part, carry)
	}
	sum := evaluate.FoldBound(evaluate.Value{Node: carry, Bound: axes}.Sorted(), c.state(0), e.reduction.fold)
	if extra := c.surplus(); extra != 0 && e.reduction.counts {
		sum.Node = autodiff.Sub(sum.Node, c.Elimination.E.Graph.Const(extra))
	}
	return sum
}

func (e *elimination) newChain(members []*model.Array, fs []density.Factor) *Chain {
	c := &Chain{Elimination: e, Members: members, Order: make([]int, len(members)), Lo: math.MaxInt, Hi: math.MinInt}
	for _, a := range members {
		b := e.E.Box(a.Type.Axes[a.Chain.Axis])
		c.Lo, c.Hi = min(c.Lo, b.Lo), max(c.Hi, b.Hi)
	}
	var vs []evaluate.Value
	for _, f := range fs {
		l := c.newLink(f)
		c.Links, vs = append(c.Links, l), append(vs, l.V)
		c.Lo, c.Hi = min(c.Lo, l.Lo), max(c.Hi, l.Hi)
	}
	c.Batch = slices.DeleteFunc(evaluate.Union(vs...), func(i *model.Index) bool {
		_, lag := c.Lag(i)
		return lag >= 0 || slices.ContainsFunc(c.Links, func(l Link) bool { return l.Time == i })
	})
	c.samePlates()
	return c
}

// Lag returns the member whose value an index represents, and its lag; −1 if the index does not represent a member.
func (c *Chain) Lag(i *model.Index) (member, lag int) {
	o, ok := c.Elimination.Latents.Values[i]
	if m := slices.Index(c.Members, o.Latent); ok && m >= 0 && o.Kind == lagged {
		return m, o.At
	}
	return 0, -1
}

// samePlates reports an error if one chain has plates that another lacks: all its elements would have to be in the
// state together.
func (c *Chain) samePlates() {
	for _, a := range c.Members[1:] {
		if !slices.Equal(c.others(c.Members[0]), c.others(a)) {
			c.Elimination.E.Stop(c.Elimination.E.Diags.Errorf(diag.TableTooLarge, c.Members[0].At,
				"`%s` and `%s` occur together in one term, but have different plates: all elements of the one would "+
					"have to be summed out together",
				c.Members[0].Name, a.Name).Related(a.At, "`%s`", a.Name))
		}
	}
}

// others returns a chain's plates without that of the places.
func (c *Chain) others(a *model.Array) (out []*model.Index) {
	for k, i := range c.Elimination.ownPlates(a) {
		if k != a.Chain.Axis {
			out = append(out, c.Elimination.sets.root(i))
		}
	}
	slices.SortFunc(out, func(i, j *model.Index) int { return i.ID - j.ID })
	return out
}

// newLink determines the places along the chain at which a factor applies. It labels the factor's axes over values of
// the chain by their lags: how far before such a place the value lies.
func (c *Chain) newLink(f density.Factor) Link {
	times := c.timesOf(f)
	kinds, far := map[occurrenceKind]bool{}, math.MinInt
	for _, i := range f.Value.Bound {
		if o := c.Elimination.Latents.Values[i]; slices.Contains(c.Members, o.Latent) {
			kinds[o.Kind], far = true, max(far, o.At)
		}
	}
	if kinds[Fixed] && !kinds[atDistance] {
		f.Value, times = evaluate.SumBound(f.Value, times...), nil
	}
	if len(kinds) > 1 || kinds[atDistance] && len(times) != 1 {
		c.twoPlaces()
	}
	l := Link{Lo: far, Hi: far}
	if len(times) == 1 {
		b := c.Elimination.E.Box(times[0].Set)
		l.Lo, l.Hi = b.Lo+far, b.Hi+far
		if slices.Contains(f.Value.Bound, times[0]) {
			l.Time = times[0]
		}
	}
	bound := slices.Clone(f.Value.Bound)
	for k, i := range bound {
		if o := c.Elimination.Latents.Values[i]; slices.Contains(c.Members, o.Latent) {
			m := slices.Index(c.Members, o.Latent)
			c.Order[m] = max(c.Order[m], far-o.At)
			bound[k] = c.Elimination.Latents.valueOf(c.Elimination.E, Occurrence{o.Latent, lagged, far - o.At})
		}
	}
	l.V = evaluate.Value{Node: f.Value.Node, Bound: bound}.Sorted()
	return l
}

// timesOf returns the indices of a factor that run along the members.
func (c *Chain) timesOf(f density.Factor) []*model.Index {
	var times []*model.Index
	if f.Time != nil {
		times = append(times, f.Time)
	}
	for _, a := range c.Members {
		own := append(slices.Clone(c.Elimination.times[a]),
			c.Elimination.sets.root(c.Elimination.ownPlates(a)[a.Chain.Axis]))
		for _, i := range f.Value.Bound {
			if slices.Contains(own, i) && !slices.Contains(times, i) {
				times = append(times, i)
			}
		}
	}
	return times
}

func (c *Chain) twoPlaces() {
	a := c.Members[0]
	if len(c.Members) > 1 {
		c.Elimination.E.Stop(c.Elimination.E.Diags.Errorf(diag.TableTooLarge, a.At,
			"`%s` and `%s` occur together in one term at places whose distance is not constant", a.Name,
			c.Members[1].Name).
			Related(c.Members[1].At, "`%s`", c.Members[1].Name))
	}
	c.Elimination.E.Stop(c.Elimination.E.Diags.Errorf(diag.NotSummable, a.At,
		"`%s` cannot be summed out: two elements of it, whose distance is not constant, occur together "+
			"in one term", a.Name))
}

// state returns the values that are kept between two steps, as lags from the place `ago` places after the last step.
func (c *Chain) state(ago int) (out []*model.Index) {
	for m, a := range c.Members {
		for lag := range c.Order[m] {
			out = append(out, c.Elimination.Latents.valueOf(c.Elimination.E, Occurrence{a, lagged, lag + ago}))
		}
	}
	return out
}

func (c *Chain) axes(ago int) []*model.Index { return slices.Concat(c.Batch, c.state(ago)) }

// segments divides the places so that the same factors apply at all places of a segment.
func (c *Chain) segments() (out []evaluate.Box) {
	cuts := []int{c.Lo, c.Hi + 1}
	for _, l := range c.Links {
		if l.Lo <= l.Hi {
			cuts = append(cuts, l.Lo, l.Hi+1)
		}
	}
	slices.Sort(cuts)
	cuts = slices.Compact(cuts)
	for k := range len(cuts) - 1 {
		out = append(out, evaluate.Box{Lo: cuts[k], Hi: cuts[k+1] - 1})
	}
	return out
}

// runSegment runs the algorithm over a segment: it takes the state before the segment and returns the state at its end.
func (c *Chain) runSegment(part evaluate.Box, carry autodiff.Node) autodiff.Node {
	var moving, still []autodiff.Node
	var movingAxes, stillAxes [][]*model.Index
	for _, l := range c.Links {
		switch {
		case part.Lo < l.Lo || part.Hi > l.Hi:
		case l.Time == nil:
			still, stillAxes = append(still, l.V.Node), append(stillAxes, l.V.Bound)
		default:
			rest := slices.DeleteFunc(slices.Clone(l.V.Bound), func(i *model.Index) bool { return i == l.Time })
			n := c.Elimination.E.Arranged(l.V, slices.Concat([]*model.Index{l.Time}, rest))
			moving, movingAxes = append(moving, evaluate.SliceAxis(n, 0, part.Lo-l.Lo, part.Hi-l.Lo+1)),
				append(movingAxes, rest)
		}
	}
	step := func(carry autodiff.Node, xs, shared []autodiff.Node) autodiff.Node {
		fs := []evaluate.Value{evaluate.Value{Node: carry, Bound: c.axes(1)}.Sorted()}
		for k, axes := range movingAxes {
			fs = append(fs, evaluate.Value{Node: xs[k], Bound: axes})
		}
		for k, axes := range stillAxes {
			fs = append(fs, evaluate.Value{Node: shared[k], Bound: axes})
		}
		return c.sumOutOldest(fs)
	}
	n := part.Size()
	if n == 1 {
		for k, x := range moving {
			moving[k] = autodiff.Reshape(x, x.Shape()[1:]...)
		}
		return step(carry, moving, still)
	}
	if len(moving) == 0 {
		moving = []autodiff.Node{c.Elimination.E.Graph.Iota(n)}
	}
	all := autodiff.Scan(carry, moving, still, false, step)
	return autodiff.Reshape(evaluate.SliceAxis(all, 0, n, n+1), carry.Shape()...)
}

// sumOutOldest adds the factors at one place, and sums out the oldest value of each member.
func (c *Chain) sumOutOldest(fs []evaluate.Value) autodiff.Node {
	g := fs[0].Node.Graph()
	for m, a := range c.Members {
		k := c.Elimination.Latents.valueOf(c.Elimination.E, Occurrence{a, lagged, c.Order[m]})
		var joined, rest []evaluate.Value
		for _, f := range fs {
			if slices.Contains(f.Bound, k) {
				joined = append(joined, f)
			} else {
				rest = append(rest, f)
			}
		}
		if len(joined) == 0 { // a place where the member has no value
			joined = []evaluate.Value{{Node: g.Full(0, c.Elimination.E.Box(k.Set).Size()), Bound: []*model.Index{k}}}
		}
		c.Elimination.checkTable(a, joined)
		fs = append(rest, evaluate.FoldBound(c.Elimination.E.Sum(joined), []*model.Index{k},
			c.Elimination.reduction.fold))
	}
	return c.Elimination.E.Arranged(c.Elimination.E.Sum(fs), c.axes(0))
}

// surplus returns the log of the number of dummy values at places where members have no value.
func (c *Chain) surplus() (s float64) {
	for m, a := range c.Members {
		values, own := c.Elimination.E.Box(c.Elimination.Latents.Index(c.Elimination.E, a).Set).Size(),
			c.Elimination.E.Box(a.Type.Axes[a.Chain.Axis]).Size()
		s += float64(c.Order[m]+c.Hi-c.Lo+1-own) * math.Log(float64(values))
	}
	return s
}
