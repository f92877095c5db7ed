package modesearch

import (
	"fmt"
	"math"
	"slices"

	"ppl/infer/adapt"
	"ppl/infer/renhd/population"
	"ppl/posterior/stats"
	"ppl/posterior/store"
)

// A LateSearch continues looking for modes while draws are collected on a ladder, whose hot rungs come to places that
// warm-up has not seen:
//
//	begun     every 16 draws, as long as searches have taken less than 2 % of the gradients of the run, and placed all
//	          walkers less than 3 times in 100 iterations: small targets wait for the device, and an iteration takes
//	          half as long again
//	climbs    from hot walkers that are in no known mode, one a lane, 60 gradients each at most
//	a mode    holds .2 % of the target at least, has no draw in it, and a barrier lies before it
//	none      is known where a ladder was asked for: all walkers climb then, and draws may be there
//
// Walkers and their noise are as before when it is over: the draws of a run that finds nothing are those of a run
// without a search. Walkers jump to what was found; each way to move keeps the target, and there are few changes.
// Without a ladder there is nothing to climb from: a walker that is in the basin of another mode at temperature 1 goes
// up there by itself.
type LateSearch struct {
	Due      int    // draws of each chain from which on the next may begin
	Spent    int64  // gradients,
	Placed   int    // and how often all lanes got other positions: some calls of the device
	Looked   int    // at ends of climbs
	Rejected []Mode // tops that are not modes of their own
	FoundAt  []int  // by mode found, the last ones known: draws of each chain before any was in it

	stats.Thinning             // of draws
	Places         [][]float64 // of those kept
}

const (
	lateEvery     = 16   // draws
	lateShare     = 0.02 // of gradients,
	latePlacings  = 0.03 // of iterations
	lateCalls     = 60   // of the device, for climbs
	lateOverhead  = 4    // as many times as all lanes get other positions: to put all back
	lateLooks     = 4    // at ends of climbs in one search,
	mostLateLooks = 24   // and in all
	latePlaces    = 512  // that are kept of the draws of all chains
	mostModes     = 100  // that are known
)

// SearchOn searches for modes again if a search is due.
func (c *Watch) SearchOn() error {
	r, s := c.Known, &c.state.Search
	draws := r.Report.Draws
	if draws < s.Due || !r.SearchesOn() {
		return nil
	}
	s.Due = draws + lateEvery
	if float64(s.Spent) > lateShare*float64(r.Walkers.Gradients) ||
		float64(s.Placed) > latePlacings*float64(r.Iterations) || s.Looked >= mostLateLooks ||
		len(r.state.Modes) >= mostModes {
		return nil
	}
	before, placed := r.Walkers.Gradients, r.Walkers.Placed
	var fresh []Mode
	err := r.Aside(func() (err error) {
		fresh, err = c.climbOn()
		return err
	})
	s.Placed += lateOverhead + r.Walkers.Placed - placed
	s.Spent += r.Walkers.Gradients - before
	if err == nil && len(fresh) > 0 && len(r.state.Modes)+len(fresh) > 1 {
		c.takeUp(fresh)
	}
	return err
}

// SearchesOn reports whether a search continues while sampling.
func (r *Known) SearchesOn() bool { return len(r.Walkers.Rungs) > 1 && r.Phase.FindsPeaks() }

// keep stores a draw; if there are too many, it drops every second one of those stored.
func (s *LateSearch) keep(x []float64) {
	if s.Takes() {
		s.Places = stats.Kept(&s.Thinning, append(s.Places, x), latePlaces)
	}
}

// climbOn climbs from walkers and returns the new modes.
func (c *Watch) climbOn() (fresh []Mode, err error) {
	t, known := &Search{run: c.Known, seen: &population.Visits{}}, c.Known.state.Modes
	t.state.Peaks = slices.Concat(known, c.state.Search.Rejected)
	for _, x := range c.Known.lateStarts(known) {
		t.state.Climbs = append(t.state.Climbs, adapt.NewAscent(x))
	}
	for range lateCalls {
		going := t.state.going(c.Known.Walkers.Lanes())
		if len(going) == 0 {
			break
		}
		if err := t.climb(going); err != nil {
			return nil, err
		}
	}
	old := len(t.state.Peaks)
	for _, k := range t.state.ends() {
		if t.state.Looked == lateLooks {
			break
		}
		if err := t.lookAt(&t.state.Climbs[k]); err != nil {
			return nil, err
		}
	}
	c.state.Search.Looked += t.state.Looked
	return c.judge(t.state.Peaks[old:])
}

// judge divides tops into modes and others, which are remembered, so that no other search looks at them.
func (c *Watch) judge(tops []Mode) (fresh []Mode, err error) {
	for _, m := range tops {
		is, err := c.isMode(&m, slices.Concat(c.Known.state.Modes, fresh))
		switch {
		case err != nil:
			return nil, err
		case is:
			fresh = append(fresh, m)
		default:
			c.state.Search.Rejected = append(c.state.Search.Rejected, m)
		}
	}
	return fresh, nil
}

// lateStarts returns the positions of walkers on hot rungs that are in no known mode; if no mode is known, those of
// all walkers.
func (r *Known) lateStarts(known []Mode) (places [][]float64) {
	w := r.Walkers
	for lane, x := range w.Positions() {
		x = r.Image(x, lane)
		in := func(m Mode) bool { return m.within(x) }
		if len(known) == 0 || w.RungOf[lane] > 0 && !slices.ContainsFunc(known, in) {
			places = append(places, x)
		}
	}
	return places
}

// isMode reports whether a top is a mode besides those known, which holds a share of the target and, if warm-up found
// some, which draws have not been in. Its mass is estimated by importance: the curvature may say far too much.
func (c *Watch) isMode(m *Mode, known []Mode) (bool, error) {
	mass, ok, err := c.Known.massAround(m)
	if err != nil || !ok {
		return false, err
	}
	m.Mass = mass
	share := ModeShares(append(slices.Clip(known), *m))[len(known)]
	if share < leastShare || len(c.Known.state.Modes) > 0 && c.visited(m) {
		return false, nil
	}
	return c.Known.behindBarriers(m, known)
}

// visited reports whether a draw could be in a mode.
func (c *Watch) visited(m *Mode) bool {
	return slices.ContainsFunc(c.state.Search.Places, m.within)
}

// behindBarriers reports whether a barrier lies between a maximum and each of the known modes.
func (r *Known) behindBarriers(m *Mode, known []Mode) (bool, error) {
	var at [][]float64
	for _, k := range known {
		at = append(at, k.Normal.Mean, k.At)
	}
	height, err := r.Heights(at)
	if err != nil {
		return false, err
	}
	lowest, err := r.LowestBetween(append(at, m.At), len(at), adapt.AllOf(len(at)))
	if err != nil {
		return false, err
	}
	for i, h := range height {
		center := h >= height[i|1] // the mean of several places may lie between them
		if center && lowest[i] >= math.Min(h, m.Height)-barrierDepth {
			return false, nil
		}
	}
	return true, nil
}

// takeUp lets walkers jump to modes that were found, and counts draws by modes from now on.
func (c *Watch) takeUp(fresh []Mode) {
	for _, m := range fresh {
		at := c.Known.Report.Draws
		if c.visited(&m) {
			at = 0
		}
		c.state.Search.FoundAt = append(c.state.Search.FoundAt, at)
	}
	c.Known.state.Modes, c.state.Visits = slices.Concat(c.Known.state.Modes, fresh), VisitCount{}
	c.narrow = nil // is of the modes before
}

// lacks returns the share of the target that draws lack since the search found it late: what a mode has of the draws
// since, in those before; and where those modes are. Of a mode that is so small that by chance it had no draw, nothing
// is lacking.
func (c *Watch) lacks() (sum float64, in [][]float64) {
	v, at := &c.state.Visits, c.state.Search.FoundAt
	first, all := len(c.Known.state.Modes)-len(at), float64(c.Known.Report.Draws)
	if v.draws() == 0 {
		return 0, nil
	}
	shares := v.shares(len(c.Known.state.Modes))
	for k, before := range at {
		share := shares[first+k].mean
		if share*float64(before*len(v.Path)) >= enoughDraws {
			sum, in = sum+share*float64(before)/all, append(in, c.Known.state.Modes[first+k].At)
		}
	}
	return sum, in
}

// ReportSearch reports the modes that the search has found, and warns if the draws lack a notable share of the mass.
func (c *Watch) ReportSearch() {
	r, found := c.Known, c.state.Search.FoundAt
	if len(found) == 0 || c.state.Visits.draws() == 0 {
		return
	}
	last := slices.Max(found)
	r.Notef("climbs from hot rungs found %d of them while sampling; shares are of the draws since", len(found))
	l, at := c.lacks()
	r.Report.Lacking = store.Number(l)
	if l > store.MaxLacking {
		r.Report.LackingAt = r.AsTheModel(at)
		r.Warn(store.Warning{
			Fact: fmt.Sprintf("The draws lack about %.2g %% of the posterior.", 100*l),
			Reason: fmt.Sprintf("Modes that hold it were found when each chain had up to %d of its %d draws, and none "+
				"of these is in them.", last, r.Report.Draws),
			Advice: []store.Advice{{Do: store.Raise, On: "draws",
				Text: "Take more draws (--resume with more --draws)."}}})
	}
}

// A Watch follows the draws of a run: it counts in which modes they are, and searches for others.
type Watch struct {
	*Known
	state  *WatchState
	narrow []bool // by mode: see jumpsOnly; nil until it is asked for
}

// WatchState is the part of a checkpoint about a Watch.
type WatchState struct {
	Visits VisitCount
	Search LateSearch
}

// NewWatch returns a Watch that stores its counts in s.
func NewWatch(known *Known, s *WatchState) *Watch {
	return &Watch{Known: known, state: s}
}
