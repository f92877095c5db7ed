package modesearch

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/floats"

	"ppl/autodiff"
	"ppl/infer"
	"ppl/infer/dynamics/dynamicstest"
	"ppl/infer/renhd/population"
)

const (
	innerRing, outerRing = 3.0, 7.0
	ringWidth            = 0.1
)

// twoRings returns a target of two rings around the origin, with relative masses 1 (inner) and outer.
func twoRings(outer float64) infer.Target {
	return dynamicstest.Density{D: 2, Spread: 2, LogPrior: func(x autodiff.Node) autodiff.Node {
		g := x.Graph()
		radius := autodiff.Reshape(autodiff.Sqrt(autodiff.SumAll(autodiff.Mul(x, x))), 1)
		term := func(at, mass float64) autodiff.Node {
			z := autodiff.Mul(g.Const(1/ringWidth), autodiff.Sub(radius, g.Const(at)))
			return autodiff.Add(g.Const(math.Log(mass/at)), autodiff.Mul(g.Const(-0.5), autodiff.Mul(z, z)))
		}
		return autodiff.LogSumExp(autodiff.Concat(0, term(innerRing, 1), term(outerRing, outer)), 0)
	}}
}

// onInnerRing returns positions of chains on the inner ring, at angles between −most and most.
func onInnerRing(most float64) (visited [][][]float64) {
	r := rand.New(rand.NewPCG(7, 8))
	for range 16 {
		var xs [][]float64
		for range 100 {
			angle, radius := most*(2*r.Float64()-1), innerRing+ringWidth*r.NormFloat64()
			xs = append(xs, []float64{radius * math.Cos(angle), radius * math.Sin(angle)})
		}
		visited = append(visited, xs)
	}
	return visited
}

// TestSearchFindsRidges checks that a ring that no walker has visited is found with about its share, and that walkers
// are placed on it. Nothing may be found if there is one ring, if the second has negligible mass, or if walkers have
// visited half of a single ring: the straight line to the other half crosses a barrier, so only walkers that start
// there show that both halves are connected.
func TestSearchFindsRidges(t *testing.T) {
	for name, c := range map[string]struct {
		outer, angles float64
		found         bool
	}{
		"two rings":       {1, math.Pi, true},
		"one ring":        {1e-300, math.Pi, false},
		"next to nothing": {1e-5, math.Pi, false},
		"half of a ring":  {1e-300, math.Pi / 2, false},
	} {
		visited := onInnerRing(c.angles)
		r := modesAt(t, twoRings(c.outer), func(lane int) []float64 { return visited[lane%len(visited)][99] })
		seen, points, err := r.VisitsOf(visited)
		if err != nil {
			t.Fatal(err)
		}
		r.Walkers.Rungs[0].Metric = r.Walkers.Rungs[0].Metric.Estimate(points)
		r.Walkers.Rungs[0].Step = ringWidth / innerRing
		r.Walkers.WriteAllRungs()
		if _, err := r.Walkers.Place(r.Ctx, r.Walkers.Positions()); err != nil {
			t.Fatal(err)
		}
		s := &Search{run: r, seen: seen}
		found, err := r.Search(s)
		if err != nil || found != c.found {
			t.Errorf("%s: found is %t, %v; %d walks", name, found, err, len(s.state.Ridge.Walks))
		}
		if walks := name == "half of a ring"; walks && len(s.state.Ridge.Walks) == 0 {
			t.Errorf("%s: no walker was placed behind the barrier", name)
		}
		if !found {
			continue
		}
		outside := 0
		for _, x := range r.Walkers.Positions() {
			outside += int(population.OneIf(floats.Norm(x, 2) > 5))
		}
		if k := len(r.state.Modes) - 1; outside == 0 || math.Abs(ModeShares(r.state.Modes)[k]-.5) > .3 {
			t.Errorf("%s: shares %.2f, %d walkers outside", name, ModeShares(r.state.Modes), outside)
		}
	}
}

// TestOneWalkerLooksAtOneRidge checks that a run with one walker tests only one end of a climb, since each tested end
// needs a walker.
func TestOneWalkerLooksAtOneRidge(t *testing.T) {
	visited := onInnerRing(math.Pi)
	r := modesAt(t, twoRings(1), func(lane int) []float64 { return visited[lane%len(visited)][99] })
	seen, points, err := r.VisitsOf(visited)
	if err != nil {
		t.Fatal(err)
	}
	r.Phase.Options.Chains = 1
	if err := r.Reopen(r.Walkers.Rungs, 1); err != nil {
		t.Fatal(err)
	}
	r.Walkers.Rungs[0].Metric = r.Walkers.Rungs[0].Metric.Estimate(points)
	r.Walkers.Rungs[0].Step = ringWidth / innerRing
	r.Walkers.WriteAllRungs()
	if _, err := r.Walkers.Place(r.Ctx, visited[0][99:]); err != nil {
		t.Fatal(err)
	}
	s := &Search{run: r, seen: seen}
	if found, err := r.Search(s); err != nil || !found || len(s.state.Ridge.Walks) != 1 {
		t.Errorf("found is %t, %v; %d walks", found, err, len(s.state.Ridge.Walks))
	}
}
