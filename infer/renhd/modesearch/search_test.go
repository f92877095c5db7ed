package modesearch

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"ppl/autodiff"
	"ppl/infer"
	"ppl/infer/adapt"
	"ppl/infer/dynamics"
	"ppl/infer/dynamics/dynamicstest"
	"ppl/infer/renhd/parttest"
	"ppl/infer/renhd/population"
	"ppl/infer/renhd/renhdtest"
	"ppl/posterior/stats"
)

// aroundWide returns a window of explorers in the mode at −3 in d dimensions.
func aroundWide(d int) *population.Visits {
	random, s := rand.New(rand.NewPCG(7, 8)), &population.Visits{Sweeps: 100}
	for range 16 {
		var density []float64
		var visited [][]float64
		for range s.Sweeps {
			x, sum := make([]float64, d), 0.0
			for j := range x {
				z := random.NormFloat64()
				x[j], sum = z-3, sum-z*z/2
			}
			density, visited = append(density, sum), append(visited, x)
		}
		s.Density, s.Visited = append(s.Density, density), append(s.Visited, visited)
	}
	return parttest.WithLateHalves(s)
}

// TestSearchFindsNarrowMode checks that a mode up to ten times narrower than the walkers' mode is found with its share,
// and that walkers are placed there. A mode of negligible mass is not found, and neither is one if there is only one
// mode.
func TestSearchFindsNarrowMode(t *testing.T) {
	for name, c := range map[string]struct{ sd, weight, share float64 }{
		"half":            {.1, 1, .5},
		"a fifth":         {.2, .25, .2},
		"next to nothing": {.1, 1e-6, 0},
		"the same mode":   {1, 1e-300, 0},
	} {
		r := modesAt(t, renhdtest.Widths(4, c.sd, c.weight), atWide(4))
		before := r.Walkers.Positions()
		found, err := searchAfter(r, aroundWide(4))
		if err != nil {
			t.Fatal(err)
		}
		if found != (c.share > 0) {
			t.Errorf("%s: found is %t, %d modes", name, found, len(r.state.Modes))
			continue
		}
		moved := 0
		for lane, x := range r.Walkers.Positions() {
			if math.Abs(x[0]-before[lane][0]) > 1e-12 {
				moved++
			}
		}
		if !found && moved > 0 {
			t.Errorf("%s: %d walkers were moved", name, moved)
		}
		if !found {
			continue
		}
		shares := ModeShares(r.state.Modes)
		if k := Nearest(r.state.Modes, []float64{3, 3, 3, 3}); math.Abs(shares[k]-c.share) > .05 || moved == 0 {
			t.Errorf("%s: shares %.3f, want %.3f; %d walkers moved", name, shares[k], c.share, moved)
		}
	}
}

// TestSearchBeginsWhereModesAreKnown checks that a mode that is too narrow for random points is found with its share if
// Options.Known has a point in it. It must not be found without this point, or with a point elsewhere.
func TestSearchBeginsWhereModesAreKnown(t *testing.T) {
	needle, wide := []float64{3, 1, 2, 5}, []float64{-3, -3, -3, -3}
	mix := dynamicstest.Mixture{Weight: []float64{.7, .3}, Center: [][]float64{wide, needle}, SD: []float64{1, .003}}
	for name, c := range map[string]struct {
		known [][]float64
		want  bool
	}{
		"nothing":   {nil, false},
		"in it":     {[][]float64{{3.004, 1, 2.003, 4.998}}, true},
		"elsewhere": {[][]float64{{-2, -3, -4, -3}}, false},
	} {
		r := modesAt(t, mix.Target(), atWide(4))
		seen := aroundWide(4)
		r.Phase.Options.Known = c.known
		for _, density := range seen.Density {
			floats.AddConst(math.Log(.7)-2*math.Log(2*math.Pi), density)
		}
		found, err := searchAfter(r, seen)
		if err != nil || found != c.want {
			t.Errorf("%s: found is %t, %v", name, found, err)
		}
		if !found {
			continue
		}
		shares := ModeShares(r.state.Modes)
		if k := Nearest(r.state.Modes, needle); math.Abs(shares[k]-.3) > .05 {
			t.Errorf("%s: shares %.3f, want .3", name, shares[k])
		}
	}
}

// atWide returns positions of explorers in the mode at −3 in d dimensions.
func atWide(d int) func(lane int) []float64 {
	return func(lane int) []float64 {
		x := slices.Repeat([]float64{-3}, d)
		x[d-1] += float64(lane) / 20
		return x
	}
}

// TestSearchFindsWhatFewPointsShow checks that the additional points of a survey are useful. In the plane, .24 of the
// usual points are on average within reach of a mode a hundred times narrower than the known one, and 2.6 with
// additional points: 1.8 or 7.4 of eight searches are expected to find it. In more dimensions, more points are within
// reach of a mode a quarter or a third as wide, but nearly all of them at its edge, where they are hardly higher than
// expected. Only points with equal elements are close to a mode a tenth as wide in ten dimensions.
func TestSearchFindsWhatFewPointsShow(t *testing.T) {
	for _, c := range []struct {
		d  int
		sd float64
	}{{2, .01}, {8, .25}, {10, .35}, {10, .1}} {
		times := 0
		for search := range 8 {
			r := modesAt(t, renhdtest.Widths(c.d, c.sd, 1), atWide(c.d))
			r.state.Searches = search
			found, err := searchAfter(r, aroundWide(c.d))
			if err != nil {
				t.Fatal(err)
			}
			times += int(population.OneIf(found))
		}
		if times < 6 {
			t.Errorf("%d dimensions: %d searches of 8 find the narrow mode", c.d, times)
		}
	}
}

// TestSearchFindsSpikes checks that a spike within a wide mode, at its centre or near it, counts as a mode if it has a
// notable share, although no barrier separates it. A spike of little mass does not, and neither does the peak of a
// funnel, whose normal is narrow too, but which walkers have visited in proportion to its mass.
func TestSearchFindsSpikes(t *testing.T) {
	funnel := dynamicstest.Density{D: 3, Spread: 2, LogPrior: func(x autodiff.Node) autodiff.Node {
		g := x.Graph()
		v, rest := autodiff.Slice(x, []int{0}, []int{1}), autodiff.Slice(x, []int{1}, []int{3})
		squares := autodiff.SumAll(autodiff.Mul(rest, rest))
		w := autodiff.Reshape(v)
		return autodiff.Sub(autodiff.Mul(g.Const(-1./18), autodiff.Mul(w, w)),
			autodiff.Add(w, autodiff.Mul(autodiff.Exp(autodiff.Neg(w)), autodiff.Mul(g.Const(.5), squares))))
	}}
	inFunnel := func() *population.Visits {
		random, s := rand.New(rand.NewPCG(7, 8)), &population.Visits{Sweeps: 200}
		for range 16 {
			var density []float64
			var visited [][]float64
			for range s.Sweeps {
				v := 3 * random.NormFloat64()
				a, b := random.NormFloat64(), random.NormFloat64()
				visited = append(visited, []float64{v, a * math.Exp(v/2), b * math.Exp(v/2)})
				density = append(density, -v*v/18-v-(a*a+b*b)/2)
			}
			s.Density, s.Visited = append(s.Density, density), append(s.Visited, visited)
		}
		return parttest.WithLateHalves(s)
	}
	for name, c := range map[string]struct {
		target infer.Target
		seen   *population.Visits
		found  bool
	}{
		"middle": {renhdtest.TwoNormals(4, -3, .03, 1), aroundWide(4), true},
		"near":   {renhdtest.TwoNormals(4, -2.2, .05, 1), aroundWide(4), true},
		"little": {renhdtest.TwoNormals(4, -3, .03, .05), aroundWide(4), false},
		"funnel": {funnel, inFunnel(), false},
	} {
		r := modesAt(t, c.target, func(lane int) []float64 { return c.seen.Visited[lane][0] })
		if found, err := searchAfter(r, c.seen); err != nil || found != c.found {
			t.Errorf("%s: found is %t (%v)", name, found, err)
		}
	}
}

// TestElementsAreEqual checks that equalElements returns points whose arrays have equal elements, with values that are
// uniformly chosen from the elements of the array at other points.
func TestElementsAreEqual(t *testing.T) {
	from, arrays := [][]float64{{1, 2, 30}, {3, 4, 50}}, [][]int{{0, 1}, {2}}
	seen := map[[2]float64]int{}
	for _, x := range equalElements(from, arrays, rand.New(rand.NewPCG(1, 2))) {
		if x[0] != x[1] {
			t.Fatalf("elements %v", x)
		}
		seen[[2]float64{x[0], x[2]}]++
	}
	for _, first := range []float64{1, 2, 3, 4} {
		for _, second := range []float64{30, 50} {
			if n := seen[[2]float64{first, second}]; n < groupSize/8-40 || n > groupSize/8+40 { // 5 standard errors
				t.Errorf("%d points of %d are at %v, %v", n, groupSize, first, second)
			}
		}
	}
}

// TestShellsAreNotLikeNormals checks that peakNear accepts the peaks of a normal and of a heavy-tailed density, and
// rejects a point of a thin shell, whose extent the curvature does not determine.
func TestShellsAreNotLikeNormals(t *testing.T) {
	length := func(x autodiff.Node) autodiff.Node { return autodiff.Sqrt(autodiff.SumAll(autodiff.Mul(x, x))) }
	for name, c := range map[string]struct {
		density func(x autodiff.Node) autodiff.Node
		like    bool
	}{
		"normal": {func(x autodiff.Node) autodiff.Node {
			return autodiff.Mul(x.Graph().Const(-.5), autodiff.SumAll(autodiff.Mul(x, x)))
		}, true},
		"heavy": {func(x autodiff.Node) autodiff.Node {
			g := x.Graph()
			squares := autodiff.SumAll(autodiff.Mul(x, x))
			return autodiff.Mul(g.Const(-4), autodiff.Log(autodiff.Add(g.Const(1), squares)))
		}, true},
		"shell": {func(x autodiff.Node) autodiff.Node {
			g := x.Graph()
			off := autodiff.Sub(length(x), g.Const(10))
			return autodiff.Mul(g.Const(-50), autodiff.Mul(off, off))
		}, false},
	} {
		d := dynamicstest.Density{D: 6, LogPrior: c.density}
		r := modesAt(t, d, func(int) []float64 { return []float64{1, 0, 0, 0, 0, 0} })
		from := []float64{.3, .1, 0, 0, .2, 0}
		if !c.like {
			from[0] = 10
		}
		m, ok, err := r.peakNear(from)
		if err != nil || ok != c.like {
			t.Errorf("%s: a mode is %t (%v): %+v", name, ok, err, m)
		}
	}
}

// TestTopsOfTheSameHillAreNoModes checks that a maximum that walkers can reach without crossing a barrier is not a new
// mode, and that one behind a barrier is.
func TestTopsOfTheSameHillAreNoModes(t *testing.T) {
	r := modesAt(t, renhdtest.Widths(4, .1, 1), func(int) []float64 { return []float64{-3, -3, -3, -3} })
	search := &Search{run: r, seen: aroundWide(4)}
	at := func(x float64) Mode {
		place, precision := []float64{x, x, x, x}, mat.NewSymDense(4, nil)
		for j := range place {
			precision.SetSym(j, j, 1e4)
		}
		normal, _ := adapt.NormalAt(place, precision)
		return Mode{At: place, Height: renhdtest.LogDensity(place, .1, 1), Normal: normal}
	}
	for x, want := range map[float64]int{-3: 0, -3.5: 0, -1.5: 0, 3: 1, 3.1: 1} {
		if got, err := search.withBarriers([]Mode{at(x)}); err != nil || len(got) != want {
			t.Errorf("maximum at %g: %d modes, want %d (%v)", x, len(got), want, err)
		}
	}
}

// TestArrivedClimbsComeFirst checks that ends of climbs that arrived at a mode are examined before all others.
func TestArrivedClimbsComeFirst(t *testing.T) {
	s := searchState{Climbs: []adapt.Ascent{{}, {Arrived: true}, {}, {Arrived: true}}}
	if got := s.ends(); !slices.Equal(got, []int{1, 3, 0, 2}) {
		t.Errorf("ends %v", got)
	}
}

// TestTopsBeatTheirNeighbours compares isTop with the definition: a point that is higher than its eight nearest
// neighbours.
func TestTopsBeatTheirNeighbours(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	points, heights := make([][]float64, 60), make([]float64, 60)
	for i := range points {
		points[i] = make([]float64, 7)
		for j := range points[i] {
			points[i][j] = random.NormFloat64()
		}
		heights[i] = random.NormFloat64()
	}
	heights[11] = math.NaN()
	ranks, tops := rank(points, heights), 0
	for i := range points {
		if i == 11 {
			continue
		}
		var others []int
		for k := range points {
			if k != i && k != 11 {
				others = append(others, k)
			}
		}
		plain := func(k int) float64 { return floats.Distance(points[i], points[k], 2) }
		slices.SortFunc(others, func(a, b int) int { return cmp.Compare(plain(a), plain(b)) })
		want := !slices.ContainsFunc(others[:8], func(k int) bool { return heights[k] > heights[i] })
		if got := ranks.isTop(i); got != want {
			t.Errorf("point %d: top %t, not %t", i, got, want)
		}
		if want {
			tops++
		}
	}
	if tops < 2 || tops > 20 {
		t.Errorf("%d of 60 points are higher than their neighbours, want 2 to 20", tops)
	}
}

// TestJumpsKeepTheTarget checks that jumps preserve the target, even if their normals fit badly: the share of a mode is
// right within four standard errors. Without the ratio of volumes, the narrow mode would have a share below .01.
func TestJumpsKeepTheTarget(t *testing.T) {
	const sd, weight, iterations = .2, .5, 3000
	r := modesAt(t, renhdtest.Widths(4, sd, weight), func(int) []float64 { return []float64{-3, -3, -3, -3} })
	random := rand.New(rand.NewPCG(3, 1))
	normal := func(center, sd, bad float64) Mode {
		var places [][]float64
		var heights []float64
		for range 400 {
			x := make([]float64, 4)
			for j := range x {
				x[j] = center + bad*sd*(random.NormFloat64()+.3)
			}
			places, heights = append(places, x), append(heights, 0)
		}
		m, _ := newMode(heights, places)
		return m
	}
	r.state.Modes = []Mode{normal(-3, 1, 1.4), normal(3, sd, .8)}
	r.MedianStep = 1
	for j := range r.Walkers.Rungs {
		r.Walkers.Rungs[j].Step = .3
	}
	r.Walkers.WriteAllRungs()
	share := make([][]float64, r.Walkers.Chains)
	for range iterations {
		if err := r.Trajectory(r.Ctx, r.Steps(population.MaxSteps)); err != nil {
			t.Fatal(err)
		}
		r.Iterations++
		if err := r.Jump(0); err != nil {
			t.Fatal(err)
		}
		density := r.Walkers.LogDensities()
		for chain := range share {
			lane, x := r.Walkers.Cold(chain), make([]float64, 4)
			r.Walkers.Exe.GetLane(dynamics.Theta, lane, x)
			share[chain] = append(share[chain], population.OneIf(x[0] > 0))
			if here := renhdtest.LogDensity(x, sd, weight); math.Abs(here-density[lane]) > 1e-9 {
				t.Fatalf("the walker's log density is %v, not %v", density[lane], here)
			}
		}
	}
	const want = weight / (1 + weight)
	mean, mcse := 0.0, stats.MCSEMean(share)
	for _, xs := range share {
		for _, x := range xs {
			mean += x / float64(len(xs)*len(share))
		}
	}
	if math.Abs(mean-want) > 4*mcse || mcse > .02 || r.state.Jumps.Accepted < iterations/10 {
		t.Errorf("share %.4f ± %.4f, want %.4f; %+v", mean, mcse, want, r.state.Jumps)
	}
}
