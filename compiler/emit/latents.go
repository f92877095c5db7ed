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

// A posterior has what is needed of the summed-out latents once parameters are known: for each, in the order of elimination,
// the log weights of its values given the latents that are eliminated after it, from sums or from maxima.
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
		e.posterior.groups = append(e.posterior.groups, group{p.bound, e.shape(p.bound, nil), to[k], autodiff.Eval(nil, p.node)[0]})
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

type eliminated struct {
	latent *model.Array
	value  *model.Index   // over the support
	plates []*model.Index // the latent's own, as representatives
	others []*model.Index // values of latents that are eliminated later
	node   value
	table  *table

	chain  *chainTable  // of a chain, instead of node and table
	time   *model.Index // its place along itself
	before *model.Index // its value at the place before
}

// recordElimination keeps a latent's table while its terms are joined.
func (e *emitter) recordElimination(a *model.Array, k *model.Index, joined value, sets plateSets) {
	if e.posterior == nil {
		return
	}
	el := &eliminated{latent: a, value: k, node: joined}
	for _, i := range e.ownPlates(a) {
		el.plates = append(el.plates, sets.root(i))
	}
	for _, i := range joined.bound {
		if i != k && !slices.Contains(el.plates, i) {
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

// choose goes through the latents in the reverse of their elimination and picks a value for each plate: pick gets log weights.
// The result is indexed by latent, row-major over its plates, on the scale of the values.
func (p *posterior) choose(g *given, pick func(logw []float64) int) map[*model.Array][]float64 {
	out := map[*model.Array][]float64{}
	chosen := map[*model.Index]func(pos map[*model.Index]int) int{}
	for _, el := range slices.Backward(p.order) {
		values := el.pickAll(g, chosen, pick)
		shape := g.shape(el.plates, nil)
		chosen[el.value] = func(pos map[*model.Index]int) int { return int(values[offset(el.plates, shape, pos)]) }
		if el.chain != nil {
			chosen[el.before] = func(pos map[*model.Index]int) int {
				pos[el.time]--
				defer func() { pos[el.time]++ }()
				return chosen[el.value](pos)
			}
		}
		first := float64(g.box(el.value.Set).lo)
		shifted := make([]float64, len(values))
		for i, v := range values {
			shifted[i] = v + first
		}
		out[el.latent] = shifted
	}
	return out
}

// pickAll picks a position for each of a latent's plates.
func (el *eliminated) pickAll(g *given, chosen map[*model.Index]func(map[*model.Index]int) int, pick func([]float64) int) []float64 {
	n := g.box(el.value.Set).size()
	paths := map[int][]int{}
	return g.eachPlate(el.plates, func(pos map[*model.Index]int) float64 {
		g.posterior.along(pos)
		for _, o := range el.others {
			pos[o] = chosen[o](pos)
		}
		if el.chain == nil {
			return float64(pick(el.weights(pos, n)))
		}
		b := el.chain.row(g, pos)
		if paths[b] == nil {
			paths[b] = el.chain.path(b, g.most, pick)
		}
		return float64(paths[b][pos[el.time]])
	})
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

// marginals are the exact probabilities of each latent's values, row-major over its plates and then its values: sums over the
// values of those it depends on.
func (p *posterior) marginals(g *given) map[*model.Array][]float64 {
	out := map[*model.Array][]float64{}
	for _, el := range p.order {
		before, ok := p.ancestors(el)
		if !ok { // the checker refuses to ask for these
			continue
		}
		var probs []float64
		g.eachPlate(el.plates, func(pos map[*model.Index]int) float64 {
			m := make([]float64, g.box(el.value.Set).size())
			p.along(pos)
			g.addMarginal(m, el, before, pos, 1)
			probs = append(probs, m...)
			return 0
		})
		out[el.latent] = probs
	}
	return out
}

// addMarginal adds to m the probabilities of el's values over every assignment of the latents in before.
func (g *given) addMarginal(m []float64, el *eliminated, before []*eliminated, pos map[*model.Index]int, weight float64) {
	next := el
	if len(before) > 0 {
		next = before[0]
	}
	for k, q := range next.conditional(g, pos) {
		switch {
		case q == 0:
		case next == el:
			m[k] += weight * q
		default:
			pos[next.value] = k
			g.addMarginal(m, el, before[1:], pos, weight*q)
		}
	}
}

// conditional is the distribution of a latent's value at one plate, given those it depends on.
func (el *eliminated) conditional(g *given, pos map[*model.Index]int) []float64 {
	if el.chain == nil {
		return normalized(el.weights(pos, g.box(el.value.Set).size()))
	}
	return el.chain.marginals(el.chain.row(g, pos))[pos[el.time]]
}

// ancestors are the latents that one depends on, directly or not, those eliminated last first; not ok when it depends on a chain
// at the place before its own.
func (p *posterior) ancestors(el *eliminated) (out []*eliminated, ok bool) {
	need := map[*model.Index]bool{}
	ok = true
	var mark func(*eliminated)
	mark = func(el *eliminated) {
		for _, o := range el.others {
			if need[o] {
				continue
			}
			need[o] = true
			if a := p.of(o); a != nil {
				mark(a)
			} else {
				ok = false
			}
		}
	}
	mark(el)
	for _, a := range slices.Backward(p.order) {
		if need[a.value] {
			out = append(out, a)
		}
	}
	return out, ok
}

// of is the latent whose value an index stands for, nil for a chain's value at the place before.
func (p *posterior) of(value *model.Index) *eliminated {
	for _, el := range p.order {
		if el.value == value {
			return el
		}
	}
	return nil
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
