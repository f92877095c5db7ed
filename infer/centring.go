package infer

import (
	"slices"

	"ppl/autodiff"
	"ppl/lang/types"
)

// A Recentrable target has effects, the elements of which can have one of two coordinates, whichever suits the sampler:
// themselves (centred), or how far they are from their location in units of their scale. In both it is the same
// distribution of the same values.
type Recentrable interface {
	Target
	// EffectBlocks lists the effects, with the places of their coordinates and what the model says of them.
	EffectBlocks() []types.EffectBlock
	// EffectValues adds to theta's graph, for each block in turn, the values of its elements, then their locations,
	// then their scales: one vector.
	EffectValues(theta autodiff.Node) autodiff.Node
	// Recentred is the target in other coordinates of the effects named; the others are as the model says.
	Recentred(c types.Centring) Recentrable
}

// Effects reads a target's effects at points of its coordinates.
type Effects struct {
	Blocks []types.EffectBlock
	values *autodiff.Routine
}

// NewEffects reads the effects of a target, in the coordinates that it has.
func NewEffects(t Recentrable) Effects {
	theta := autodiff.New().Input("theta", t.Dim())
	return Effects{t.EffectBlocks(), autodiff.NewRoutine(t.EffectValues(theta))}
}

// An EffectPoint is an effect at a point: the values, locations and scales of its elements.
type EffectPoint struct{ Values, Locations, Scales []float64 }

// At are the effects, block by block, at theta.
func (e Effects) At(theta []float64) (out []EffectPoint) {
	all := e.values.Eval(map[string][]float64{"theta": theta})[0]
	for _, b := range e.Blocks {
		n := b.Size
		out = append(out, EffectPoint{all[:n:n], all[n : 2*n : 2*n], all[2*n : 3*n : 3*n]})
		all = all[3*n:]
	}
	return out
}

// Converted is theta in other coordinates: those of the target that c makes.
func (e Effects) Converted(theta []float64, c types.Centring) []float64 {
	out := slices.Clone(theta)
	for k, at := range e.At(theta) {
		b := e.Blocks[k]
		for i, x := range at.Values {
			if !b.Centred(c, i) {
				x = (x - at.Locations[i]) / at.Scales[i]
			}
			out[b.First+i] = x
		}
	}
	return out
}
