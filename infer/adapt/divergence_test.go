package adapt

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestDivergence checks windows in which coordinate 1 spreads, drifts to the end of a support, or only starts there.
func TestDivergence(t *testing.T) {
	window := func(r *rand.Rand, center, spread float64) (xs [][]float64) {
		for range 50 {
			xs = append(xs, []float64{r.NormFloat64(), center + spread*r.NormFloat64()})
		}
		return xs
	}
	for name, c := range map[string]struct {
		center, spread func(k int) float64 // of window k
		bounded        []bool
		want           int
	}{
		"spreads":          {zero, func(k int) float64 { return math.Pow(100, float64(k)) }, nil, 1},
		"wide but at rest": {zero, func(k int) float64 { return 1e15 }, nil, -1},
		"end of a support": {func(k int) float64 { return -100 * float64(k) }, one, []bool{false, true}, 1},
		"upper end":        {func(k int) float64 { return 709 }, one, []bool{false, true}, 1},
		"a real far away":  {func(k int) float64 { return -100 * float64(k) }, one, []bool{true, false}, -1},
		"starts from far out": {func(k int) float64 { return 2000 * math.Pow(.5, float64(k)) }, one,
			[]bool{false, true}, -1},
	} {
		r, got := rand.New(rand.NewPCG(1, 2)), -1
		var d Divergence
		for k := range 12 {
			if at := d.Watch(window(r, c.center(k), c.spread(k)), c.bounded); at >= 0 {
				got = at
			}
		}
		if got != c.want || (d.AtEnd() >= 0) != (c.bounded != nil && c.want >= 0) {
			t.Errorf("%s: coordinate %d, at the end %d; want %d", name, got, d.AtEnd(), c.want)
		}
	}
}

func zero(int) float64 { return 0 }
func one(int) float64  { return 1 }
