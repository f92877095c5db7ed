package modesearch

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"

	"ppl/infer/adapt"
	"ppl/infer/dynamics"
	"ppl/infer/renhd/population"
)

// A gridSurvey evaluates a target of few parameters at some hundred thousand points of a grid, if that is cheap. A mode
// of any width shows as a point higher than its neighbours, provided that its basin is as wide as the spacing of the
// grid. In two dimensions, within a mode with standard deviations of 1:
//
//	grid around the walkers   ±4.5 standard deviations, 443 × 443 points, .02 apart
//	a mode .003 wide          has a basin .029 wide, if its peak is 11.6 above its surroundings in log density
//
// A second search uses grids shifted by half a step. Points along a narrow ridge can be higher than their neighbours,
// too; climbs from there end at positions that walkers have visited.
type gridSurvey struct {
	first []float64   // a corner of the grid
	steps [][]float64 // for each side, the vector from a point to the next one
	side  int         // number of points of a side
}

const (
	mostScanned   = 3       // maximum number of parameters
	scanPoints    = 3 << 17 // maximum number of points of both grids together
	mostOfSide    = 1 << 16
	fewestScanned = 1 << 12 // minimum number of points of both grids together
	cheapScan     = 2.5e8   // maximum number of arithmetic operations for both grids, some hundredths of a second
	scanOverhead  = 500     // operations for each point in addition to the density
	scanLanes     = 512     // number of points evaluated in one call
	nearReach     = 4.5     // half-width of the first grid around the walkers, in standard deviations
	farReach      = 10      // half-width of the second grid, which also covers most starting points
	farStarts     = 0.01    // share of the starting points at each end that the second grid need not cover
)

// surveyGrids evaluates the density on the grids. It returns lists of points from which to climb, two for each grid, or
// nil if a density costs too much. work is the number of operations of one density.
func (t *Search) surveyGrids(cloud *adapt.Normal, work float64) (chosen [][][]float64, err error) {
	points := math.Min(scanPoints, cheapScan/(scanOverhead+work))
	side := min(mostOfSide, int(math.Pow(points/2, 1/float64(t.run.Walkers.Dim))))
	if points < fewestScanned {
		return nil, nil
	}
	many, err := t.run.Surveyors(scanLanes)
	if err != nil {
		return nil, err
	}
	defer many.Exe.Close()
	for _, s := range t.grids(cloud, side) {
		heights, err := heightsOf(many, t.run, &s)
		if err != nil {
			return nil, err
		}
		chosen = append(chosen, s.tops(heights)...)
	}
	return chosen, nil
}

// grids returns a grid around the walkers, and a wider one.
func (t *Search) grids(cloud *adapt.Normal, side int) []gridSurvey {
	random := rand.New(rand.NewPCG(t.run.Phase.Options.Seed, scanStream))
	_, shift := math.Modf(random.Float64() + float64(t.run.state.Searches)/2)
	var near, low, high []float64
	for j, sd := range cloud.SD() {
		starts := make([]float64, startGroups*groupSize)
		for i := range starts {
			starts[i] = t.state.Points[i][j]
		}
		slices.Sort(starts)
		cut := int(farStarts * float64(len(starts)))
		near = append(near, nearReach)
		low = append(low, math.Min(cloud.Mean[j]-farReach*sd, starts[cut]))
		high = append(high, math.Max(cloud.Mean[j]+farReach*sd, starts[len(starts)-1-cut]))
	}
	whole := func(x []float64) []float64 { return x }
	about := newGridSurvey(floats.ScaleTo(make([]float64, len(near)), -1, near), near, side, shift, cloud.Point)
	return []gridSurvey{about, newGridSurvey(low, high, side, shift, whole)}
}

// newGridSurvey returns a grid in a box; point maps the box's coordinates to the target's by an affine map.
func newGridSurvey(low, high []float64, side int, shift float64, point func(z []float64) []float64) gridSurvey {
	step := func(j int) float64 { return (high[j] - low[j]) / float64(side) }
	corner := slices.Clone(low)
	for j := range corner {
		corner[j] += shift * step(j)
	}
	s := gridSurvey{first: point(corner), side: side}
	for j := range low {
		next := slices.Clone(corner)
		next[j] += step(j)
		s.steps = append(s.steps, floats.SubTo(next, point(next), s.first))
	}
	return s
}

// size returns the number of points.
func (s *gridSurvey) size() int {
	n := 1
	for range s.steps {
		n *= s.side
	}
	return n
}

// point returns point i of the grid.
func (s *gridSurvey) point(i int) []float64 {
	x := slices.Clone(s.first)
	for _, step := range s.steps {
		floats.AddScaled(x, float64(i%s.side), step)
		i /= s.side
	}
	return x
}

// points writes consecutive points of the grid to out, starting with number from.
func (s *gridSurvey) points(from int, out []float64) {
	d := len(s.first)
	x := s.point(from)
	for k := from; len(out) > 0; out = out[d:] {
		copy(out, x)
		k++
		if k%s.side == 0 {
			copy(x, s.point(k))
		} else {
			for j, step := range s.steps[0] {
				x[j] += step
			}
		}
	}
}

// heightsOf returns the log densities at all points of a grid.
func heightsOf(w *population.Walkers, r *Known, s *gridSurvey) ([]float64, error) {
	heights, at := make([]float64, s.size()+w.Lanes()), make([]float64, w.Lanes()*w.Dim)
	logLik := make([]float64, w.Lanes())
	for from := 0; from < s.size(); from += w.Lanes() {
		s.points(from, at) // the last points may be outside the grid
		w.Exe.Set(dynamics.Theta, at)
		if err := w.RunEntry(r.Ctx, "start", nil); err != nil {
			return nil, err
		}
		w.Exe.Get(dynamics.LogPrior, heights[from:from+w.Lanes()])
		w.Exe.Get(dynamics.LogLik, logLik)
		floats.Add(heights[from:from+w.Lanes()], logLik)
	}
	return heights[:s.size()], nil
}

// tops returns the points that are higher than all their neighbours, in two lists: the highest points, and those that
// exceed their neighbours most.
func (s *gridSurvey) tops(heights []float64) (lists [][][]float64) {
	type top struct {
		at           int
		height, rise float64
	}
	var all []top
	around := s.around()
	for i := 1; i+1 < len(heights); i++ {
		if !(heights[i] > heights[i-1] && heights[i] > heights[i+1]) || !s.inside(i) {
			continue // most points
		}
		if by := rise(heights, i, around); by > 0 {
			all = append(all, top{i, heights[i], by})
		}
	}
	for _, by := range []func(a, b top) int{
		func(a, b top) int { return cmp.Compare(b.height, a.height) },
		func(a, b top) int { return cmp.Compare(b.rise, a.rise) },
	} {
		slices.SortStableFunc(all, by)
		var list [][]float64
		for _, t := range all[:min(len(all), climbsOfGroup)] {
			list = append(list, s.point(t.at))
		}
		lists = append(lists, list)
	}
	return lists
}

// around returns the differences between the numbers of a point's neighbours and its own number.
func (s *gridSurvey) around() []int {
	out, stride := []int{0}, 1
	for range s.steps {
		for _, k := range out {
			out = append(out, k-stride, k+stride)
		}
		stride *= s.side
	}
	return out[1:]
}

// inside reports whether a point has neighbours on all sides.
func (s *gridSurvey) inside(i int) bool {
	for range s.steps {
		if at := i % s.side; at == 0 || at == s.side-1 {
			return false
		}
		i /= s.side
	}
	return true
}

// rise returns the difference between a point and the highest of its neighbours, or 0 if it is not higher than all.
func rise(heights []float64, i int, around []int) float64 {
	h, least := heights[i], math.Inf(1)
	for _, k := range around {
		if by := h - heights[i+k]; !(by > 0) {
			return 0 // a neighbour is not lower, or not a number
		} else if by < least {
			least = by
		}
	}
	return least
}
