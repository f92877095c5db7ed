package marginalize

import (
	"slices"

	"ppl/compiler/density/evaluate"
	"ppl/compiler/frontend/model"
)

// Steps record how latents were eliminated, in order. They suffice to draw the latents again, in reverse order, for
// given parameters.
//
//	z[i in N] ~ Bernoulli(p)         order:  z, whose node is log p(z, y), over the axes i and z
//	y[n in M] ~ Normal(m[z[g[n]]], 1)  groups: axis n reads the element g[n] of z's axis
type Steps struct {
	Of     *Latents
	Order  []*Step
	Places []alignment
	Groups []group
}

// An alignment records that position i of a plate is position i + Shift of a chain.
type alignment struct {
	Plate, Time *model.Index
	Shift       int
}

// A group records which element of a latent's plate the combinations of other plates read.
type group struct {
	At    evaluate.Value // positions, known from data
	Plate *model.Index
}

// A Step is an eliminated latent, or chains that were eliminated together.
type Step struct {
	Latents []*model.Array
	Plates  [][]*model.Index // plates of each latent, as representatives
	Others  []*model.Index   // values of latents that are eliminated later
	Value   *model.Index     // for a latent that is not a chain: index over its support
	Node    evaluate.Value   // its log weights, over the value, the plates and the others
	Chain   *Chain           // for chains, instead of Value and Node
}

// Latent returns the step in which a latent was eliminated, and the latent's number in it.
func (s *Steps) Latent(a *model.Array) (*Step, int) {
	for _, el := range s.Order {
		if m := slices.Index(el.Latents, a); m >= 0 {
			return el, m
		}
	}
	evaluate.InternalErrorf("latent %s was not eliminated", a.Name)
	return nil, 0
}

// recordGroup records the elements that data choose.
func (e *elimination) recordGroup(at []evaluate.Value, to []*model.Index) {
	for k, p := range at {
		e.steps.Groups = append(e.steps.Groups, group{p, to[k]})
	}
}

// record records a latent's joint log weights before they are reduced.
func (e *elimination) record(a *model.Array, k *model.Index, joined evaluate.Value) {
	var plates []*model.Index
	for _, i := range e.ownPlates(a) {
		plates = append(plates, e.sets.root(i))
	}
	el := &Step{Latents: []*model.Array{a}, Plates: [][]*model.Index{plates}, Value: k, Node: joined}
	for _, i := range joined.Bound {
		if i != k && !slices.Contains(plates, i) {
			el.Others = append(el.Others, i)
		}
	}
	e.steps.Order = append(e.steps.Order, el)
}

// step returns the record of chains that are eliminated together.
func (c *Chain) step() *Step {
	el := &Step{Latents: c.Members, Chain: c}
	for _, a := range c.Members {
		var plates []*model.Index
		for k, i := range c.Elimination.ownPlates(a) {
			plates = append(plates, c.Elimination.sets.root(i))
			if k == a.Chain.Axis {
				c.Times, c.Begin = append(c.Times, i), append(c.Begin, c.Elimination.E.Box(i.Set).Lo)
			}
		}
		el.Plates = append(el.Plates, plates)
		time := c.Times[len(c.Times)-1]
		for _, i := range c.Elimination.times[a] {
			shift := c.Elimination.E.Box(i.Set).Lo - c.Elimination.E.Box(time.Set).Lo
			c.Elimination.steps.Places = append(c.Elimination.steps.Places, alignment{i, time, shift})
		}
	}
	for _, i := range c.Batch {
		if !slices.Contains(el.Plates[0], i) {
			el.Others = append(el.Others, i)
		}
	}
	return el
}
