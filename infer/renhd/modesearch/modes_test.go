package modesearch

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"ppl/infer/renhd/parttest"
	"ppl/infer/renhd/population"
	"ppl/infer/renhd/renhdtest"
	"ppl/posterior/store"
)

// twoModeWindow returns a window of 16 walkers on renhdtest.TwoModes, of which the first few are in the mode of smaller
// weight.
func twoModeWindow(few int) *population.Visits {
	r, s := rand.New(rand.NewPCG(3, 4)), &population.Visits{Sweeps: 100}
	for lane := range 16 {
		center := 5.0
		if lane < few {
			center = -5
		}
		var density []float64
		var visited [][]float64
		for range s.Sweeps {
			z, y := r.NormFloat64(), 10*r.NormFloat64()
			visited = append(visited, []float64{center + z/2, y})
			density = append(density, -z*z/2-y*y/200+math.Log(1.5+center/10))
		}
		s.Density, s.Visited = append(s.Density, density), append(s.Visited, visited)
	}
	return parttest.WithLateHalves(s)
}

// TestModesAreRemembered checks the stored position, normal and share of each mode, and that the run warns if there is
// no draw in a mode. Planted fault: a run that has lost the mode.
func TestModesAreRemembered(t *testing.T) {
	r := modesAt(t, renhdtest.TwoModes(), func(int) []float64 { return []float64{5, 0} })
	if err := r.RememberModes(twoModeWindow(5)); err != nil {
		t.Fatal(err)
	}
	modes := r.state.Modes
	if len(modes) != 2 {
		t.Fatalf("%d modes: %+v", len(modes), modes)
	}
	shares := ModeShares(modes)
	for k, m := range modes {
		want := 1 / 3.0
		if m.At[0] > 0 {
			want = 2 / 3.0
		}
		sd := m.Normal.SD()
		if math.Abs(math.Abs(m.At[0])-5) > 1 || math.Abs(sd[0]-.5) > .05 || math.Abs(sd[1]-10) > 1 ||
			math.Abs(shares[k]-want) > .1 || Nearest(modes, []float64{m.At[0], 20}) != k {
			t.Errorf("mode %d: %+v, share %.2f", k, m, shares[k])
		}
	}
	inside := 4000
	said := func(visits []int, modes []Mode) bool {
		r.state.Modes, r.Report.Warnings = modes, nil
		counted := VisitCount{Path: [][]uint8{nil}, Within: visits, Inside: inside}
		for k, n := range visits {
			counted.Path[0] = append(counted.Path[0], slices.Repeat([]uint8{uint8(k)}, n)...)
		}
		c := &Watch{Known: r, state: &WatchState{Visits: counted}}
		c.ReportModes()
		return slices.ContainsFunc(r.Report.Warnings, func(w store.Warning) bool {
			return strings.HasPrefix(w.Fact, "A mode was found")
		})
	}
	lesser := slices.IndexFunc(modes, func(m Mode) bool { return m.At[0] < 0 })
	all := []int{0, 0}
	all[1-lesser] = 4000
	if !said(all, modes) {
		t.Error("no warning, although no draw is in a mode with a third of the target")
	}
	if said([]int{3990, 10}, modes) {
		t.Error("a warning, although draws are in both modes")
	}
	if inside = 30; said(all, modes) {
		t.Error("a warning, although nearly all draws are in unknown modes")
	}
	inside = 4000
	if said(all, modes[:1]) {
		t.Error("a warning, although only one mode is known")
	}
	if err := r.RememberModes(twoModeWindow(0)); err != nil || r.state.Modes != nil {
		t.Errorf("one mode: %+v, %v", r.state.Modes, err)
	}
}

// TestSharesHaveErrors checks the standard error of a share, for independent draws and for chains that stay in a mode
// for 20 draws.
func TestSharesHaveErrors(t *testing.T) {
	random := rand.New(rand.NewPCG(9, 9))
	errorOf := func(stays int) float64 {
		v := VisitCount{Path: make([][]uint8, 4)}
		for c := range v.Path {
			for len(v.Path[c]) < 1000 {
				v.Path[c] = append(v.Path[c], slices.Repeat([]uint8{uint8(random.IntN(2))}, stays)...)
			}
		}
		s := v.shares(2)
		if math.Abs(s[0].mean-.5) > 5*s[0].mcse || s[0].mean+s[1].mean != 1 {
			t.Errorf("shares %+v", s)
		}
		return s[0].mcse
	}
	if e, want := errorOf(1), .5/math.Sqrt(4000); math.Abs(e/want-1) > .15 {
		t.Errorf("standard error %v of independent draws, want %v", e, want)
	}
	if e, want := errorOf(20), .5/math.Sqrt(4000)*math.Sqrt(20); math.Abs(e/want-1) > .3 {
		t.Errorf("standard error %v of draws in runs of 20, want %v", e, want)
	}
}
