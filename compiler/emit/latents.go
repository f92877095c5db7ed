package emit

import (
	"math"
	"math/rand/v2"
	"slices"

	"ppl/autodiff"
	"ppl/compiler/model"
)

// A table is an array over indices: a latent's joint weights with what it depends on, per plate.
type table struct {
	bound  []*model.Index
	shape  []int
	values []float64
}

// at reads a table at an assignment of positions to (at least) its indices.
func (t *table) at(pos map[*model.Index]int) float64 {
	k := 0
	for i, b := range t.bound {
		k = k*t.shape[i] + pos[b]
	}
	return t.values[k]
}

// A posterior has what is needed of the summed-out latents once parameters are known: for each, in the order of
// elimination, the log weights of its values given the latents that are eliminated after it, from sums or from maxima.
type posterior struct {
	order  []*eliminated
	places []place
	groups []group
}

// A place says that position i of a plate is position i + shift of a chain.
type place struct {
	plate, time *model.Index
	shift       int
}

// A group says at which element of a latent's plate the combinations of other plates read it: positions is over lead.
type group struct {
	lead      []*model.Index
	shape     []int
	plate     *model.Index
	positions []float64
}

// recordGroup keeps the elements that data choose.
func (e *emitter) recordGroup(r model.LatentRead, at []value, to []*model.Index) {
	if e.posterior == nil {
		return
	}
	for k, p := range at {
		e.posterior.groups = append(e.posterior.groups, group{p.bound, e.shape(p.bound, nil), to[k],
			autodiff.Eval(nil, p.node)[0]})
	}
}

// along enters the places along chains that go with the positions of plates.
func (p *posterior) along(pos map[*model.Index]int) {
	for _, at := range p.places {
		if i, ok := pos[at.plate]; ok {
			pos[at.time] = i + at.shift
		}
	}
	for _, g := range p.groups {
		if slices.ContainsFunc(g.lead, func(i *model.Index) bool { _, ok := pos[i]; return !ok }) {
			continue
		}
		if _, own := pos[g.plate]; !own {
			pos[g.plate] = int(g.positions[offset(g.lead, g.shape, pos)])
		}
	}
}

// An eliminated latent, or chains that were summed out together.
type eliminated struct {
	latents []*model.Array
	plates  [][]*model.Index // of each, as representatives
	others  []*model.Index   // values of latents that are eliminated later
	value   *model.Index     // of one that is no chain: over its support
	node    value
	table   *table
	chain   *trellis // of chains, instead of value, node and table
}

// recordElimination keeps a latent's table while its terms are joined.
func (e *emitter) recordElimination(a *model.Array, k *model.Index, joined value, sets plateSets) {
	if e.posterior == nil {
		return
	}
	var plates []*model.Index
	for _, i := range e.ownPlates(a) {
		plates = append(plates, sets.root(i))
	}
	el := &eliminated{latents: []*model.Array{a}, plates: [][]*model.Index{plates}, value: k, node: joined}
	for _, i := range joined.bound {
		if i != k && !slices.Contains(plates, i) {
			el.others = append(el.others, i)
		}
	}
	e.posterior.order = append(e.posterior.order, el)
}

// eval fills the tables at the present parameters.
func (p *posterior) eval(g *given) {
	for _, el := range p.order {
		if el.chain != nil {
			el.chain.eval(g)
			continue
		}
		v := el.node
		el.table = &table{v.bound, v.node.Shape(), g.eval(v.node)}
	}
}

// choose goes through the latents in the reverse of their elimination and picks a value for each plate: pick gets log
// weights. The result is indexed by latent, row-major over its plates, on the scale of the values.
func (p *posterior) choose(g *given, pick func(logw []float64) int) map[*model.Array][]float64 {
	c := &choice{given: g, pick: pick, chosen: map[*model.Array][]float64{}}
	out := map[*model.Array][]float64{}
	for _, el := range slices.Backward(p.order) {
		for m, a := range el.latents {
			c.chosen[a] = c.all(el, m)
		}
		for _, a := range el.latents {
			first := float64(g.box(g.enumeration(a).Set).lo)
			for _, v := range c.chosen[a] {
				out[a] = append(out[a], v+first)
			}
		}
	}
	return out
}

// A choice is positions picked so far, by latent and row-major over its plates.
type choice struct {
	*given
	pick   func(logw []float64) int
	chosen map[*model.Array][]float64
	drawn  map[*run][][]int
}

// all picks a position for each plate of an eliminated latent; of chains, for those of member m.
func (c *choice) all(el *eliminated, m int) []float64 {
	return c.eachPlate(el.plates[m], func(pos map[*model.Index]int) float64 {
		c.posterior.along(pos)
		for _, o := range el.others {
			pos[o] = c.read(o, pos)
		}
		if el.chain == nil {
			return float64(c.pick(el.weights(pos, c.box(el.value.Set).size())))
		}
		r := el.chain.run(c.given, pos)
		if c.drawn[r] == nil {
			if c.drawn == nil {
				c.drawn = map[*run][][]int{}
			}
			c.drawn[r] = r.path(c.most, c.pick)
		}
		return float64(c.drawn[r][m][r.begin[m]+pos[r.times[m]]-r.lo])
	})
}

// read is the position picked for the value that an index stands for: the first where a chain has no such place, which
// nothing then reads.
func (c *choice) read(o *model.Index, pos map[*model.Index]int) int {
	a := c.occurs[o].latent
	el, m := c.posterior.of(a)
	if el.chain == nil {
		return int(c.chosen[a][offset(el.plates[m], c.shape(el.plates[m], nil), pos)])
	}
	t := el.chain
	here, was := pos[t.times[m]]
	at := t.placeOf(c.occurs[o], pos) - t.begin[m]
	if at < 0 || at >= c.box(t.times[m].Set).size() {
		return 0
	}
	pos[t.times[m]] = at
	v := int(c.chosen[a][offset(el.plates[m], c.shape(el.plates[m], nil), pos)])
	if pos[t.times[m]] = here; !was {
		delete(pos, t.times[m])
	}
	return v
}

// of is where a latent was eliminated, and its number there.
func (p *posterior) of(a *model.Array) (*eliminated, int) {
	for _, el := range p.order {
		if m := slices.Index(el.latents, a); m >= 0 {
			return el, m
		}
	}
	panic("internal error: a latent that was not eliminated")
}

// weights of a latent's values at one plate, given what pos says of the others.
func (el *eliminated) weights(pos map[*model.Index]int, n int) []float64 {
	w := make([]float64, n)
	for k := range w {
		pos[el.value] = k
		w[k] = el.table.at(pos)
	}
	return w
}

// eachPlate evaluates f at every combination of positions of the plates, row-major.
func (g *given) eachPlate(plates []*model.Index, f func(pos map[*model.Index]int) float64) []float64 {
	shape := g.shape(plates, nil)
	out := make([]float64, product(shape))
	pos := map[*model.Index]int{}
	for i := range out {
		clear(pos)
		rest := i
		for k := len(plates) - 1; k >= 0; k-- {
			pos[plates[k]] = rest % shape[k]
			rest /= shape[k]
		}
		out[i] = f(pos)
	}
	return out
}

func offset(plates []*model.Index, shape []int, pos map[*model.Index]int) int {
	k := 0
	for i, p := range plates {
		k = k*shape[i] + pos[p]
	}
	return k
}

// drawIndex picks a position by log weights.
func drawIndex(r *rand.Rand) func(logw []float64) int {
	return func(logw []float64) int {
		p := normalized(logw)
		u := r.Float64()
		for k, w := range p {
			if u -= w; u < 0 {
				return k
			}
		}
		return argmax(logw)
	}
}

func argmax(w []float64) int {
	best := 0
	for k := range w {
		if w[k] > w[best] {
			best = k
		}
	}
	return best
}

// normalized is softmax.
func normalized(logw []float64) []float64 {
	top := logw[argmax(logw)]
	p, sum := make([]float64, len(logw)), 0.0
	for k, w := range logw {
		p[k] = math.Exp(w - top)
		sum += p[k]
	}
	for k := range p {
		p[k] /= sum
	}
	return p
}

// marginals are the exact probabilities of each latent's values, row-major over its plates and then its values: sums
// over the values of those it depends on.
func (p *posterior) marginals(g *given) map[*model.Array][]float64 {
	out := map[*model.Array][]float64{}
	for _, el := range p.order {
		before := p.ancestors(g, el)
		for m, a := range el.latents {
			own := need{el, []*model.Index{g.enumeration(a)}}
			g.eachPlate(el.plates[m], func(pos map[*model.Index]int) float64 {
				probs := make([]float64, g.box(g.enumeration(a).Set).size())
				p.along(pos)
				g.addMarginal(probs, append(slices.Clone(before), own), pos, 1)
				out[a] = append(out[a], probs...)
				return 0
			})
		}
	}
	return out
}

// A need is what is to be known of an eliminated latent: which of its values.
type need struct {
	of     *eliminated
	values []*model.Index
}

// addMarginal adds to m the probabilities of the last need's one value over every assignment of the others.
func (g *given) addMarginal(m []float64, needs []need, pos map[*model.Index]int, weight float64) {
	next := needs[0]
	for k, q := range next.conditional(g, pos) {
		switch {
		case q == 0:
		case len(needs) == 1:
			m[k] += weight * q
		default:
			for _, v := range slices.Backward(next.values) {
				n := g.box(v.Set).size()
				pos[v] = k % n
				k /= n
			}
			g.addMarginal(m, needs[1:], pos, weight*q)
		}
	}
}

// conditional is the joint distribution of the values at one plate, row-major, given those that the latent depends on.
func (n need) conditional(g *given, pos map[*model.Index]int) []float64 {
	if n.of.chain == nil {
		return normalized(n.of.weights(pos, g.box(n.of.value.Set).size()))
	}
	var of []occurrence
	for _, v := range n.values {
		of = append(of, g.occurs[v])
	}
	return n.of.chain.run(g, pos).jointly(of, pos)
}

// ancestors are the values that a latent depends on, directly or not, of those eliminated last first.
func (p *posterior) ancestors(g *given, el *eliminated) (out []need) {
	known := map[*eliminated]*need{}
	var mark func(*eliminated)
	mark = func(el *eliminated) {
		for _, o := range el.others {
			a, _ := p.of(g.occurs[o].latent)
			if known[a] == nil {
				known[a] = &need{of: a}
				mark(a)
			}
			if !slices.Contains(known[a].values, o) {
				known[a].values = append(known[a].values, o)
			}
		}
	}
	mark(el)
	for _, a := range slices.Backward(p.order) {
		if known[a] != nil {
			out = append(out, *known[a])
		}
	}
	return out
}

// Names of the inputs through which what is generated reads latents.
func drawnName(a *model.Array) string    { return "draw of " + a.Name }
func marginalName(a *model.Array) string { return "marginal of " + a.Name }
func modeName(a *model.Array) string     { return "mode of " + a.Name }

// probability is Σ over the values of a latent of their marginal times whether the condition holds.
func (e *emitter) probability(x *model.Probability) value {
	k := e.enumeration(x.Latent)
	whole := append(slices.Clone(x.Latent.Type.Axes), k.Set)
	marginal := value{e.g.Input(marginalName(x.Latent), e.shape(nil, whole)...), nil, whole}
	read := &model.Subscript{X: &known{v: marginal}, Subs: x.Subs}
	read.Type.Axes = append(slices.Clone(x.Axes), k.Set)
	m := e.subscript(read)
	bound := union(value{bound: m.bound}, value{bound: []*model.Index{k}})
	// The last own axis becomes the bound axis of k, which sorts first.
	last := m.rank() - 1
	perm := append([]int{last}, others(m.rank(), last)...)
	m = value{autodiff.Permute(m.node, perm...), bound, m.axes[:len(m.axes)-1]}
	holds := e.conditionAt(x, k)
	all := union(m, holds)
	p := autodiff.Mul(e.align(m, all, m.axes), e.align(holds, all, m.axes))
	return sumBound(value{p, all, m.axes}, k)
}

// conditionAt evaluates the condition with the latent's value as an index over its support.
func (e *emitter) conditionAt(x *model.Probability, k *model.Index) value {
	for _, memo := range e.exprs {
		memo[x.Read] = e.indexVar(k)
	}
	return e.expr(x.If)
}

// known is an expression whose value is already there.
type known struct {
	model.Fact
	v value
}

func (*known) Children() []model.Expr { return nil }
