package symmetry

import (
	"math/rand/v2"

	"ppl/infer"
	"ppl/lang/types"
)

// Images computes images of positions in a run, whose effects may have other coordinates than the model's. Symmetries
// are defined in the model's coordinates.
type Images struct {
	*Group
	centring types.Centring
	here     infer.Effects // evaluates effects in the coordinates of the run
	model    infer.Effects // evaluates effects in the model's coordinates; both are unset if these are the same
}

// ImagesOf returns the images of a target's positions, or nil if it has no symmetries. t has the model's coordinates;
// centring is that of the run.
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

// Random returns a random image; all images have the same probability.
func (m *Images) Random(x []float64, r *rand.Rand) []float64 {
	return m.fromModel(m.Group.Random(m.ToModel(x), r))
}

// Nearest returns the image that is nearest to a reference in the model's coordinates; see Group.Nearest.
func (m *Images) Nearest(x []float64, ref Reference, r *rand.Rand) []float64 {
	at := m.ToModel(x)
	image := m.Group.Nearest(at, ref, r)
	if &image[0] == &at[0] {
		return x
	}
	return m.fromModel(image)
}

// ToModel returns a position in the model's coordinates.
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
