package renhd

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ppl/infer/dynamics"
)

// Where rejections are as those of a constant density of the barrier in log β, equal rejection is a geometric ladder (closed form).
func TestRespace(t *testing.T) {
	betas := []float64{1, 0.5, 0.45, 1. / 16}
	var rates []float64
	for j := 1; j < len(betas); j++ {
		rates = append(rates, 1-0.1*math.Log2(betas[j-1]/betas[j]))
	}
	got := respace(betas, rates, 5)
	for j, want := range []float64{1, 0.5, 0.25, 0.125, 0.0625} {
		if math.Abs(got[j]/want-1) > 1e-12 {
			t.Errorf("β[%d] = %v, want %v", j, got[j], want)
		}
	}
}

func TestFirstGuess(t *testing.T) {
	if d := cmp.Diff([]float64{1, 0.5, 0.25}, firstGuess(dynamics.Energy, 3, 4)); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]float64{1, 0.0625, 0}, firstGuess(dynamics.Likelihood, 3, 4)); d != "" {
		t.Error(d)
	}
}

// Detailed balance of the noisy test, by its own Monte Carlo: with normal noise of variance σ² in the log ratio, E[min(1, e^{Δ+σz−σ²/2})]
// is e^Δ times the same for −Δ (Ceperley and Dewing). 10⁶ numbers know each to .0005; the bound is five times that. Without the
// penalty the ratio is off by a factor that the bound sees.
func TestPenaltyKeepsBalance(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	const delta, gap, noise, n = 0.7, 1.0, 0.6, 1_000_000
	accept := func(delta, penalised float64) float64 {
		sum := 0.0
		for range n {
			gain := delta/gap + math.Sqrt(2*noise)*r.NormFloat64()
			sum += math.Exp(min(penalty(gap, gain, penalised), 0))
		}
		return sum / n
	}
	if got, want := math.Log(accept(delta, noise)/accept(-delta, noise)), delta; math.Abs(got-want) > 0.006 {
		t.Errorf("log ratio of acceptances %.4f, want %.4f", got, want)
	}
	if got := math.Log(accept(delta, 0) / accept(-delta, 0)); math.Abs(got-delta) < 0.05 {
		t.Errorf("without penalty the log ratio is %.4f: the test could not fail", got)
	}
}

// A walker that goes 0 1 2 1 0 has made one round trip, one that turns back in the middle none.
func TestTrips(t *testing.T) {
	w := &walkers{rungs: make([]rung, 3), rungOf: make([]int, 1)}
	count := func(path ...int) int {
		trips := trips{last: make([]int, 1)}
		for _, r := range path {
			w.rungOf[0] = r
			trips.note(w)
		}
		return trips.count
	}
	for want, path := range map[int][]int{0: {0, 1, 0, 1, 2}, 1: {0, 1, 2, 1, 0}, 2: {2, 0, 1, 2, 1, 0, 1, 2, 0}} {
		if got := count(path...); got != want {
			t.Errorf("path %v: %d round trips, want %d", path, got, want)
		}
	}
}
