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

// A LateSearch continues the search for modes while draws are collected on a ladder, whose hot rungs reach regions that
// warm-up has not seen:
//
//	begun     every 16 draws, as long as searches used less than 2 % of the run's gradients, and placed all walkers
//	          fewer than 3 times in 100 iterations: for small targets, calls of the device dominate the time, and a
//	          search would otherwise add half as much again
//	climbs    from hot walkers that are in no known mode, one for each lane, at most 60 gradients each
//	a mode    holds at least .2 % of the target, contains no draw, and is behind a barrier
//	no mode   is known if a ladder was requested: then all walkers climb, and draws may be in the modes found
//
// Walkers and their noise are restored afterwards, so a run that finds nothing has the same draws as a run without
// searches. Walkers jump to the modes found; each kind of move preserves the target, and modes change rarely. Without a
// ladder there is nothing to climb from: a walker at temperature 1 in the basin of another mode moves to its peak by
// itself.
type LateSearch struct {
	Due      int    // number of draws of each chain at which the next search may begin
	Spent    int64  // number of gradients used
	Placed   int    // number of times that all lanes were placed, each of which takes some calls of the device
	Looked   int    // number of ends of climbs examined
	Rejected []Mode // peaks that are not separate modes
	// for each mode found, which are the last of the known modes: number of draws of each chain before any was in it
	FoundAt []int

	stats.Thinning             // thinning of the stored draws
	Places         [][]float64 // stored draws
}

const (
	lateEvery     = 16   // number of draws between searches
	lateShare     = 0.02 // maximum share of gradients
	latePlacings  = 0.03 // maximum number of placings per iteration
	lateCalls     = 60   // maximum number of calls of the device for climbs
	lateOverhead  = 4    // cost of restoring all walkers, as a number of placings
	lateLooks     = 4    // maximum number of ends of climbs examined in one search
	mostLateLooks = 24   // maximum number examined in all searches
	latePlaces    = 512  // maximum number of stored draws of all chains
	mostModes     = 100  // maximum number of known modes
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
		c.addModes(fresh)
	}
	return err
}

// SearchesOn reports whether searches continue while draws are collected.
func (r *Known) SearchesOn() bool { return len(r.Walkers.Rungs) > 1 && r.Phase.FindsPeaks() }

// keep stores a draw. If there are too many, it drops every second stored draw.
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

// judge returns the maxima that are modes. It stores the others in Rejected, so that later searches ignore them.
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

// lateStarts returns the positions of walkers on hot rungs that are in no known mode. If no mode is known, it returns
// the positions of all walkers.
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

// isMode reports whether a maximum is a new mode: it holds a share of the target, it is behind barriers, and, if
// warm-up found modes, it contains no draws. Its mass is estimated by importance sampling, since the curvature may
// overestimate it greatly.
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

// visited reports whether a stored draw is plausible in a mode.
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
		// The mean of a mode with several peaks may have a lower density than its peak; then it is not compared.
		center := h >= height[i|1]
		if center && lowest[i] >= math.Min(h, m.Height)-barrierDepth {
			return false, nil
		}
	}
	return true, nil
}

// addModes adds new modes to the known ones, so that walkers jump to them, and restarts the counts of draws by mode.
func (c *Watch) addModes(fresh []Mode) {
	for _, m := range fresh {
		at := c.Known.Report.Draws
		if c.visited(&m) {
			at = 0
		}
		c.state.Search.FoundAt = append(c.state.Search.FoundAt, at)
	}
	c.Known.state.Modes, c.state.Visits = slices.Concat(c.Known.state.Modes, fresh), VisitCount{}
	c.narrow = nil // depends on the known modes
}

// missingShare returns the share of the target that is missing in draws taken before the search found a mode, and the
// positions of such modes. The share is estimated from the draws afterwards. A mode so small that it may have no draws
// by chance is ignored.
func (c *Watch) missingShare() (sum float64, in [][]float64) {
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
	r.Notef("optimisers found %d of these modes while sampling; the shares are those of later draws", len(found))
	l, at := c.missingShare()
	r.Report.Lacking = store.Number(l)
	if l > store.MaxLacking {
		r.Report.LackingAt = r.AsTheModel(at)
		r.Warn(store.Warning{
			Fact: fmt.Sprintf("The draws lack about %.2g %% of the posterior.", 100*l),
			Reason: fmt.Sprintf("Modes that hold this share were found late, the last when each chain had %d of its "+
				"%d draws. No draw from before a mode was found is in it.", last, r.Report.Draws),
			Advice: []store.Advice{{Do: store.Raise, On: "draws",
				Text: "Take more draws (--resume with more --draws)."}}})
	}
}

// A Watch follows the draws of a run: it counts the modes that they are in, and searches for other modes.
type Watch struct {
	*Known
	state  *WatchState
	narrow []bool // whether each mode is too narrow (see tooNarrow); nil until needed
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
