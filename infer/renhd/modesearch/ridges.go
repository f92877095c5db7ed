package modesearch

import (
	"cmp"
	"math"
	"slices"

	"ppl/infer/adapt"
	"ppl/infer/renhd/population"
	"ppl/posterior/stats"
)

// Some modes have no peak: the top of a ring or shell is a ridge, on which climbs end anywhere and whose curvature
// gives no normal. Such an end is tested by trajectories of walkers that start there:
//
//	ends      at most 4, one for each walker: ends of converged climbs, as high as other positions, behind a barrier
//	          from the walkers' earlier positions
//	walkers   start from each of them in turn, and run 32 trajectories
//	a mode    is the set of their positions in the second half, if a barrier separates these from all other positions,
//	          and it holds about .02 of the target or more
//
// Barriers are searched only between positions near each other. A straight line between distant ones leaves a bent
// ridge, so its lowest point has no meaning; walkers on such a ridge reach positions near the known ones.
type ridgeSearch struct {
	From   [][]float64
	Sweeps int    // number of trajectories done
	Walks  []walk // positions in the second half of the trajectories, for each starting point
}

const (
	testedRidgeEnds = 8
	mostRidgeEnds   = 4
	ridgeSweeps     = 32
	ridgeShare      = 0.02
	// ridgeBarrier is the fall of the log density that counts as a barrier. It is larger than for peaks, since walkers
	// soon cross smaller ones.
	ridgeBarrier = 5
	ridgePairs   = 8  // number of pairs of near positions, all of which must have a barrier between them
	ridgePlaces  = 64 // number of positions for which near ones are searched
)

// walking reports whether walkers that were placed on ridges have to continue.
func (s *searchState) walking() bool { return len(s.Ridge.From) > 0 && s.Ridge.Sweeps < ridgeSweeps }

// chooseRidges lists the ends of climbs from which walkers explore: those farthest from earlier positions of walkers.
// It lists none for a search whose walkers do not jump, since no step size was learned.
func (t *Search) chooseRidges() error {
	s := &t.state
	var ends [][]float64
	for _, c := range s.Climbs {
		if c.Arrived && t.highest()-c.BestDensity <= population.Hopeless(len(c.Best)) &&
			!s.known(c.Best, c.BestDensity) {
			ends = append(ends, c.Best)
		}
	}
	if len(ends) == 0 || t.alone {
		return nil
	}
	before := t.before()
	if before == nil {
		return nil
	}
	ranked := before.pairs(ends)
	farthest := ranked[max(0, len(ranked)-testedRidgeEnds):]
	behind, err := t.run.barriers(farthest)
	for k := len(behind) - 1; k >= 0 && len(s.Ridge.From) < min(mostRidgeEnds, t.run.Walkers.Lanes()); k-- {
		if behind[k] {
			s.Ridge.From = append(s.Ridge.From, farthest[k].From)
		}
	}
	return err
}

// Ridges reports whether climbs have ended at points that are not peaks, as high as the chains' positions and behind
// barriers from these. Most such ends are not final: a climb along the logarithm of a scale ends where the density
// hardly rises, far from the maximum. So climbs continue from the ends behind barriers until the density does not rise
// at all.
func (t *Search) Ridges() (bool, error) {
	behind, err := t.behindBarriers(t.highEnds())
	if err != nil || len(behind) == 0 {
		return false, err
	}
	ends, err := t.climbOn(behind)
	if err != nil {
		return false, err
	}
	behind, err = t.behindBarriers(ends)
	return len(behind) > 0, err
}

// highEnds returns the ends of climbs that are not at a known peak, and whose log density exceeds the 5 % quantile of
// the chains' log densities.
func (t *Search) highEnds() (ends [][]float64) {
	if len(t.state.Climbs) == 0 {
		return nil
	}
	least := stats.Quantile(slices.Concat(t.seen.Density...), 0.05)
	for _, c := range t.state.Climbs {
		if c.Arrived && c.BestDensity > least && !t.state.known(c.Best, c.BestDensity) {
			ends = append(ends, c.Best)
		}
	}
	return ends
}

// behindBarriers considers the points farthest from the chains' positions, and returns those that a barrier separates
// from the nearest of these positions. It returns all points if no normal can be fitted to the positions.
func (t *Search) behindBarriers(places [][]float64) (out [][]float64, err error) {
	before := t.before()
	if before == nil || len(places) == 0 {
		return places, nil
	}
	ranked := before.pairs(places)
	farthest := ranked[max(0, len(ranked)-testedRidgeEnds):]
	behind, err := t.run.barriers(farthest)
	for k, b := range behind {
		if b {
			out = append(out, farthest[k].From)
		}
	}
	return out, err
}

// climbOn continues climbs from points until the density no longer rises. It returns the ends that are not at known
// peaks.
func (t *Search) climbOn(places [][]float64) (ends [][]float64, err error) {
	climbs := make([]*adapt.Ascent, len(places))
	for k, x := range places {
		climbs[k] = &adapt.Ascent{X: x, Near: noRise}
	}
	for going := climbs; len(going) > 0; {
		at := make([][]float64, len(going))
		for k, c := range going {
			at[k] = c.X
		}
		density, gradient, err := t.run.Evaluate(at, true)
		if err != nil {
			return nil, err
		}
		for k, c := range going {
			c.Report(t.run.Walkers.Rungs[0].Metric, density[k], gradient[k])
		}
		going = slices.DeleteFunc(slices.Clone(going), func(c *adapt.Ascent) bool { return c.Done })
	}
	for _, c := range climbs {
		if c.Arrived && !t.state.known(c.Best, c.BestDensity) {
			ends = append(ends, c.Best)
		}
	}
	return ends, nil
}

// noRise is the mean square of a whitened gradient below which a climb stops.
const noRise = 1e-5

// walk moves the walkers on ridges by one trajectory.
func (t *Search) walk() error {
	r, s := t.run, &t.state.Ridge
	w := r.Walkers
	if s.Sweeps == 0 {
		at := make([][]float64, w.Lanes())
		for lane := range at {
			at[lane] = s.From[lane%len(s.From)]
		}
		if _, err := w.Place(r.Ctx, at); err != nil {
			return err
		}
		s.Walks = make([]walk, len(s.From))
	}
	if err := r.MoveAt(1); err != nil {
		return err
	}
	s.Sweeps++
	if s.Sweeps > ridgeSweeps/2 {
		density := w.LogDensities()
		for lane, x := range w.Positions() {
			s.Walks[lane%len(s.From)].add(density[lane:lane+1], [][]float64{t.image(x)})
		}
	}
	return nil
}

// ridgeModes returns the modes formed by walkers' positions on ridges that hold a share of the target.
func (t *Search) ridgeModes() (modes []Mode, err error) {
	if len(t.state.Ridge.Walks) == 0 {
		return nil, nil
	}
	known := t.visitedModes()
	before := t.before()
	if len(known) == 0 || before == nil {
		return nil, nil
	}
	groups, err := t.ridgeGroups(before)
	for _, g := range groups {
		if m, ok := newMode(g.Density, g.Places); ok {
			m.Ridge = true
			modes = append(modes, m)
		}
	}
	shares := ModeShares(slices.Concat(known, modes))[len(known):]
	var out []Mode
	for k, m := range modes {
		if shares[k] >= ridgeShare {
			out = append(out, m)
		}
	}
	return out, err
}

// ridgeGroups joins walks between which there is no barrier, and drops those that have returned to the walkers' earlier
// positions.
func (t *Search) ridgeGroups(before *neighbours) (groups []walk, err error) {
	for _, one := range t.state.Ridge.Walks {
		from := stats.Thinned(one.Places, ridgePlaces)
		apart, err := t.run.barrierAround(before, from)
		if err != nil {
			return nil, err
		}
		for k := 0; k < len(groups) && apart; k++ {
			if apart, err = t.run.barrierAround(newNeighbours(before.cloud, groups[k].Places), from); err != nil {
				return nil, err
			}
			if !apart {
				groups[k].add(one.Density, one.Places)
			}
		}
		if apart {
			groups = append(groups, one)
		}
	}
	return groups, nil
}

// A walk holds the positions of walkers that started from one end of a climb, with their log densities.
type walk struct {
	Density []float64
	Places  [][]float64
}

func (w *walk) add(density []float64, places [][]float64) {
	w.Density, w.Places = append(w.Density, density...), append(w.Places, places...)
}

// neighbours is a set of positions in which the nearest one to a point can be searched. Distances are in the whitened
// coordinates of cloud.
type neighbours struct {
	cloud *adapt.Normal
	at, z [][]float64
}

func newNeighbours(cloud *adapt.Normal, at [][]float64) *neighbours {
	n := &neighbours{cloud: cloud, at: at}
	for _, x := range at {
		n.z = append(n.z, cloud.Whiten(x))
	}
	return n
}

// before returns the walkers' positions before the search, or nil if no normal can be fitted to them.
func (t *Search) before() *neighbours {
	at := t.places()
	cloud, ok := adapt.FitNormal(at, nil)
	if !ok {
		return nil
	}
	return newNeighbours(&cloud, at)
}

// A neighbour is a point From with the nearest position To and the squared distance Far.
type neighbour struct {
	From, To []float64
	Far      float64
}

// pairs returns points with their nearest positions, sorted by distance in ascending order.
func (n *neighbours) pairs(points [][]float64) (out []neighbour) {
	for _, x := range points {
		p, z := neighbour{From: x, Far: math.Inf(1)}, n.cloud.Whiten(x)
		for k, other := range n.z {
			if d := squaredDistance(z, other, p.Far); d < p.Far {
				p.To, p.Far = n.at[k], d
			}
		}
		out = append(out, p)
	}
	slices.SortStableFunc(out, func(a, b neighbour) int { return cmp.Compare(a.Far, b.Far) })
	return out
}

// barriers reports for each pair of a point and its nearest position whether a barrier lies between them. It moves the
// walkers.
func (r *Known) barriers(pairs []neighbour) ([]bool, error) {
	const points = 18 // points on a line, including both ends
	var at [][]float64
	for _, p := range pairs {
		for k := range points {
			at = append(at, population.OnLine(p.From, p.To, float64(k)/(points-1)))
		}
	}
	height, _, err := r.Evaluate(at, false)
	if err != nil {
		return nil, err
	}
	out := make([]bool, len(pairs))
	for i := range out {
		h := height[i*points:][:points]
		out[i] = !(slices.Min(h) >= math.Min(h[0], h[points-1])-ridgeBarrier)
	}
	return out, nil
}

// barrierAround pairs each point with its nearest position in n. It reports whether barriers separate the ridgePairs
// pairs with the shortest distances.
func (r *Known) barrierAround(n *neighbours, points [][]float64) (bool, error) {
	pairs := n.pairs(points)
	barriers, err := r.barriers(pairs[:min(ridgePairs, len(pairs))])
	return !slices.Contains(barriers, false), err
}
