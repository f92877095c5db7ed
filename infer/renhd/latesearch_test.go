package renhd

import (
	"math"
	"slices"
	"strings"
	"testing"

	"ppl/infer"
	"ppl/infer/adapt"
	"ppl/posterior/store"
)

// onLadder watches the draws of a run on a ladder of three rungs, whose cold walkers are at one place and whose hot ones
// are at another, and which knows the normal mode at −3 of widths.
func onLadder(t *testing.T, target infer.Target, cold, hot []float64) *modeWatch {
	t.Helper()
	r := modesAt(t, target, func(int) []float64 { return cold })
	r.phase.system.Path = r.phase.path()
	if err := r.load([]float64{1, .3, .1}, 3); err != nil {
		t.Fatal(err)
	}
	at := make([][]float64, r.walkers.lanes())
	for lane, rung := range r.walkers.RungOf {
		if at[lane] = cold; rung > 0 {
			at[lane] = hot
		}
	}
	if _, err := r.walkers.place(r.ctx, at); err != nil {
		t.Fatal(err)
	}
	r.walkers.Gradients = 1e6
	d := len(cold)
	root := make([]float64, d*d)
	for j := range d {
		root[j*d+j] = 1
	}
	n := adapt.Normal{Mean: slices.Repeat([]float64{-3}, d), Root: root}
	r.state.Modes = []mode{{At: n.Mean, Normal: n, Mass: n.LogVolume()}}
	return &modeWatch{knownModes: r, state: &watchState{}}
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
		search := onLadder(t, widths(4, .3, c.weight), cold, c.hot)
		if c.seen != nil {
			search.state.Search.keep(c.seen)
		}
		w := search.walkers
		read := func() (all [][]float64) {
			for _, name := range w.saved {
				all = append(all, w.read(name, nil))
			}
			return all
		}
		before, clock := read(), w.NoiseStep
		search.narrow = []bool{false} // of the mode known
		if err := search.searchOn(); err != nil {
			t.Fatal(err)
		}
		for k, values := range read() {
			if !slices.Equal(values, before[k]) {
				t.Errorf("%s: %s is not what it was", name, w.saved[k])
			}
		}
		spent := search.state.Search.Spent
		if w.NoiseStep != clock || spent == 0 || spent > 60*int64(w.lanes())+5*200 {
			t.Errorf("%s: noise step %d, was %d; %d gradients", name, w.NoiseStep, clock, spent)
		}
		modes := search.knownModes.state.Modes
		if found := len(modes) == 2; found != (c.share > 0) {
			t.Errorf("%s: %d modes", name, len(modes))
		} else if found && math.Abs(modeShares(modes)[1]-c.share) > .02 {
			t.Errorf("%s: share %.3f, want %.3f", name, modeShares(modes)[1], c.share)
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
		r := modesAt(t, twoModes(), func(int) []float64 { return []float64{5, 0} })
		r.state.Modes, r.report.Draws = []mode{{At: []float64{5, 5}}, {At: []float64{-5, -5}}}, 1000
		collector := &modeWatch{knownModes: r, state: &watchState{}}
		collector.state.Search.FoundAt = []int{c.at}
		for range r.walkers.chains {
			path := append(slices.Repeat([]uint8{1}, c.in), make([]uint8, 1000-c.in)...)
			collector.state.Visits.Path = append(collector.state.Visits.Path, path)
		}
		collector.reportSearch()
		got := r.report.Lacking
		said := slices.ContainsFunc(r.report.Warnings, func(w store.Warning) bool {
			return strings.HasPrefix(w.Fact, "The draws lack about 5 %")
		})
		in := r.report.LackingAt
		at := len(in) == 1 && slices.Equal(in[0], []float64{-5, -5})
		if math.Abs(got-c.want) > 1e-12 || said != (c.want > 0) || at != said {
			t.Errorf("%+v: lacking %.3f, said: %t", c, got, said)
		}
	}
}
