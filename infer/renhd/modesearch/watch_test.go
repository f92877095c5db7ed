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

// onLadder watches the draws of a run on a ladder of three rungs, whose cold walkers are at one place and whose hot
// ones are at another, and which knows the normal mode at −3 of widths.
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

// A mode that hot walkers come near, and no draw, is found with its share; walkers and all that they carry are where
// they were. What holds next to nothing, what draws were in, and the slope of what is known are no modes.
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
		search.narrow = []bool{false} // of the mode known
		if err := search.SearchOn(); err != nil {
			t.Fatal(err)
		}
		for k, values := range read() {
			if !slices.Equal(values, before[k]) {
				t.Errorf("%s: %s is not what it was", name, w.Saved[k])
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
			t.Errorf("%s: which modes are narrow is remembered of fewer modes than there are", name)
		}
	}
}

// What a mode found late has of the draws since is lacking in those before, and said where that is much; one too small
// to have had draws lacks nothing. The planted fault is a mode that was known from the start.
func TestLackingIsSaid(t *testing.T) {
	for _, c := range []struct {
		at, in int // draws when the mode was found; of 1,000 of each chain since, how many are in it
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
