package main

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/stat"
)

// known returns an element that agrees with draws of a standard normal, shifted by a given amount.
func known(name string, ess, moved float64) element {
	at := func(x float64) *float64 { return &x }
	return element{name, at(moved), at(1), at(1 / math.Sqrt(ess)), at(moved - 1.645), at(moved), at(moved + 1.645),
		at(ess), at(ess), at(1.001)}
}

// TestContest checks that only quantities of all systems count, that a faster system leads, and that a wrong or
// unfinished one does not.
func TestContest(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	ref := map[string][][]float64{}
	for range 10 {
		var xs []float64
		for range 1000 {
			xs = append(xs, r.NormFloat64())
		}
		ref["a"] = append(ref["a"], xs)
	}
	if all := slices.Concat(ref["a"]...); math.Abs(stat.Mean(all, nil)) > .04 {
		t.Fatal("the draws of the reference are off")
	}
	line := func(system string, seconds, ess, moved float64) peerRun {
		return peerRun{Posterior: "p", Model: "m", System: system, Gradients: 1000, Seconds: seconds,
			Parameters: []element{known("a", ess, moved), known("b"+system, 1, 0)}}
	}
	built := peerRun{Built: "m", Seconds: 30}
	others := []peerRun{line("Stan", 4, 1200, 0), line("nutpie", 2, 800, 0), built}
	ended := line("ppl", 1, 1000, 0)
	ended.Exit = -1
	for name, c := range map[string]struct {
		ours     peerRun
		second   float64
		gradient float64
		ahead    bool
	}{
		"right": {line("ppl", 1, 1000, 0), 1000 / 400., 1000 / 1200., true},
		"slow":  {line("ppl", 5, 1000, 0), 200 / 400., 1000 / 1200., false},
		"wrong": {line("ppl", 1, 1000, .5), 1000 / 400., 1000 / 1200., false},
		"late":  {ended, 0, 0, false},
	} {
		got, whole := contestOf("p", append([]peerRun{c.ours}, others...), ref)
		if !whole || len(got.sides) != 3 {
			t.Fatalf("%s: %+v", name, got)
		}
		second, best := got.lead(rates[1])
		gradient, most := got.lead(rates[0])
		if math.Abs(second-c.second) > 1e-12 || math.Abs(gradient-c.gradient) > 1e-12 ||
			best != "nutpie" || most != "Stan" {
			t.Errorf("%s: %g of %s a second, %g of %s a gradient", name, second, best, gradient, most)
		}
		if got.ahead(rates[1]) != c.ahead {
			t.Errorf("%s: ahead is %v", name, !c.ahead)
		}
		if got.sides[1].Compile != 30 || got.sides[0].Compile != 0 {
			t.Errorf("%s: compilation takes %g and %g", name, got.sides[1].Compile, got.sides[0].Compile)
		}
	}
	if _, whole := contestOf("p", others, ref); whole {
		t.Error("a posterior without ppl's run is whole")
	}
	got, _ := contestOf("p", append([]peerRun{line("ppl", 1, 1000, .5)}, others...), ref)
	if page := peersPage([]contest{got}, []string{"q"}); !strings.Contains(page, "0 of 1") ||
		!strings.Contains(page, "wrong") || !strings.Contains(page, "Not run: q.") || strings.Contains(page, "%!") {
		t.Error(page)
	}
}
