package warmup

import (
	"ppl/infer/adapt"
	"ppl/infer/renhd/population"
)

// If a target has symmetries (infer/symmetry), each draw is a random image of a walker's position, so labels switch in
// the draws however far apart modes are. Walkers that disagree may be in images of one mode. Then each walker is moved
// to its image nearest to a reference, now and after every later sweep of warm-up, and agreement is judged again.
// Climbs and draws are assigned to modes by their nearest images, too.

// agreeMoreAsImages reports whether the walkers of a window agree much more if each position is replaced by its image
// (under the target's symmetries) nearest to the reference.
func (r *Warmup) agreeMoreAsImages(seen *population.Visits, disagreement float64) bool {
	images := r.Phase.Images
	if images == nil || !images.Comparable() || !r.Reference.Empty() {
		return false
	}
	if len(seen.Visited[0][0]) < r.Walkers.Dim {
		return true // unknown, since not all coordinates were stored
	}
	visited := r.Nearest(seen.Visited, r.FirstReference())
	return adapt.WorstRHat(seen.Density, visited, r.Phase.Options.Threads)-1 < muchMore*disagreement
}

// muchMore is the ratio of R-hat − 1 after and before taking images, below which walkers agree much more. The ratio is
// above .9 if modes are not images of each other, and mostly below .5 if they are.
const muchMore = 0.7

// convergeAsImages moves walkers that disagree to images of their positions, and compares them again, if images agree
// much more.
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
		r.Notef("walkers agree if positions that are images of each other count as equal: %s", r.Phase.Images)
	}
	return last, err
}

// renewReference sets the reference from the points of a window. It does nothing if modes are stored, since they are
// images nearest to the previous reference.
func (r *Warmup) renewReference(points *adapt.Points) {
	if r.Reference.Empty() || points.Len() < 2 || len(r.modes.Modes()) > 0 {
		return
	}
	r.Reference = r.ReferenceOf(points.X)
}

// ImagesOfChains returns the images of positions that are nearest to the first chain's positions, and makes these the
// reference, if the chains disagree and their images agree much more. Otherwise it returns the positions.
func (r *Warmup) ImagesOfChains(visited [][][]float64) [][][]float64 {
	if r.Phase.Images == nil {
		return visited
	}
	apart := adapt.WorstOfPositions(visited, r.Phase.Options.Threads) - 1
	if apart < agreement {
		return visited
	}
	ref := r.ReferenceOf(visited[0])
	out := r.Nearest(visited, ref)
	if adapt.WorstOfPositions(out, r.Phase.Options.Threads)-1 >= muchMore*apart {
		return visited
	}
	r.Reference = ref
	return out
}
