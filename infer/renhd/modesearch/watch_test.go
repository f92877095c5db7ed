package modesearch

import (
	"math"
	"slices"
	"strings"
	"testing"

	"ppl/infer"
	"ppl/infer/adapt"
	"ppl/infer/renhd/renhdtest"
	"ppl/posterior/store"
)

// onLadder returns a Watch of a run on a ladder of three rungs, with cold walkers at one position and hot walkers at
// another. The only known mode is the normal at −3 of renhdtest.Widths.
func onLadder(t *testing.T, target infer.Target, cold, hot []float64) *Watch {
	t.Helper()
	r := modesAt(t, target, func(int) []float64 { return cold })
	r.Phase.System.Path = r.Phase.Path()
	if err := r.Load([]float64{1, .3, .1}, 3); err != nil {
		t.Fatal(err)
	}
	at := make([][]float64, r.Walkers.Lanes())
	for lane, rung := range r.Walkers.RungOf {
		if at[lane] = cold; rung > 0 {
			at[lane] = hot
		}
	}
	if _, err := r.Walkers.Place(r.Ctx, at); err != nil {
		t.Fatal(err)
	}
	r.Walkers.Gradients = 1e6
	d := len(cold)
	root := make([]float64, d*d)
	for j := range d {
		root[j*d+j] = 1
	}
	n := adapt.Normal{Mean: slices.Repeat([]float64{-3}, d), Root: root}
	r.state.Modes = []Mode{{At: n.Mean, Normal: n, Mass: n.LogVolume()}}
	return &Watch{Known: r, state: &WatchState{}}
}

// TestHotRungsFindModes checks that a mode near hot walkers that contains no draw is found with its share, and that a
// search restores all walkers. A mode of negligible mass, one that contains draws, and the known mode must not be
// found.
func TestHotRungsFindModes(t *testing.T) {
	at3 := slices.Repeat([]float64{3}, 4)
	near := []float64{2, 2.5, 3, 2}
	for name, c := range map[string]struct {
		weight, share float64
		hot, seen     []float64
	}{
		"half":            {1, .5, near, nil},
		"a fifth":         {.25, .2, near, nil},
		"next to nothing": {1e-4, 0, near, nil},
		"visited":         {1, 0, near, at3},
		"the known one":   {1, 0, []float64{-6, -7, -1, -3}, nil},
	} {
		cold := slices.Repeat([]float64{-2.5}, 4)
		search := onLadder(t, renhdtest.Widths(4, .3, c.weight), cold, c.hot)
		if c.seen != nil {
			search.state.Search.keep(c.seen)
		}
		w := search.Walkers
		read := func() (all [][]float64) {
			for _, name := range w.Saved {
				all = append(all, w.Read(name, nil))
			}
			return all
		}
		before, clock := read(), w.NoiseStep
		search.narrow = []bool{false} // for the only known mode
		if err := search.SearchOn(); err != nil {
			t.Fatal(err)
		}
		for k, values := range read() {
			if !slices.Equal(values, before[k]) {
				t.Errorf("%s: the search has changed the buffer %s", name, w.Saved[k])
			}
		}
		spent := search.state.Search.Spent
		if w.NoiseStep != clock || spent == 0 || spent > 60*int64(w.Lanes())+5*200 {
			t.Errorf("%s: noise step %d, was %d; %d gradients", name, w.NoiseStep, clock, spent)
		}
		modes := search.Known.state.Modes
		if found := len(modes) == 2; found != (c.share > 0) {
			t.Errorf("%s: %d modes", name, len(modes))
		} else if found && math.Abs(ModeShares(modes)[1]-c.share) > .02 {
			t.Errorf("%s: share %.3f, want %.3f", name, ModeShares(modes)[1], c.share)
		} else if found && len(search.narrow) > 0 {
			t.Errorf("%s: narrow has not been reset after a new mode was found", name)
		}
	}
}

// TestLackingIsSaid checks that the share of a mode in the draws after it was found is reported as lacking in the draws
// before, with a warning if it is large. A mode so small that it may have had no draws by chance lacks nothing, and
// neither does one that was known from the start.
func TestLackingIsSaid(t *testing.T) {
	for _, c := range []struct {
		at, in int // number of draws when the mode was found; number of the 1,000 draws of each chain in it
		want   float64
	}{{100, 500, 500. / 1000 * 100 / 1000}, {100, 100, 0}, {0, 500, 0}} {
		r := modesAt(t, renhdtest.TwoModes(), func(int) []float64 { return []float64{5, 0} })
		r.state.Modes, r.Report.Draws = []Mode{{At: []float64{5, 5}}, {At: []float64{-5, -5}}}, 1000
		collector := &Watch{Known: r, state: &WatchState{}}
		collector.state.Search.FoundAt = []int{c.at}
		for range r.Walkers.Chains {
			path := append(slices.Repeat([]uint8{1}, c.in), make([]uint8, 1000-c.in)...)
			collector.state.Visits.Path = append(collector.state.Visits.Path, path)
		}
		collector.ReportSearch()
		got := float64(r.Report.Lacking)
		said := slices.ContainsFunc(r.Report.Warnings, func(w store.Warning) bool {
			return strings.HasPrefix(w.Fact, "The draws lack about 5 %")
		})
		in := r.Report.LackingAt
		at := len(in) == 1 && slices.Equal(in[0], []float64{-5, -5})
		if math.Abs(got-c.want) > 1e-12 || said != (c.want > 0) || at != said {
			t.Errorf("%+v: lacking %.3f, said: %t", c, got, said)
		}
	}
}
