package modesearch

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"

	"ppl/infer/adapt"
	"ppl/infer/renhd/part"
	"ppl/infer/renhd/population"
	"ppl/infer/symmetry"
)

// A Search looks for modes that no walker is in. It evaluates the density at many points, climbs from those that are
// higher than their neighbours (Rinnooy Kan and Timmer, "Stochastic global optimization methods", Mathematical
// Programming 39, 1987), and computes the curvature at the peaks. Laplace's approximation there, compared with a normal
// fitted to the walkers' positions, gives the mode's share of the target:
//
//	surveyed   4,096 points from the prior, from wider boxes, and from wider normals around the walkers; 512 with
//	           equal elements of each array; up to 32,768 more if these are cheap
//	climbs     up to 120 from these points, 8 from walkers; 2,000 gradients at most
//	found      e.g. a mode with .5 of the target that is not among the walkers' 1,600 positions
//	ridges     ends of climbs that are not peaks, behind a barrier: walkers explore them (ridges.go)
//
// Afterwards walkers return to their positions, except those that are placed in new modes, and the noise step is
// restored.
type Search struct {
	run    *Known
	visits func() *population.Visits // returns the visits of walkers before the search
	seen   *population.Visits        // result of visits
	alone  bool                      // walkers do not jump to the modes found
	state  searchState

	reference symmetry.Reference // reference for images, in the model's coordinates; empty until needed
}

// searchResult is the number of modes that a search has found.
type searchResult struct{ NewModes int }

// Peaks returns the number of peaks at which climbs have ended.
func (t *Search) Peaks() int { return len(t.state.Peaks) }

// NewSearch returns a search for modes after these visits of walkers. If alone is true, walkers do not jump to the
// modes found.
func (r *Known) NewSearch(visits func() *population.Visits, alone bool) *Search {
	return &Search{run: r, visits: visits, seen: visits(), alone: alone}
}

// searchState is the state of a search.
type searchState struct {
	Here    [][]float64 // positions of the walkers
	Clock   uint64      // noise step of the walkers
	Points  [][]float64 // points to survey, in groups of equal size
	Heights []float64   // log densities of the points surveyed so far
	Climbs  []adapt.Ascent
	Next    int    // index of the climb whose end is examined next
	Peaks   []Mode // peaks found at the ends of climbs
	Looked  int    // number of ends whose curvature was measured
	Lost    int    // number of these ends without a mode nearby
	Ridge   ridgeSearch
}

const (
	groupSize       = 512  // number of points of one kind
	surveyLanes     = 32   // lanes of the device that evaluates additional points
	startGroups     = 5    // number of groups of starting points
	moreGroups      = 64   // maximum number of groups of additional points
	cheapSurvey     = 2e7  // maximum number of operations for additional points, some hundredths of a second
	climbsOfGroup   = 15   // a third of them for each criterion of tops
	climbsOfWalkers = 8    // number of climbs from walkers' highest points
	mostEvaluations = 2000 // of all climbs together
	mostPeaks       = 24
	mostLost        = 4

	// leastShare is the estimated share of the target above which a mode counts; the estimate may be wrong by some
	// factors. unvisited is the ratio of observed to expected visits below which a mode counts as unvisited.
	leastShare = 0.002
	unvisited  = 0.02
	// A mode that is narrower than the visited modes by the factor timesNarrower (geometric mean over directions), and
	// has at least narrowShare of the target, is hardly entered and left by steps. Walkers need jumps there even if
	// some have visited it; without jumps, it counts as missed if its ratio of visits is below narrowVisits.
	timesNarrower = 8
	narrowShare   = 0.05
	narrowVisits  = 0.3
)

// searchesModes reports whether a search is possible after a window.
func (r *Known) searchesModes(seen *population.Visits) bool {
	return seen != nil && len(seen.Visited) > 0 && len(seen.Visited[0]) > 0 && r.Phase.FindsPeaks()
}

// Search searches for modes that no walker was in, adds them to the known ones, and places some of the walkers there.
// It does nothing if warm-up has fewer than population.ShortestWarmup iterations.
func (r *Known) Search(t *Search) (found bool, err error) {
	if r.Phase.Options.Warmup < population.ShortestWarmup {
		return false, nil
	}
	r.state.Searches++
	result, err := part.Do(r.Run, t)
	return result.NewModes > 0, err
}

func (t *Search) Begin() error {
	if !t.run.searchesModes(t.seen) {
		return nil
	}
	t.state.Here, t.state.Clock = t.run.Walkers.Positions(), t.run.Walkers.NoiseStep
	t.state.Points = t.survey()
	return nil
}

func (*Search) Name() string { return "mode search" }
func (t *Search) State() any { return &t.state }

// Resumed is called after the state has been restored from a checkpoint.
func (t *Search) Resumed() { t.seen = t.visits() }

func (t *Search) More() bool {
	s := &t.state
	return len(s.Heights) < len(s.Points) || s.Next < len(s.Climbs) || s.walking()
}

// Iterate evaluates points once on all lanes, examines the end of a climb, or moves walkers on ridges.
func (t *Search) Iterate() error {
	s := &t.state
	if len(s.Heights) < len(s.Points) {
		return t.surveyMore()
	}
	if going := s.going(t.run.Walkers.Lanes()); len(going) > 0 {
		return t.climb(going)
	}
	if s.walking() {
		return t.walk()
	}
	s.Next++
	if err := t.lookAt(&s.Climbs[s.ends()[s.Next-1]]); err != nil || s.Next < len(s.Climbs) {
		return err
	}
	return t.chooseRidges()
}

// going returns the climbs to evaluate next, no more than most. No new climb begins after the budget of evaluations is
// used up.
func (s *searchState) going(most int) (climbs []int) {
	spent := 0
	for k := range s.Climbs {
		spent += s.Climbs[k].Evaluations
	}
	for k := range s.Climbs {
		c := &s.Climbs[k]
		if !c.Done && len(climbs) < most && (c.Evaluations > 0 || spent < mostEvaluations) {
			climbs = append(climbs, k)
		}
	}
	return climbs
}

// ends lists the climbs in the order in which their ends are examined: climbs that converged to a mode come first.
func (s *searchState) ends() []int {
	order := adapt.AllOf(len(s.Climbs))
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Compare(population.OneIf(s.Climbs[b].Arrived), population.OneIf(s.Climbs[a].Arrived))
	})
	return order
}

const (
	searchStream   = 0x5ea4c400
	cheapStream    = 0x5ea4c800
	likenessStream = 0x5ea4cc00
	entryStream    = 0x5ea4cd00
	scanStream     = 0x5ea4ce00
	// firstSearchStart is the number of the first starting point of the first search; smaller numbers belong to
	// walkers.
	firstSearchStart = 1 << 20
)

// climb evaluates the next point of some climbs, at most one for each lane.
func (t *Search) climb(climbs []int) error {
	var at [][]float64
	for _, k := range climbs {
		at = append(at, t.state.Climbs[k].X)
	}
	density, gradient, err := t.run.Evaluate(at, true)
	if err != nil {
		return err
	}
	for i, k := range climbs {
		t.state.Climbs[k].Report(t.run.Walkers.Rungs[0].Metric, density[i], gradient[i])
	}
	return nil
}

// lookAt computes the curvature at the end of a climb, unless the end is too low to matter or near a known peak. Only a
// few ends of climbs that did not converge are examined, since there is rarely a mode nearby.
func (t *Search) lookAt(c *adapt.Ascent) error {
	s := &t.state
	c.Best = t.image(c.Best)
	if c.Best == nil || s.Looked >= mostPeaks || !c.Arrived && s.Lost >= mostLost ||
		t.highest()-c.BestDensity > population.Hopeless(len(c.Best)) || s.known(c.Best, c.BestDensity) {
		return nil
	}
	s.Looked++
	m, ok, err := t.run.peakNear(c.Best)
	if image := t.image(m.At); ok && err == nil && !slices.Equal(image, m.At) {
		m, ok, err = t.run.peakNear(image)
	}
	switch {
	case err != nil:
		return err
	case !ok:
		s.Lost++
	case !s.known(m.At, m.Height):
		s.Peaks = append(s.Peaks, m)
	}
	return nil
}

// image returns the image of a position, under the target's symmetries, that is nearest to the walkers' earlier
// positions.
func (t *Search) image(x []float64) []float64 {
	r := t.run
	if x == nil {
		return nil
	}
	if !r.Reference.Empty() || r.Phase.Images == nil || len(t.seen.Visited) == 0 {
		return r.Image(x, 0)
	}
	if t.reference.Empty() {
		t.reference = r.ReferenceOf(t.places())
	}
	return r.NearTo(t.reference)(x, 0)
}

// highest returns the highest known log density.
func (t *Search) highest() float64 {
	top := math.Inf(-1)
	for _, late := range t.seen.Late {
		top = math.Max(top, late.Density)
	}
	for _, m := range t.state.Peaks {
		top = math.Max(top, m.Height)
	}
	return top
}

// known reports whether a point belongs to a known peak: it is near it, and not above it.
func (s *searchState) known(x []float64, height float64) bool {
	const above = 1
	return slices.ContainsFunc(s.Peaks, func(m Mode) bool {
		return m.Normal.Distance(x) < 4+float64(len(x))/2 && height < m.Height+above
	})
}

// Finish decides which of the modes found are new, adds them to the known ones, and restores the walkers' positions,
// except for those placed in new modes.
func (t *Search) Finish() (found searchResult, err error) {
	if t.state.Here == nil {
		return found, nil
	}
	r, here := t.run, t.state.Here
	fresh, err := t.withBarriers(t.newModes())
	if err != nil {
		return found, err
	}
	ridges, err := t.ridgeModes()
	if err != nil {
		return found, err
	}
	fresh = append(fresh, ridges...)
	if len(fresh) > 0 {
		found.NewModes = len(fresh)
		r.state.Modes = append(t.visitedModes(), fresh...)
		here = r.spreadWalkers(here)
	}
	_, err = r.Walkers.Place(r.Ctx, here)
	r.Walkers.NoiseStep = t.state.Clock
	return found, err
}

// visitedModes returns the modes that walkers are in: the known ones, or a single mode of all walkers.
func (t *Search) visitedModes() []Mode {
	if known := t.run.state.Modes; len(known) > 0 {
		return known
	}
	var heights []float64
	var places [][]float64
	for lane, xs := range t.seen.Visited {
		half := len(xs) / 2
		heights, places = append(heights, t.seen.Density[lane][half:]...), append(places, xs[half:]...)
	}
	if m, ok := newMode(heights, places); ok {
		return []Mode{m}
	}
	return nil
}

// newModes returns the peaks that hold a share of the target but were hardly visited, and peaks so narrow that walkers
// need jumps. In many dimensions a position may be about equally far from two peaks: it counts for the more likely one.
func (t *Search) newModes() (fresh []Mode) {
	known, places := t.visitedModes(), t.places()
	if len(known) == 0 || len(t.state.Peaks) == 0 {
		return nil
	}
	shares := ModeShares(slices.Concat(known, t.state.Peaks))[len(known):]
	in := make([]int, len(t.state.Peaks))
	for _, x := range places {
		if k := Nearest(t.state.Peaks, x); t.state.Peaks[k].within(x) {
			in[k]++
		}
	}
	for k, m := range t.state.Peaks {
		shown := float64(in[k]) / (shares[k] * float64(len(places)))
		narrow := shares[k] >= narrowShare && (!t.alone || shown <= narrowVisits) && muchNarrower(&m, known)
		if shares[k] >= leastShare && shown <= unvisited || narrow {
			fresh = append(fresh, m)
		}
	}
	return fresh
}

// muchNarrower reports whether a mode's peak lies within known modes, and the mode is much narrower than each of these.
func muchNarrower(m *Mode, known []Mode) bool {
	least := 0.0
	for _, k := range known {
		if times := math.Exp((k.Normal.LogVolume() - m.Normal.LogVolume()) / float64(len(m.At))); k.within(m.At) {
			if least == 0 || times < least {
				least = times
			}
		}
	}
	return least > timesNarrower
}

// spreadWalkers places walkers in the modes that contain none: at least one in each if possible, and a quarter to a
// half of all walkers in total.
func (r *Known) spreadWalkers(here [][]float64) [][]float64 {
	modes, out := r.state.Modes, slices.Clone(here)
	random := rand.New(rand.NewPCG(r.Phase.Options.Seed, searchStream))
	visited := make([]bool, len(modes))
	for _, x := range here {
		visited[Nearest(modes, x)] = true
	}
	var empty []int
	for k, m := range modes {
		if !visited[k] || m.Ridge { // the normal of a ridge may be nearest to walkers that are not on the ridge
			empty = append(empty, k)
		}
	}
	for i := range min(len(here)/2, max(len(empty), len(here)/4)) {
		if len(empty) == 0 {
			break
		}
		z, m := NormalNumbers(r.Walkers.Dim, .5, random), &modes[empty[i%len(empty)]]
		out[(2*i+1)%len(here)] = m.At
		if !m.Ridge {
			out[(2*i+1)%len(here)] = m.Normal.Point(z)
		}
	}
	return out
}

// NormalNumbers returns n draws from a normal distribution with mean 0 and standard deviation sd.
func NormalNumbers(n int, sd float64, r *rand.Rand) []float64 {
	z := make([]float64, n)
	for j := range z {
		z[j] = sd * r.NormFloat64()
	}
	return z
}
