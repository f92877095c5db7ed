package symmetry

import (
	"math/rand/v2"

	"ppl/infer"
	"ppl/lang/types"
)

// Images are those of positions in the coordinates that a target's effects have in a run. Symmetries are of the
// coordinates of the model.
type Images struct {
	*Group
	centring types.Centring
	here     infer.Effects // in the coordinates of the run,
	model    infer.Effects // and of the model; neither is set where these are the same
}

// ImagesOf returns nil for a target, as the model has it, without symmetries. Centring is what the run has made of it.
func ImagesOf(t infer.Target, centring types.Centring) *Images {
	g := New(infer.SymmetriesOf(t))
	if g == nil {
		return nil
	}
	out := &Images{Group: g, centring: centring}
	if r, ok := t.(infer.Recentrable); ok && centring != nil {
		out.here, out.model = infer.NewEffects(r.Recentred(centring)), infer.NewEffects(r.Recentred(nil))
	}
	return out
}

// Random returns an image at random, each as probable as any other.
func (m *Images) Random(x []float64, r *rand.Rand) []float64 {
	return m.fromModel(m.Group.Random(m.ToModel(x), r))
}

// Nearest returns the image that is nearest to a reference in the coordinates of the model; see Group.Nearest.
func (m *Images) Nearest(x []float64, ref Reference, r *rand.Rand) []float64 {
	at := m.ToModel(x)
	image := m.Group.Nearest(at, ref, r)
	if &image[0] == &at[0] {
		return x
	}
	return m.fromModel(image)
}

// ToModel returns a position in the coordinates of the model.
func (m *Images) ToModel(x []float64) []float64 {
	if m.centring == nil {
		return x
	}
	return m.here.Converted(x, nil)
}

func (m *Images) fromModel(x []float64) []float64 {
	if m.centring == nil {
		return x
	}
	return m.model.Converted(x, m.centring)
}
