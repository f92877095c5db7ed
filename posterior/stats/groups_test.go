package stats

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/stat"
)

// takingTurns returns 4 chains of 500 draws, and the same draws grouped by walker. Each draw is of a random one of the
// 16 walkers of its chain; before each draw every walker chooses one of two modes again with probability rate.
func takingTurns(seed uint64, rate float64) (chains, walkers [][]float64) {
	const each, draws = 16, 500
	r := rand.New(rand.NewPCG(seed, 17))
	for range 4 {
		at, of, chain := make([]float64, each), make([][]float64, each), []float64{}
		for d := range draws {
			for k := range at {
				if d == 0 || r.Float64() < rate {
					at[k] = float64(r.IntN(2))
				}
			}
			k := r.IntN(each)
			chain, of[k] = append(chain, at[k]), append(of[k], at[k])
		}
		chains, walkers = append(chains, chain), append(walkers, of...)
	}
	return chains, walkers
}

// TestMCSEOfGroups checks that over 400 repetitions the squared error of the mean agrees with MCSEOfGroups, whether
// walkers change modes ten times in a run or hardly ever. In the latter case MCSEMean must be much too small. The
// variance of the z-scores has a standard error of √(2/400) = .07, plus the noise of 64 groups; the bound is .3.
func TestMCSEOfGroups(t *testing.T) {
	for _, rate := range []float64{.02, .002} {
		var z, plain []float64
		for seed := range uint64(400) {
			chains, walkers := takingTurns(seed, rate)
			off := stat.Mean(slices.Concat(chains...), nil) - .5
			z, plain = append(z, off/MCSEOfGroups(walkers)), append(plain, off/MCSEMean(chains))
		}
		if v := stat.Variance(z, nil); math.Abs(v-1) > .3 {
			t.Errorf("rate %v: variance of the errors over MCSE² is %v", rate, v)
		}
		if v := stat.Variance(plain, nil); rate < .01 && v < 1.5 {
			t.Errorf("rate %v: without groups the variance is %v; the test shows nothing", rate, v)
		}
	}
	if e := MCSEOfGroups(make([][]float64, 100)); !math.IsNaN(e) {
		t.Errorf("the error of no draws is %v", e)
	}
	if e := MCSEOfGroups(slices.Repeat([][]float64{{2, 2}}, 20)); e != 0 {
		t.Errorf("the error of constant draws is %v", e)
	}
}
