package subsampling

import (
	"math"
	"math/rand/v2"
	"testing"

	"ppl/infer"
	"ppl/infer/adapt"
	"ppl/infer/dynamics/dynamicstest"
	"ppl/infer/renhd/population"
	"ppl/infer/renhd/renhdtest"
)

// TestDirectionOfMostNoise checks the estimates of noise that has the variance 10 in one of 40 directions and 1 in all
// others, and of noise that has 1 in all. Bounds are five standard errors of 128 gradients. The maximum of the
// variances of the coordinates would be too large.
func TestDirectionOfMostNoise(t *testing.T) {
	const d, lanes = 40, 4
	r := rand.New(rand.NewPCG(1, 2))
	measure := func(extra float64) (level population.NoiseLevel, most float64) {
		seen := make([][][]float64, lanes)
		for lane := range seen {
			seen[lane] = make([][]float64, d)
			for range probes {
				common := math.Sqrt(extra/d) * r.NormFloat64()
				for j := range d {
					seen[lane][j] = append(seen[lane][j], r.NormFloat64()+common)
				}
			}
			for _, x := range seen[lane] {
				var t moments
				for _, v := range x {
					t.add(v)
				}
				most = math.Max(most, t.variance())
			}
		}
		w := &controls{Walkers: &population.Walkers{Chains: lanes, Dim: d,
			Lineup: &population.Lineup{Rungs: make([]population.Rung, 1),
				RungOf: make([]int, lanes), PerChain: 1}}}
		return w.levels(seen)[0], most
	}
	bound := 5 * math.Sqrt(2./(lanes*probes/2))
	if n, _ := measure(9); math.Abs(n.Worst/10-1) > bound || math.Abs(n.Mean-(1+9./d)) > 0.1 {
		t.Errorf("%+v, want a mean of %.2f and a worst of 10", n, 1+9./d)
	}
	if n, most := measure(0); math.Abs(n.Worst-1) > bound || most < 1.4 {
		t.Errorf("%+v, want 1; the maximum over the coordinates is %v, want more than 1.4", n, most)
	}
}

// TestStepsForUnequalNoise checks that noise bounds the step. If one direction has more noise than the others, more
// friction and shorter steps must keep its temperature at most 1 + Unequal times the mean.
func TestStepsForUnequalNoise(t *testing.T) {
	target, _, _ := dynamicstest.Means(renhdtest.Normals(1000))
	o := renhdtest.Options(1)
	o.Settings = infer.Settings{Batch: 100}
	_, s, err := population.NewConfig(target, o, population.SwapRules{})
	if err != nil {
		t.Fatal(err)
	}
	at := population.Rung{Beta: 1, Metric: adapt.Identity(1)}
	for _, c := range []population.NoiseLevel{{Mean: .1, Worst: .1}, {Mean: 100, Worst: 100}, {Mean: 1, Worst: 2},
		{Mean: 1, Worst: 30}, {Mean: 100, Worst: 300}} {
		at.Noise, at.WorstNoise = c.Mean, c.Worst
		h, friction := s.StepAndFriction(at)
		heat := (friction + h*h*c.Worst/2) / (friction + h*h*c.Mean/2)
		if h > math.Sqrt(population.NoiseTimesStep/c.Worst)+1e-12 || h > population.DefaultStep ||
			heat > 1+population.Unequal+1e-9 {
			t.Errorf("%+v: a step of %v with a friction of %v: temperature %.3f", c, h, friction, heat)
		}
		if c.Mean == c.Worst && friction != math.Min(population.DefaultFriction, h/2) {
			t.Errorf("%+v: friction %v, although the noise is equal in all directions", c, friction)
		}
	}
	// With control variates noise grows with the distance from the anchor, and counts three times.
	c := population.NoiseLevel{Mean: .5, Worst: 1}
	at.Noise, at.WorstNoise = c.Mean, c.Worst
	at.Noises = population.Noises{Anchored: c, Plain: population.NoiseLevel{Mean: 20, Worst: 20}}
	h, friction := s.StepAndFriction(at)
	if heat := (friction + h*h*3*c.Worst/2) / (friction + h*h*c.Mean/2); heat > 1+population.Unequal+1e-9 {
		t.Errorf("a step of %v with a friction of %v: temperature %.3f", h, friction, heat)
	}
	at.Noises = population.Noises{}
	if even, odd := s.Pace(at, population.NoiseLevel{Mean: 1, Worst: 1, Distance: 0}),
		s.Pace(at, population.NoiseLevel{Mean: 1, Worst: 30, Distance: 0}); even < 2*odd {
		t.Errorf("paces %v with equal noise and %v with unequal noise, want a ratio of at least 2", even, odd)
	}
}

// TestAnchorsAreWhereClimbsArrived checks that only climbs that arrived at a mode give anchors, and that the highest
// end is the only anchor if none arrived.
func TestAnchorsAreWhereClimbsArrived(t *testing.T) {
	s := &anchorSearch{climbs: true, state: anchorState{
		Climbs: []adapt.Ascent{{Arrived: true}, {}, {Arrived: true}, {}},
		Found: []anchor{{At: []float64{1}, Density: -5}, {At: []float64{2}, Density: -1}, {At: []float64{3},
			Density: -6}, {}}}}
	if found := s.found(); len(found) != 2 || found[0].At[0] != 1 || found[1].At[0] != 3 {
		t.Errorf("%+v, want those at 1 and 3", found)
	}
	s.state.Climbs[0].Arrived, s.state.Climbs[2].Arrived = false, false
	if found := s.found(); len(found) != 1 || found[0].At[0] != 2 {
		t.Errorf("%+v, want the one at 2", found)
	}
	s.climbs = false
	if found := s.found(); len(found) != 3 {
		t.Errorf("%+v, want the points themselves", found)
	}
}
