package adapt

import (
	"math"
	"math/rand/v2"
	"testing"
)

// scattered returns n points of a normal with the same mean and standard deviation in all coordinates.
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

// TestContrastWithoutWidth checks that the contrast is finite if most values of a coordinate are equal, since JSON has
// no infinity.
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
		t.Errorf("contrast of widths %g, want a finite value above 100", c.Spread)
	}
	if c = ContrastOf([][][]float64{walkers, walkers}, [][][]float64{walkers, walkers}); c.Spread != 0 {
		t.Errorf("contrast of two equal widths of 0: %g, want 0", c.Spread)
	}
}

// TestContrastOf checks which measures of contrast are large: none if walkers and draws have the same distribution,
// Outside if some walkers are in another mode (also one in 50 dimensions that no single coordinate shows), Shifted if
// all walkers are shifted, and Spread if their distribution is narrower or wider.
func TestContrastOf(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		dim                     int
		center, width           float64 // of walkers
		away                    int     // number of walkers, of 16, with another center
		at                      float64 // that center
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
			t.Errorf("%s: share outside %.3g", name, got.Outside)
		}
		if shifted := got.Shifted > .1; shifted != c.shift {
			t.Errorf("%s: shifted by %.3g", name, got.Shifted)
		}
		if spread := got.Spread > .2; spread != c.spreads {
			t.Errorf("%s: contrast of widths %.3g", name, got.Spread)
		}
	}
}
