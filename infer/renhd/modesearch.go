package renhd

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"

	"ppl/infer"
	"ppl/infer/adapt"
	"ppl/infer/symmetry"
)

// A modeSearch looks for modes that no walker is in: it evaluates the density at many points, climbs from those that
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
type modeSearch struct {
	run    *knownModes
	visits func() *visits // that walkers have made before the search
	seen   *visits        // those
	alone  bool           // walkers do not jump to what is found
	state  searchState

	reference symmetry.Reference // of images, in the coordinates of the model; empty until it is asked for
}

// searchResult is how many modes a search has found.
type searchResult struct{ NewModes int }

// newSearch is a search after walkers have made these visits. Alone, walkers do not jump to what is found.
func (r *knownModes) newSearch(visits func() *visits, alone bool) *modeSearch {
	return &modeSearch{run: r, visits: visits, seen: visits(), alone: alone}
}

// searchState is how far a search is.
type searchState struct {
	Here    [][]float64 // where walkers are
	Clock   uint64      // their noise step
	Points  [][]float64 // to survey: groups of equal size
	Heights []float64   // of those surveyed so far
	Climbs  []adapt.Ascent
	Next    int    // climb whose end is looked at next
	Peaks   []mode // found at the ends of climbs
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
func (r *knownModes) searchesModes(seen *visits) bool {
	return seen != nil && len(seen.Visited) > 0 && len(seen.Visited[0]) > 0 && r.phase.findsPeaks()
}

// search looks for modes that no walker was in, adds them to those remembered, and places some of the walkers there.
func (r *knownModes) search(t *modeSearch) (found bool, err error) {
	if r.phase.options.Warmup < shortestWarmup {
		return false, nil
	}
	r.state.Searches++
	result, err := do(r.course, t)
	return result.NewModes > 0, err
}

func (t *modeSearch) Begin() error {
	if !t.run.searchesModes(t.seen) {
		return nil
	}
	t.state.Here, t.state.Clock = t.run.walkers.positions(), t.run.walkers.NoiseStep
	t.state.Points = t.survey()
	return nil
}

func (*modeSearch) Name() string { return "mode search" }
func (t *modeSearch) State() any { return &t.state }

// Resumed implements resumed.
func (t *modeSearch) Resumed() { t.seen = t.visits() }

func (t *modeSearch) More() bool {
	s := &t.state
	return len(s.Heights) < len(s.Points) || s.Next < len(s.Climbs) || s.walking()
}

// iterate evaluates points on all lanes once, looks at the end of a climb, or moves walkers on ridges.
func (t *modeSearch) Iterate() error {
	s := &t.state
	if len(s.Heights) < len(s.Points) {
		return t.surveyMore()
	}
	if going := s.going(t.run.walkers.lanes()); len(going) > 0 {
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

// going are the next climbs to evaluate, at most that many. None is begun once evaluations are spent.
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

// ends lists the climbs in the order in which their ends are looked at: those that have arrived at a mode come first.
func (s *searchState) ends() []int {
	order := allOf(len(s.Climbs))
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Compare(oneIf(s.Climbs[b].Arrived), oneIf(s.Climbs[a].Arrived))
	})
	return order
}

// survey lists the points to evaluate. Starts of the target are draws of proper priors, else they lie in a box about 0,
// the scale that users measure in; that box is made wider. Normals about the walkers are wider than they are.
func (t *modeSearch) survey() (points [][]float64) {
	s, search := &t.run.phase, t.run.state.Searches
	r, next := rand.New(rand.NewPCG(s.options.Seed, searchStream+uint64(search))), search*firstSearchStart
	start := infer.Starts(s.target, s.options.Seed)
	starts := func(scale float64) {
		for range groupSize {
			x := start(next)
			next++
			for j := range x {
				x[j] *= scale
			}
			points = append(points, x)
		}
	}
	for _, scale := range [startGroups]float64{1, 2, 2, 2, 4} {
		if s.target.ProperPrior() {
			scale = 1
		}
		starts(scale)
	}
	if arrays := s.arrays(); len(arrays) < t.run.walkers.dim {
		points = append(points, equalElements(points, arrays, r)...)
	}
	cloud, ok := adapt.FitNormal(t.places(), nil)
	if !ok {
		return points
	}
	for _, scale := range []float64{4, 16, 64} {
		points = append(points, around(&cloud, scale, r)...)
	}
	return points
}

// equalElements are points at which all elements of an array have one value, from points of groups of any scale. Where
// elements can change places, their gradients are equal there, so that a climb stays among such points and ends at a
// maximum or saddle of the whole density (Palais, "The principle of symmetric criticality", Communications in
// Mathematical Physics 69, 1979): a narrow mode in many dimensions that no point at random comes near is one in few.
func equalElements(from [][]float64, arrays [][]int, r *rand.Rand) (points [][]float64) {
	for range groupSize {
		x := make([]float64, len(from[0]))
		for _, array := range arrays {
			value := from[r.IntN(len(from))][array[r.IntN(len(array))]]
			for _, j := range array {
				x[j] = value
			}
		}
		points = append(points, x)
	}
	return points
}

// around is a group of points of a normal that is made wider.
func around(cloud *adapt.Normal, scale float64, r *rand.Rand) (points [][]float64) {
	for range groupSize {
		points = append(points, cloud.Point(normalNumbers(len(cloud.Mean), scale, r)))
	}
	return points
}

// mixed are points that take each coordinate from a point of a group, since draws of a prior take longer than
// densities.
func mixed(group [][]float64, r *rand.Rand) [][]float64 {
	points := split(make([]float64, len(group)*len(group[0])), len(group[0]))
	for _, x := range points {
		for j := range x {
			x[j] = group[r.IntN(len(group))][j]
		}
	}
	return points
}

// surveyCheap evaluates further groups of points, as many as cost next to nothing, and gives of each those that are
// higher than expected. They take hundredths of a second, so that no checkpoint has to hold them.
func (t *modeSearch) surveyCheap(cloud *adapt.Normal) (chosen [][][]float64, err error) {
	s, d := &t.run.phase, float64(t.run.walkers.dim)
	work, err := s.gradientWork()
	if err != nil {
		return nil, err
	}
	work += 2 * d * d // a point's distance in the coordinates of the normal
	if t.run.walkers.dim <= mostScanned {
		return t.scans(cloud, work)
	}
	many, err := t.run.surveyors(surveyLanes)
	if err != nil {
		return nil, err
	}
	defer many.exe.Close()
	r := rand.New(rand.NewPCG(s.options.Seed, cheapStream+uint64(t.run.state.Searches)))
	for k := range int(math.Min(moreGroups, cheapSurvey/(groupSize*work))) {
		group := t.state.Points[k%startGroups*groupSize:][:groupSize]
		if k%4 == 3 {
			group = around(cloud, 6, r)
		} else {
			group = mixed(group, r)
		}
		heights, _, err := many.evaluate(t.run.ctx, group, false)
		if err != nil {
			return nil, err
		}
		chosen = append(chosen, higherThanExpected(group, heights, cloud, t.highest()))
	}
	return chosen, nil
}

const (
	searchStream     = 0x5ea4c400
	cheapStream      = 0x5ea4c800
	likenessStream   = 0x5ea4cc00
	entryStream      = 0x5ea4cd00
	scanStream       = 0x5ea4ce00
	firstSearchStart = 1 << 20 // of the first search; starts before are those of walkers
)

// places are positions of the second half of the window, some thousand.
func (t *modeSearch) places() (out [][]float64) {
	const most = 2000
	stride := 1 + len(t.seen.Visited)*len(t.seen.Visited[0])/2/most
	for _, xs := range t.seen.Visited {
		for i := len(xs) / 2; i < len(xs); i += stride {
			out = append(out, xs[i])
		}
	}
	return out
}

// surveyMore evaluates the next points; after the last it chooses where to climb from.
func (t *modeSearch) surveyMore() error {
	s := &t.state
	n := min(len(s.Heights)+t.run.walkers.lanes(), len(s.Points))
	density, _, err := t.run.evaluate(s.Points[len(s.Heights):n], false)
	if s.Heights = append(s.Heights, density...); err != nil || n < len(s.Points) {
		return err
	}
	err = t.chooseClimbs()
	s.Points, s.Heights = nil, nil
	return err
}

// chooseClimbs lists where to climb from: modes that a run before has found, walkers' highest points, then the tops of
// the groups in turn.
func (t *modeSearch) chooseClimbs() error {
	s := &t.state
	for _, x := range t.run.knownBefore() {
		s.Climbs = append(s.Climbs, adapt.NewAscent(x))
	}
	for _, late := range t.seen.Late[:min(climbsOfWalkers, len(t.seen.Late))] {
		if late.Top != nil {
			s.Climbs = append(s.Climbs, adapt.NewAscent(late.Top))
		}
	}
	cloud, ok := adapt.FitNormal(t.places(), nil)
	var chosen [][][]float64
	for first := 0; first < len(s.Points) && ok; first += groupSize {
		group, heights := s.Points[first:first+groupSize], s.Heights[first:first+groupSize]
		var points [][]float64
		for _, i := range tops(group, heights, &cloud, t.highest()) {
			points = append(points, group[i])
		}
		chosen = append(chosen, points)
	}
	if ok {
		more, err := t.surveyCheap(&cloud)
		if err != nil {
			return err
		}
		chosen = append(chosen, more...)
	}
	for k := range climbsOfGroup {
		for _, points := range chosen {
			if k < len(points) {
				s.Climbs = append(s.Climbs, adapt.NewAscent(points[k]))
			}
		}
	}
	return nil
}

// tops are points to climb from, of each kind in turn: those higher than their nearest neighbours, the highest first;
// those that lie least below the top for how far they would if the target were the normal that walkers have shown; and
// any others that are higher than their neighbours, from all parts of the list.
func tops(points [][]float64, heights []float64, cloud *adapt.Normal, highest float64) (chosen []int) {
	const most = climbsOfGroup / 3
	var finite []int
	fall := make([]float64, len(points))
	for i, h := range heights {
		if !math.IsNaN(h) && !math.IsInf(h, 0) {
			finite, fall[i] = append(finite, i), (highest-h)/cloud.Distance(points[i])
		}
	}
	byHeight, byFall := slices.Clone(finite), slices.Clone(finite)
	slices.SortStableFunc(byHeight, func(a, b int) int { return cmp.Compare(heights[b], heights[a]) })
	slices.SortStableFunc(byFall, func(a, b int) int { return cmp.Compare(fall[a], fall[b]) })
	known := make([]struct{ top, asked bool }, len(points))
	top := func(i int) bool {
		if k := &known[i]; !k.asked {
			k.top, k.asked = isTop(points, heights, i), true
		}
		return known[i].top
	}
	for k := range most {
		at := slices.IndexFunc(byHeight, top)
		if at < 0 {
			break // there are no more
		}
		chosen = append(chosen, byHeight[at], byFall[k])
		byHeight = byHeight[at+1:]
		part := finite[k*len(finite)/most : (k+1)*len(finite)/most]
		if at := slices.IndexFunc(part, top); at >= 0 {
			chosen = append(chosen, part[at])
		}
	}
	return unique(chosen)
}

// higherThanExpected are the points that lie least below the top for how far they would if the target were the normal
// that walkers have shown.
func higherThanExpected(points [][]float64, heights []float64, cloud *adapt.Normal, highest float64) [][]float64 {
	first, second := 0, 1
	least, next := math.Inf(1), math.Inf(1)
	room := make([]float64, len(cloud.Mean))
	for i, h := range heights {
		switch fall := (highest - h) / cloud.DistanceIn(room, points[i]); {
		case fall < least:
			second, next, first, least = first, least, i, fall
		case fall < next:
			second, next = i, fall
		}
	}
	return [][]float64{slices.Clone(points[first]), slices.Clone(points[second])}
}

// unique leaves out what was in the list before.
func unique(list []int) (out []int) {
	for _, i := range list {
		if !slices.Contains(out, i) {
			out = append(out, i)
		}
	}
	return out
}

// nearNeighbours of a point have to be lower for it to be a top.
const nearNeighbours = 8

// isTop reports whether point i is higher than each of its nearest neighbours: of those that are higher, even the
// nearest is further away than enough others.
func isTop(points [][]float64, heights []float64, i int) bool {
	nearest := math.Inf(1)
	for k, h := range heights {
		if h > heights[i] {
			nearest = math.Min(nearest, squaredDistance(points[i], points[k], nearest))
		}
	}
	if math.IsInf(nearest, 1) {
		return true
	}
	missing := nearNeighbours
	for k, h := range heights {
		if k != i && h <= heights[i] && squaredDistance(points[i], points[k], nearest) < nearest {
			if missing--; missing == 0 {
				return true
			}
		}
	}
	return false
}

// squaredDistance is at least most where it is not less: what follows does not matter then. It adds up in four sums, so
// that no addition waits for the one before.
func squaredDistance(x, y []float64, most float64) float64 {
	const part = 32
	var a, b, c, d float64
	y = y[:len(x)]
	j := 0
	for ; j+part <= len(x); j += part {
		for k := j; k < j+part; k += 4 {
			s, t, u, v := x[k]-y[k], x[k+1]-y[k+1], x[k+2]-y[k+2], x[k+3]-y[k+3]
			a, b, c, d = a+s*s, b+t*t, c+u*u, d+v*v
		}
		if sum := a + b + c + d; !(sum < most) {
			return sum
		}
	}
	for ; j+4 <= len(x); j += 4 {
		s, t, u, v := x[j]-y[j], x[j+1]-y[j+1], x[j+2]-y[j+2], x[j+3]-y[j+3]
		a, b, c, d = a+s*s, b+t*t, c+u*u, d+v*v
	}
	for ; j < len(x); j++ {
		a += (x[j] - y[j]) * (x[j] - y[j])
	}
	return a + b + c + d
}

// climb evaluates the next point of climbs, at most one a lane.
func (t *modeSearch) climb(climbs []int) error {
	var at [][]float64
	for _, k := range climbs {
		at = append(at, t.state.Climbs[k].X)
	}
	density, gradient, err := t.run.evaluate(at, true)
	if err != nil {
		return err
	}
	for i, k := range climbs {
		t.state.Climbs[k].Report(t.run.walkers.Rungs[0].Metric, density[i], gradient[i])
	}
	return nil
}

// lookAt takes the curvature at the end of a climb, unless the end is too low to matter or known. Where a climb has not
// arrived, there is rarely a mode nearby: a few such ends without one are enough.
func (t *modeSearch) lookAt(c *adapt.Ascent) error {
	s := &t.state
	c.Best = t.image(c.Best)
	if c.Best == nil || s.Looked >= mostPeaks || !c.Arrived && s.Lost >= mostLost ||
		t.highest()-c.BestDensity > hopeless(len(c.Best)) || s.known(c.Best, c.BestDensity) {
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

// image is the one of a position that is nearest to where walkers were, where the target has symmetries.
func (t *modeSearch) image(x []float64) []float64 {
	r := t.run
	if x == nil {
		return nil
	}
	if !r.Reference.Empty() || r.phase.images == nil || len(t.seen.Visited) == 0 {
		return r.image(x, 0)
	}
	if t.reference.Empty() {
		t.reference = r.referenceOf(t.places())
	}
	return r.nearTo(t.reference)(x, 0)
}

// highest is the greatest log density that is known.
func (t *modeSearch) highest() float64 {
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
	return slices.ContainsFunc(s.Peaks, func(m mode) bool {
		return m.Normal.Distance(x) < 4+float64(len(x))/2 && height < m.Height+above
	})
}

// finish puts the walkers back and judges what was found.
func (t *modeSearch) Finish() (found searchResult, err error) {
	if t.state.Here == nil {
		return found, nil
	}
	r, here := t.run, t.state.Here
	fresh, err := t.apart(t.newModes())
	if err != nil {
		return found, err
	}
	ridges, err := t.ridgeModes()
	if err != nil {
		return found, err
	}
	if fresh = append(fresh, ridges...); len(fresh) > 0 {
		found.NewModes = len(fresh)
		r.state.Modes = append(t.visitedModes(), fresh...)
		here = r.spread(here)
	}
	_, err = r.walkers.place(r.ctx, here)
	r.walkers.NoiseStep = t.state.Clock
	return found, err
}

// visitedModes are those that walkers are in: as remembered, else one.
func (t *modeSearch) visitedModes() []mode {
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
		return []mode{m}
	}
	return nil
}

// newModes are the peaks that hold a share of the target which walkers have not shown, and those so narrow that walkers
// have to jump there. In many dimensions a place may be about as far from one peak as from another: it is counted for
// the one that makes it more probable.
func (t *modeSearch) newModes() (fresh []mode) {
	known, places := t.visitedModes(), t.places()
	if len(known) == 0 || len(t.state.Peaks) == 0 {
		return nil
	}
	shares := modeShares(slices.Concat(known, t.state.Peaks))[len(known):]
	in := make([]int, len(t.state.Peaks))
	for _, x := range places {
		if k := nearest(t.state.Peaks, x); t.state.Peaks[k].within(x) {
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

// muchNarrower reports whether a mode lies in known ones, and is much narrower than each of these.
func muchNarrower(m *mode, known []mode) bool {
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

// spread places walkers in the modes that none is in: in each at least one, in all that many that walkers are left for
// those before.
func (r *knownModes) spread(here [][]float64) [][]float64 {
	modes, out := r.state.Modes, slices.Clone(here)
	random := rand.New(rand.NewPCG(r.phase.options.Seed, searchStream))
	visited := make([]bool, len(modes))
	for _, x := range here {
		visited[nearest(modes, x)] = true
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
		z, m := normalNumbers(r.walkers.dim, .5, random), &modes[empty[i%len(empty)]]
		if out[(2*i+1)%len(here)] = m.At; !m.Ridge {
			out[(2*i+1)%len(here)] = m.Normal.Point(z)
		}
	}
	return out
}

// normalNumbers are numbers from a normal distribution.
func normalNumbers(n int, sd float64, r *rand.Rand) []float64 {
	z := make([]float64, n)
	for j := range z {
		z[j] = sd * r.NormFloat64()
	}
	return z
}
