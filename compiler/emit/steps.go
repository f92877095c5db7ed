package emit

import (
	"slices"

	"ppl/compiler/model"
)

// Steps record how latents were eliminated, in order: all that is needed to draw them again, in reverse, once parameters
// are known.
//
//	z[i in N] ~ Bernoulli(p)         order:  z, whose node is log p(z, y), over the axes i and z
//	y[n in M] ~ Normal(m[z[g[n]]], 1)  groups: axis n reads the element g[n] of z's axis
type Steps struct {
	of     *Latents
	order  []*Step
	places []place
	groups []group
}

// A place says that position i of a plate is position i + shift of a chain.
type place struct {
	plate, time *model.Index
	shift       int
}

// A group says at which element of a latent's plate the combinations of other plates read it.
type group struct {
	at    Value // positions, known from data
	plate *model.Index
}

// A Step is an eliminated latent, or chains that were eliminated together.
type Step struct {
	latents []*model.Array
	plates  [][]*model.Index // of each, as representatives
	others  []*model.Index   // values of latents that are eliminated later
	value   *model.Index     // of one that is no chain: over its support
	node    Value            // its log weights, over the value, the plates and the others
	chain   *Chain           // of chains, instead of value and node
}

// latent is where a latent was eliminated, and its number there.
func (s *Steps) latent(a *model.Array) (*Step, int) {
	for _, el := range s.order {
		if m := slices.Index(el.latents, a); m >= 0 {
			return el, m
		}
	}
	bug("latent %s was not eliminated", a.Name)
	return nil, 0
}

// recordGroup keeps the elements that data choose.
func (e *elimination) recordGroup(at []Value, to []*model.Index) {
	for k, p := range at {
		e.steps.groups = append(e.steps.groups, group{p, to[k]})
	}
}

// record keeps a latent's joint log weights while its factors are joined.
func (e *elimination) record(a *model.Array, k *model.Index, joined Value) {
	var plates []*model.Index
	for _, i := range e.ownPlates(a) {
		plates = append(plates, e.sets.root(i))
	}
	el := &Step{latents: []*model.Array{a}, plates: [][]*model.Index{plates}, value: k, node: joined}
	for _, i := range joined.Bound {
		if i != k && !slices.Contains(plates, i) {
			el.others = append(el.others, i)
		}
	}
	e.steps.order = append(e.steps.order, el)
}

// step records chains that are eliminated together.
func (c *Chain) step() *Step {
	el := &Step{latents: c.members, chain: c}
	for _, a := range c.members {
		var plates []*model.Index
		for k, i := range c.elimination.ownPlates(a) {
			plates = append(plates, c.elimination.sets.root(i))
			if k == a.Chain.Axis {
				c.times, c.begin = append(c.times, i), append(c.begin, c.elimination.e.box(i.Set).Lo)
			}
		}
		el.plates = append(el.plates, plates)
		time := c.times[len(c.times)-1]
		for _, i := range c.elimination.times[a] {
			shift := c.elimination.e.box(i.Set).Lo - c.elimination.e.box(time.Set).Lo
			c.elimination.steps.places = append(c.elimination.steps.places, place{i, time, shift})
		}
	}
	for _, i := range c.batch {
		if !slices.Contains(el.plates[0], i) {
			el.others = append(el.others, i)
		}
	}
	return el
}
