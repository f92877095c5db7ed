package warmup

import (
	"ppl/infer/adapt"
	"ppl/infer/renhd/population"
)

// Where a target has symmetries (infer/symmetry), each draw is an image at random of where a walker is, so that labels
// switch in the draws however far modes are apart. Walkers that do not agree on where the target is may be in images of
// one mode: then each is moved to its image nearest to a reference, after every sweep of warm-up from then on, and what
// they show is compared once more. Climbs and draws are assigned to modes by their nearest images, too.

// agreeMoreAsImages reports whether the walkers of a window agree much more if each position is replaced by its image
// (under the target's symmetries) nearest to the reference.
func (r *Warmup) agreeMoreAsImages(seen *population.Visits, disagreement float64) bool {
	images := r.Phase.Images
	if images == nil || !images.Comparable() || !r.Reference.Empty() {
		return false
	}
	if len(seen.Visited[0][0]) < r.Walkers.Dim {
		return true // not known
	}
	visited := r.Nearest(seen.Visited, r.FirstReference())
	return adapt.WorstRHat(seen.Density, visited)-1 < muchMore*disagreement
}

// muchMore is the share of R-hat − 1 below which chains agree much more: it is above .9 where modes are not images of
// each other, and mostly below .5 where they are.
const muchMore = 0.7

// convergeAsImages compares walkers that do not agree by images of their positions, if that makes them agree.
func (r *Warmup) convergeAsImages(last windowResult) (windowResult, error) {
	if !last.Images {
		return last, nil
	}
	if !r.Replaying() {
		r.Reference = r.FirstReference()
		for k := range r.state.Departures {
			r.state.Departures[k].At = r.Image(r.state.Departures[k].At, r.state.Departures[k].Lane)
		}
		r.state.Before = nil
		r.modes.Remember(nil)
		if err := r.MoveToImages(); err != nil {
			return last, err
		}
	}
	if _, err := r.windows(r.share(.05, true)); err != nil {
		return last, err
	}
	last, err := r.convergeInWindows()
	if err == nil && last.agreed() {
		r.Notef("walkers agree where images of each other are taken for one: %s", r.Phase.Images)
	}
	return last, err
}

// renewReference makes the reference what a window has shown, as long as no modes are remembered, whose places are
// nearest to the reference before.
func (r *Warmup) renewReference(points *adapt.Points) {
	if r.Reference.Empty() || points.Len() < 2 || len(r.modes.Modes()) > 0 {
		return
	}
	r.Reference = r.ReferenceOf(points.X)
}

// ImagesOfChains returns the images of positions that are nearest to the first chain's positions, if chains do not
// agree and agree much more in these images.
func (r *Warmup) ImagesOfChains(visited [][][]float64) [][][]float64 {
	if r.Phase.Images == nil {
		return visited
	}
	apart := adapt.WorstOfPositions(visited) - 1
	if apart < agreement {
		return visited
	}
	ref := r.ReferenceOf(visited[0])
	out := r.Nearest(visited, ref)
	if adapt.WorstOfPositions(out)-1 >= muchMore*apart {
		return visited
	}
	r.Reference = ref
	return out
}
