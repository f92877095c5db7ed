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

// A Search looks for modes that no walker is in: it evaluates the density at many points, climbs from those that
// are higher than their neighbours (Rinnooy Kan and Timmer, "Stochastic global optimization methods", Mathematical
// Programming 39, 1987), and takes the curvature at the top. Laplace's approximation there, compared with the normal
// that walkers have shown, says what a mode holds of the target:
//
//	surveyed    4,096 points from the prior, from wider boxes, and from wider normals about the walkers; 512 with
//	            equal elements of each array; up to 32,768 more where they cost next to nothing
//	climbs      up to 120 from them, 8 from walkers; 2,000 gradients at most
//	found       a mode with .5 of the target that walkers, who have been at 1,600 places, have not visited
//	ridges      ends of climbs that are no peak, behind a barrier: walkers show what is there (ridges.go)
//
// Walkers are where they were when it is over, and its noise is its own.
type Search struct {
	run    *Known
	visits func() *population.Visits // that walkers have made before the search
	seen   *population.Visits        // those
	alone  bool                      // walkers do not jump to what is found
	state  searchState

	reference symmetry.Reference // of images, in the coordinates of the model; empty until it is asked for
}

// searchResult is how many modes a search has found.
type searchResult struct{ NewModes int }

// Peaks is at how many climbs have ended.
func (t *Search) Peaks() int { return len(t.state.Peaks) }

// NewSearch returns a search for modes after walkers have made these visits. If alone is true, walkers do not jump to
// the modes found.
func (r *Known) NewSearch(visits func() *population.Visits, alone bool) *Search {
	return &Search{run: r, visits: visits, seen: visits(), alone: alone}
}

// searchState is how far a search is.
type searchState struct {
	Here    [][]float64 // where walkers are
	Clock   uint64      // their noise step
	Points  [][]float64 // to survey: groups of equal size
	Heights []float64   // of those surveyed so far
	Climbs  []adapt.Ascent
	Next    int    // climb whose end is looked at next
	Peaks   []Mode // found at the ends of climbs
	Looked  int    // ends whose curvature was measured,
	Lost    int    // and near which no mode was
	Ridge   ridgeSearch
}

const (
	groupSize       = 512  // points of one kind
	surveyLanes     = 32   // of a device that evaluates further ones
	startGroups     = 5    // of starts
	moreGroups      = 64   // at most, of points that cost next to nothing
	cheapSurvey     = 2e7  // operations of arithmetic that they may take, some hundredths of a second
	climbsOfGroup   = 15   // a third for each reason (tops)
	climbsOfWalkers = 8    // from as many walkers' highest points
	mostEvaluations = 2000 // of all climbs together
	mostPeaks       = 24
	mostLost        = 4

	// leastShare is what a mode has to hold of the target to be taken notice of, by an estimate that may be wrong by
	// some factors; unvisited is the share of it that walkers, had they found it, would at least show.
	leastShare = 0.002
	unvisited  = 0.02
	// A mode that is much narrower than what walkers have shown (by that factor, in the geometric mean of all
	// directions), and that holds a notable share, is hardly entered and left by steps: walkers need jumps there, also
	// where some have been in it, and without jumps should show that much of it.
	timesNarrower = 8
	narrowShare   = 0.05
	narrowVisits  = 0.3
)

// searchesModes reports whether a search is possible after a window.
func (r *Known) searchesModes(seen *population.Visits) bool {
	return seen != nil && len(seen.Visited) > 0 && len(seen.Visited[0]) > 0 && r.Phase.FindsPeaks()
}

// Search searches for modes that no walker was in, adds them to the known ones, and places some of the walkers there.
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

// Resumed implements resumed.
func (t *Search) Resumed() { t.seen = t.visits() }

func (t *Search) More() bool {
	s := &t.state
	return len(s.Heights) < len(s.Points) || s.Next < len(s.Climbs) || s.walking()
}

// iterate evaluates points on all lanes once, looks at the end of a climb, or moves walkers on ridges.
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

// going returns the next climbs to evaluate, at most that many. None is begun once evaluations are spent.
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
	searchStream     = 0x5ea4c400
	cheapStream      = 0x5ea4c800
	likenessStream   = 0x5ea4cc00
	entryStream      = 0x5ea4cd00
	scanStream       = 0x5ea4ce00
	firstSearchStart = 1 << 20 // of the first search; starts before are those of walkers
)

// climb evaluates the next point of climbs, at most one a lane.
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

// lookAt computes the curvature at the end of a climb, unless the end is too low to matter or already known. Only a
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

// highest returns the greatest log density that is known.
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

// known reports whether a point belongs to a peak that was found: near it, and not above its top.
func (s *searchState) known(x []float64, height float64) bool {
	const above = 1
	return slices.ContainsFunc(s.Peaks, func(m Mode) bool {
		return m.Normal.Distance(x) < 4+float64(len(x))/2 && height < m.Height+above
	})
}

// Finish returns the walkers to their positions and evaluates the modes found.
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

// newModes returns the peaks that hold a share of the target which walkers have not shown, and those so narrow that
// walkers have to jump there. In many dimensions a place may be about as far from one peak as from another: it is
// counted for the one that makes it more probable.
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

// muchNarrower reports whether a mode lies within known modes and is much narrower than each of them.
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

// spreadWalkers places walkers in the modes that none is in: in each at least one, in all that many that walkers are
// left for those before.
func (r *Known) spreadWalkers(here [][]float64) [][]float64 {
	modes, out := r.state.Modes, slices.Clone(here)
	random := rand.New(rand.NewPCG(r.Phase.Options.Seed, searchStream))
	visited := make([]bool, len(modes))
	for _, x := range here {
		visited[Nearest(modes, x)] = true
	}
	var empty []int
	for k, m := range modes {
		if !visited[k] || m.Ridge { // whose normal may be nearest to walkers that are not on it
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

// NormalNumbers returns numbers from a normal distribution.
func NormalNumbers(n int, sd float64, r *rand.Rand) []float64 {
	z := make([]float64, n)
	for j := range z {
		z[j] = sd * r.NormFloat64()
	}
	return z
}
