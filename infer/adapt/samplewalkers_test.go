package adapt

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestSomeWalkers checks that R-hat and the share of effective iterations of thousands of walkers, computed from a
// sample of them, are about those of 128 walkers, whether all walkers agree or half of them have another mean. The
// sample must have one random walker of each range.
func TestSomeWalkers(t *testing.T) {
	const walkers, iterations = 4096, 60
	r := rand.New(rand.NewPCG(1, 2))
	for _, apart := range []float64{0, 3} {
		seen, density := make([][][]float64, walkers), make([][]float64, walkers)
		for k := range seen {
			x := r.NormFloat64()
			for range iterations {
				x = .5*x + math.Sqrt(.75)*r.NormFloat64()
				seen[k] = append(seen[k], []float64{x + apart*float64(k%2)})
				density[k] = append(density[k], x)
			}
		}
		fewer := seen[:mostCompared/4]
		got, want := WorstRHat(density, seen, 0)-1, WorstRHat(density[:len(fewer)], fewer, 0)-1
		if !(math.Abs(got-want) < .2*want) {
			t.Errorf("%v apart: R-hat − 1 of all is %v, of some %v", apart, got, want)
		}
		if got, want := WorstShare(seen, 0), WorstShare(fewer, 0); apart == 0 && !(math.Abs(got-want) < .1*want) {
			t.Errorf("the share of all is %v, of some %v", got, want)
		}
	}
	if got := sampleWalkers(make([]int, mostCompared+1)); len(got) != mostCompared {
		t.Errorf("%d walkers are compared", len(got))
	}
	all := make([]int, 4*mostCompared)
	for i := range all {
		all[i] = i
	}
	stretches := map[int]bool{}
	for k, x := range sampleWalkers(all) {
		stretches[x%4] = true
		if x/4 != k {
			t.Fatalf("walker %d was chosen from range %d", x, k)
		}
	}
	if len(stretches) != 4 {
		t.Errorf("only walkers at the positions %v of their ranges are chosen, want all of 0 to 3", stretches)
	}
}
