package adapt

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestInNegligibleMass checks walkers in normal modes of five dimensions, each with a log mass and a standard
// deviation. The mass decides, not the density: a wide mode with a low peak does not count as negligible, and a narrow
// mode of little mass does, although its peak is as high as the others.
func TestInNegligibleMass(t *testing.T) {
	type mode struct{ mass, sd float64 }
	for name, c := range map[string]struct {
		modes []mode
		want  []bool
	}{
		"one far below":        {[]mode{{0, 1}, {0, 1}, {-40, 1}, {0, 1}}, []bool{false, false, true, false}},
		"wide":                 {[]mode{{0, 1}, {0, 1}, {0, 400}, {0, 1}}, make([]bool, 4)},
		"narrow":               {[]mode{{0, 1}, {0, 1}, {-40, 1. / 400}, {0, 1}}, []bool{false, false, true, false}},
		"only one at the best": {[]mode{{0, 1}, {-40, 1}, {-40, 1}, {-40, 1}}, make([]bool, 4)},
		"a weight to be found": {[]mode{{0, 1}, {0, 1}, {-5, 1}}, make([]bool, 3)},
		"two cannot tell":      {[]mode{{0, 1}, {-40, 1}}, make([]bool, 2)},
	} {
		const d, n = 5, 40
		r := rand.New(rand.NewPCG(7, 8))
		density, visited := make([][]float64, len(c.modes)), make([][][]float64, len(c.modes))
		for w, m := range c.modes {
			for range n {
				top, x := m.mass-d*math.Log(m.sd), make([]float64, d)
				for j := range x {
					z := r.NormFloat64()
					x[j], top = 1000*float64(w)+m.sd*z, top-z*z/2
				}
				density[w], visited[w] = append(density[w], top), append(visited[w], x)
			}
		}
		if diff := cmp.Diff(c.want, InNegligibleMass(density, visited)); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

// TestRising checks walkers whose log density is the highest, rises towards it, is constant below it, rises too slowly,
// is NaN, or falls.
func TestRising(t *testing.T) {
	line := func(from, to float64) (out []float64) {
		for i := range 10 {
			out = append(out, from+(to-from)*float64(i)/9)
		}
		return out
	}
	got := Rising([][]float64{line(-50, -50), line(-2000, -500), line(-900, -900), line(-900, -880),
		line(math.NaN(), math.NaN()), line(-900, -1200)})
	if diff := cmp.Diff([]bool{false, true, false, false, false, false}, got); diff != "" {
		t.Error(diff)
	}
}
