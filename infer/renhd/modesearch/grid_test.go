package modesearch

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"

	"ppl/infer/adapt"
	"ppl/infer/dynamics/dynamicstest"
	"ppl/infer/renhd/parttest"
	"ppl/infer/renhd/population"
	"ppl/infer/renhd/renhdtest"
)

// TestScanFindsNarrowModes checks that modes hundreds of times narrower than the one that walkers are in are found,
// inside the wide mode and far from it. Planted fault: grids of few points, which in more than one dimension must miss
// most of these modes.
func TestScanFindsNarrowModes(t *testing.T) {
	for _, c := range []struct {
		center []float64
		sd     float64
	}{
		{[]float64{-1.7}, .0005}, {[]float64{4.3}, .0005},
		{[]float64{-2.3, -3.4}, .003}, {[]float64{2.9, 1.6}, .003},
		{[]float64{-2.3, -3.4, -2.1}, .03},
	} {
		d := len(c.center)
		wide := slices.Repeat([]float64{-3}, d)
		mix := dynamicstest.Mixture{Weight: []float64{.5, .5}, Center: [][]float64{wide, c.center},
			SD: []float64{1, c.sd}}
		times, few := 0, 0
		for seed := range 4 {
			within, near := false, false
			for search := range 2 {
				r := modesAt(t, dynamicstest.Density{D: d, Spread: 2, LogPrior: mix.LogDensity}, atWide(d))
				r.Phase.Options.Seed = uint64(seed)
				seen := aroundWide(d)
				r.state.Searches = search
				for _, density := range seen.Density {
					floats.AddConst(math.Log(.5)-float64(d)/2*math.Log(2*math.Pi), density)
				}
				found, err := searchAfter(r, seen)
				if err != nil {
					t.Fatal(err)
				}
				within, near = within || found, near || scanIsNear(t, r, seen, c.center)
			}
			times, few = times+int(population.OneIf(within)), few+int(population.OneIf(near))
		}
		if times < 3 || d > 1 && few > 1 {
			t.Errorf("%v: %d runs of 4 find the mode, %d with few points", c.center, times, few)
		}
	}
}

// scanIsNear reports whether grids of few points give a starting point of a climb close to place.
func scanIsNear(t *testing.T, r *Known, seen *population.Visits, place []float64) bool {
	s := &Search{run: r, seen: seen}
	s.state.Points = s.survey()
	cloud, _ := adapt.FitNormal(s.places(), nil)
	points, err := s.surveyGrids(&cloud, cheapScan/fewestScanned-scanOverhead)
	if err != nil || len(points) == 0 {
		t.Fatal(points, err)
	}
	return slices.ContainsFunc(slices.Concat(points...), func(x []float64) bool {
		return floats.Distance(x, place, 2) < .1
	})
}

// TestScanPointsAndTops checks that points and point agree, and that tops returns the points that are higher than all
// neighbours, without those at an edge.
func TestScanPointsAndTops(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	turned := func(z []float64) []float64 { return []float64{z[0] - 2*z[1] + 1, 3*z[1] + z[0]*.5} }
	s := newGridSurvey([]float64{-1, 2}, []float64{1, 5}, 7, .3, turned)
	flat := make([]float64, 2*s.size())
	s.points(0, flat)
	heights := make([]float64, s.size())
	for i, x := range population.Split(flat, 2) {
		z := []float64{-1 + 2./7*(.3+float64(i%7)), 2 + 3./7*(.3+float64(i/7))}
		if floats.Distance(x, turned(z), 2) > 1e-9 || floats.Distance(x, s.point(i), 2) > 1e-9 {
			t.Fatalf("point %d is at %v and %v, not %v", i, x, s.point(i), turned(z))
		}
		heights[i] = random.NormFloat64()
	}
	heights[10] = math.NaN()
	want := 0
	at := func(column, row int) float64 { return heights[row*7+column] }
	for row := 1; row < 6; row++ {
		for column := 1; column < 6; column++ {
			higher := true
			for k := range 9 {
				other := at(column+k%3-1, row+k/3-1)
				higher = higher && (k == 4 || at(column, row) > other)
			}
			want += int(population.OneIf(higher))
		}
	}
	for _, list := range s.tops(heights) {
		if len(list) != want || want == 0 {
			t.Errorf("%d tops, want %d", len(list), want)
		}
	}
}

// TestNarrowModesAreTakenUpWhereWalkersHaveBeen checks that a mode much narrower than the walkers' mode is added to the
// modes although walkers have been in it, unless walkers do not jump. A mode that is not much narrower is not added.
func TestNarrowModesAreTakenUpWhereWalkersHaveBeen(t *testing.T) {
	for name, c := range map[string]struct {
		sd          float64
		in          int // number of positions in the narrow mode, of 100 of each walker
		alone, want bool
	}{
		"visited":           {.05, 30, false, true},
		"visited, no jumps": {.05, 30, true, false},
		"hardly narrower":   {.4, 30, false, false},
	} {
		r := modesAt(t, renhdtest.TwoNormals(2, -2, c.sd, 1), atWide(2))
		seen := aroundWide(2)
		for _, xs := range seen.Visited {
			for i := range c.in {
				xs[99-i*3][0], xs[99-i*3][1] = -2+c.sd*(xs[99-i*3][0]+3), -2+c.sd*(xs[99-i*3][1]+3)
			}
		}
		parttest.WithLateHalves(seen)
		found, err := r.Search(r.NewSearch(func() *population.Visits { return seen }, c.alone))
		if err != nil || found != c.want {
			t.Errorf("%s: the mode is added: %t (%v), want %t", name, found, err, c.want)
		}
	}
}

// TestStepsAreTooLongForNarrowModes checks that a step is too long for a mode if it is longer than two standard
// deviations in some direction.
func TestStepsAreTooLongForNarrowModes(t *testing.T) {
	r := modesAt(t, renhdtest.Widths(2, 1, 1), atWide(2))
	r.Walkers.Rungs[0].Step = .5
	for sd, want := range map[float64]bool{.2: true, .3: false, 1: false} {
		m := Mode{Normal: adapt.Normal{Mean: []float64{5, 6}, Root: []float64{1, 0, 0, 1 / sd}}}
		if got := r.tooNarrow(&m); got != want {
			t.Errorf("standard deviations 1 and %g: too narrow is %t", sd, got)
		}
	}
}
