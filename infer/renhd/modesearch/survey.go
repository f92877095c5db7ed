package modesearch

import (
	"cmp"
	"math"
	"math/rand/v2"
	"ppl/infer"
	"ppl/infer/adapt"
	"ppl/infer/renhd/population"
	"slices"
)

// survey returns the points to evaluate. Starting points of the target are draws of the prior if it is proper;
// otherwise they are in a box around 0, the scale that users measure in, and wider boxes are added. So are normals
// wider than the distribution of the walkers.
func (t *Search) survey() (points [][]float64) {
	s, search := &t.run.Phase, t.run.state.Searches
	r, next := rand.New(rand.NewPCG(s.Options.Seed, searchStream+uint64(search))), search*firstSearchStart
	start := infer.Starts(s.Target, s.Options.Seed)
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
		if s.Target.ProperPrior() {
			scale = 1
		}
		starts(scale)
	}
	if arrays := s.Arrays(); len(arrays) < t.run.Walkers.Dim {
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

// equalElements returns points at which all elements of each array are equal, with values taken from other points. If
// elements can be permuted, their gradients are equal at such points, so a climb stays among such points and ends at a
// maximum or saddle of the density (Palais, "The principle of symmetric criticality", Communications in Mathematical
// Physics 69, 1979). So the search for a narrow mode in many dimensions, which no random point comes near, becomes one
// in few dimensions.
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

// around returns a group of points of a normal widened by a factor.
func around(cloud *adapt.Normal, scale float64, r *rand.Rand) [][]float64 {
	dim := len(cloud.Mean)
	points := population.Split(NormalNumbers(groupSize*dim, scale, r), dim)
	for _, x := range points {
		cloud.PointIn(x, x)
	}
	return points
}

// mixed returns points each of whose coordinates is taken from a random point of a group. This is faster than drawing
// from a prior.
func mixed(group [][]float64, r *rand.Rand) [][]float64 {
	points := population.Split(make([]float64, len(group)*len(group[0])), len(group[0]))
	for _, x := range points {
		for j := range x {
			x[j] = group[r.IntN(len(group))][j]
		}
	}
	return points
}

// surveyCheap evaluates more groups of points, as long as these are cheap, and returns from each group the points that
// are higher than expected. This takes hundredths of a second, so checkpoints need not include it.
func (t *Search) surveyCheap(cloud *adapt.Normal) (chosen [][][]float64, err error) {
	s, d := &t.run.Phase, float64(t.run.Walkers.Dim)
	work, err := s.GradientWork()
	if err != nil {
		return nil, err
	}
	work += 2 * d * d // operations for the distance of a point from the normal
	if t.run.Walkers.Dim <= mostScanned {
		return t.surveyGrids(cloud, work)
	}
	many, err := t.run.Surveyors(surveyLanes)
	if err != nil {
		return nil, err
	}
	defer many.Exe.Close()
	r := rand.New(rand.NewPCG(s.Options.Seed, cheapStream+uint64(t.run.state.Searches)))
	for k := range int(math.Min(moreGroups, cheapSurvey/(groupSize*work))) {
		group := t.state.Points[k%startGroups*groupSize:][:groupSize]
		if k%4 == 3 {
			group = around(cloud, 6, r)
		} else {
			group = mixed(group, r)
		}
		heights, _, err := many.Evaluate(t.run.Ctx, group, false)
		if err != nil {
			return nil, err
		}
		chosen = append(chosen, higherThanExpected(group, heights, cloud, t.highest()))
	}
	return chosen, nil
}

// places returns up to some thousand positions of the second half of the window.
func (t *Search) places() (out [][]float64) {
	const most = 2000
	stride := 1 + len(t.seen.Visited)*len(t.seen.Visited[0])/2/most
	for _, xs := range t.seen.Visited {
		for i := len(xs) / 2; i < len(xs); i += stride {
			out = append(out, xs[i])
		}
	}
	return out
}

// surveyMore evaluates the next points. After the last one it chooses the starting points of climbs.
func (t *Search) surveyMore() error {
	s := &t.state
	n := min(len(s.Heights)+t.run.Walkers.Lanes(), len(s.Points))
	density, _, err := t.run.Evaluate(s.Points[len(s.Heights):n], false)
	s.Heights = append(s.Heights, density...)
	if err != nil || n < len(s.Points) {
		return err
	}
	err = t.chooseClimbs()
	s.Points, s.Heights = nil, nil
	return err
}

// chooseClimbs lists the points from which to climb: modes that an earlier run has found, the walkers' highest points,
// then the best points of all groups in turn.
func (t *Search) chooseClimbs() error {
	s := &t.state
	for _, x := range t.run.KnownBefore() {
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

// tops returns points to climb from, by three criteria in turn: points higher than their nearest neighbours, the
// highest first; points whose log density is least below the highest one, relative to their distance from the normal
// fitted to the walkers; and points higher than their neighbours from all parts of the list.
func tops(points [][]float64, heights []float64, cloud *adapt.Normal, highest float64) (chosen []int) {
	const most = climbsOfGroup / 3
	var finite []int
	fall, room := make([]float64, len(points)), make([]float64, len(cloud.Mean))
	for i, h := range heights {
		if !math.IsNaN(h) && !math.IsInf(h, 0) {
			finite, fall[i] = append(finite, i), (highest-h)/cloud.DistanceIn(room, points[i])
		}
	}
	byFall, ranks := slices.Clone(finite), rank(points, heights)
	slices.SortFunc(byFall, func(a, b int) int { return cmp.Or(cmp.Compare(fall[a], fall[b]), a-b) })
	byHeight := slices.DeleteFunc(slices.Clone(ranks.order), func(i int) bool { return math.IsInf(heights[i], 0) })
	known := make([]struct{ top, asked bool }, len(points))
	top := func(i int) bool {
		if k := &known[i]; !k.asked {
			k.top, k.asked = ranks.isTop(i), true
		}
		return known[i].top
	}
	for k := range most {
		at := slices.IndexFunc(byHeight, top)
		if at < 0 {
			break // none is left
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

// higherThanExpected returns two points: those whose log density falls least below the highest one, relative to their
// distance from the centre of a normal fitted to the walkers.
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

// unique removes repeated numbers from a list and keeps the order.
func unique(list []int) (out []int) {
	for _, i := range list {
		if !slices.Contains(out, i) {
			out = append(out, i)
		}
	}
	return out
}
