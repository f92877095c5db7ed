package warmup

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"ppl/autodiff"
	"ppl/infer"
	"ppl/infer/dynamics/dynamicstest"
	"ppl/infer/renhd/parttest"
	"ppl/infer/renhd/population"
	"ppl/infer/renhd/renhdtest"
	"ppl/posterior/stats"
)

// here returns a window that has only the walkers' current positions.
func here(r *Warmup) *population.Visits {
	s := &population.Visits{}
	for lane, x := range r.Walkers.Positions() {
		s.Visited = append(s.Visited, [][]float64{x})
		s.Density = append(s.Density, r.Walkers.LogDensities()[lane:lane+1])
	}
	return parttest.WithLateHalves(s)
}

// seenAround returns a window of walkers that moved around the given centers: autoregressive, with the given
// correlation from one sweep to the next.
func seenAround(centers []float64, sweeps int, correlation float64) *population.Visits {
	r, s := rand.New(rand.NewPCG(5, 6)), &population.Visits{Sweeps: sweeps}
	for _, c := range centers {
		var density []float64
		var visited [][]float64
		x := r.NormFloat64()
		for range sweeps {
			x = correlation*x + r.NormFloat64()
			density, visited = append(density, -x*x/2), append(visited, []float64{c + x})
		}
		s.Density, s.Visited = append(s.Density, density), append(s.Visited, visited)
		s.Moved = append(s.Moved, float64(sweeps))
	}
	return parttest.WithLateHalves(s)
}

// centers returns n centers: 0, or elsewhere for the last few.
func centers(n, few int, elsewhere float64) []float64 {
	out := make([]float64, n)
	for i := range few {
		out[n-1-i] = elsewhere
	}
	return out
}

// TestMovedExplorersAreNoWitnesses checks the first decision: explorers that were moved to others are not evidence of
// agreement. If 13 of 16 were moved from another mode, the walkers do not agree; if they were moved from the slope of
// the same mode, they do. Planted fault: a run that has lost the positions from which they were moved.
func TestMovedExplorersAreNoWitnesses(t *testing.T) {
	in := func(mode float64) []float64 { return []float64{mode, 0} }
	r := warmupAt(t, renhdtest.TwoModes(), func(lane int) []float64 { return in(5) })
	for lane := range 13 {
		r.recordDeparture(lane, in(-5), 0)
	}
	decide := func() bool {
		connected, err := r.connected(here(r))
		if err != nil {
			t.Fatal(err)
		}
		return r.enoughStayed() || connected
	}
	if decide() {
		t.Error("agreement, although 13 explorers were moved from another mode")
	}
	r.state.Departures = nil
	if !decide() {
		t.Error("no agreement, although no explorer was moved")
	}
	for lane := range 13 { // stuck on the way to the same mode
		r.recordDeparture(lane, in(9), 0)
	}
	if !decide() {
		t.Error("no agreement, although 13 explorers were moved from the slope of the same mode")
	}
}

// TestExplorersOnTheirWay checks that explorers that were far below all modes when they were moved are not evidence of
// another mode, as long as half of all explorers were not moved. Of explorers that were moved from other positions, at
// most a quarter is allowed.
func TestExplorersOnTheirWay(t *testing.T) {
	for _, c := range []struct {
		moved  int
		excess float64
		stayed bool
	}{{8, 500, true}, {9, 500, false}, {4, 5, true}, {5, 5, false}} {
		r := warmupAt(t, renhdtest.TwoModes(), func(int) []float64 { return []float64{5, 0} })
		for lane := range c.moved {
			r.recordDeparture(lane, []float64{90, 0}, c.excess)
		}
		if got := r.enoughStayed(); got != c.stayed {
			t.Errorf("%d moved from %g below: %v", c.moved, c.excess, got)
		}
	}
}

// TestDisagreementIsNotGivenUp checks the second decision: walkers that differ do not agree, even if none differs by
// ten standard errors, unless no barrier separates them. Planted fault: the rule that uses only separate.
func TestDisagreementIsNotGivenUp(t *testing.T) {
	var at []float64
	for i := range 16 {
		at = append(at, 5*float64(i%2))
	}
	seen := seenAround(at, 100, .9)
	if d := disagreement(seen, 0); !(d > agreement && d < 1.5) || separate(seen, 10) {
		t.Fatalf("R-hat %.2f, separate %v: want an R-hat from 1.2 to 2.5 and false", 1+d, separate(seen, 10))
	}
	if onePlace(seen, 0) || inOneMode(seen, disagreement(seen, 0)) {
		t.Error("walkers agree at this R-hat")
	}
	modes := func(lane int) []float64 { return []float64{5 - 10*float64(lane%2), 0} }
	slow := func(lane int) []float64 { return []float64{float64(lane) - 8, 3 - float64(lane%7)} }
	for name, c := range map[string]struct {
		target infer.Target
		at     func(lane int) []float64
		want   bool
	}{
		"two modes":  {renhdtest.TwoModes(), modes, false},
		"one mode":   {dynamicstest.Normal(4, 4), slow, true},
		"far out":    {dynamicstest.Normal(1, 1), slow, true},
		"heavy tail": {student(), slow, true},
	} {
		r := warmupAt(t, c.target, c.at)
		if connected, err := r.connected(here(r)); connected != c.want || err != nil {
			t.Errorf("%s: connected %v, %v", name, connected, err)
		}
	}
}

// TestCentersShowBarriersInManyDimensions checks two modes ten standard deviations apart in 50 dimensions: the density
// falls on the line between centres of walkers' positions. Planted fault: on lines between single draws it hardly
// falls.
func TestCentersShowBarriersInManyDimensions(t *testing.T) {
	target := dynamicstest.Mixture{Weight: []float64{.5, .5}, SD: []float64{1, 1},
		Center: [][]float64{slices.Repeat([]float64{-5 / math.Sqrt(50)}, 50),
			slices.Repeat([]float64{5 / math.Sqrt(50)}, 50)}}
	random, seen := rand.New(rand.NewPCG(7, 8)), &population.Visits{}
	r := warmupAt(t, target.Target(), func(lane int) []float64 { return target.Center[lane%2] })
	for lane := range r.Walkers.Lanes() {
		var way [][]float64
		for range 100 {
			x := slices.Clone(target.Center[lane%2])
			for j := range x {
				x[j] += random.NormFloat64()
			}
			way = append(way, x)
		}
		density, err := r.Heights(way)
		if err != nil {
			t.Fatal(err)
		}
		seen.Visited, seen.Density = append(seen.Visited, way), append(seen.Density, density)
	}
	if connected, err := r.connected(parttest.WithLateHalves(seen)); connected || err != nil {
		t.Errorf("connected %v, %v", connected, err)
	}
	for lane := range seen.Visited { // planted fault: single draws instead of centres
		seen.Visited[lane], seen.Density[lane] = seen.Visited[lane][99:], seen.Density[lane][99:]
	}
	if connected, err := r.connected(parttest.WithLateHalves(seen)); !connected || err != nil {
		t.Errorf("the planted fault is not detected: single draws are not connected either (%v)", err)
	}
}

// student returns Student's t with two degrees of freedom in two dimensions: one mode, with a log density that is not
// concave.
func student() infer.Target {
	return dynamicstest.Density{D: 2, LogPrior: func(theta autodiff.Node) autodiff.Node {
		g := theta.Graph()
		square := autodiff.SumAll(autodiff.Mul(theta, theta))
		return autodiff.Mul(g.Const(-2), autodiff.Log(autodiff.Add(g.Const(1), autodiff.Mul(g.Const(.5), square))))
	}}
}

// TestOneWalkerElsewhereIsAMode checks the third decision: the walkers do not agree if one of 32 is in another mode,
// although R-hat hardly shows it. Planted fault: the rule that uses only R-hat.
func TestOneWalkerElsewhereIsAMode(t *testing.T) {
	seen := seenAround(centers(32, 1, 12), 50, .2)
	if d := disagreement(seen, 0); !(d < agreement) {
		t.Fatalf("R-hat %.2f, want less than 1.2", 1+d)
	}
	if onePlace(seen, 0) {
		t.Error("agreement, although one walker is in another mode")
	}
	if all := seenAround(centers(32, 0, 0), 50, .2); !onePlace(all, 0) {
		t.Error("no agreement, although all walkers are in one mode")
	}
}

// TestModesApartInNoCoordinate checks two modes in 200 dimensions that are twelve standard deviations apart along the
// diagonal, and .85 in each coordinate. No single coordinate separates the walkers, but the direction between the modes
// must. Slow walkers in one mode must not be separate.
func TestModesApartInNoCoordinate(t *testing.T) {
	const dim, sweeps = 200, 100
	random := rand.New(rand.NewPCG(3, 4))
	window := func(half, correlation float64) *population.Visits {
		s := &population.Visits{Sweeps: sweeps}
		for lane := range 16 {
			x, center := make([]float64, dim), half*float64(1-2*(lane%2))/math.Sqrt(dim)
			var density []float64
			var visited [][]float64
			for range sweeps {
				at := make([]float64, dim)
				for j := range x {
					x[j] = correlation*x[j] + math.Sqrt(1-correlation*correlation)*random.NormFloat64()
					at[j] = center + x[j]
				}
				density, visited = append(density, random.NormFloat64()), append(visited, at)
			}
			s.Density, s.Visited = append(s.Density, density), append(s.Visited, visited)
		}
		return s
	}
	apart := window(6, .2)
	for j := range dim {
		if d := stats.Disagreement(population.Coordinate(apart.Visited, j)); d > 10 {
			t.Fatalf("walkers differ by %.1f errors in coordinate %d, want at most 10", d, j)
		}
	}
	if !separate(apart, 10) {
		t.Error("walkers in two modes are not separate")
	}
	for _, correlation := range []float64{0, .5, .9} {
		if d := stats.Disagreement(acrossWalkers(window(0, correlation).Visited)); !(d < 6) {
			t.Errorf("one mode, correlation %g: %.1f errors apart", correlation, d)
		}
	}
}

// TestSlowInOneMode checks that slow walkers whose R-hat is too high after a hundred sweeps count as being in one mode,
// and that they do not if one walker of sixteen is in another mode. Planted fault: the rule that uses only R-hat.
func TestSlowInOneMode(t *testing.T) {
	slow := seenAround(make([]float64, 16), 100, .95)
	d := disagreement(slow, 0)
	if !(d > agreement && d < 0.5) || onePlace(slow, 0) {
		t.Fatalf("R-hat %.2f: want 1.2 to 1.5, and no agreement by it", 1+d)
	}
	if !inOneMode(slow, d) {
		t.Error("slow walkers in one mode count as being in several")
	}
	one := seenAround(centers(16, 1, 8), 100, .5)
	if d = disagreement(one, 0); !(d < 0.5) {
		t.Fatalf("one walker of sixteen elsewhere: R-hat %.2f, want less than 1.5", 1+d)
	}
	if inOneMode(one, d) {
		t.Error("the walkers count as being in one mode, although one of sixteen is in another")
	}
}

// TestNobodyMovedIsNoAgreement checks that windows in which no walker moved show no agreement.
func TestNobodyMovedIsNoAgreement(t *testing.T) {
	w := &population.Walkers{Lineup: &population.Lineup{PerChain: 2, Rungs: make([]population.Rung, 1),
		RungOf: make([]int, 2)}, Chains: 1}
	seen := &population.Visits{Sweeps: 1, Moved: []float64{0, 0}, Density: [][]float64{{-1}, {-1}},
		Visited: [][][]float64{{{0}}, {{0}}}}
	if both := join(w, seen, seen); len(both.Visited) != 0 || onePlace(both, 0) {
		t.Errorf("agreement without any walker: %+v", both)
	}
}

// TestMetricKnown checks that the metric counts as known only if walkers agree, have forgotten their starts, have short
// trajectories, and keep their coordinates. Each case except the first lacks one of these.
func TestMetricKnown(t *testing.T) {
	known := windowResult{Steps: 2, Disagreement: 0.03, verdict: verdict{OnePlace: true}}
	for name, c := range map[string]struct {
		change func(*windowResult)
		want   bool
	}{
		"known":             {func(*windowResult) {}, true},
		"apart":             {func(r *windowResult) { r.OnePlace = false }, false},
		"connected alone":   {func(r *windowResult) { r.OnePlace, r.Connected = false, true }, false},
		"slow":              {func(r *windowResult) { r.Disagreement = 0.1 }, false},
		"long trajectories": {func(r *windowResult) { r.Steps = 20 }, false},
		"other coordinates": {func(r *windowResult) { r.Recentred = true }, false},
	} {
		found := known
		if c.change(&found); found.MetricKnown() != c.want {
			t.Errorf("%s: known is %v", name, found.MetricKnown())
		}
	}
}
