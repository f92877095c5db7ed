package population

import (
	"math/rand/v2"
	"slices"

	"ppl/infer/adapt"
	"ppl/infer/dynamics"
	"ppl/infer/symmetry"
)

// ImageNoise returns a source of random numbers for the image of a lane's walker at this time of the run.
func (p *Population) ImageNoise(stream uint64, lane int) *rand.Rand {
	return rand.New(rand.NewPCG(p.Phase.Options.Seed^p.NoiseStep<<20, stream+uint64(lane)<<32))
}

// Image returns the image of a position that is nearest to the reference, or the position if there is no reference.
func (p *Population) Image(x []float64, lane int) []float64 {
	if p.Reference.Empty() {
		return x
	}
	return p.NearTo(p.Reference)(x, lane)
}

// MoveToImages moves walkers at temperature 1 to the images of their positions that are nearest to the reference.
func (p *Population) MoveToImages() error {
	if p.Reference.Empty() {
		return nil
	}
	w := p.Walkers
	at, changed := w.Positions(), false
	for lane, x := range at {
		if w.RungOf[lane] == 0 {
			at[lane] = p.Image(x, lane)
			changed = changed || !slices.Equal(at[lane], x)
		}
	}
	if !changed {
		return nil
	}
	_, err := w.Place(p.Ctx, at)
	return err
}

// Nearest returns the images of chains' positions that are nearest to a reference.
func (p *Population) Nearest(visited [][][]float64, ref symmetry.Reference) [][][]float64 {
	out, image := make([][][]float64, len(visited)), p.NearTo(ref)
	for chain, xs := range visited {
		for i, x := range xs {
			out[chain] = append(out[chain], image(x, chain*len(xs)+i))
		}
	}
	return out
}

// FirstReference returns the walkers' position of highest density as a reference.
func (p *Population) FirstReference() symmetry.Reference {
	at, density := p.Positions(), p.LogDensities()
	return p.Phase.Images.FirstReference(p.Phase.Images.ToModel(at[Highest(adapt.AllOf(len(at)), density)]))
}

// ReferenceOf returns a reference with the mean and width of some of the points.
func (p *Population) ReferenceOf(points [][]float64) symmetry.Reference {
	var at [][]float64
	for _, x := range adapt.Thinned(points) {
		at = append(at, p.Phase.Images.ToModel(x))
	}
	return symmetry.NewReference(at)
}

// StayInside calls move, which must preserve the target (a trajectory or jump), and returns walkers that have moved to
// another image to their previous positions. This is a rejection: the target is restricted to the part of the space
// with one image of each position. Metric and steps were learned there, and need not suit other images. On a ladder,
// and with Metropolis steps across discontinuities, walkers may leave this part.
func (p *Population) StayInside(move func() error) error {
	w, images := p.Walkers, p.Phase.Images
	if _, rejects := p.Phase.Rule.(dynamics.HMC); !rejects || p.Reference.Empty() || len(w.Rungs) > 1 ||
		w.discontinuityMoves > 0 || !images.Divides() {
		return move()
	}
	before, mask := w.Positions(), make([]bool, w.Lanes())
	if err := move(); err != nil {
		return err
	}
	inside := func(x []float64) bool { return images.Inside(images.ToModel(x), p.Reference) }
	for lane, x := range w.Positions() {
		mask[lane] = !inside(x) && inside(before[lane])
		if mask[lane] {
			w.Exe.SetLane(dynamics.Theta, lane, before[lane])
		}
	}
	if !slices.Contains(mask, true) {
		return nil
	}
	return w.RunEntry(p.Ctx, "start", mask)
}

// RandomImage returns a random image of a position.
func (p *Population) RandomImage(x []float64, lane int) []float64 {
	return p.Phase.Images.Random(x, p.ImageNoise(randomStream, lane))
}

// NearTo returns a function that returns the image of a position nearest to a reference.
func (p *Population) NearTo(ref symmetry.Reference) ImageOf {
	return func(x []float64, lane int) []float64 {
		return p.Phase.Images.Nearest(x, ref, p.ImageNoise(NearestStream, lane))
	}
}

// ImageValues computes the saved values of an image of each lane in mask, in the lane buffer Values. Afterwards walkers
// are at their previous positions.
func (p *Population) ImageValues(mask []bool, image ImageOf) error {
	w := p.Walkers
	here := w.Positions()
	set := func(of ImageOf) {
		for lane, x := range here {
			if mask[lane] {
				w.Exe.SetLane(dynamics.Theta, lane, of(x, lane))
			}
		}
	}
	set(image)
	err := w.RunEntry(p.Ctx, dynamics.Values, mask)
	set(func(x []float64, _ int) []float64 { return x })
	return err
}

// Streams of the random numbers of images; each lane has its own substreams.
const (
	NearestStream = 0x1aa9e500
	randomStream  = 0x1aa9e600
)

// An ImageOf returns an image of a lane's position.
type ImageOf func(x []float64, lane int) []float64
