package simulate

import (
	"math"
	"math/rand/v2"
	"slices"

	"ppl/autodiff"
	"ppl/compiler/density/evaluate"
	"ppl/compiler/density/marginalize"
	"ppl/compiler/frontend/model"
)

// A table holds the log weights of a latent's values for each combination of the values it depends on and of its
// plates.
type table struct {
	bound  []*model.Index
	shape  []int
	values []float64
}

// at returns an entry of a table; pos has a position for each of its indices, and possibly for others.
func (t *table) at(pos map[*model.Index]int) float64 {
	k := 0
	for i, b := range t.bound {
		k = k*t.shape[i] + pos[b]
	}
	return t.values[k]
}

// A posterior holds the distribution of eliminated latents at given parameters; it can draw them.
type posterior struct {
	inputs *Numbers
	steps  *marginalize.Steps
	tables map[*marginalize.Step]*table
	chains map[*marginalize.Step]*trellis
	groups []positions
}

// Positions maps the elements of a group of terms (over the indices lead) to a position of plate.
type positions struct {
	lead      []*model.Index
	shape     []int
	plate     *model.Index
	positions []float64
}

func newPosterior(g *Numbers, s *marginalize.Steps) *posterior {
	p := &posterior{inputs: g, steps: s, tables: map[*marginalize.Step]*table{},
		chains: map[*marginalize.Step]*trellis{}}
	for _, x := range s.Groups {
		p.groups = append(p.groups, positions{x.At.Bound, g.E.Shape(x.At.Bound, nil), x.Plate,
			autodiff.Eval(nil, x.At.Node)[0]})
	}
	for _, el := range s.Order {
		if el.Chain != nil {
			p.chains[el] = newTrellis(el.Chain)
		}
	}
	return p
}

// addPositions adds to pos the positions along chains, and in plates chosen by data, that follow from the positions of
// other plates.
func (p *posterior) addPositions(pos map[*model.Index]int) {
	for _, at := range p.steps.Places {
		if i, ok := pos[at.Plate]; ok {
			pos[at.Time] = i + at.Shift
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

// eval computes the tables for the current parameters.
func (p *posterior) eval() {
	for _, el := range p.steps.Order {
		if el.Chain != nil {
			p.chains[el].eval(p.inputs)
			continue
		}
		p.tables[el] = &table{el.Node.Bound, el.Node.Node.Shape(), p.inputs.eval(el.Node.Node)}
	}
}

// index returns the index over the support that represents a latent's value.
func (p *posterior) index(a *model.Array) *model.Index { return p.steps.Of.Index(p.inputs.E, a) }

func (p *posterior) size(i *model.Index) int { return p.inputs.E.Box(i.Set).Size() }

// choose picks a value of each latent at each plate, in the reverse order of elimination: pick selects a position from
// log weights. The result maps a latent to its values, row-major over its plates. If best is set, chains use the
// weights of the best paths.
func (p *posterior) choose(best bool, pick func(logw []float64) int) map[*model.Array][]float64 {
	c := &choice{of: p, best: best, pick: pick, chosen: map[*model.Array][]float64{}, paths: map[*run][][]int{}}
	out := map[*model.Array][]float64{}
	for _, el := range slices.Backward(p.steps.Order) {
		for m, a := range el.Latents {
			c.chosen[a] = c.all(el, m)
		}
		for _, a := range el.Latents {
			first := float64(p.inputs.E.Box(p.index(a).Set).Lo)
			for _, v := range c.chosen[a] {
				out[a] = append(out[a], v+first)
			}
		}
	}
	return out
}

// A choice holds the positions picked so far: for each latent, row-major over its plates.
type choice struct {
	of     *posterior
	best   bool
	pick   func(logw []float64) int
	chosen map[*model.Array][]float64
	paths  map[*run][][]int
}

// all picks a position at each plate of an eliminated latent; for chains, those of member m.
func (c *choice) all(el *marginalize.Step, m int) []float64 {
	return c.of.eachPlate(el.Plates[m], func(pos map[*model.Index]int) float64 {
		c.of.addPositions(pos)
		for _, o := range el.Others {
			pos[o] = c.read(o, pos)
		}
		if el.Chain == nil {
			return float64(c.pick(c.of.weights(el, pos)))
		}
		r := c.of.chains[el].run(c.of.inputs, pos)
		if c.paths[r] == nil {
			c.paths[r] = r.path(c.best, c.pick)
		}
		return float64(c.paths[r][m][r.chain.Begin[m]+pos[r.chain.Times[m]]-r.lo])
	})
}

// read returns the position picked for the value that an index represents, or 0 for a position outside a chain, whose
// value is never used.
func (c *choice) read(o *model.Index, pos map[*model.Index]int) int {
	at := c.of.steps.Of.Values[o]
	a := at.Latent
	el, m := c.of.steps.Latent(a)
	shape := c.of.inputs.E.Shape(el.Plates[m], nil)
	if el.Chain == nil {
		return int(c.chosen[a][offset(el.Plates[m], shape, pos)])
	}
	time := el.Chain.Times[m]
	here, was := pos[time]
	position := c.of.chains[el].timeOf(at, pos) - el.Chain.Begin[m]
	if position < 0 || position >= c.of.size(time) {
		return 0
	}
	pos[time] = position
	v := int(c.chosen[a][offset(el.Plates[m], shape, pos)])
	pos[time] = here
	if !was {
		delete(pos, time)
	}
	return v
}

// weights returns the log weights of a latent's values at one plate, given the positions in pos of other values.
func (p *posterior) weights(el *marginalize.Step, pos map[*model.Index]int) []float64 {
	w := make([]float64, p.size(el.Value))
	for k := range w {
		pos[el.Value] = k
		w[k] = p.tables[el].at(pos)
	}
	return w
}

// eachPlate evaluates f at every combination of positions of the plates, in row-major order.
func (p *posterior) eachPlate(plates []*model.Index, f func(pos map[*model.Index]int) float64) []float64 {
	shape := p.inputs.E.Shape(plates, nil)
	out := make([]float64, evaluate.Product(shape))
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

// drawIndex returns a function that draws a position with probabilities given by log weights.
func drawIndex(r *rand.Rand) func(logw []float64) int {
	return func(logw []float64) int {
		p := normalized(logw)
		u := r.Float64()
		for k, w := range p {
			u -= w
			if u < 0 {
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

// normalized returns softmax(logw).
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

// marginals returns the exact marginal probabilities of each latent's values, row-major over its plates and then its
// values. It sums over the values of the latents on which a latent depends.
func (p *posterior) marginals() map[*model.Array][]float64 {
	out := map[*model.Array][]float64{}
	for _, el := range p.steps.Order {
		before := p.ancestors(el)
		for m, a := range el.Latents {
			own := query{el, []*model.Index{p.index(a)}}
			p.eachPlate(el.Plates[m], func(pos map[*model.Index]int) float64 {
				probs := make([]float64, p.size(p.index(a)))
				p.addPositions(pos)
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
	of     *marginalize.Step
	values []*model.Index
}

// addMarginal adds to m the probabilities of the value of the last query, summed over all assignments of the others.
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

// conditional returns the joint distribution of a query's values at one plate, row-major, given the values on which the
// latent depends.
func (p *posterior) conditional(q query, pos map[*model.Index]int) []float64 {
	if q.of.Chain == nil {
		return normalized(p.weights(q.of, pos))
	}
	var of []marginalize.Occurrence
	for _, v := range q.values {
		of = append(of, p.steps.Of.Values[v])
	}
	return p.chains[q.of].run(p.inputs, pos).jointly(of, pos)
}

// ancestors returns the values on which a latent depends, directly or indirectly, last eliminated first.
func (p *posterior) ancestors(el *marginalize.Step) (out []query) {
	known := map[*marginalize.Step]*query{}
	var mark func(*marginalize.Step)
	mark = func(el *marginalize.Step) {
		for _, o := range el.Others {
			a, _ := p.steps.Latent(p.steps.Of.Values[o].Latent)
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
	for _, a := range slices.Backward(p.steps.Order) {
		if known[a] != nil {
			out = append(out, *known[a])
		}
	}
	return out
}
