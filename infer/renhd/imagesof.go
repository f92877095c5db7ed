package renhd

import (
	"math/rand/v2"
	"slices"

	"ppl/infer/adapt"
	"ppl/infer/dynamics"
	"ppl/infer/symmetry"
)

// imageNoise are random numbers for the image of a lane's walker at this time of the run.
func (p *population) imageNoise(stream uint64, lane int) *rand.Rand {
	return rand.New(rand.NewPCG(p.phase.options.Seed^p.NoiseStep<<20, stream+uint64(lane)<<32))
}

// image is the one of a position that belongs to where walkers are; the position itself where none do.
func (p *population) image(x []float64, lane int) []float64 {
	if p.Reference.Empty() {
		return x
	}
	return p.nearTo(p.Reference)(x, lane)
}

// moveToImages moves walkers at temperature 1 to the images of their positions that are nearest to the reference.
func (p *population) moveToImages() error {
	if p.Reference.Empty() {
		return nil
	}
	w := p.walkers
	at, changed := w.positions(), false
	for lane, x := range at {
		if w.RungOf[lane] == 0 {
			at[lane] = p.image(x, lane)
			changed = changed || !slices.Equal(at[lane], x)
		}
	}
	if !changed {
		return nil
	}
	_, err := w.place(p.ctx, at)
	return err
}

// nearest are the images of chains' positions that are nearest to a reference.
func (p *population) nearest(visited [][][]float64, ref symmetry.Reference) [][][]float64 {
	out, image := make([][][]float64, len(visited)), p.nearTo(ref)
	for chain, xs := range visited {
		for i, x := range xs {
			out[chain] = append(out[chain], image(x, chain*len(xs)+i))
		}
	}
	return out
}

// firstReference is where the density is highest among walkers.
func (p *population) firstReference() symmetry.Reference {
	at, density := p.positions(), p.logDensities()
	return p.phase.images.FirstReference(p.phase.images.ToModel(at[highest(allOf(len(at)), density)]))
}

// referenceOf is the mean and width of some of many positions.
func (p *population) referenceOf(points [][]float64) symmetry.Reference {
	var at [][]float64
	for _, x := range adapt.Few(points) {
		at = append(at, p.phase.images.ToModel(x))
	}
	return symmetry.NewReference(at)
}

// stayInside makes a move that keeps the target, a trajectory or a jump, and takes walkers back that have gone to
// another image, which is a rejection: the target is then what it is inside of the part that has one image of each
// position, and 0 outside. Metric and steps were learned there, and need not suit other images. On a ladder, which
// crosses them, and with hops, which are no part of a trajectory, walkers go where they like.
func (p *population) stayInside(move func() error) error {
	w, images := p.walkers, p.phase.images
	if _, rejects := p.phase.rule.(dynamics.HMC); !rejects || p.Reference.Empty() || len(w.Rungs) > 1 ||
		w.hops > 0 || !images.Divides() {
		return move()
	}
	before, mask := w.positions(), make([]bool, w.lanes())
	if err := move(); err != nil {
		return err
	}
	inside := func(x []float64) bool { return images.Inside(images.ToModel(x), p.Reference) }
	for lane, x := range w.positions() {
		if mask[lane] = !inside(x) && inside(before[lane]); mask[lane] {
			w.exe.SetLane(dynamics.Theta, lane, before[lane])
		}
	}
	if !slices.Contains(mask, true) {
		return nil
	}
	return w.runEntry(p.ctx, "start", mask)
}

// randomImage is an image at random.
func (p *population) randomImage(x []float64, lane int) []float64 {
	return p.phase.images.Random(x, p.imageNoise(randomStream, lane))
}

// nearTo gives the images that are nearest to a reference.
func (p *population) nearTo(ref symmetry.Reference) imageOf {
	return func(x []float64, lane int) []float64 {
		return p.phase.images.Nearest(x, ref, p.imageNoise(nearestStream, lane))
	}
}

// imageValues computes what is saved of an image of where each of the lanes of mask is, in the lane buffer Values.
func (p *population) imageValues(mask []bool, image imageOf) error {
	w := p.walkers
	here := w.positions()
	set := func(of imageOf) {
		for lane, x := range here {
			if mask[lane] {
				w.exe.SetLane(dynamics.Theta, lane, of(x, lane))
			}
		}
	}
	set(image)
	err := w.runEntry(p.ctx, dynamics.Values, mask)
	set(func(x []float64, _ int) []float64 { return x })
	return err
}

// imageStreams are the random numbers of images; by lane.
const (
	nearestStream = 0x1aa9e500
	randomStream  = 0x1aa9e600
)

// An imageOf is an image of a lane's position.
type imageOf func(x []float64, lane int) []float64
