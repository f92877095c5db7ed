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

// A posterior draws the latents that steps eliminated, and has their probabilities, at given parameters.
type posterior struct {
	inputs *Numbers
	steps  *Steps
	tables map[*Step]*table
	chains map[*Step]*trellis
	groups []positions
}

// Positions are a group's, over lead.
type positions struct {
	lead      []*model.Index
	shape     []int
	plate     *model.Index
	positions []float64
}

func newPosterior(g *Numbers, s *Steps) *posterior {
	p := &posterior{inputs: g, steps: s, tables: map[*Step]*table{}, chains: map[*Step]*trellis{}}
	for _, x := range s.groups {
		p.groups = append(p.groups, positions{x.at.Bound, g.e.shape(x.at.Bound, nil), x.plate,
			autodiff.Eval(nil, x.at.Node)[0]})
	}
	for _, el := range s.order {
		if el.chain != nil {
			p.chains[el] = newTrellis(el.chain)
		}
	}
	return p
}

// along enters the places along chains that go with the positions of plates.
func (p *posterior) along(pos map[*model.Index]int) {
	for _, at := range p.steps.places {
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

// eval fills the tables at the present parameters.
func (p *posterior) eval() {
	for _, el := range p.steps.order {
		if el.chain != nil {
			p.chains[el].eval(p.inputs)
			continue
		}
		p.tables[el] = &table{el.node.Bound, el.node.Node.Shape(), p.inputs.eval(el.node.Node)}
	}
}

// index is a latent's value as an index over its support.
func (p *posterior) index(a *model.Array) *model.Index { return p.steps.of.Index(p.inputs.e, a) }

func (p *posterior) size(i *model.Index) int { return p.inputs.e.box(i.Set).Size() }

// choose goes through the latents in the reverse of their elimination and picks a value for each plate: pick gets log
// weights. The result is indexed by latent, row-major over its plates, on the scale of the values. With best, the
// weights of chains are those of the best paths.
func (p *posterior) choose(best bool, pick func(logw []float64) int) map[*model.Array][]float64 {
	c := &choice{of: p, best: best, pick: pick, chosen: map[*model.Array][]float64{}, paths: map[*run][][]int{}}
	out := map[*model.Array][]float64{}
	for _, el := range slices.Backward(p.steps.order) {
		for m, a := range el.latents {
			c.chosen[a] = c.all(el, m)
		}
		for _, a := range el.latents {
			first := float64(p.inputs.e.box(p.index(a).Set).Lo)
			for _, v := range c.chosen[a] {
				out[a] = append(out[a], v+first)
			}
		}
	}
	return out
}

// A choice is positions picked so far, by latent and row-major over its plates.
type choice struct {
	of     *posterior
	best   bool
	pick   func(logw []float64) int
	chosen map[*model.Array][]float64
	paths  map[*run][][]int
}

// all picks a position for each plate of an eliminated latent; of chains, for those of member m.
func (c *choice) all(el *Step, m int) []float64 {
	return c.of.eachPlate(el.plates[m], func(pos map[*model.Index]int) float64 {
		c.of.along(pos)
		for _, o := range el.others {
			pos[o] = c.read(o, pos)
		}
		if el.chain == nil {
			return float64(c.pick(c.of.weights(el, pos)))
		}
		r := c.of.chains[el].run(c.of.inputs, pos)
		if c.paths[r] == nil {
			c.paths[r] = r.path(c.best, c.pick)
		}
		return float64(c.paths[r][m][r.chain.begin[m]+pos[r.chain.times[m]]-r.lo])
	})
}

// read is the position picked for the value that an index represents: the first where a chain has no such place, which
// nothing then reads.
func (c *choice) read(o *model.Index, pos map[*model.Index]int) int {
	at := c.of.steps.of.Values[o]
	a := at.latent
	el, m := c.of.steps.latent(a)
	shape := c.of.inputs.e.shape(el.plates[m], nil)
	if el.chain == nil {
		return int(c.chosen[a][offset(el.plates[m], shape, pos)])
	}
	time := el.chain.times[m]
	here, was := pos[time]
	place := c.of.chains[el].placeOf(at, pos) - el.chain.begin[m]
	if place < 0 || place >= c.of.size(time) {
		return 0
	}
	pos[time] = place
	v := int(c.chosen[a][offset(el.plates[m], shape, pos)])
	if pos[time] = here; !was {
		delete(pos, time)
	}
	return v
}

// weights of a latent's values at one plate, given what pos says of the others.
func (p *posterior) weights(el *Step, pos map[*model.Index]int) []float64 {
	w := make([]float64, p.size(el.value))
	for k := range w {
		pos[el.value] = k
		w[k] = p.tables[el].at(pos)
	}
	return w
}

// eachPlate evaluates f at every combination of positions of the plates, row-major.
func (p *posterior) eachPlate(plates []*model.Index, f func(pos map[*model.Index]int) float64) []float64 {
	shape := p.inputs.e.shape(plates, nil)
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
func (p *posterior) marginals() map[*model.Array][]float64 {
	out := map[*model.Array][]float64{}
	for _, el := range p.steps.order {
		before := p.ancestors(el)
		for m, a := range el.latents {
			own := query{el, []*model.Index{p.index(a)}}
			p.eachPlate(el.plates[m], func(pos map[*model.Index]int) float64 {
				probs := make([]float64, p.size(p.index(a)))
				p.along(pos)
				p.addMarginal(probs, append(slices.Clone(before), own), pos, 1)
				out[a] = append(out[a], probs...)
				return 0
			})
		}
	}
	return out
}

// A query asks for the joint distribution of some values of an eliminated latent.
type query struct {
	of     *Step
	values []*model.Index
}

// addMarginal adds to m the probabilities of the last query's one value over every assignment of the others.
func (p *posterior) addMarginal(m []float64, queries []query, pos map[*model.Index]int, weight float64) {
	next := queries[0]
	for k, q := range p.conditional(next, pos) {
		switch {
		case q == 0:
		case len(queries) == 1:
			m[k] += weight * q
		default:
			for _, v := range slices.Backward(next.values) {
				n := p.size(v)
				pos[v] = k % n
				k /= n
			}
			p.addMarginal(m, queries[1:], pos, weight*q)
		}
	}
}

// conditional is the joint distribution of a query's values at one plate, row-major, given those that the latent depends
// on.
func (p *posterior) conditional(q query, pos map[*model.Index]int) []float64 {
	if q.of.chain == nil {
		return normalized(p.weights(q.of, pos))
	}
	var of []Occurrence
	for _, v := range q.values {
		of = append(of, p.steps.of.Values[v])
	}
	return p.chains[q.of].run(p.inputs, pos).jointly(of, pos)
}

// ancestors are the values that a latent depends on, directly or not, of those eliminated last first.
func (p *posterior) ancestors(el *Step) (out []query) {
	known := map[*Step]*query{}
	var mark func(*Step)
	mark = func(el *Step) {
		for _, o := range el.others {
			a, _ := p.steps.latent(p.steps.of.Values[o].latent)
			if known[a] == nil {
				known[a] = &query{of: a}
				mark(a)
			}
			if !slices.Contains(known[a].values, o) {
				known[a].values = append(known[a].values, o)
			}
		}
	}
	mark(el)
	for _, a := range slices.Backward(p.steps.order) {
		if known[a] != nil {
			out = append(out, *known[a])
		}
	}
	return out
}
