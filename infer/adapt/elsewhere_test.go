package adapt

import (
	"math"
	"math/rand/v2"
	"testing"
)

// scattered are points of a normal with a center and a width in all coordinates.
func scattered(r *rand.Rand, n, dim int, center, width float64) (points [][]float64) {
	for range n {
		x := make([]float64, dim)
		for j := range x {
			x[j] = center + width*r.NormFloat64()
		}
		points = append(points, x)
	}
	return points
}

// Numbers of which most are equal have no width; the contrast is finite, as a report in JSON needs it.
func TestContrastWithoutWidth(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(7, 8))
	draws, walkers := scattered(r, 256, 2, 0, 1), scattered(r, 256, 2, 0, 1)
	for i, x := range walkers {
		if i%16 > 0 {
			x[1] = 0
		}
	}
	c := ContrastOf([][][]float64{draws, draws}, [][][]float64{walkers, walkers})
	if !(c.Spread > 100) || math.IsInf(c.Spread, 0) {
		t.Errorf("widths by %g", c.Spread)
	}
	if c = ContrastOf([][][]float64{walkers, walkers}, [][][]float64{walkers, walkers}); c.Spread != 0 {
		t.Errorf("two without a width: %g", c.Spread)
	}
}

// Walkers at the places of the draws confirm them. Some of them elsewhere, also in a mode of many dimensions that no
// coordinate shows, all of them a little aside, in a narrower or a wider place: each is a contrast of its kind.
func TestContrastOf(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		dim                     int
		center, width           float64 // of walkers
		away                    int     // how many of 16 are at another center
		at                      float64
		outside, shift, spreads bool
	}{
		"the same":          {dim: 3, width: 1},
		"the same of fifty": {dim: 50, width: 1},
		"one away":          {dim: 3, width: 1, away: 1, at: 20, outside: true},
		"five away":         {dim: 3, width: 1, away: 5, at: 6, outside: true, spreads: true},
		"aside":             {dim: 3, center: .6, width: 1, shift: true},
		"narrower":          {dim: 3, width: .6, spreads: true, shift: true},
		"wider":             {dim: 3, width: 1.7, spreads: true, shift: true},
		"a mode of fifty":   {dim: 50, width: 1, away: 5, at: 12 / 7.07, outside: true},
	} {
		r := rand.New(rand.NewPCG(5, 6))
		var draws [][][]float64
		for range 4 {
			draws = append(draws, scattered(r, 256, c.dim, 0, 1))
		}
		var walkers [][][]float64
		for k := range 16 {
			center := c.center
			if k < c.away {
				center = c.at
			}
			walkers = append(walkers, scattered(r, 75, c.dim, center, c.width))
		}
		got := ContrastOf(draws, walkers)
		if outside := got.Outside > .02; outside != c.outside {
			t.Errorf("%s: %.3g are outside", name, got.Outside)
		}
		if shifted := got.Shifted > .1; shifted != c.shift {
			t.Errorf("%s: shifted by %.3g", name, got.Shifted)
		}
		if spread := got.Spread > .2; spread != c.spreads {
			t.Errorf("%s: widths by %.3g", name, got.Spread)
		}
	}
}
