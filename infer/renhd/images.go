package renhd

import (
	"math/rand/v2"
	"slices"

	"ppl/infer/adapt"
	"ppl/infer/dynamics"
	"ppl/infer/symmetry"
)

// Where a target has symmetries (infer/symmetry), each draw is an image at random of where a walker is, so that labels
// switch in the draws however far modes are apart. Walkers that do not agree on where the target is may be in images of
// one mode: then each is moved to its image nearest to a reference, after every sweep of warm-up from then on, and what
// they show is compared once more. Climbs and draws are assigned to modes by their nearest images, too.

// imageStreams are the random numbers of images; by lane.
const (
	nearestStream = 0x1aa9e500
	randomStream  = 0x1aa9e600
)

// imageNoise are random numbers for the image of a lane's walker at this time of the run.
func (r *run) imageNoise(stream uint64, lane int) *rand.Rand {
	return rand.New(rand.NewPCG(r.shared.options.Seed^r.walkers.NoiseStep<<20, stream+uint64(lane)<<32))
}

// image is the one of a position that belongs to where walkers are; the position itself where none do.
func (r *run) image(x []float64, lane int) []float64 {
	if r.state.Reference.Empty() {
		return x
	}
	return r.nearTo(r.state.Reference)(x, lane)
}

// moveToImages moves walkers at temperature 1 to the images of their positions that are nearest to the reference.
func (r *run) moveToImages() error {
	if r.state.Reference.Empty() {
		return nil
	}
	w := r.walkers
	at, changed := w.positions(), false
	for lane, x := range at {
		if w.RungOf[lane] == 0 {
			at[lane] = r.image(x, lane)
			changed = changed || !slices.Equal(at[lane], x)
		}
	}
	if !changed {
		return nil
	}
	_, err := w.place(r.ctx, at)
	return err
}

// agreeMoreAsImages reports whether walkers of a window agree much more where images of each other are taken for one.
func (r *run) agreeMoreAsImages(seen *windowState, disagreement float64) bool {
	images := r.shared.images
	if images == nil || !images.Comparable() || !r.state.Reference.Empty() {
		return false
	}
	if len(seen.Visited[0][0]) < r.walkers.dim {
		return true // not known
	}
	visited := r.nearest(seen.Visited, r.firstReference())
	return adapt.WorstRHat(seen.Density, visited)-1 < muchMore*disagreement
}

// nearest are the images of chains' positions that are nearest to a reference.
func (r *run) nearest(visited [][][]float64, ref symmetry.Reference) [][][]float64 {
	out, image := make([][][]float64, len(visited)), r.nearTo(ref)
	for chain, xs := range visited {
		for i, x := range xs {
			out[chain] = append(out[chain], image(x, chain*len(xs)+i))
		}
	}
	return out
}

// muchMore is the share of R-hat − 1 below which chains agree much more: it is above .9 where modes are no images of
// each other, and mostly below .5 where they are.
const muchMore = 0.7

// firstReference is where the density is highest among walkers.
func (r *run) firstReference() symmetry.Reference {
	at, density := r.walkers.positions(), r.walkers.logDensities()
	return r.shared.images.FirstReference(r.shared.images.ToModel(at[highest(allOf(len(at)), density)]))
}

// convergeAsImages compares walkers that do not agree by their images, where they may agree then.
func (r *run) convergeAsImages(last result) (result, error) {
	if !last.Images {
		return last, nil
	}
	if !r.replay.replaying() {
		r.state.Reference = r.firstReference()
		for k := range r.state.Left {
			r.state.Left[k].At = r.image(r.state.Left[k].At, r.state.Left[k].Lane)
		}
		r.state.Modes, r.state.Before = nil, nil
		if err := r.moveToImages(); err != nil {
			return last, err
		}
	}
	if _, err := r.windows(r.share(.05, true)); err != nil {
		return last, err
	}
	last, err := r.convergeInWindows()
	if err == nil && last.agreed() {
		r.notef("walkers agree where images of each other are taken for one: %s", r.shared.images)
	}
	return last, err
}

// renewReference makes the reference what a window has shown, as long as no modes are remembered, whose places are
// nearest to the reference before.
func (r *run) renewReference(points *adapt.Points) {
	if r.state.Reference.Empty() || points.Len() < 2 || len(r.state.Modes) > 0 {
		return
	}
	r.state.Reference = r.referenceOf(points.X)
}

// referenceOf is the mean and width of some of many positions.
func (r *run) referenceOf(points [][]float64) symmetry.Reference {
	var at [][]float64
	for _, x := range adapt.Few(points) {
		at = append(at, r.shared.images.ToModel(x))
	}
	return symmetry.NewReference(at)
}

// imagesOfChains are the images of positions that are nearest to where the first chain has been, where chains do not
// agree and do so much more in these.
func (r *run) imagesOfChains(visited [][][]float64) [][][]float64 {
	if r.shared.images == nil {
		return visited
	}
	apart := adapt.WorstOfPositions(visited) - 1
	if apart < agreement {
		return visited
	}
	ref := r.referenceOf(visited[0])
	out := r.nearest(visited, ref)
	if adapt.WorstOfPositions(out)-1 >= muchMore*apart {
		return visited
	}
	r.state.Reference = ref
	return out
}

// stayInside makes a move that keeps the target, a trajectory or a jump, and takes walkers back that have gone to
// another image, which is a rejection: the target is then what it is inside of the part that has one image of each
// position, and 0 outside. Metric and steps were learned there, and need not suit other images. On a ladder, which
// crosses them, and with hops, which are no part of a trajectory, walkers go where they like.
func (r *run) stayInside(move func() error) error {
	w, images := r.walkers, r.shared.images
	if _, rejects := r.shared.rule.(dynamics.HMC); !rejects || r.state.Reference.Empty() || len(w.Rungs) > 1 ||
		w.hops > 0 || !images.Divides() {
		return move()
	}
	before, mask := w.positions(), make([]bool, w.lanes())
	if err := move(); err != nil {
		return err
	}
	inside := func(x []float64) bool { return images.Inside(images.ToModel(x), r.state.Reference) }
	for lane, x := range w.positions() {
		if mask[lane] = !inside(x) && inside(before[lane]); mask[lane] {
			w.exe.SetLane(dynamics.Theta, lane, before[lane])
		}
	}
	if !slices.Contains(mask, true) {
		return nil
	}
	return w.runEntry(r.ctx, "start", mask)
}

// An imageOf is an image of a lane's position.
type imageOf func(x []float64, lane int) []float64

// randomImage is an image at random.
func (r *run) randomImage(x []float64, lane int) []float64 {
	return r.shared.images.Random(x, r.imageNoise(randomStream, lane))
}

// nearTo gives the images that are nearest to a reference.
func (r *run) nearTo(ref symmetry.Reference) imageOf {
	return func(x []float64, lane int) []float64 {
		return r.shared.images.Nearest(x, ref, r.imageNoise(nearestStream, lane))
	}
}

// imageValues computes what is saved of an image of where each of the lanes of mask is, in the lane buffer Values.
func (r *run) imageValues(mask []bool, image imageOf) error {
	w := r.walkers
	here := w.positions()
	set := func(of imageOf) {
		for lane, x := range here {
			if mask[lane] {
				w.exe.SetLane(dynamics.Theta, lane, of(x, lane))
			}
		}
	}
	set(image)
	err := w.runEntry(r.ctx, dynamics.Values, mask)
	set(func(x []float64, _ int) []float64 { return x })
	return err
}

// watchImages shows a draw to the monitor of images.
func (c *drawCollector) watchImages(lane int, place func(lane int, dst []float64)) {
	m, w := c.state.Monitor, c.run.walkers
	if m == nil {
		return
	}
	x := make([]float64, w.dim)
	place(lane, x)
	m.Add(c.run.shared.images, lane/w.PerChain, x, c.run.imageNoise(nearestStream, lane))
}
